// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	onTerraform = "https://registry.terraform.io/providers/assessascode/assess/latest"
	onOpenTofu  = "https://search.opentofu.org/provider/assessascode/assess/latest"
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

// Each link works on GitHub, the Terraform registry and the OpenTofu registry, or is dead on
// the first of them that is named.
func TestLinks(t *testing.T) {
	t.Parallel()
	const (
		git  = " is dead on GitHub: "
		tf   = " is dead on the Terraform registry: "
		tofu = " is dead on the OpenTofu registry: "
	)
	for name, c := range map[string]struct {
		page, link string
		want       []string
	}{
		"same folder":          {"docs/guides/x.md", "[x](g.md)", nil},
		"anchor by id":         {"docs/guides/x.md", "[x](g.md#a1)", nil},
		"own anchor by id":     {"docs/resources/r.md", "[x](#nested)", nil},
		"address on Terraform": {"docs/guides/x.md", "[x](" + onTerraform + "/docs/data-sources/data)", nil},
		"index on Terraform":   {"docs/guides/x.md", "[x](" + onTerraform + "/docs)", nil},
		"anchor on Terraform":  {"docs/index.md", "[x](" + onTerraform + "/docs/resources/r#import)", nil},
		"address on OpenTofu":  {"docs/guides/x.md", "[x](" + onOpenTofu + "/docs/datasources/data)", nil},
		"id on OpenTofu":       {"docs/index.md", "[x](" + onOpenTofu + "/docs/guides/g#user-content-a1)", nil},
		"file on GitHub":       {"docs/index.md", "[x](" + onGitHub + "/blob/main/README.md#title)", nil},
		"folder on GitHub":     {"docs/index.md", "[x](" + onGitHub + "/tree/main/examples/)", nil},
		"issues on GitHub":     {"docs/index.md", "[x](" + onGitHub + "/issues)", nil},
		"image": {
			"docs/index.md",
			"![x](https://raw.githubusercontent.com/assessascode/terraform-provider-assess/main/examples/report/page.png)", nil,
		},
		"another site":   {"docs/index.md", "[x](https://example.com/none#none), <https://example.com>", nil},
		"in a block":     {"docs/index.md", "```text\n[x](none.md)\n```", nil},
		"only on GitHub": {"README.md", "[x](docs/guides/g.md#twice-1) [y](/docs/) [z](#title)", nil},

		"no such file": {"docs/guides/x.md", "[x](none.md)", []string{
			"docs/guides/x.md:2: none.md" + git + "the repository has no docs/guides/none.md",
		}},
		"no such anchor": {"docs/guides/x.md", "[x](g.md#none)", []string{git}},
		"no ending":      {"docs/guides/x.md", "[x](g)", []string{git}},
		"only for registries": {"docs/guides/x.md", "[x](/docs/providers/assess/d/data.html)", []string{
			git + "the repository has no docs/providers/assess/d/data.html",
		}},
		"from the root": {"docs/guides/x.md", "[x](/docs/guides/g.md)", []string{
			tf + "it resolves to https://registry.terraform.io/docs/guides/g.md",
		}},
		"from the index": {"docs/index.md", "[x](guides/g.md)", []string{
			tf + "the Terraform registry has no page " + onTerraform + "/guides/g",
		}},
		"another folder": {"docs/guides/x.md", "[x](../resources/r.md)", []string{
			tofu + "the OpenTofu registry has no page " + onOpenTofu + "/docs/resources/r.md",
		}},
		"same folder with a slash": {"docs/guides/x.md", "[x](./g.md)", []string{tofu}},
		"text on two lines":        {"docs/guides/x.md", "[x\ny](g.md)", []string{tofu}},
		"reference":                {"docs/guides/x.md", "[x][y]\n\n[y]: g.md", []string{tofu}},
		"anchor of a heading": {"docs/guides/x.md", "[x](g.md#twice-1)", []string{
			tofu + "docs/guides/g.md has no anchor #user-content-twice-1 there",
		}},
		"image beside the page":    {"docs/guides/x.md", "<img src=\"../../examples/report/page.png\">", []string{tf}},
		"no such folder on GitHub": {"README.md", "[x](" + onGitHub + "/tree/main/none)", []string{git}},
		"no such page":             {"README.md", "[x](" + onOpenTofu + "/docs/actions/a)", []string{git}},
		"anchor of a picture":      {"README.md", "[x](examples/report/page.png#x)", []string{"has no anchors"}},
		"not an address":           {"README.md", "[x](%zz)", []string{"README.md:3: %zz is dead on GitHub: it is not a valid address"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			says(t, checkLinks(tree(t, pagesWith(c.page, c.link)), io.Discard), c.want...)
		})
	}
}

// A page that the OpenTofu registry does not show needs a link from one that it shows.
func TestHiddenPages(t *testing.T) {
	t.Parallel()
	files := pagesWith("README.md", "[x](docs/ephemeral-resources/e.md)")
	files["docs/ephemeral-resources/e.md"] = "# E\n"
	const want = "docs/ephemeral-resources/e.md: the OpenTofu registry does not show this page"
	says(t, checkLinks(tree(t, files), io.Discard), want)
	files["docs/actions/a.md"] += "[x](" + onTerraform + "/docs/ephemeral-resources/e)\n"
	says(t, checkLinks(tree(t, files), io.Discard), want)
	files["docs/guides/g.md"] += "[x](" + onGitHub + "/blob/main/docs/ephemeral-resources/e.md)\n"
	says(t, checkLinks(tree(t, files), io.Discard))
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
	if err := checkLinks(root, io.Discard); err == nil {
		t.Error("the links work before they are changed")
	}
	for range 2 {
		if err := relink(root); err != nil {
			t.Fatal(err)
		}
		says(t, checkLinks(root, io.Discard))
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

// The OpenTofu registry changes links before it renders a page.
func TestOpenTofuLinks(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"[x](g.md)":                         "[x](g)",
		"[x](g.md#a)":                       "[x](g#user-content-a)",
		"[x](#a)":                           "[x](#user-content-a)",
		"[x](../g.md#a)":                    "[x](../g.md#a)",
		"[x\ny](g.md)":                      "[x\ny](g.md)",
		"[x](https://example.com/g.md#a)":   "[x](https://example.com/g.md#a)",
		"[x](/docs/providers/aws/r/r.html)": "[x](/docs/providers/aws/r/r.html)",
		"[x](/docs/providers/assess/r/res.html#a)":   "[x](/provider/assessascode/assess/latest/docs/resources/res#user-content-a)",
		"[x](/docs/providers/assess/d/data.md)":      "[x](/provider/assessascode/assess/latest/docs/datasources/data)",
		"[x](/docs/providers/assess/guides/g), (g.)": "[x](/provider/assessascode/assess/latest/docs/guides/g), (g.)",
	} {
		if got := openTofuLinks(link); got != want {
			t.Errorf("%q becomes %q, want %q", link, got, want)
		}
	}
}
