// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/browsertest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const hostile = `<script>alert(1)</script>`

// shown returns the document that a browser made from a page, after its scripts ran. An
// alert adds the class "alerted" to the document.
func shown(t *testing.T, browser *browsertest.Browser, page string) string {
	t.Helper()
	const listener = `<script>window.alert = () => document.documentElement.className = "alerted"</script>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, strings.Replace(page, "<head>", "<head>"+listener, 1))
	}))
	defer server.Close()
	browser.Open(server.URL)
	document, _ := browser.Value("document.documentElement.outerHTML").(string)
	return document
}

// Two candidates and the position have markup in their names. The report of
// examples/report shows the markup as text.
func TestExampleReportInABrowser(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "jq")
	browser := browsertest.New(t)
	const title = "</title></h1>" + hostile
	names := []string{hostile, `"><img src=x onerror=alert(1)>`}

	e := newExample(t, "report")
	e.change(func(st *sandbox.State) {
		position := st.Position(sandbox.DemoResultsPosition)
		position.Title = title
		for i, name := range names {
			position.Candidates[i].Name = name
		}
	})
	e.human("init", "-input=false").ok()
	e.apply("-var", fmt.Sprintf("positions=[%q]", title)).ok()
	if r := e.script("write.sh", "out"); r.code != 0 {
		t.Fatalf("write.sh ended with %d: %s", r.code, r.output)
	}
	text, err := os.ReadFile(filepath.Join(e.dir, "out", sandbox.DemoResultsPosition+".html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)

	for name, page := range map[string]string{
		"unchanged":          page,
		"without its policy": policy.ReplaceAllString(page, ""), // escaping must be enough
	} {
		document := shown(t, browser, page)
		if strings.Contains(document, `class="alerted"`) || strings.Count(document, "<script") != 1 ||
			strings.Contains(document, "<img") {
			t.Errorf("the report, %s, ran a script or could have", name)
		}
		for _, text := range append(names, title) {
			if !strings.Contains(html.UnescapeString(document), text) {
				t.Errorf("the report %s does not show %q", name, text)
			}
		}
	}
	// Check that this test would fail without escaping.
	for _, name := range names {
		if !strings.Contains(shown(t, browser, `<html><head></head><body>"`+name+`</body></html>`), `class="alerted"`) {
			t.Errorf("the test does not notice that %q ran", name)
		}
	}
}
