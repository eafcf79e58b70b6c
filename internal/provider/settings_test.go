// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Each mistake in the settings has an error that names the attribute or its variable, and never the key.
func TestSettings(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	const key = "a-very-secret-key"
	with := func(address, clientID string, others ...string) []string {
		return append(others, "ASSESS_BASE_URL="+address, "ASSESS_CLIENT_ID="+clientID, "ASSESS_API_KEY="+key)
	}
	for name, row := range map[string]struct {
		step string
		env  []string
		says []string
	}{
		"nothing set": {
			"environment", nil,
			[]string{
				`Missing (address of the service|Client Identifier|API key)`, `"(base_url|client_id|api_key)"`,
				`ASSESS_(BASE_URL|CLIENT_ID|API_KEY)`, `sandbox \{\}`,
			},
		},
		"key missing": {
			"environment",
			[]string{"ASSESS_BASE_URL=" + service.URL, "ASSESS_CLIENT_ID=x"},
			[]string{"Missing API key", `"api_key"`, "ASSESS_API_KEY"},
		},
		"wrong key": {
			"environment", with(service.URL, sandbox.ClientID),
			[]string{
				"Could not list the assessments",
				"GET " + service.URL + "/assessments with 401 Unauthorized", "Conversation-Id",
				"check the credentials", "ASSESS_CLIENT_ID, ASSESS_API_KEY",
			},
		},
		"reserved header": {
			"environment", with(service.URL, "x", `ASSESS_HEADERS={"Host": "`+key+`"}`),
			[]string{"Invalid headers", "ASSESS_HEADERS", `"Host" is reserved`},
		},
		"plain http": {
			"environment", with("http://assess.example.com/v1", "x"),
			[]string{"Invalid address of the service", "plain http", `"assess.example.com"`, "use https", "ASSESS_BASE_URL"},
		},
		"no scheme before a loopback address": {
			"attributes",
			[]string{"TF_VAR_address=" + strings.TrimPrefix(service.URL, "http://")},
			[]string{
				"Could not list the assessments",
				"GET " + strings.Replace(service.URL, "http:", "https:", 1) + "/assessments received no usable " +
					"answer", "HTTP response to HTTPS client",
				"without a scheme means https", "For a server on this machine, write http://", "ASSESS_BASE_URL",
			},
		},
		"connection refused": {
			"attributes",
			[]string{"TF_VAR_address=" + closed.URL},
			[]string{
				"Could not list the assessments",
				"GET " + closed.URL + "/assessments received no usable answer: .*connection refused",
				`last of \d+ attempts within`, "ASSESS_BASE_URL", "network",
			},
		},
		"wrong path": {
			"attributes",
			[]string{"TF_VAR_address=" + service.URL + "/wrong"},
			[]string{
				"Could not list the assessments",
				"GET " + service.URL + "/wrong/assessments with 404 Not Found", "ASSESS_BASE_URL",
			},
		},
		"durations": {"durations", nil, []string{"Not a duration", `request_timeout is "soon"`, "30s"}},
		"negative":  {"durations", nil, []string{"Not a duration", `retry_timeout is "-1s"`, "above zero"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clitest.NewBare(t, row.env...)
			c.UseFrom("TestSettings", row.step)
			r := c.Plan().Fails(row.says...)
			if strings.Contains(r.Output, key) {
				t.Errorf("the output contains the key:\n%s", r.Output)
			}
		})
	}
}

// Attributes take precedence over environment variables.
func TestAttributesBeforeEnvironment(t *testing.T) {
	t.Parallel()
	for attribute, sent := range map[string]string{"null": "variable", `{"X-Token": "attribute"}`: "attribute"} {
		service := sandboxtest.New(t)
		c := clitest.NewBare(t, "TF_VAR_address="+service.URL, "TF_VAR_headers="+attribute,
			"ASSESS_BASE_URL=https://unused.invalid", "ASSESS_API_KEY=wrong", `ASSESS_HEADERS={"X-Token": "variable"}`)
		c.UseFrom("TestSettings", "attributes")
		c.Plan().OK().Quiet()
		for _, entry := range service.Journal() {
			if got := entry.Header.Get("X-Token"); got != sent {
				t.Errorf("headers is %s: sent %q, want %q", attribute, got, sent)
			}
		}
	}
}

// The embedded service requires no port and no credentials, and keeps its state between
// runs.
func TestSandboxBlock(t *testing.T) {
	t.Parallel()
	c := clitest.NewBare(t, "ASSESS_BASE_URL=http://unused.invalid", "ASSESS_API_KEY=unused")
	c.UseFrom("TestSandboxBlock", "1")
	c.Apply().OK().Quiet()
	c.Plan().Empty().Quiet()
	c.Add("estate.json", "{broken")
	c.Plan().Fails("Could not use the embedded service", "estate.json")
}
