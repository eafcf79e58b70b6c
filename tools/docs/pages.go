// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// page is one Markdown file of the repository.
type page struct {
	path     string // from the root, with slashes
	source   string
	links    []link
	headings []heading
	ids      map[string]bool // of <a id="..."> and the like
	fences   []fence
}

// heading has the anchor that GitHub and the registries give it.
type heading struct {
	slug string
	line int
}

// link is a link, an image or an address in the text of a page.
type link struct {
	to   string
	line int
}

// fence is a fenced block of a page.
type fence struct {
	language string
	text     string
	line     int    // of its first line of text
	marker   string // of the comment "<!-- hcl: ... -->" directly above it, or ""
}

// readPages reads the pages for people: README.md and the other pages of the root
// folder, docs, and the README.md files of the examples.
func readPages(root string) ([]*page, error) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	err := filepath.WalkDir(filepath.Join(root, "examples"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "README.md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	pages := make([]*page, 0, len(files))
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		path, err := filepath.Rel(root, file)
		if err != nil {
			return nil, err
		}
		pages = append(pages, parsePage(filepath.ToSlash(path), source))
	}
	return pages, nil
}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)
	htmlAnchor  = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
	htmlLink    = regexp.MustCompile(`\s(?:href|src)="([^"]+)"`)
	hclMarker   = regexp.MustCompile(`^<!-- hcl: (.*?) -->\s*$`)
)

func parsePage(path string, source []byte) *page {
	p := &page{path: path, source: string(source), ids: map[string]bool{}}
	// The front matter is not Markdown. Its lines count.
	source = frontMatter.ReplaceAllFunc(source, func(head []byte) []byte {
		return []byte(strings.Repeat("\n", strings.Count(string(head), "\n")))
	})
	lineAt := func(offset int) int { return 1 + strings.Count(string(source[:offset]), "\n") }
	marker, line := "", 1
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the callback never fails
		if !entering {
			return ast.WalkContinue, nil
		}
		if node.Type() == ast.TypeBlock && node.Lines().Len() > 0 {
			line = lineAt(node.Lines().At(0).Start)
		}
		switch n := node.(type) {
		case *ast.Link:
			p.links = append(p.links, link{string(n.Destination), line})
		case *ast.Image:
			p.links = append(p.links, link{string(n.Destination), line})
		case *ast.AutoLink:
			p.links = append(p.links, link{string(n.URL(source)), line})
		case *ast.Heading:
			p.addHeading(slug(plain(n, source)), line)
		case *ast.RawHTML:
			p.addHTML(n.Segments, source, line)
		case *ast.HTMLBlock:
			p.addHTML(n.Lines(), source, line)
			if m := hclMarker.FindSubmatch(n.Lines().Value(source)); m != nil {
				marker = string(m[1])
				return ast.WalkContinue, nil
			}
		case *ast.FencedCodeBlock:
			p.fences = append(p.fences, fence{string(n.Language(source)), string(n.Lines().Value(source)), line, marker})
		}
		if node.Type() == ast.TypeBlock && node != root {
			marker = "" // a marker is only for the next block
		}
		return ast.WalkContinue, nil
	})
	return p
}

func (p *page) addHTML(segments *text.Segments, source []byte, line int) {
	for _, m := range htmlLink.FindAllSubmatch(segments.Value(source), -1) {
		p.links = append(p.links, link{string(m[1]), line})
	}
	for _, m := range htmlAnchor.FindAllSubmatch(segments.Value(source), -1) {
		p.ids[string(m[1])] = true
	}
}

// addHeading adds a heading. If an earlier one has the same anchor, it gets a number.
func (p *page) addHeading(name string, line int) {
	anchor := name
	taken := func(h heading) bool { return h.slug == anchor }
	for n := 1; slices.ContainsFunc(p.headings, taken); n++ {
		anchor = name + "-" + strconv.Itoa(n)
	}
	p.headings = append(p.headings, heading{anchor, line})
}

// plain returns the text of a node without its markup.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the callback never fails
		switch t := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(t.Segment.Value(source))
			}
		case *ast.String:
			if entering {
				b.Write(t.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// slug returns the anchor that GitHub and the registries give a heading.
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteRune('-')
		}
	}
	return b.String()
}
