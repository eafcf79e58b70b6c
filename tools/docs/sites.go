// SPDX-License-Identifier: MPL-2.0

package main

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// The pages are read on three sites, which follow links differently:
//
//   - GitHub follows relative links from file to file. A link that begins with a slash
//     begins at the root of the repository.
//   - registry.terraform.io leaves links to the browser. The index has the address
//     .../latest/docs, without a slash at the end, so its relative links resolve one level
//     too high (BerriAI/terraform-provider-litellm pull request 65). Other pages have the
//     addresses .../docs/FOLDER/NAME. The site ignores the ending .md of an address
//     (cloudflare/terraform-provider-cloudflare pull request 7218).
//   - search.opentofu.org has the index at .../latest, and only four folders:
//     isValidDocsType.ts of opentofu/registry-ui. It changes links before it renders a
//     page, as reworkRelativePaths of docsProcessor.ts does: see openTofuLinks. Its
//     sanitizer adds "user-content-" to the id of <a id="x">, but the ids of headings
//     come later and are not changed.
//
// One kind of relative link works on all three: to another page in the same folder, as
// in "rate-limits.md#fleet", if an <a id> is the anchor and the text of the link is on
// one line. All other links need an address. [relink] writes both.
const (
	repository       = "https://github.com/assessascode/terraform-provider-assess/"
	repositoryRaw    = "https://raw.githubusercontent.com/assessascode/terraform-provider-assess/main/"
	terraformAddress = "https://registry.terraform.io/providers/assessascode/assess/latest"
	openTofuAddress  = "https://search.opentofu.org/provider/assessascode/assess/latest"
)

// site is one of the three sites.
type site struct {
	name string
	// address returns the address of a file of the repository, or "" if the site does
	// not show it.
	address func(file string) string
	// prepare is what the site does to the source of a page before it renders it.
	prepare func(source string) string
	// resolve returns where a link leads.
	resolve func(from *url.URL, link string) (*url.URL, error)
	// ids are the anchors of a page.
	ids func(*page) map[string]bool
}

var (
	gitHub = site{
		name:    "GitHub",
		address: func(file string) string { return repository + "blob/main/" + file },
		prepare: func(source string) string { return source },
		resolve: func(from *url.URL, link string) (*url.URL, error) {
			if strings.HasPrefix(link, "/") {
				link = repository + "blob/main" + link
			}
			return from.Parse(link)
		},
		ids: allIDs,
	}
	terraformRegistry = site{
		name:    "the Terraform registry",
		address: terraformPage,
		prepare: func(source string) string { return source },
		resolve: (*url.URL).Parse,
		ids:     allIDs,
	}
	openTofuRegistry = site{
		name:    "the OpenTofu registry",
		address: openTofuPage,
		prepare: openTofuLinks,
		resolve: (*url.URL).Parse,
		ids: func(p *page) map[string]bool {
			ids := map[string]bool{}
			for _, h := range p.headings {
				ids[h.slug] = true
			}
			for id := range p.ids {
				ids["user-content-"+id] = true
			}
			return ids
		},
	}
	sites = []site{gitHub, terraformRegistry, openTofuRegistry}
)

func allIDs(p *page) map[string]bool {
	ids := map[string]bool{}
	for _, h := range p.headings {
		ids[h.slug] = true
	}
	for id := range p.ids {
		ids[id] = true
	}
	return ids
}

func terraformPage(file string) string {
	name, ok := strings.CutPrefix(strings.TrimSuffix(file, ".md"), "docs/")
	switch {
	case !ok:
		return ""
	case name == "index":
		return terraformAddress + "/docs"
	}
	return terraformAddress + "/docs/" + name
}

// openTofuFolders are the folders that search.opentofu.org shows, with their addresses.
var openTofuFolders = map[string]string{
	"docs/resources": "resources", "docs/data-sources": "datasources",
	"docs/functions": "functions", "docs/guides": "guides",
}

func openTofuPage(file string) string {
	if file == "docs/index.md" {
		return openTofuAddress
	}
	folder := openTofuFolders[path.Dir(file)]
	if folder == "" {
		return ""
	}
	return openTofuAddress + "/docs/" + folder + "/" + strings.TrimSuffix(path.Base(file), ".md")
}

var (
	openTofuLink   = regexp.MustCompile(`(\[.*?\]\()([^)]+)\)`) // text and address, the text on one line
	openTofuEnding = regexp.MustCompile(`\.(html|md|markdown)(#.*)?$`)
	openTofuShort  = map[string]string{"r": "resources", "d": "datasources", "f": "functions"}
)

// openTofuLinks changes links as search.opentofu.org does:
//   - without a slash: no ending .md, and anchors begin with "user-content-"
//   - /docs/providers/assess/...: the same, and the address that the site has for the page
//   - others: unchanged
func openTofuLinks(source string) string {
	return openTofuLink.ReplaceAllStringFunc(source, func(found string) string {
		parts := openTofuLink.FindStringSubmatch(found)
		link := strings.Replace(parts[2], "#", "#user-content-", 1)
		if !strings.Contains(link, "/") {
			return parts[1] + openTofuEnding.ReplaceAllString(link, "$2") + ")"
		}
		rest, ok := strings.CutPrefix(link, "/docs/providers/assess/")
		if !ok {
			return found
		}
		names := strings.Split(openTofuEnding.ReplaceAllString(rest, "$2"), "/")
		for i, name := range names {
			if long := openTofuShort[name]; long != "" {
				names[i] = long
			}
		}
		return parts[1] + "/provider/assessascode/assess/latest/docs/" + strings.Join(names, "/") + ")"
	})
}

// repositoryFile returns the file or folder of the repository that an address shows.
func repositoryFile(address string) (file string, ok bool) {
	for _, prefix := range []string{repository + "blob/main/", repository + "tree/main/", repositoryRaw} {
		if file, ok := strings.CutPrefix(address, prefix); ok {
			return strings.TrimSuffix(file, "/"), true
		}
	}
	return "", false
}

func exists(root, file string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
	return err == nil
}
