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

var ask, send = sandboxtest.Ask, sandboxtest.Send

func get(t *testing.T, to http.RoundTripper, path string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodGet, path, "")
}

func post(t *testing.T, to http.RoundTripper, path, body string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodPost, path, body)
}

func put(t *testing.T, to http.RoundTripper, path, body string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodPut, path, body)
}

// fetch gets an address with the demo credentials.
func fetch(t *testing.T, address string) sandboxtest.Response {
	t.Helper()
	return send(t, http.DefaultTransport, sandboxtest.NewRequest(t, http.MethodGet, address, ""))
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
		Results             []resultOfSitting
	}
}

type resultOfSitting struct {
	Assessment, Type, ReportURL string
	Percentile                  *float64
	Classification, Validity    *string
	Invitations                 []struct {
		ID, CandidateLoginURL, Status string
		Completed                     *string
	}
}

// resultsOf decodes a page of results.
func resultsOf(t *testing.T, a sandboxtest.Response) (page resultsPage, next string) {
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
