// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestCredentials(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t)
	for name, set := range map[string]func(*http.Request){
		"none":       func(r *http.Request) { r.Header.Del("Authorization") },
		"wrong key":  func(r *http.Request) { r.SetBasicAuth(sandbox.ClientID, "wrong") },
		"wrong user": func(r *http.Request) { r.SetBasicAuth("somebody", sandbox.APIKey) },
		"swapped":    func(r *http.Request) { r.SetBasicAuth(sandbox.APIKey, sandbox.ClientID) },
		"bearer":     func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+sandbox.APIKey) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := sandboxtest.NewRequest(t, http.MethodGet, server.URL+"/positions", "")
			set(request)
			got := send(t, http.DefaultTransport, request)
			got.Want(t, http.StatusUnauthorized, `"code":"UNAUTHORIZED"`)
			if got.Header.Get("WWW-Authenticate") == "" {
				t.Error("no WWW-Authenticate header")
			}
			if strings.Contains(got.Body, sandbox.APIKey) {
				t.Error("the answer repeats the key")
			}
		})
	}
	get(t, server, "/positions").Want(t, http.StatusOK)
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for _, test := range []struct {
		method, header, value string
		status                int
	}{
		{"GET", "Accept", "", 200},
		{"GET", "Accept", "application/json", 200},
		{"GET", "Accept", "application/json; charset=utf-8", 200},
		{"GET", "Accept", "*/*", 200},
		{"GET", "Accept", "text/html, application/json;q=0.9", 200},
		{"GET", "Accept", "text/html", 406},
		{"GET", "Accept", "application/*", 200},
		{"GET", "Accept", "application/json;q=0", 406},
		{"GET", "Accept", "*/*, application/json;q=0", 406},
		{"GET", "Accept", "application/*;q=0.000, */*", 406},
		{"GET", "Accept", "text/html, */*;q=0.1", 200},
		{"GET", "Accept", "application/json;q=none", 406},
		{"GET", "Accept", "application/xml", 406},
		{"GET", "Content-Type", "text/plain", 200}, // only used with POST and PUT
		{"POST", "Content-Type", "", 201},
		{"POST", "Content-Type", "application/json", 201},
		{"POST", "Content-Type", "application/json; charset=utf-8", 201},
		{"POST", "Content-Type", "text/plain", 415},
		{"POST", "Content-Type", "application/x-www-form-urlencoded", 415},
		{"POST", "Content-Type", "application/", 415},
	} {
		t.Run(test.method+" "+test.header+" "+test.value, func(t *testing.T) {
			t.Parallel()
			request := sandboxtest.NewRequest(t, test.method, server.URL+"/positions/pos-support-leeds/assessments",
				`{"organizationAssessment":"asm-facet"}`)
			if test.value != "" {
				request.Header.Set(test.header, test.value)
			}
			send(t, http.DefaultTransport, request).Want(t, test.status)
		})
	}
}

func TestCharset(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	attached := "/positions/pos-support-leeds/assessments"
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		part               string
	}{
		"path": {"GET", "/positions/%E2%82%AC/assessments", "", 400, "the path has a character outside " +
			"Latin1: '\\\\u20ac'"},
		"path, Latin1":             {"GET", "/positions/%C3%A9/assessments", "", 404, "é"},
		"query":                    {"GET", "/positions?title=%C5%81%C3%B3d%C5%BA", "", 400, "the query has"},
		"query, Latin1":            {"GET", "/positions?title=Charg%C3%A9", "", 200, "[]"},
		"query, not UTF-8":         {"GET", "/positions?title=Charg%E9", "", 400, "not encoded in UTF-8"},
		"body, raw":                {"POST", attached, `{"organizationAssessment":"Łódź"}`, 400, "the body has"},
		"body, escaped":            {"POST", attached, `{"organizationAssessment":"\u0141"}`, 400, "the body has"},
		"body, escaped name":       {"POST", attached, `{"\u0141":1}`, 400, "the body has"},
		"body, surrogate pair":     {"POST", attached, `{"organizationAssessment":["\ud83d\ude00"]}`, 400, "the body has"},
		"body, unpaired surrogate": {"POST", attached, `{"organizationAssessment":"\ud83d"}`, 400, "the body has"},
		"body, Latin1":             {"POST", attached, `{"organizationAssessment":"\u00e9"}`, 400, `there is no assessment \"é\"`},
		"body, Latin1 in UTF-8":    {"POST", attached, `{"organizationAssessment":"é"}`, 400, `there is no assessment \"é\"`},
		// JSON is UTF-8 (RFC 8259). The other reading of A15 is an assumption of sandboxtest.
		"body, Latin1 bytes": {"POST", attached, "{\"organizationAssessment\":\"\xe9\"}", 400, "the body is not encoded in UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask(t, server, test.method, test.path, test.body).Want(t, test.status, test.part)
		})
	}
}

func TestUnknownRoutesAreErrors(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for _, path := range []string{"/", "/position", "/positions/", "/positions//assessments", "/assessments/asm-lumen/none", "/../positions", "/positions/a/b/c"} {
		get(t, server, path).Want(t, http.StatusNotFound, "UNKNOWN_ROUTE", "GET /v1"+path)
	}
	for method, path := range map[string]string{
		"POST":   "/positions",
		"DELETE": "/assessments",
		"PATCH":  "/positions/pos-support-leeds/assessments/x",
	} {
		got := ask(t, server, method, path, "")
		got.Want(t, http.StatusMethodNotAllowed, method, "/v1"+path)
		if got.Header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow header", method, path)
		}
	}
	got := ask(t, server, http.MethodPatch, "/positions/p/assessments/x", "")
	if allow := got.Header.Get("Allow"); allow != "DELETE, GET, PUT" {
		t.Errorf("Allow: %q", allow)
	}
}

func TestConversationIDIsOnEveryAnswerAndDeterministic(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t)
	for i, path := range []string{"/positions", "/nowhere", "/positions?limit=x"} {
		want := []string{"conv-000001", "conv-000002", "conv-000003"}[i]
		got := get(t, server, path)
		if id := got.Header.Get("Conversation-Id"); id != want {
			t.Errorf("%s: Conversation-Id %q, want %q", path, id, want)
		}
		if got.Status != http.StatusOK {
			problem := got.object(t)
			if problem["conversationId"] != want || problem["code"] == "" || problem["message"] == "" || len(problem) != 3 {
				t.Errorf("%s: error body %s", path, got.Body)
			}
		}
	}
}

// countingBody is an endless body that counts the bytes that are read.
type countingBody struct{ read int }

func (b *countingBody) Read(p []byte) (int, error) {
	b.read += len(p)
	return len(p), nil
}

// The credentials are public, but a web page cannot send them. So the requests of a web
// page must not fill the memory.
func TestBodiesAreReadOnlyWithCredentials(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{})
	for _, known := range []bool{false, true} {
		body := &countingBody{}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/positions/p/assessments", body)
		if known {
			request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		}
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, request)
		if known && (recorder.Code != http.StatusRequestEntityTooLarge || body.read > 8<<20) {
			t.Errorf("with credentials: %d, %d bytes were read", recorder.Code, body.read)
		}
		if !known && (recorder.Code != http.StatusUnauthorized || body.read > 0) {
			t.Errorf("without credentials: %d, %d bytes were read", recorder.Code, body.read)
		}
	}
}
