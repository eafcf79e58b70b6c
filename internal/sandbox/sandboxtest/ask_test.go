// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"net/http"
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

// ask sends one request to a path below the base path: over HTTP to a server, otherwise in
// memory.
func ask(t *testing.T, to http.RoundTripper, method, path, body string) sandboxtest.Response {
	t.Helper()
	if server, hasPort := to.(*sandboxtest.Server); hasPort {
		request := sandboxtest.NewRequest(t, method, server.URL+path, body)
		return sandboxtest.Send(t, http.DefaultTransport, request)
	}
	return sandboxtest.Send(t, to, sandboxtest.NewRequest(t, method, sandbox.BaseURL+path, body))
}

func get(t *testing.T, to http.RoundTripper, path string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodGet, path, "")
}

func post(t *testing.T, to http.RoundTripper, path, body string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodPost, path, body)
}

func remove(t *testing.T, to http.RoundTripper, path string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodDelete, path, "")
}
