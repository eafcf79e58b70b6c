// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The messages of the provider link to troubleshooting, the index of the pages with a section for each
// message. So a section can move to another page, and the links of released versions still work.
const (
	troubleshooting      = "docs/guides/troubleshooting.md"
	troubleshootingPages = "docs/guides/troubleshooting-*.md"
)

// diagnosticsFile is the only file of the provider that builds diagnostics. It adds to each
// a link to its section.
const diagnosticsFile = "internal/provider/diagnostics.go"

// messageFolders are the packages that contain the texts of messages.
var messageFolders = []string{"internal/provider", "internal/rules"}

var (
	// summaryArgument is which argument of a function of a package is the summary of a
	// message.
	summaryArgument = map[string]int{
		"newError": 0, "newWarning": 0, "newAttributeError": 1, "newAttributeWarning": 1, "failure": 0, "sectionURL": 0,
	}
	// withoutLink are functions and methods of the framework that add no link.
	withoutLink = map[string]bool{
		"AddError": true, "AddWarning": true, "AddAttributeError": true, "AddAttributeWarning": true,
		"NewErrorDiagnostic": true, "NewWarningDiagnostic": true,
		"NewAttributeErrorDiagnostic": true, "NewAttributeWarningDiagnostic": true,
	}
)

// summaryNames are names of variables, constants and maps that contain summaries. The values
// that are assigned to them are checked, so their uses are not.
var summaryNames = map[string]bool{"summary": true, "Summary": true, "Summaries": true}

// summary is the summary of a message.
type summary struct {
	text  string
	whole bool // otherwise text is the beginning of a summary that is built at run time
}

func (s summary) matches(title string) bool {
	if s.whole {
		return title == s.text
	}
	return strings.HasPrefix(title, s.text)
}

// checkMessages fails if a message of the source has no section in the troubleshooting
// pages. The heading of a section is the summary of its message, or of several messages
// separated by commas. Directly before the heading, each of them has an anchor. A section can
// also be a row of a table that begins with anchors and summaries.
func checkMessages(root string, out io.Writer) error {
	pages, err := filepath.Glob(filepath.Join(root, troubleshootingPages))
	if err != nil {
		return err
	}
	sections := map[string][]string{} // the anchors of each message
	for _, page := range pages {
		guide, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		for _, s := range sectionsOf(string(guide)) {
			sections[s.title] = s.anchors
		}
	}
	found := map[summary]string{} // to the file that contains it
	var problems []string
	for _, folder := range messageFolders {
		wrong, err := summariesIn(root, folder, found)
		if err != nil {
			return err
		}
		problems = append(problems, wrong...)
	}
	missing := 0
	byText := func(a, b summary) int { return strings.Compare(a.text, b.text) }
	for _, s := range slices.SortedFunc(maps.Keys(found), byText) {
		wrong := s.missing(sections)
		if len(wrong) > 0 {
			missing++
		}
		for _, problem := range wrong {
			problems = append(problems, fmt.Sprintf("%s: %s, for %s", troubleshootingPages, problem, found[s]))
		}
	}
	if _, err := fmt.Fprintf(out, "messages: %d summaries, %d of them with a section in %s\n",
		len(found), len(found)-missing, troubleshootingPages); err != nil {
		return err
	}
	return joined(problems)
}

// missing returns what the guide lacks for a summary.
func (s summary) missing(sections map[string][]string) (problems []string) {
	titled := false
	for _, title := range slices.Sorted(maps.Keys(sections)) {
		if !s.matches(title) {
			continue
		}
		titled = true
		if anchor := anchorOf(title); !slices.Contains(sections[title], anchor) {
			problems = append(problems, fmt.Sprintf(`no <a id="%s"></a> directly before the heading of %q`, anchor, title))
		}
	}
	if !titled {
		problems = append(problems, fmt.Sprintf("no heading for the message %q", s.text))
	}
	return problems
}

var (
	anchorPattern = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	rowPattern    = regexp.MustCompile(`<a id="([^"]+)"></a>([^<|,]+)`) // in the first cell
)

// section explains a message, or something else that its title names.
type section struct {
	title   string
	anchors []string
}

// sectionsOf returns the sections of a page, with one for each message that a heading names.
func sectionsOf(guide string) (sections []section) {
	var anchors []string
	for line := range strings.Lines(guide) {
		line = strings.TrimSpace(line)
		if cells, ok := strings.CutPrefix(line, "| <a id="); ok {
			first, _, _ := strings.Cut("<a id="+cells, " | ")
			for _, match := range rowPattern.FindAllStringSubmatch(first, -1) {
				sections = append(sections, section{strings.TrimSpace(match[2]), match[1:2]})
			}
			continue
		}
		if title, ok := strings.CutPrefix(line, "### "); ok {
			titles := []string{title}
			if len(anchors) > 0 {
				titles = strings.Split(title, ", ")
			}
			for _, title := range titles {
				sections = append(sections, section{title, anchors})
			}
		}
		if !strings.HasPrefix(line, "<a id=") {
			anchors = nil
		}
		for _, match := range anchorPattern.FindAllStringSubmatch(line, -1) {
			anchors = append(anchors, match[1])
		}
	}
	return sections
}

// indexMark is the line of the index that addIndex replaces.
const indexMark = "<!-- sections -->\n"

// addIndex lists the sections of the troubleshooting pages in their index. Each has there the anchor
// to which the link in the message leads.
func addIndex(root string) error {
	index := filepath.Join(root, troubleshooting)
	text, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(root, troubleshootingPages))
	if err != nil {
		return err
	}
	var rows []string
	for _, page := range pages {
		guide, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		for _, s := range sectionsOf(string(guide)) {
			anchor := anchorOf(s.title)
			rows = append(rows, fmt.Sprintf("- [%s](%s#%[3]s)<a id=\"%[3]s\"></a>\n", s.title, filepath.Base(page), anchor))
		}
	}
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	before, after, found := strings.Cut(string(text), indexMark)
	if !found {
		return fmt.Errorf("%s has no line %q", troubleshooting, strings.TrimSpace(indexMark))
	}
	return os.WriteFile(index, []byte(before+strings.Join(rows, "")+after), 0o644)
}

// anchorOf returns the anchor of a message. The provider computes it in the same way
// (sectionURL in internal/provider).
func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// summariesIn adds the summaries of a package to found. It returns messages whose summary it
// cannot read, and messages without a link.
func summariesIn(root, folder string, found map[summary]string) (problems []string, err error) {
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	var trees []*ast.File
	set := token.NewFileSet()
	values := map[string]ast.Expr{} // of names, for arguments that are names
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
		ast.Inspect(tree, func(node ast.Node) bool {
			eachAssignment(node, func(name string, value ast.Expr) { values[name] = value })
			call, ok := node.(*ast.CallExpr)
			if ok && withoutLink[nameOf(call.Fun)] && file != filepath.Join(root, diagnosticsFile) {
				problems = append(problems, fmt.Sprintf("%s: build this message with a function of %s, which adds a link",
					set.Position(call.Pos()), diagnosticsFile))
			}
			return true
		})
	}
	for _, tree := range trees {
		eachSummary(tree, func(e ast.Expr) {
			at := set.Position(e.Pos())
			if value := values[nameOf(e)]; value != nil {
				e = value
			}
			if text, whole := beginning(e); text != "" {
				found[summary{text, whole}] = filepath.Base(at.Filename)
			} else {
				problems = append(problems, fmt.Sprintf("%s: the summary of a message cannot be read from the source", at))
			}
		})
	}
	return problems, nil
}

// eachSummary calls yield with each expression that is the summary of a message.
func eachSummary(tree *ast.File, yield func(ast.Expr)) {
	ast.Inspect(tree, func(node ast.Node) bool {
		eachAssignment(node, func(name string, value ast.Expr) {
			all, isMap := value.(*ast.CompositeLit)
			switch {
			case !summaryNames[name]:
			case isMap:
				eachValue(all, yield)
			default:
				yield(value)
			}
		})
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		at, ok := summaryArgument[nameOf(call.Fun)]
		_, function := call.Fun.(*ast.Ident) // not a method
		if ok && function && at < len(call.Args) && !summaryNames[nameOf(call.Args[at])] {
			yield(call.Args[at])
		}
		return true
	})
}

// eachValue calls yield with the values of a map. It skips names that contain summaries.
func eachValue(literal *ast.CompositeLit, yield func(ast.Expr)) {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if ok && !summaryNames[nameOf(pair.Value)] {
			yield(pair.Value)
		}
	}
}

// eachAssignment calls yield with each name that a node declares or assigns, and its value.
func eachAssignment(node ast.Node, yield func(name string, value ast.Expr)) {
	switch n := node.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) {
				yield(name.Name, n.Values[i])
			}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if name, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
				yield(name.Name, n.Rhs[i])
			}
		}
	}
}

// nameOf returns the last name of an expression: the name of a variable, field or method. For
// an element of a map, it is the name of the map.
func nameOf(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return nameOf(x.X)
	case *ast.CallExpr:
		return nameOf(x.Fun)
	}
	return ""
}

// beginning returns the text that an expression begins with, and whether that is the whole
// text. It returns "" if the text cannot be read from the source.
func beginning(e ast.Expr) (text string, whole bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, whole := beginning(x.X)
		if !whole {
			return left, false
		}
		right, whole := beginning(x.Y)
		return left + right, whole
	case *ast.CallExpr:
		if nameOf(x.Fun) == "Sprintf" && len(x.Args) > 0 {
			format, _ := beginning(x.Args[0])
			text, _, formatted := strings.Cut(format, "%")
			return text, !formatted
		}
	}
	return "", false
}
