// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// page is one Markdown file of the repository.
type page struct {
	path     string // from the root, with slashes
	source   string
	links    []string
	headings map[string]int  // the lines of headings, by their anchors
	ids      map[string]bool // of <a id="..."> and the like
	fences   []fence
}

// fence is a fenced block of a page.
type fence struct {
	language, text string
	line           int    // of its first line of text
	marker         string // of the comment "<!-- hcl: ... -->" directly above it, or ""
}

// readPages reads the pages for people: README.md and the other pages of the root
// folder, docs, and the README.md files of the examples.
func readPages(root string) ([]*page, error) {
	var pages []*page
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		folder, _, isBelow := strings.Cut(name, "/")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && folder != "docs" && folder != "examples":
			return fs.SkipDir
		case filepath.Ext(name) != ".md":
			return nil
		case isBelow && folder == "examples" && entry.Name() != "README.md": // another page of an example is a result
			return nil
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		pages = append(pages, parsePage(name, string(source)))
		return err
	})
	return pages, err
}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)
	htmlAnchor  = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
	htmlLink    = regexp.MustCompile(`\s(?:href|src)="([^"]+)"`)
	hclMarker   = regexp.MustCompile(`^<!-- hcl: (.*?) -->\s*$`)
)

// parsePage returns a page with its links, anchors and fenced blocks.
func parsePage(path, markdown string) *page {
	p := &page{path: path, source: markdown, headings: map[string]int{}, ids: map[string]bool{}}
	// The front matter is not Markdown. Its lines count.
	source := []byte(frontMatter.ReplaceAllStringFunc(markdown, func(head string) string {
		return strings.Repeat("\n", strings.Count(head, "\n"))
	}))
	// line is the line of the current block, and marker is what the block before it contains.
	line, marker := 1, ""
	_ = ast.Walk(parseMarkdown(source), func(node ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		isBlock := node.Type() == ast.TypeBlock
		if !entering {
			return ast.WalkContinue, nil
		}
		if isBlock && node.Lines().Len() > 0 {
			line = 1 + strings.Count(string(source[:node.Lines().At(0).Start]), "\n")
		}
		switch n := node.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			p.headings[fmt.Sprintf("%s", id)] = line
		case *ast.FencedCodeBlock:
			p.fences = append(p.fences, fence{string(n.Language(source)), string(n.Lines().Value(source)), line, marker})
		default:
			p.addLinks(node, source)
		}
		if isBlock {
			marker = markerIn(node, source)
		}
		return ast.WalkContinue, nil
	})
	return p
}

// parseMarkdown returns the syntax tree of a page. Its headings have the anchors of [slugs].
func parseMarkdown(source []byte) ast.Node {
	converter := goldmark.New(
		goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	anchors := parser.NewContext(parser.WithIDs(slugs{}))
	return converter.Parser().Parse(text.NewReader(source), parser.WithContext(anchors))
}

// markerIn returns the marker in a comment such as "<!-- hcl: ... -->", or "" for any other block.
func markerIn(block ast.Node, source []byte) string {
	comment, isHTML := block.(*ast.HTMLBlock)
	if !isHTML {
		return ""
	}
	if found := hclMarker.FindSubmatch(comment.Lines().Value(source)); found != nil {
		return string(found[1])
	}
	return ""
}

// addLinks adds the link that a node is, or the links and anchors of its HTML.
func (p *page) addLinks(node ast.Node, source []byte) {
	switch n := node.(type) {
	case *ast.Link:
		p.links = append(p.links, string(n.Destination))
	case *ast.Image:
		p.links = append(p.links, string(n.Destination))
	case *ast.AutoLink:
		p.links = append(p.links, string(n.URL(source)))
	case *ast.RawHTML:
		p.addHTML(string(n.Segments.Value(source)))
	case *ast.HTMLBlock:
		p.addHTML(string(n.Lines().Value(source)))
	}
}

func (p *page) addHTML(html string) {
	for _, m := range htmlLink.FindAllStringSubmatch(html, -1) {
		p.links = append(p.links, m[1])
	}
	for _, m := range htmlAnchor.FindAllStringSubmatch(html, -1) {
		p.ids[m[1]] = true
	}
}

// slugs makes the anchors that GitHub and the registries give headings. If an earlier heading has the
// same anchor, it gets a number.
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
