// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// recorder is a test that notes its failures instead of failing.
type recorder struct {
	testing.TB
	failures []string
	cleanup  []func()
}

func (r *recorder) Helper()                           {}
func (r *recorder) Cleanup(f func())                  { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Error(args ...any)                 { r.failures = append(r.failures, fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

// A test fails if a request goes to another host, or carries the API key to a place where others can read it.
func TestStrayRequestsFailTheirTest(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		address, header, body string
		fails                 string
	}{
		"the service":       {address: sandbox.BaseURL + "/positions"},
		"another host":      {address: "https://elsewhere.example/v1/positions", fails: "another origin"},
		"another port":      {address: "https://sandbox.assess.invalid:8443/v1/positions", fails: "another origin"},
		"another scheme":    {address: strings.Replace(sandbox.BaseURL, "https", "http", 1) + "/positions", fails: "another origin"},
		"a raw address":     {address: sandbox.BaseURL + "/positions?title={", fails: "not encoded"},
		"the key in a link": {address: sandbox.BaseURL + "/positions?key=" + sandbox.APIKey, fails: "carries the API key"},
		"in a header":       {address: sandbox.BaseURL + "/positions", header: "k=" + sandbox.APIKey, fails: "carries the API key"},
		"in a body":         {address: sandbox.BaseURL + "/positions", body: sandbox.APIKey, fails: "carries the API key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			observed := &recorder{TB: t}
			service := sandboxtest.NewService(observed, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, row.address, strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "a place for "+sandbox.APIKey)
			if row.header != "" {
				req.Header.Set("X-Gateway", row.header)
			}
			if resp, err := service.RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
			for _, end := range observed.cleanup {
				end()
			}
			text := strings.Join(observed.failures, "\n")
			if row.fails == "" && text != "" || !strings.Contains(text, row.fails) {
				t.Errorf("the test fails with %q, want %q", text, row.fails)
			}
		})
	}
}
