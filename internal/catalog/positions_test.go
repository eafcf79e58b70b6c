// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// script answers with one body after the other. Each body that ends with a space has a link to a second page.
type script struct{ bodies []string }

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	body := s.bodies[0]
	s.bodies = s.bodies[1:]
	header := http.Header{}
	if strings.HasSuffix(body, " ") {
		header.Set("Link", "<?page=2>; rel=next")
	}
	return &http.Response{StatusCode: 200, Header: header, Request: req, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// reading returns a catalog that sends its requests to a service.
func reading(t *testing.T, service http.RoundTripper) *Catalog {
	t.Helper()
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	network := &assessapi.Attempt{Next: service, Timeout: time.Minute}
	return New(assessapi.New(assessapi.Config{BaseURL: base, Transport: network, RetryTimeout: time.Minute}), nil)
}

// If the list changes while it is read, each position is still listed once.
func TestPositionsChangeWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	const first, moved, again = `[{"id":"1"},{"id":"2"}] `, `[{"id":"2"},{"id":"3"}]`, `[{"id":"0"},{"id":"1"}] `
	all, err := reading(t, &script{[]string{first, moved, again, moved}}).Positions(t.Context())
	var ids string
	for _, position := range all {
		ids += position.ID
	}
	if err != nil || ids != "1203" {
		t.Errorf("listed %q, %v, want each once", ids, err)
	}
}
