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
type answered struct{ sandboxtest.Answer }

// send is [sandboxtest.Send].
func send(t *testing.T, transport http.RoundTripper, request *http.Request) answered {
	t.Helper()
	return answered{sandboxtest.Send(t, transport, request)}
}

// ask sends one request over HTTP. The path is relative to the base path.
func ask(t *testing.T, server *sandboxtest.Server, method, path, body string) answered {
	t.Helper()
	return send(t, http.DefaultTransport, sandboxtest.NewRequest(t, method, server.URL+path, body))
}

// askMemory sends one request through RoundTrip.
func askMemory(t *testing.T, service http.RoundTripper, method, path, body string) answered {
	t.Helper()
	return send(t, service, sandboxtest.NewRequest(t, method, sandbox.BaseURL+path, body))
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
