// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
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
//     .../VERSION/docs, without a slash at the end, so its relative links resolve one level
//     too high (BerriAI/terraform-provider-litellm pull request 65). The site ignores the ending
//     .md of an address (cloudflare/terraform-provider-cloudflare pull request 7218).
//   - search.opentofu.org shows only four folders and the index (isValidDocsType.ts of
//     opentofu/registry-ui). It changes links without a slash whose text is on one line before it
//     renders a page (docsProcessor.ts): it drops .md, and adds "user-content-" to anchors, as its
//     sanitizer does to the id of <a id="x">. It does not change the ids of headings.
//
// So one kind of relative link works on all three: to another page in the same folder, as
// in "rate-limits.md#fleet", if an <a id> is the anchor and the text of the link is on
// one line. All other links need an address. [relink] writes both.
const (
	repository    = "https://github.com/assessascode/terraform-provider-assess/"
	repositoryRaw = "https://raw.githubusercontent.com/assessascode/terraform-provider-assess/main/"
	registry      = "https://registry.terraform.io/providers/assessascode/assess/"
)

// checkLinks fails if a link is dead on one of the sites where its page is read. Links to other sites are not checked.
func checkLinks(root string, pages []*page) error {
	byPath := map[string]*page{}
	for _, p := range pages {
		byPath[p.path] = p
	}
	var problems problems
	for _, p := range pages {
		for _, link := range p.links {
			to, anchor, _ := strings.Cut(link, "#")
			file, own := ownFile(p.path, to)
			if !own {
				continue
			}
			target := byPath[file] // nil if the file is not a page
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
			switch {
			case err != nil:
				problems.add("%s: %s is dead: the repository has no %s", p.path, link, file)
			case anchor != "" && (target == nil || !target.hasAnchor(anchor)):
				problems.add("%s: %s is dead: %s has no anchor #%s", p.path, link, file, anchor)
			case !p.worksOnRegistries(link, target):
				problems.add("%s: %s is dead on a registry: make docs changes it to one that works", p.path, link)
			}
		}
	}
	return problems.err()
}

func (p *page) hasAnchor(anchor string) bool { return p.ids[anchor] || p.headings[anchor] }

// worksOnRegistries reports whether a link of a page works on both registries, as the comment above [repository] says.
// The link leads to a file that exists, which is target if the file is a page.
func (p *page) worksOnRegistries(link string, target *page) bool {
	to, anchor, _ := strings.Cut(link, "#")
	isAddress := strings.Contains(to, ":")
	switch {
	case isAddress || !strings.HasPrefix(p.path, "docs/"): // the registries show only docs
		return true
	case strings.Contains(to, "/"), p.path == "docs/index.md" && to != "":
		return false
	case anchor != "" && !target.ids[anchor]: // the anchor of a heading
		return false
	}
	onOneLine := regexp.MustCompile(`\[[^\[\]\n]+\]\(` + regexp.QuoteMeta(link) + `\)`)
	return onOneLine.MatchString(p.source)
}

// ownFile returns the file or folder of the repository to which a link leads. The link is on the page from, and to is
// the link without its anchor. own is false for other sites, and for pages of GitHub about the repository.
func ownFile(from, to string) (file string, own bool) {
	for _, prefix := range []string{repository + "blob/main/", repository + "tree/main/", repositoryRaw} {
		if name, ok := strings.CutPrefix(to, prefix); ok {
			return path.Clean(name), true
		}
	}
	page := onRegistry.FindStringSubmatch(to)
	switch {
	case page != nil && page[1] == "":
		return "docs/index.md", true
	case page != nil:
		return "docs" + strings.TrimSuffix(page[1], ".md") + ".md", true
	case strings.Contains(to, ":"): // another address
		return "", false
	case to == "": // an anchor of the same page
		return from, true
	case strings.HasPrefix(to, "/"): // from the root of the repository
		return path.Clean(to[1:]), true
	}
	return path.Join(path.Dir(from), to), true
}

// onRegistry matches the address of a page on registry.terraform.io, of each version.
var onRegistry = regexp.MustCompile("^" + regexp.QuoteMeta(registry) + `[^/]+/docs(.*)$`)

// released matches the heading of a released version, which has its date.
var released = regexp.MustCompile(`(?m)^## ([0-9.]+) \([0-9]`)

// latestRelease returns the newest version in CHANGELOG.md with a date, or "" before the first release.
func latestRelease(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	if found := released.FindSubmatch(text); found != nil {
		return string(found[1]), nil
	}
	return "", nil
}

// pageAddress returns the address of a page of a version on registry.terraform.io, which shows all pages. Before the
// first release, version is "", and only the repository has the page.
func pageAddress(version, file string) string {
	if version == "" {
		return repository + "blob/main/" + file
	}
	return registry + version + "/" + strings.TrimSuffix(strings.TrimSuffix(file, ".md"), "/index")
}

// problems are what is wrong.
type problems []error

func (p *problems) add(format string, values ...any) { *p = append(*p, fmt.Errorf(format, values...)) }

func (p problems) err() error { return errors.Join(p...) }
