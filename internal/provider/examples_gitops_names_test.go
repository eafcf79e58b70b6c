// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	rendering "github.com/yuin/goldmark/renderer/html"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// hostileTitles are names that try to hide, forge or format text, with characters that the service accepts.
var hostileTitles = []string{
	"English: Reading", "a | b || c", "`x` ```y``` ~~~", "**Plan: no changes** _i_ ~~s~~", "### Plan: no changes",
	"@octocat @acme/team", "#12 GH-12 !7 ~label acme/positions#1", "26d9d6c3f1e2a4b5c6d7e8f901234567890abcde",
	"https://example.com www.example.com a@example.com", "[x](https://example.com) ![y](https://example.com/z.png)",
	"</code></td></tr></table></details>", "<!-- assess: apply --> <img src=x onerror=y>", "&lt;b&gt; &#64; &amp;",
	`\| \\ \<`, "::error::no changes ##[error]x", "${oops} %{oops} $${x}", "/close", "- [ ] task", "> quote", "1. item",
	":smile: #ff0000", "soft\u00adhyphen", "nb\u00a0space", "\u0085 next", "tab\tand\nline\r\n\n# x", "Übergröße ÿ",
	`"quoted" \" ]`, "escape \x1b[31mred",
}

// Names stay text in the service, the file, the plan, the log and the comment. A host that renders the
// comment shows only the elements that the provider writes.
func TestExampleGitopsHostileNames(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, withoutLimits)
	file := "positions:\n"
	changeService(t, service, func(st *sandbox.State) {
		lumen := st.Assessment("asm-lumen")
		for i, name := range hostileTitles {
			st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprint("pos-", i), Title: name, Locale: "en-GB"})
			lumen.Benchmarks = append(
				lumen.Benchmarks,
				sandbox.Benchmark{ID: fmt.Sprint("bmk-", i), Name: name, Locale: "en-GB"},
			)
			file += fmt.Sprintf(
				"  - title: %[1]s\n    assessments: [{code: LMN, benchmark: %[1]s}]\n",
				strconv.QuoteToASCII(name),
			)
		}
	})
	r := newRepository(t, hosts(t)[0], false, onService(service), func(r *repository) {
		r.save(filepath.Join(r.dir, "positions.yaml"), []byte(file))
	})
	plan := r.plans(r.open(1)).passes(t)
	log := regexp.MustCompile(`(?m)^::(stop-commands::)?[0-9a-f]{32}(::)?$`).ReplaceAllString(plan.output, "")
	if found := regexp.MustCompile(`(?m)^\s*::.*|[\x1b\r].*`).FindString(log); found != "" {
		t.Errorf("the log contains a command: %q", found)
	}
	body := r.comment(1, "plan", fmt.Sprintf("### Plan: %d assessments to attach\n", len(hostileTitles))).Body
	if quick := regexp.MustCompile(`(?m)^/.*`).FindString(body); quick != "" {
		t.Errorf("the comment contains a quick action: %q", quick)
	}
	var page bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(rendering.WithUnsafe()))
	if err := md.Convert([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	// The first line is the marker of the comment, and the last link is the log of the run.
	allowed := strings.Fields("!-- h3 p strong blockquote table thead tbody tr th td code pre details summary a")
	count := map[string]int{}
	for _, element := range regexp.MustCompile(`<(!--|[a-z0-9]+)`).FindAllStringSubmatch(page.String(), -1) {
		if count[element[1]]++; !slices.Contains(allowed, element[1]) {
			t.Errorf("the comment renders to <%s>", element[1])
		}
	}
	if count["!--"] != 1 || count["h3"] != 1 || count["a"] != 1 || count["tr"] != 1+len(hostileTitles) {
		t.Errorf("the comment has these elements: %v", count)
	}
	shown := html.UnescapeString(page.String())
	for _, name := range hostileTitles {
		for _, c := range "\u00ad\u00a0\u0085\t\n\r\x1b" {
			name = strings.ReplaceAll(name, string(c), fmt.Sprintf(`\u{%04x}`, c))
		}
		if !strings.Contains(shown, "<td><code>"+name+"</code></td>\n<td><code>Lumen Ability Test</code>") {
			t.Errorf("no row is about %q", name)
		}
	}
}
