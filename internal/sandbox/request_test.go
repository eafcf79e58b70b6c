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
		request := sandboxtest.NewRequest(t, http.MethodGet, server.URL+"/positions", "")
		set(request)
		got := send(t, http.DefaultTransport, request)
		got.Want(t, http.StatusUnauthorized, `"code":"UNAUTHORIZED"`)
		if got.Header.Get("WWW-Authenticate") == "" || strings.Contains(got.Body, sandbox.APIKey) {
			t.Errorf("%s: no header WWW-Authenticate, or the answer repeats the key: %+v", name, got)
		}
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
		{"GET", "Accept", "Application/JSON; charset=utf-8", 200}, // media types ignore case
		{"GET", "Accept", "text/html, application/json;q=0.9", 200},
		{"GET", "Accept", "application/*", 200},
		{"GET", "Accept", "text/html, */*;q=0.1", 200},
		{"GET", "Accept", "application/xml", 406},
		{"GET", "Accept", "text/*", 406},
		{"GET", "Accept", "application/json-seq", 406},
		{"GET", "Content-Type", "text/plain", 200}, // only used with POST and PUT
		{"POST", "Content-Type", "application/json; charset=utf-8", 201},
		{"POST", "Content-Type", "text/plain", 415},
		{"POST", "Content-Type", "application/", 415},
	} {
		request := sandboxtest.NewRequest(t, test.method, server.URL+"/positions/pos-support-leeds/assessments", body("asm-facet", "{}"))
		request.Header.Set(test.header, test.value)
		if got := send(t, http.DefaultTransport, request); got.Status != test.status {
			t.Errorf("%+v: %d", test, got.Status)
		}
	}
}

func TestCharset(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for _, test := range []struct {
		method, path, body string
		status             int
		part               string
	}{
		{"GET", "/positions/%E2%82%AC/assessments", "", 400, `the path has a character outside Latin1: '\\u20ac'`},
		{"GET", "/positions/%C3%A9/assessments", "", 404, "é"},
		{"GET", "/positions?title=%C5%81%C3%B3d%C5%BA", "", 400, "the query has"},
		{"GET", "/positions?title=Charg%C3%A9", "", 200, "[]"},
		{"GET", "/positions?title=Charg%E9", "", 400, "not encoded in UTF-8"},
		{"POST", london, `{"organizationAssessment":"Łódź"}`, 400, "the body has"},
		{"POST", london, `{"organizationAssessment":"\u0141"}`, 400, "the body has"},
		{"POST", london, `{"\u0141":1}`, 400, "the body has"},
		{"POST", london, `{"metadata":{"twice":"\u0141","twice":""}}`, 400, "the body has"},
		{"POST", london, `{"organizationAssessment":["\ud83d\ude00"]}`, 400, "the body has"},
		{"POST", london, `{"organizationAssessment":"\ud83d"}`, 400, "the body has"}, // half of a pair
		{"POST", london, `{"organizationAssessment":"\u00e9"}`, 400, `there is no assessment \"é\"`},
		{"POST", london, `{"organizationAssessment":"é"}`, 400, `there is no assessment \"é\"`},
		// JSON is UTF-8 (RFC 8259). The other reading of A15 is an assumption of sandboxtest.
		{"POST", london, "{\"organizationAssessment\":\"\xe9\"}", 400, "the body is not encoded in UTF-8"},
	} {
		ask(t, server, test.method, test.path, test.body).Want(t, test.status, test.part)
	}
}

func TestUnknownRoutesAreErrors(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for _, path := range []string{"/", "/position", "/positions/", "/positions//assessments", "/assessments/asm-lumen/none", "/../positions", "/positions/a/b/c"} {
		get(t, server, path).Want(t, http.StatusNotFound, "UNKNOWN_ROUTE", "GET /v1"+path)
	}
	for request, allow := range map[[2]string]string{
		{"POST", "/positions"}:                  "GET",
		{"DELETE", "/assessments"}:              "GET",
		{"PATCH", "/positions/p/assessments/x"}: "DELETE, GET, PUT",
	} {
		got := ask(t, server, request[0], request[1], "")
		got.Want(t, http.StatusMethodNotAllowed, request[0], "/v1"+request[1])
		if allowed := got.Header.Get("Allow"); allowed != allow {
			t.Errorf("%s: Allow: %q, want %q", request, allowed, allow)
		}
	}
}

// The credentials are public, but a web page cannot send them. So the requests of a web
// page must not fill the memory.
func TestBodiesAreReadOnlyWithCredentials(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{})
	for _, known := range []bool{false, true} {
		long := strings.NewReader(strings.Repeat(" ", 5<<20))
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/positions/p/assessments", long)
		status, least := http.StatusUnauthorized, long.Len()
		if known {
			request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
			status, least = http.StatusRequestEntityTooLarge, 3<<20
		}
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, request)
		if recorder.Code != status || long.Len() < least {
			t.Errorf("with credentials %t: %d, %d bytes were not read", known, recorder.Code, long.Len())
		}
	}
}
