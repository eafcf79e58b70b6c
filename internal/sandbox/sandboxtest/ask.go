// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Response is a response whose body has been read.
type Response struct {
	Status int
	Header http.Header
	Body   string
}

// NewRequest returns a request with the demo credentials.
func NewRequest(t testing.TB, method, url, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	return request
}

// Send sends a request through a transport: http.DefaultTransport or a service.
func Send(t testing.TB, transport http.RoundTripper, request *http.Request) Response {
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
	return Response{response.StatusCode, response.Header, string(body)}
}

// Ask sends a request with the demo credentials to a path below the base path: over HTTP to a [Server], otherwise in
// memory.
func Ask(t testing.TB, to http.RoundTripper, method, path, body string) Response {
	t.Helper()
	if server, hasPort := to.(*Server); hasPort {
		return Send(t, http.DefaultTransport, NewRequest(t, method, server.URL+path, body))
	}
	return Send(t, to, NewRequest(t, method, sandbox.BaseURL+path, body))
}

// Array decodes a collection.
func (a Response) Array(t testing.TB) []map[string]any {
	t.Helper()
	return decoded[[]map[string]any](t, a)
}

// Object decodes a resource.
func (a Response) Object(t testing.TB) map[string]any {
	t.Helper()
	return decoded[map[string]any](t, a)
}

func decoded[T any](t testing.TB, a Response) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.Body), &value); err != nil {
		t.Fatalf("status %d, not %T: %v: %s", a.Status, value, err, a.Body)
	}
	return value
}

// Page returns the address of another page from the header Link, or "".
func (a Response) Page(rel string) string {
	for _, link := range parseLinkHeader(a.Header.Get("Link")) {
		if link.Rel == rel {
			return link.Href
		}
	}
	return ""
}

// Want fails the test unless the answer has the status and its body contains each part.
func (a Response) Want(t testing.TB, status int, parts ...string) {
	t.Helper()
	if a.Status != status {
		t.Errorf("status %d, want %d; body: %s", a.Status, status, a.Body)
	}
	for _, part := range parts {
		if !strings.Contains(a.Body, part) {
			t.Errorf("the body does not contain %q: %s", part, a.Body)
		}
	}
}
