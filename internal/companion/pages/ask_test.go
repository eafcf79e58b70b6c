// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
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

// results are a page of results.
type results struct {
	Candidates []struct {
		ReportURL   string
		Suitability *float64
		Results     []struct {
			ReportURL   string
			Percentile  *float64
			Invitations []struct{ CandidateLoginURL, Status string }
		}
	}
}

func resultsOf(t *testing.T, a sandboxtest.Response) (page results) {
	t.Helper()
	a.Want(t, http.StatusOK)
	if err := json.Unmarshal([]byte(a.Body), &page); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return page
}
