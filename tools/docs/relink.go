// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// relink changes the links of generated pages so that they work on all sites where the
// pages are read. Templates have relative links from file to file. See [sites].
//
//   - Links to pages in another folder become addresses of the Terraform registry, which
//     shows all pages.
//   - Links to a page in the same folder stay relative, with their text on one line.
//   - Headings to which relative links lead get an <a id>.
func relink(root string) error {
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, p := range pages {
		names[p.path] = true
	}
	anchors := map[string]map[string]bool{} // by page
	var changed []*page
	for _, p := range pages {
		if !strings.HasPrefix(p.path, "docs/") {
			continue
		}
		source := eachProse(p.source, func(prose string) string { return relinked(prose, p.path, names) })
		p = parsePage(p.path, []byte(source))
		changed = append(changed, p)
		for _, l := range p.links {
			file, anchor, _ := strings.Cut(l.to, "#")
			if anchor == "" || strings.Contains(file, "/") {
				continue
			}
			target := p.path
			if file != "" {
				target = path.Join(path.Dir(p.path), file)
			}
			if anchors[target] == nil {
				anchors[target] = map[string]bool{}
			}
			anchors[target][anchor] = true
		}
	}
	for _, p := range changed {
		file := filepath.Join(root, filepath.FromSlash(p.path))
		if err := os.WriteFile(file, []byte(p.withAnchors(anchors[p.path])), 0o644); err != nil {
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
			to = terraformPage(target)
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

// fenceMark matches the line before and after a block of code.
var fenceMark = regexp.MustCompile("^ *(```|~~~)")

// eachProse changes what is outside of blocks of code.
func eachProse(source string, change func(string) string) string {
	var out, prose strings.Builder
	inFence := false
	for line := range strings.Lines(source) {
		mark := fenceMark.MatchString(line)
		if mark && !inFence {
			out.WriteString(change(prose.String()))
			prose.Reset()
		}
		if mark {
			inFence = !inFence
		}
		if inFence || mark {
			out.WriteString(line)
		} else {
			prose.WriteString(line)
		}
	}
	out.WriteString(change(prose.String()))
	return out.String()
}

// withAnchors returns the source of a page, with an <a id> before each heading that has
// one of the anchors only as a heading.
func (p *page) withAnchors(anchors map[string]bool) string {
	at := map[int]string{}
	for _, h := range p.headings {
		if anchors[h.slug] && !p.ids[h.slug] {
			at[h.line] = h.slug
		}
	}
	var out strings.Builder
	number := 0
	for line := range strings.Lines(p.source) {
		number++
		if slug := at[number]; slug != "" {
			out.WriteString(`<a id="` + slug + "\"></a>\n\n")
		}
		out.WriteString(line)
	}
	return out.String()
}
