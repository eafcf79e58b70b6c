// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// london is the position whose position assessments most tests use.
const london = "/positions/pos-backend-london/assessments"

// body returns the body of a request that attaches an assessment.
func body(assessment, metadata string) string {
	return `{"organizationAssessment":"` + assessment + `","metadata":` + metadata + `}`
}

func get(t *testing.T, to http.RoundTripper, path string) sandboxtest.Response {
	t.Helper()
	return sandboxtest.Ask(t, to, http.MethodGet, path, "")
}

func post(t *testing.T, to http.RoundTripper, path, body string) sandboxtest.Response {
	t.Helper()
	return sandboxtest.Ask(t, to, http.MethodPost, path, body)
}
