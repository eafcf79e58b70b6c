// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	renderer "github.com/yuin/goldmark/renderer/html"
)

// page is one Markdown file of the repository.
type page struct {
	path     string // from the root, with slashes
	source   string
	links    []string
	headings map[string]bool // the anchors of headings
	ids      map[string]bool // the anchors of <a id="...">
}

// readPages reads the pages for people: README.md and the other pages of the root folder, docs, and the README.md files
// of the examples.
func readPages(root string) (pages []*page, err error) {
	files := os.DirFS(root)
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/README.md"} {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			source, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, err
			}
			p, err := parsePage(name, string(source))
			if err != nil {
				return nil, err
			}
			pages = append(pages, p)
		}
	}
	return pages, nil
}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)
	htmlLink    = regexp.MustCompile(`\s(?:href|src)="([^"]+)"`)
	htmlHeading = regexp.MustCompile(`<h[1-6] id="([^"]+)"`)
	htmlAnchor  = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
)

// parsePage returns a page with the links and anchors that it has as HTML.
func parsePage(path, source string) (*page, error) {
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithUnsafe()), // keeps the HTML of the page
	)
	var rendered bytes.Buffer
	err := markdown.Convert([]byte(frontMatter.ReplaceAllString(source, "")), &rendered,
		parser.WithContext(parser.NewContext(parser.WithIDs(slugs{}))))
	p := &page{path: path, source: source, headings: map[string]bool{}, ids: map[string]bool{}}
	for _, m := range htmlLink.FindAllStringSubmatch(rendered.String(), -1) {
		p.links = append(p.links, html.UnescapeString(m[1]))
	}
	for _, m := range htmlHeading.FindAllStringSubmatch(rendered.String(), -1) {
		p.headings[m[1]] = true
	}
	for _, m := range htmlAnchor.FindAllStringSubmatch(rendered.String(), -1) {
		p.ids[m[1]] = true
	}
	return p, err
}

// slugs makes the anchors that GitHub and the registries give headings. If an earlier heading has the same anchor, it
// gets a number.
type slugs map[string]bool

func (s slugs) Put(anchor []byte) { s[string(anchor)] = true }

// Generate returns the anchor of a heading, and records it as used.
func (s slugs) Generate(heading []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1 // leaves out the character
	}, string(heading))
	anchor := name
	for n := 1; s[anchor]; n++ {
		anchor = fmt.Sprintf("%s-%d", name, n)
	}
	s[anchor] = true
	return []byte(anchor)
}

// fences matches blocks of code: the reason in a comment directly above one, such as "<!-- not validated: it reads a
// file -->", the language of the block, and its text.
var fences = regexp.MustCompile("(?m)^(?:<!-- not validated: (.*?) -->\n)?" +
	" *(?:```|~~~)(\\w*)[^\n]*\n((?s:.*?))^ *(?:```|~~~)[^\n]*\n?")

// eachProse returns a text in which change has changed each part outside of blocks of code.
func eachProse(source string, change func(string) string) string {
	var out strings.Builder
	from := 0
	for _, at := range fences.FindAllStringIndex(source, -1) {
		out.WriteString(change(source[from:at[0]]) + source[at[0]:at[1]])
		from = at[1]
	}
	return out.String() + change(source[from:])
}
