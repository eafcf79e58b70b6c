// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// pages are addresses of all pages of the demo state.
var pages = []string{
	"/",
	"/report/pos-graduates-2026",
	"/sit/inv-001-lumen",
	"/profile/pos-graduates-2026/pas-graduates-northlight",
	"/practice",
	"/nowhere",
}

// Another user of the machine can reach a server, but sees no page without the token. A browser
// that has opened the printed address sees all pages, and can send their forms.
func TestServerPagesRequireTheToken(t *testing.T) {
	t.Parallel()
	settings, stop := serve(t, sandbox.ServerOptions{})
	printed, err := url.Parse(settings["Pages for people"])
	if err != nil || len(printed.Query().Get("token")) < 20 {
		t.Fatalf("the server printed %q, %v", settings["Pages for people"], err)
	}
	origin, token := "http://"+printed.Host, printed.Query().Get("token")
	port := printed.Port()
	html := http.Header{"Accept": {"text/html"}}
	for name, header := range map[string]http.Header{
		"no token":                {},
		"another token":           {"Cookie": {"assess-sandbox-" + port + "=x" + token[1:]}},
		"an empty token":          {"Cookie": {"assess-sandbox-" + port + "="}},
		"the token as the cookie": {"Cookie": {"assess-sandbox-" + port + "=" + token}},
	} {
		header.Set("Accept", "text/html")
		for _, page := range pages {
			for _, query := range []string{"", "?token=", "?token=x" + token[1:]} {
				got := visitPage(t, http.MethodGet, origin+page+query, "", header)
				got.Want(t, http.StatusForbidden, "Sign-in required")
				if got.Header.Get("Set-Cookie") != "" {
					t.Errorf("%s: %s sets a cookie", name, page)
				}
			}
		}
		visitPage(t, http.MethodPost, origin+"/sit/inv-001-lumen", "from=INVITED", header).Want(t, http.StatusForbidden)
		visitPage(t, http.MethodGet, origin+"/openapi.yaml", "", header).Want(t, http.StatusOK, "openapi:")
	}

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	get := func(address string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = html
		response, err := browser.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode, response.Header.Get("Set-Cookie")
	}
	status, cookie := get(printed.String())
	if status != http.StatusOK || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") ||
		strings.Contains(cookie, token) {
		t.Errorf("the printed address: %d, cookie %q", status, cookie)
	}
	for _, page := range pages[:5] {
		if status, _ := get(origin + page); status != http.StatusOK {
			t.Errorf("%s after signing in: %d", page, status)
		}
	}
	if log := stop(); strings.Contains(log, token) {
		t.Errorf("the log contains the token:\n%s", log)
	}
	other, stopOther := serve(t, sandbox.ServerOptions{})
	defer stopOther()
	if strings.Contains(other["Pages for people"], token) {
		t.Error("two servers have the same token")
	}
	_, value, _ := strings.Cut(strings.Split(cookie, ";")[0], "=")
	elsewhere, err := url.Parse(other["Pages for people"])
	if err != nil || value == "" {
		t.Fatalf("%q, %v", cookie, err)
	}
	visitPage(t, http.MethodGet, "http://"+elsewhere.Host, "", http.Header{
		"Accept": {"text/html"}, "Cookie": {"assess-sandbox-" + elsewhere.Port() + "=" + value},
	}).Want(t, http.StatusForbidden, "Sign-in required")
}
