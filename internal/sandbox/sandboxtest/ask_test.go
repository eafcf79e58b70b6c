// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// london is the position whose position assessments most tests use.
const london = "/positions/pos-backend-london/assessments"

// body returns the body of a request that attaches an assessment.
func body(assessment, metadata string) string {
	return `{"organizationAssessment":"` + assessment + `","metadata":` + metadata + `}`
}

// answered is an answer whose body has been read.
type answered struct {
	status int
	header http.Header
	body   string
}

// newRequest returns a request with the demo credentials.
func newRequest(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	return request
}

// send sends a request through either transport: http.DefaultTransport or a service.
func send(t *testing.T, transport http.RoundTripper, request *http.Request) answered {
	t.Helper()
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatalf("%s %s: %v", request.Method, request.URL, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: reading the answer: %v", request.Method, request.URL, err)
	}
	return answered{response.StatusCode, response.Header, string(body)}
}

// ask sends one request over HTTP. The path is relative to the base path.
func ask(t *testing.T, server *sandboxtest.Server, method, path, body string) answered {
	t.Helper()
	return send(t, http.DefaultTransport, newRequest(t, method, server.URL+path, body))
}

// askMemory sends one request through RoundTrip.
func askMemory(t *testing.T, service http.RoundTripper, method, path, body string) answered {
	t.Helper()
	return send(t, service, newRequest(t, method, sandbox.BaseURL+path, body))
}

// want fails the test unless the answer has the status and its body contains each part.
func (a answered) want(t *testing.T, status int, parts ...string) {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d; body: %s", a.status, status, a.body)
	}
	for _, part := range parts {
		if !strings.Contains(a.body, part) {
			t.Errorf("the body does not contain %q: %s", part, a.body)
		}
	}
}

// next returns the address of the next page, from any envelope.
func (a answered) next(t *testing.T) string {
	t.Helper()
	for _, part := range strings.Split(a.header.Get("Link"), ", ") {
		if address, found := strings.CutSuffix(part, `>; rel="next"`); found {
			return strings.TrimPrefix(address, "<")
		}
	}
	var envelope struct {
		Links []struct{ Rel, Href string } `json:"_links"`
	}
	if strings.HasPrefix(a.body, "[") {
		return ""
	}
	if err := json.Unmarshal([]byte(a.body), &envelope); err != nil {
		t.Fatal(err)
	}
	for _, link := range envelope.Links {
		if link.Rel == "next" {
			return link.Href
		}
	}
	return ""
}
