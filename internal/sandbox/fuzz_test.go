// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// small is a state with one thing of each kind, so that a fuzzer finds its ids.
const small = `{"version": 1, "assessments": [
	{"id": "g", "kind": "multi-game-cognitive", "packages": [{"id": "m", "mandatory": true}, {"id": "o"}],
		"benchmarks": [{"id": "b", "locale": "en"}]},
	{"id": "v", "kind": "values-inventory", "profiles": [{"id": "f"}]},
	{"id": "s", "kind": "skills", "skillsTests": [{"id": "t", "title": "T", "active": false}]}
], "positions": [{"id": "p", "title": "é", "locale": "en", "assessments": [
	{"id": "a", "assessment": "v", "metadata": {"profile": "f", "profileStatus": "PROFILE_ATTACHED"}},
	{"id": "c", "assessment": "g", "metadata": {"packages": ["m"]}}
], "candidates": [{"id": "x", "name": "<X>", "results": [
	{"assessment": "g", "percentile": 50.5, "invitations": [{"id": "i", "status": "TESTED_WITH_RESULTS"}]},
	{"assessment": "v", "invitations": [{"id": "j", "status": "INVITED"}]}
]}]}]}`

func smallState() *sandbox.State {
	st := new(sandbox.State)
	if err := json.Unmarshal([]byte(small), st); err != nil {
		panic(err)
	}
	return st
}

// stateText returns the state without the parts that every request changes.
func stateText(t *testing.T, service *sandbox.Service) string {
	t.Helper()
	text := ""
	err := service.View(func(st *sandbox.State) { text = jsonText(t, []any{st.Assessments, st.Positions}) })
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// FuzzRoutes sends any request to any path, through both transports. The answer always
// has the right form, and a rejected request changes nothing.
func FuzzRoutes(f *testing.F) {
	for _, seed := range [][3]string{
		{"GET", "/v1/positions?title=%C3%A9&limit=1&fields=title,locale", ""},
		{"GET", "/v1/assessments/s/skills?active=false&offset=0", ""},
		{"GET", "/v1/assessments/g/packages?fields=mandatory", ""},
		{"GET", "/v1/assessments/g/benchmarks?limit=0", ""},
		{"GET", "/v1/assessments/v/profiles", ""},
		{"GET", "/v1/positions/p/results?candidate=x&assessment=g", ""},
		{"GET", "/v1/positions/p/assessments", ""},
		{"GET", "/v1/positions/p/assessments/a", ""},
		{"POST", "/v1/positions/p/assessments", `{"organizationAssessment":"g","metadata":{"packages":["m"],"benchmark":"b"}}`},
		{"POST", "/v1/positions/p/assessments", `{"organizationAssessment":"\ud83d"}`},
		{"PUT", "/v1/positions/p/assessments/a", `{"organizationAssessment":"v","metadata":{}}`},
		{"DELETE", "/v1/positions/p/assessments/c", ""},
		{"PUT", "/v1/assessments/s/skills/t", `{"id":"t","title":"T","active":true,"_links":[{"rel":"self","href":"https://sandbox.assess.invalid/v1/assessments/s/skills/t"}]}`},
		{"GET", "/v1/positions/%2F%2e%2e/assessments", ""},
		{"GET", "/", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	statuses := []int{200, 201, 204, 303, 400, 403, 404, 405, 406, 409, 413, 415}
	f.Fuzz(func(t *testing.T, method, target, body string) {
		request, err := http.NewRequestWithContext(t.Context(), method, "https://sandbox.assess.invalid"+target,
			strings.NewReader(body))
		if err != nil || request.URL.Host != "sandbox.assess.invalid" {
			t.Skip()
		}
		request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		service, err := sandbox.New(sandbox.Options{Seed: smallState})
		if err != nil {
			t.Fatal(err)
		}
		before := stateText(t, service)
		got := send(t, service, request)
		if !slices.Contains(statuses, got.Status) || got.Header.Get("Conversation-Id") == "" {
			t.Errorf("%s %s: %d, %v", method, target, got.Status, got.Header)
		}
		if got.Status != http.StatusNoContent && !json.Valid([]byte(got.Body)) {
			t.Errorf("%s %s: not JSON: %s", method, target, got.Body)
		}
		if after := stateText(t, service); after != before && (method == http.MethodGet || got.Status >= 400) {
			t.Errorf("%s %s: an answer with status %d changed the state", method, target, got.Status)
		}

		page := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", strings.NewReader(body))
		page.Method, page.URL, page.Host = request.Method, request.URL, "127.0.0.1:1"
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, page)
		if recorder.Code >= 500 || strings.Contains(recorder.Body.String(), "<X>") {
			t.Errorf("%s %s as a page: %d %s", method, target, recorder.Code, recorder.Body)
		}
	})
}

// FuzzStateFile starts the service with any file. Either New returns an error and does
// not change the file, or the service can answer every request.
func FuzzStateFile(f *testing.F) {
	for _, text := range []string{small, small[:len(small)/2], small + "x", "", "null", `{"version":1}`, `{"version":1,"windows":{"requests":["2026-01-01T00:00:00Z"]}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		service, err := sandbox.New(sandbox.Options{StateFile: path, NoLimits: true, Seed: smallState})
		if err != nil {
			if kept, reading := os.ReadFile(path); !strings.Contains(err.Error(), path) || reading != nil ||
				string(kept) != text {
				t.Errorf("%v; the file became %q, %v", err, kept, reading)
			}
			return
		}
		var st *sandbox.State
		if err := service.View(func(seen *sandbox.State) { st = seen }); err != nil {
			t.Fatal(err)
		}
		targets := []string{"/assessments?fields=code,name", "/positions?fields=title,locale"}
		for _, assessment := range st.Assessments[:min(3, len(st.Assessments))] {
			for _, noun := range []string{"packages", "benchmarks", "profiles", "skills", "skills?active=false"} {
				targets = append(targets, "/assessments/"+url.PathEscape(assessment.ID)+"/"+noun)
			}
		}
		for _, position := range st.Positions[:min(3, len(st.Positions))] {
			targets = append(targets, "/positions/"+url.PathEscape(position.ID)+"/results",
				"/positions/"+url.PathEscape(position.ID)+"/assessments?fields=organizationAssessment,metadata")
		}
		for _, target := range targets {
			got := get(t, service, target)
			if got.Status >= 500 || !json.Valid([]byte(got.Body)) {
				t.Errorf("%s: %d %s", target, got.Status, got.Body)
			}
		}
	})
}
