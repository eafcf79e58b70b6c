// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// Links between templates work everywhere once they are changed. A second time changes nothing.
func TestRelink(t *testing.T) {
	t.Parallel()
	const links = "[r](../resources/r.md#import), [the\n  guide](./g.md#twice-1), [a1](g.md#a1), ![x](https://example.com/x.png), " +
		"[own](#links), [i](../index.md)\n\n```text\n[x](../resources/r.md)\n# Twice\n```\n\n## Links\n"
	const want = "\n[r](" + onTerraform + "/docs/resources/r#import), [the guide](g.md#twice-1), [a1](g.md#a1), " +
		"![x](https://example.com/x.png), [own](#links), [i](" + onTerraform + "/docs)\n\n" +
		"```text\n[x](../resources/r.md)\n# Twice\n```\n\n<a id=\"links\"></a>\n\n## Links\n\n"
	files := pagesWith("docs/guides/x.md", links)
	files["docs/index.md"] = "[g](guides/g.md#twice), [a](actions/a.md)\n"
	root := tree(t, files)
	for range 2 {
		if err := relink(root); err != nil {
			t.Fatal(err)
		}
		pages, err := readPages(root)
		if err != nil {
			t.Fatal(err)
		}
		says(t, checkLinks(root, pages))
		for file, want := range map[string]string{
			"docs/guides/x.md": want,
			"docs/guides/g.md": strings.Replace(files["docs/guides/g.md"], "Twice\n\n## Twice",
				"Twice\n\n<a id=\"twice-1\"></a>\n\n## Twice", 1),
			"docs/index.md": "[g](" + onTerraform + "/docs/guides/g#twice), [a](" + onTerraform + "/docs/actions/a)\n",
		} {
			got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil || string(got) != want {
				t.Errorf("%s: %q (%v), want %q", file, got, err, want)
			}
		}
	}
}
