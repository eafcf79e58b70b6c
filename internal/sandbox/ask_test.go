// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// answered adds methods to an answer.
type answered struct{ sandboxtest.Response }

// send is [sandboxtest.Send].
func send(t *testing.T, transport http.RoundTripper, request *http.Request) answered {
	t.Helper()
	return answered{sandboxtest.Send(t, transport, request)}
}

// ask sends one request to a path below the base path: over HTTP to a server, otherwise in
// memory.
func ask(t *testing.T, to http.RoundTripper, method, path, body string) answered {
	t.Helper()
	if server, hasPort := to.(*sandboxtest.Server); hasPort {
		return send(t, http.DefaultTransport, sandboxtest.NewRequest(t, method, server.URL+path, body))
	}
	return send(t, to, sandboxtest.NewRequest(t, method, sandbox.BaseURL+path, body))
}

func get(t *testing.T, to http.RoundTripper, path string) answered {
	t.Helper()
	return ask(t, to, http.MethodGet, path, "")
}

func post(t *testing.T, to http.RoundTripper, path, body string) answered {
	t.Helper()
	return ask(t, to, http.MethodPost, path, body)
}

func put(t *testing.T, to http.RoundTripper, path, body string) answered {
	t.Helper()
	return ask(t, to, http.MethodPut, path, body)
}

func remove(t *testing.T, to http.RoundTripper, path string) answered {
	t.Helper()
	return ask(t, to, http.MethodDelete, path, "")
}

// fetch gets an address with the demo credentials.
func fetch(t *testing.T, address string) answered {
	t.Helper()
	return send(t, http.DefaultTransport, sandboxtest.NewRequest(t, http.MethodGet, address, ""))
}

// array decodes a collection.
func (a answered) array(t *testing.T) []map[string]any {
	t.Helper()
	var elements []map[string]any
	if err := json.Unmarshal([]byte(a.Body), &elements); err != nil {
		t.Fatalf("status %d, not an array: %v: %s", a.Status, err, a.Body)
	}
	return elements
}

// object decodes a resource.
func (a answered) object(t *testing.T) map[string]any {
	t.Helper()
	var resource map[string]any
	if err := json.Unmarshal([]byte(a.Body), &resource); err != nil {
		t.Fatalf("status %d, not an object: %v: %s", a.Status, err, a.Body)
	}
	return resource
}

// nextPage returns the address of the next page from the Link header, or "".
func (a answered) nextPage() string { return a.page("next") }

func (a answered) page(rel string) string {
	for _, part := range strings.Split(a.Header.Get("Link"), ", ") {
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
	err := service.View(func(st *sandbox.State) { n = len(st.Position("pos-backend-london").Assessments) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// resultsPage is a page of results with its own JSON names, so that it does not depend
// on the service's types.
type resultsPage struct {
	Links []struct{ Rel, Href string } `json:"_links"`

	Candidates []struct {
		ID, Name, ReportURL string
		Suitability         *float64
		Results             []struct {
			Assessment, Type, ReportURL string
			Percentile                  *float64
			Classification, Validity    *string
			Invitations                 []struct {
				ID, Expiry, CandidateLoginURL, Type, Status, Created string
				Completed                                            *string
			}
		}
	}
}

func (a answered) results(t *testing.T) (page resultsPage, next string) {
	t.Helper()
	a.Want(t, http.StatusOK)
	if err := json.Unmarshal([]byte(a.Body), &page); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	for _, link := range page.Links {
		if link.Rel == "next" {
			next = link.Href
		}
	}
	return page, next
}

// scores returns candidate ids with their suitability.
func (p resultsPage) scores() []string {
	all := []string{}
	for _, candidate := range p.Candidates {
		score := "-"
		if candidate.Suitability != nil {
			score = fmt.Sprint(*candidate.Suitability)
		}
		all = append(all, candidate.ID+" "+score)
	}
	return all
}
