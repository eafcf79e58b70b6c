// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

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

// array decodes a collection.
func (a answered) array(t *testing.T) []map[string]any {
	t.Helper()
	var elements []map[string]any
	if err := json.Unmarshal([]byte(a.body), &elements); err != nil {
		t.Fatalf("status %d, not an array: %v: %s", a.status, err, a.body)
	}
	return elements
}

// object decodes a resource.
func (a answered) object(t *testing.T) map[string]any {
	t.Helper()
	var resource map[string]any
	if err := json.Unmarshal([]byte(a.body), &resource); err != nil {
		t.Fatalf("status %d, not an object: %v: %s", a.status, err, a.body)
	}
	return resource
}

// nextPage returns the address of the next page from the Link header, or "".
func (a answered) nextPage() string { return a.page("next") }

func (a answered) page(rel string) string {
	for _, part := range strings.Split(a.header.Get("Link"), ", ") {
		address, parameters, _ := strings.Cut(part, ">; ")
		if parameters == `rel="`+rel+`"` {
			return strings.TrimPrefix(address, "<")
		}
	}
	return ""
}

// ids returns the ids of the elements.
func ids(elements []map[string]any) []string {
	all := []string{}
	for _, element := range elements {
		id, _ := element["id"].(string)
		all = append(all, id)
	}
	return all
}

// memory returns a service without a port.
func memory(t *testing.T, options sandbox.Options) *sandbox.Service {
	t.Helper()
	service, err := sandbox.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// noLimits disables the rate limits in tests of other behavior.
func noLimits(options *sandboxtest.Options) { options.NoLimits = true }

// jsonText writes a value as JSON.
func jsonText(t *testing.T, value any) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text.String())
}

// attachedTo counts the position assessments of the London position.
func attachedTo(t *testing.T, service *sandbox.Service) (n int) {
	t.Helper()
	if err := service.View(
		func(st *sandbox.State) { n = len(st.Position("pos-backend-london").Assessments) },
	); err != nil {
		t.Fatal(err)
	}
	return n
}
