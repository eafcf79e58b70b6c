// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// messagesPage has a section for each message of the provider.
const messagesPage = "docs/guides/messages.md"

func idOf(anchor string) string { return `<a id="` + anchor + "\"></a>\n\n" }

// relink changes the links of generated pages so that they work on all sites where the
// pages are read. Templates have relative links from file to file.
//
//   - Links to pages in another folder become addresses of the Terraform registry, which
//     shows all pages.
//   - Links to a page in the same folder stay relative, with their text on one line.
//   - Headings to which relative links lead get an <a id>, and so does each message to which the provider links. The
//     heading of a section about several messages names them all, separated by commas.
func relink(root string) error {
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, p := range pages {
		names[p.path] = true
	}
	anchors := map[[2]string]bool{} // pages and anchors to which relative links lead
	var changed []*page
	for _, p := range pages {
		if !strings.HasPrefix(p.path, "docs/") {
			continue
		}
		p = parsePage(p.path, eachProse(p.source, func(prose string) string { return relinked(prose, p.path, names) }))
		changed = append(changed, p)
		for _, link := range p.links {
			if file, anchor, _ := strings.Cut(link, "#"); !strings.Contains(file, "/") {
				target, _ := ownFile(p.path, file)
				anchors[[2]string{target, anchor}] = true
			}
		}
	}
	for _, p := range changed {
		at := map[int]string{}
		for slug, line := range p.headings {
			if anchors[[2]string{p.path, slug}] && !p.ids[slug] {
				at[line] = slug
			}
		}
		var source strings.Builder
		number := 0
		for line := range strings.Lines(p.source) {
			number++
			messages, aboutMessages := strings.CutPrefix(strings.TrimSpace(line), "### ")
			switch slug := at[number]; {
			case aboutMessages && p.path == messagesPage:
				for message := range strings.SplitSeq(messages, ", ") {
					source.WriteString(idOf(string(slugs{}.Generate([]byte(message), ast.KindHeading))))
				}
			case slug != "":
				source.WriteString(idOf(slug))
			}
			source.WriteString(line)
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(p.path)), []byte(source.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// proseLink is a link whose text has no brackets, and whose address has no title.
var (
	proseLink = regexp.MustCompile(`\[([^\[\]]+)\]\(([^()\s]+)\)`)
	lineBreak = regexp.MustCompile(`[ \t]*\n[ \t]*`)
)

func relinked(prose, from string, names map[string]bool) string {
	return proseLink.ReplaceAllStringFunc(prose, func(found string) string {
		parts := proseLink.FindStringSubmatch(found)
		text, to := lineBreak.ReplaceAllString(parts[1], " "), parts[2]
		file, anchor, hasAnchor := strings.Cut(to, "#")
		target := path.Join(path.Dir(from), file)
		if file != "" && names[target] {
			to = pageAddress(target)
			if path.Dir(target) == path.Dir(from) && from != "docs/index.md" {
				to = path.Base(target)
			}
			if hasAnchor {
				to += "#" + anchor
			}
		}
		return "[" + text + "](" + to + ")"
	})
}

// fences matches blocks of code.
var fences = regexp.MustCompile("(?ms)^ *(```|~~~).*?^ *(```|~~~)[^\n]*\n?")

// eachProse changes what is outside of blocks of code.
func eachProse(source string, change func(string) string) string {
	var out strings.Builder
	from := 0
	for _, at := range fences.FindAllStringIndex(source, -1) {
		out.WriteString(change(source[from:at[0]]) + source[at[0]:at[1]])
		from = at[1]
	}
	return out.String() + change(source[from:])
}
