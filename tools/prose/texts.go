// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kind says what a text is for.
type kind string

const (
	docs    kind = "docs"
	comment kind = "comment"
	message kind = "message"
)

// passage is a paragraph, a comment or a string.
type passage struct {
	kind   kind
	text   string
	starts []start // of the lines of the file that the text comes from
}

// start is where a line of the file begins in the text of a passage.
type start struct{ offset, line int }

func (p *passage) add(text string, line int) {
	if p.text != "" {
		p.text += "\n"
	}
	p.starts = append(p.starts, start{len(p.text), line})
	p.text += text
}

func (p *passage) lineAt(offset int) int {
	line := 0
	for _, s := range p.starts {
		if s.offset <= offset {
			line = s.line
		}
	}
	return line
}

// passages collects the passages of a file.
type passages struct {
	done []passage
	open passage
}

func (all *passages) add(k kind, text string, line int) {
	if k != all.open.kind {
		all.end()
	}
	all.open.kind = k
	all.open.add(text, line)
}

func (all *passages) end() {
	if all.open.text != "" {
		all.done = append(all.done, all.open)
	}
	all.open = passage{}
}

// scripts are the files with comments that begin with a hash, or with two hyphens in Lua.
var scripts = []string{".sh", ".yml", ".yaml", ".tf", ".hcl", ".tofu", ".lua"}

// extractorOf returns the function that reads the passages of a file, or nil for
// files that are not checked.
func extractorOf(name string) func(source string) []passage {
	in := func(folders ...string) bool {
		return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(name, folder) })
	}
	switch extension := path.Ext(name); {
	case in("docs/", "tools/prose/") || strings.Contains(name, "testdata/"):
		return nil
	case extension == ".go":
		return fromGo
	case extension == ".md", extension == ".tmpl" && in("templates/"), in(".changes/", ".github/ISSUE_TEMPLATE/"):
		return fromMarkdown
	case extension == ".html":
		return fromHTML
	case slices.Contains(scripts, extension), path.Base(name) == "Makefile":
		return fromScript
	}
	return nil
}

// words matches strings that may be sentences.
var words = regexp.MustCompile(`[A-Za-z]{2,} [A-Za-z]+ [A-Za-z]{2,}`)

// fromGo reads comments and strings. A string may be the sum of several.
func fromGo(source string) []passage {
	var all passages
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	before, lastComment := token.ILLEGAL, 0
	for {
		position, kindOf, text := s.Scan()
		line := file.Line(position)
		switch {
		case kindOf == token.EOF:
			all.end()
			return slices.DeleteFunc(all.done, func(p passage) bool { return p.kind == message && !words.MatchString(p.text) })
		case kindOf == token.COMMENT:
			if line != lastComment+1 {
				all.end()
			}
			lastComment = line
			all.addComment(text, line)
			continue // a comment may be between the strings of a sum
		case kindOf == token.STRING:
			if before != token.ADD {
				all.end()
			}
			all.addString(text, line)
		case kindOf != token.ADD:
			all.end()
		}
		before = kindOf
	}
}

// directive matches comments for programs, and code within comments.
var directive = regexp.MustCompile(`^(//[a-z]+:|//nolint|// SPDX|//\t|//$)`)

func (all *passages) addComment(text string, line int) {
	if directive.MatchString(text) {
		all.end()
		return
	}
	for part := range strings.Lines(strings.TrimSuffix(text, "*/")) {
		all.add(comment, strings.TrimSpace(strings.TrimLeft(part, "/* \t")), line)
		line++
	}
}

func (all *passages) addString(text string, line int) {
	if plain, err := strconv.Unquote(text); err == nil && text[0] == '"' {
		all.add(message, plain, line)
		return
	}
	for part := range strings.Lines(strings.Trim(text, "`")) {
		all.add(message, strings.TrimRight(part, "\n"), line)
		line++
	}
}

var (
	fence     = regexp.MustCompile("^\\s*(```|~~~)")
	separator = regexp.MustCompile(`^\s*($|[-*>|]|#+ |[0-9]+\. )`)
	// markup is what readers do not see, or what is not prose.
	markup = regexp.MustCompile("(?s)`[^`]+`|\\{\\{.*?\\}\\}|<!--.*?-->|</?[a-z][^>]*>|" +
		`\]\([^)]*\)|https?://[^\s)]+|&#?[a-z0-9]+;`)
)

// fromMarkdown reads paragraphs, list items, table rows and headings, without code.
func fromMarkdown(source string) []passage {
	var all passages
	line, inFence := 0, false
	for text := range strings.Lines(source) {
		line++
		text = strings.TrimRight(text, "\n")
		if fence.MatchString(text) {
			inFence = !inFence
		}
		if inFence || separator.MatchString(text) || fence.MatchString(text) {
			all.end()
		}
		if !inFence && strings.TrimSpace(text) != "" && !fence.MatchString(text) {
			all.add(docs, text, line)
		}
	}
	all.end()
	for i := range all.done {
		all.done[i].text = markup.ReplaceAllStringFunc(all.done[i].text, func(found string) string {
			return strings.Repeat("`", len(found))
		})
	}
	return all.done
}

// fromHTML reads text as messages, because CSS and scripts may be between it.
func fromHTML(source string) []passage {
	all := fromMarkdown(source)
	for i := range all {
		all[i].kind = message
	}
	return all
}

var (
	hash   = regexp.MustCompile(`(?:^|\s)(?:#+!?|--)(\s.*|$)`)
	quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'([^']*)'`)
)

// fromScript reads comments and quoted strings.
func fromScript(source string) []passage {
	var all passages
	line := 0
	for text := range strings.Lines(source) {
		line++
		text = strings.TrimRight(text, "\n")
		at := hash.FindStringSubmatchIndex(text)
		if at == nil {
			at = []int{len(text), len(text), len(text), len(text)}
		}
		if strings.TrimSpace(text[:at[0]]) != "" || at[2] == len(text) {
			all.end()
		}
		for _, found := range quoted.FindAllString(text[:at[0]], -1) {
			if words.MatchString(found) {
				all.add(message, found[1:len(found)-1], line)
				all.end()
			}
		}
		if at[2] < len(text) {
			all.add(comment, strings.TrimSpace(text[at[2]:]), line)
		}
	}
	all.end()
	return all.done
}

// sentenceEnd matches the end of a sentence, a cell, a column or a list item.
var sentenceEnd = regexp.MustCompile(`[.!?:]["')*]*(\s|$)|\s\|\s|[ \t]{2,}|\n- `)

// longSentences lists the sentences that have more than 30 words.
func (p *passage) longSentences(file string) []string {
	isCode := p.kind == message && strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".html")
	if isHeading := p.kind == docs && strings.HasPrefix(p.text, "#"); isCode || isHeading {
		return nil
	}
	var found []string
	from := 0
	ends := append(sentenceEnd.FindAllStringIndex(p.text, -1), []int{len(p.text), len(p.text)})
	for _, end := range ends {
		sentence := p.text[from:end[1]]
		if n := len(strings.Fields(sentence)); n > 30 {
			text := strings.Join(strings.Fields(sentence), " ")
			found = append(found, fmt.Sprintf("%s:%d: %d words in a sentence: %s", file, p.lineAt(from), n, text))
		}
		from = end[1]
	}
	return found
}

// rhythm counts the sentences of pages and their words.
type rhythm struct{ sentences, words, short int }

var (
	// fullStop matches the end of a sentence. A line that ends with a colon introduces an example.
	fullStop = regexp.MustCompile(`[.!?]["')*]*(\s|$)`)
	// itemMark matches what is before the text of a list item or a note.
	itemMark = regexp.MustCompile(`^\s*([-*]|[-~]?>|[0-9]+\.)\s`)
)

// add counts the sentences of a paragraph or a list item. Cells of tables are not sentences.
func (r *rhythm) add(p passage) {
	if p.kind != docs || strings.HasPrefix(p.text, "#") || strings.HasPrefix(strings.TrimSpace(p.text), "|") {
		return
	}
	from := len(itemMark.FindString(p.text))
	for _, end := range fullStop.FindAllStringIndex(p.text, -1) {
		n := len(strings.Fields(p.text[from:end[1]]))
		r.sentences, r.words, from = r.sentences+1, r.words+n, end[1]
		if n < 8 {
			r.short++
		}
	}
}

func (r rhythm) String() string {
	all := max(1, r.sentences)
	return fmt.Sprintf("rhythm: %d sentences of %.1f words on average, %d %% under eight words",
		r.sentences, float64(r.words)/float64(all), 100*r.short/all)
}
