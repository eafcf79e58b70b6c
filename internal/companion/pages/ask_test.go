// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/companion/pages"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	london    = "/positions/pos-backend-london/assessments"
	graduates = "/positions/" + sandbox.DemoResultsPosition + "/results"
)

// serve starts a service with pages.
func serve(t *testing.T, change ...func(*sandboxtest.Options)) *sandboxtest.Server {
	t.Helper()
	return sandboxtest.New(t, append(change, func(o *sandboxtest.Options) {
		o.Wrap = func(s *sandboxtest.Service) http.Handler { return pages.Handler(s.Service, s) }
	})...)
}

var send = sandboxtest.Send

func get(t *testing.T, to http.RoundTripper, path string) sandboxtest.Response {
	t.Helper()
	return sandboxtest.Ask(t, to, http.MethodGet, path, "")
}

func post(t *testing.T, to http.RoundTripper, path, body string) sandboxtest.Response {
	t.Helper()
	return sandboxtest.Ask(t, to, http.MethodPost, path, body)
}

// body is what attaches an assessment.
func body(assessment, metadata string) string {
	return `{"organizationAssessment":"` + assessment + `","metadata":` + metadata + `}`
}
