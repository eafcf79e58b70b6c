// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"encoding/json"
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

func remove(t *testing.T, to http.RoundTripper, path string) answered {
	t.Helper()
	return ask(t, to, http.MethodDelete, path, "")
}

// next returns the address of the next page, from any envelope.
func (a answered) next(t *testing.T) string {
	t.Helper()
	for _, part := range strings.Split(a.Header.Get("Link"), ", ") {
		if address, found := strings.CutSuffix(part, `>; rel="next"`); found {
			return strings.TrimPrefix(address, "<")
		}
	}
	var envelope struct {
		Links []struct{ Rel, Href string } `json:"_links"`
	}
	if strings.HasPrefix(a.Body, "[") {
		return ""
	}
	if err := json.Unmarshal([]byte(a.Body), &envelope); err != nil {
		t.Fatal(err)
	}
	for _, link := range envelope.Links {
		if link.Rel == "next" {
			return link.Href
		}
	}
	return ""
}
