// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree writes files and returns the folder they are in.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	tree := fstest.MapFS{}
	for path, text := range files {
		tree[path] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
	}
	if err := os.CopyFS(root, tree); err != nil {
		t.Fatal(err)
	}
	return root
}

// says fails the test unless each line of an error contains one of the texts, in this
// order. Without texts, there must be no error.
func says(t *testing.T, err error, lines ...string) {
	t.Helper()
	var got []string
	if err != nil {
		got = strings.Split(err.Error(), "\n")
	}
	if len(got) != len(lines) {
		t.Fatalf("problems: %q, want %q", got, lines)
	}
	for i, line := range lines {
		if !strings.Contains(got[i], line) {
			t.Errorf("problem %d is %q, want %q", i, got[i], line)
		}
	}
}

// A comment directly above a block says with what it is validated, or why it is not. "make docs-check"
// validates the real blocks.
func TestSnippets(t *testing.T) {
	t.Parallel()
	const block = "```hcl\n%s\n```\n"
	for _, c := range []struct {
		page  string // each line is a block of HCL, or a comment or text
		minor int    // of Terraform
		want  string // the blocks that are validated together, by their last lines
	}{
		{"a\nb", -1, "a, b"},
		{"a\n<!-- hcl: continues -->\nb\n<!-- hcl: continues -->\nc", -1, "a, a+b, a+b+c"},
		{"<!-- hcl: continues -->\na", -1, "a, README.md:4: the comment \"hcl: continues\" is unknown"},
		{"<!-- hcl: not validated, because -->\na\nb", -1, "not a, b"},
		{"<!-- hcl: not validated -->\na", -1, "a, README.md:4: the comment \"hcl: not validated\" is unknown"},
		{"<!-- hcl: not validated, because -->\nText.\na", -1, "a"},
		{"<!-- hcl: Terraform 1.14 -->\na", -1, "not a"},
		{"<!-- hcl: Terraform 1.14 -->\na", 14, "a"},
		{"<!-- hcl: query, Terraform 1.14 -->\na", 14, "query a"},
		{"<!-- hcl: Terraform 1.15 -->\na", 14, "not a"},
	} {
		var source strings.Builder
		for line := range strings.Lines(c.page) {
			if line = strings.TrimSpace(line); len(line) == 1 {
				line = fmt.Sprintf(block, line)
			}
			source.WriteString(line + "\n\n")
		}
		var wrong problems
		var got []string
		for _, s := range snippetsOf(parsePage("README.md", source.String()), c.minor, &wrong) {
			text := strings.ReplaceAll(strings.Join(append(s.earlier, s.text), "+"), "\n", "")
			if s.isQuery {
				text = "query " + text
			}
			if s.excluded != "" {
				text = "not " + text
			}
			got = append(got, text)
		}
		for _, problem := range wrong {
			got = append(got, problem.Error())
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q: %q, want %s", c.page, got, c.want)
		}
	}
}

// Each message has an anchor, also if a heading names several of them.
func TestMessagesHaveAnchors(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		messagesPage: "# Messages\n\n## Move\n\n[x](#move) [y](#said)\n\n### Said\n\n### Could not list the position's things, Éé\n",
	})
	if err := relink(root); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(messagesPage)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, match := range htmlAnchor.FindAllStringSubmatch(string(page), -1) {
		got = append(got, match[1])
	}
	if want := []string{"move", "said", "could-not-list-the-positions-things", "éé"}; !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
}

// A part of a guide that promises something names tests that exist.
func TestProofs(t *testing.T) {
	t.Parallel()
	const guide = "templates/guides/g.md"
	for text, want := range map[string][]string{
		"It never fails.\nIt is so. <!-- proof: TestOne, FuzzTwo -->\n":        nil,
		"It never fails.\n<!-- proof: TestOne -->\n\nIt is so.\n":              nil,
		"It never fails.\n\nIt is so.\n<!-- proof: TestOne -->\n":              {`"never" has no proof: It never fails.`},
		"- It is so. <!-- proof: TestOne -->\n- It fails\n  Always.\n":         {`"Always" has no proof: - It fails Always.`},
		"| a |\n|---|\n| every | <!-- proof: TestOne -->\n| cannot |\n":        {`"cannot" has no proof: | cannot |`},
		"It guarantees this. <!-- proof: TestNone,\nTestOne -->\n":             {"g.md: the proof TestNone does not exist"},
		"Everything, guarded.\n\n1. One. <!-- proof: TestOne -->\n2. Every.\n": {`"Every" has no proof: 2. Every.`},
		"---\ntitle: \"Never\"\n---\n\n# Never\nSo `never`. <!-- never -->\n":  nil,
		"[x](#every-day) <a id=\"never\"></a>\n":                               nil,
		"```sh\n\nnever\n```\n":                                                nil,
	} {
		says(t, checkProofs(tree(t, map[string]string{
			guide:                  text,
			"internal/a_test.go":   "func TestOne(t *testing.T) {}\n",
			"tools/x/b_test.go":    "func FuzzTwo(f *testing.F) {}\n",
			".bin/cache/c_test.go": "func TestNone(t *testing.T) {}\n",
		})), want...)
	}
}

// Links, tags and blocks of code do not count.
func TestTables(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestCell)
	says(t, checkTables([]*page{
		parsePage("README.md", "| "+long+" | [y]("+long+")"+long+" |\n\n```\n| x"+long+" |\n```\n"),
		parsePage("docs/x.md", "| é | é"+long+" |\n"),
	}), "docs/x.md: a cell has more than 120 characters: é"+long)
}

const (
	onTerraform = "https://registry.terraform.io/providers/assessascode/assess/latest"
	onGitHub    = "https://github.com/assessascode/terraform-provider-assess"
)

// pagesWith returns a repository with a page for each place, and a page with links.
func pagesWith(path, links string) map[string]string {
	files := map[string]string{
		"README.md":                 "# Title\n",
		"docs/index.md":             "[action](" + onTerraform + "/docs/actions/a)\n",
		"docs/resources/r.md":       "# R\n\n<a id=\"nested\"></a>\n## Import\n",
		"docs/data-sources/data.md": "# D\n",
		"docs/guides/g.md":          "# A title, with `code`!\n\n<a id=\"a1\"></a>\n\n## Twice\n\n## Twice\n",
		"docs/actions/a.md":         "# A\n",
		"examples/report/page.png":  "",
	}
	files[path] += "\n" + links + "\n"
	return files
}

func check(t *testing.T, files map[string]string) error {
	t.Helper()
	root := tree(t, files)
	pages, err := readPages(root)
	if err != nil {
		t.Fatal(err)
	}
	return checkLinks(root, pages)
}

// Each link works on GitHub, the Terraform registry and the OpenTofu registry, or is dead.
func TestLinks(t *testing.T) {
	t.Parallel()
	const image = "https://raw.githubusercontent.com/assessascode/terraform-provider-assess/main/examples/report/page.png"
	for page, links := range map[string][]string{
		"docs/guides/x.md": {"[x](g.md)", "[x](g.md#a1)", "[x](" + onTerraform + "/docs/data-sources/data)", "[x](" + onTerraform + "/docs)"},
		"docs/index.md": {
			"[x](" + onTerraform + "/docs/resources/r#import)", "[x](" + onGitHub + "/blob/main/README.md#title)",
			"[x](" + onGitHub + "/tree/main/examples/)", "[x](" + onGitHub + "/issues)", "![x](" + image + ")",
			"[x](https://example.com/none#none), <https://example.com>", "```text\n[x](none.md)\n```",
		},
		"docs/resources/r.md": {"[x](#nested)"},
		"README.md":           {"[x](docs/guides/g.md#twice-1) [y](/docs/) [z](#title)", "[x](docs/guides/g.md#a-title-with-code)"},
	} {
		for _, link := range links {
			says(t, check(t, pagesWith(page, link)))
		}
	}
	for _, c := range []struct{ page, link, want string }{
		{"docs/guides/x.md", "[x](none.md)", "docs/guides/x.md: none.md is dead: the repository has no docs/guides/none.md"},
		{"docs/guides/x.md", "[x](g.md#none)", "docs/guides/g.md has no anchor #none"},
		{"docs/guides/x.md", "[x](g)", "the repository has no docs/guides/g"},
		{"docs/guides/x.md", "[x](/docs/guides/g.md)", "is dead on a registry"},
		{"docs/index.md", "[x](guides/g.md)", "is dead on a registry"},
		{"docs/guides/x.md", "[x](../resources/r.md)", "is dead on a registry"},
		{"docs/guides/x.md", "[x](./g.md)", "is dead on a registry"},
		{"docs/guides/x.md", "[x\ny](g.md)", "is dead on a registry"},
		{"docs/guides/x.md", "[x][y]\n\n[y]: g.md", "is dead on a registry"},
		{"docs/guides/x.md", "[x](g.md#twice-1)", "is dead on a registry"},
		{"docs/guides/x.md", "<img src=\"../../examples/report/page.png\">", "is dead on a registry"},
		{"README.md", "[x](" + onGitHub + "/tree/main/none)", "the repository has no none"},
		{"README.md", "[x](" + onTerraform + "/docs/guides/none)", "the repository has no docs/guides/none.md"},
		{"README.md", "[x](examples/report/page.png#x)", "has no anchor #x"},
	} {
		says(t, check(t, pagesWith(c.page, c.link)), c.want)
	}
}

// A page that the OpenTofu registry does not show needs a link from one that it shows.
func TestHiddenPages(t *testing.T) {
	t.Parallel()
	files := pagesWith("README.md", "[x](docs/ephemeral-resources/e.md)")
	files["docs/ephemeral-resources/e.md"] = "# E\n"
	const want = "docs/ephemeral-resources/e.md: the OpenTofu registry does not show this page"
	says(t, check(t, files), want)
	files["docs/actions/a.md"] += "[x](" + onTerraform + "/docs/ephemeral-resources/e)\n"
	says(t, check(t, files), want)
	files["docs/guides/g.md"] += "[x](" + onGitHub + "/blob/main/docs/ephemeral-resources/e.md)\n"
	says(t, check(t, files))
}
