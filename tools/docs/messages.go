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
	"slices"
	"strconv"
	"strings"
)

// troubleshooting is the guide with a section for each message.
const troubleshooting = "docs/guides/troubleshooting.md"

// messageFolders are the packages that word messages.
var messageFolders = []string{"internal/provider", "internal/engine", "internal/rules", "internal/assessapi"}

// summaryArgument says which argument of a method is the summary of a message, and
// helperArgument the same of a function of the package itself.
var (
	summaryArgument = map[string]int{
		"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1,
		"NewErrorDiagnostic": 0, "NewWarningDiagnostic": 0,
		"NewAttributeErrorDiagnostic": 1, "NewAttributeWarningDiagnostic": 1,
		"Notice": 0,
	}
	helperArgument = map[string]int{"failure": 0}
)

// summaryNames are names of variables, constants and maps that hold summaries.
// What they are assigned is scanned, so using them needs no further look.
var summaryNames = map[string]bool{"summary": true, "Summary": true, "Summaries": true}

// summary is the title of a message.
type summary struct {
	text  string
	whole bool // otherwise it is what a title built at run time begins with
}

// checkMessages fails if the source words a message that has no heading in the
// troubleshooting guide. A heading may name several messages, separated by commas.
func checkMessages(root string, out io.Writer) error {
	guide, err := os.ReadFile(filepath.Join(root, troubleshooting))
	if err != nil {
		return err
	}
	var headings []string
	for line := range strings.Lines(string(guide)) {
		if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "### "); ok {
			headings = append(headings, strings.Split(heading, ", ")...)
		}
	}
	found := map[summary]string{} // to the file that words it
	var problems []string
	for _, folder := range messageFolders {
		wrong, err := summariesIn(filepath.Join(root, folder), found)
		if err != nil {
			return err
		}
		problems = append(problems, wrong...)
	}
	missing := 0
	for _, s := range slices.SortedFunc(maps.Keys(found), func(a, b summary) int { return strings.Compare(a.text, b.text) }) {
		if !slices.ContainsFunc(headings, s.matches) {
			missing++
			problem := fmt.Sprintf("%s: no heading for the message %q of %s", troubleshooting, s.text, found[s])
			problems = append(problems, problem)
		}
	}
	if _, err := fmt.Fprintf(out, "messages: %d summaries, %d of them in headings of %s\n",
		len(found), len(found)-missing, troubleshooting); err != nil {
		return err
	}
	return joined(problems)
}

func (s summary) matches(heading string) bool {
	if s.whole {
		return heading == s.text
	}
	return strings.HasPrefix(heading, s.text)
}

// summariesIn adds the summaries of a package to found. It returns the messages
// whose summary it cannot read.
func summariesIn(folder string, found map[summary]string) (problems []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
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

// eachSummary yields the expressions that are summaries of messages.
func eachSummary(tree *ast.File, yield func(ast.Expr)) {
	ast.Inspect(tree, func(node ast.Node) bool {
		eachAssignment(node, func(name string, value ast.Expr) {
			all, isMap := value.(*ast.CompositeLit)
			switch {
			case !summaryNames[name]:
			case isMap:
				eachValue(all, "", yield)
			default:
				yield(value)
			}
		})
		switch n := node.(type) {
		case *ast.CallExpr:
			arguments := summaryArgument
			if _, helper := n.Fun.(*ast.Ident); helper {
				arguments = helperArgument
			}
			at, ok := arguments[nameOf(n.Fun)]
			if ok && at < len(n.Args) && !summaryNames[nameOf(n.Args[at])] {
				yield(n.Args[at])
			}
		case *ast.CompositeLit:
			if nameOf(n.Type) == "Notice" {
				eachValue(n, "Summary", yield)
			}
		}
		return true
	})
}

// eachValue yields the values of a composite literal that have a key, except for
// names that hold summaries. An empty key is any key.
func eachValue(literal *ast.CompositeLit, key string, yield func(ast.Expr)) {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if ok && (key == "" || nameOf(pair.Key) == key) && !summaryNames[nameOf(pair.Value)] {
			yield(pair.Value)
		}
	}
}

// eachAssignment yields the names that a node declares or assigns, with values.
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

// nameOf is the last name of an expression: that of a variable, a field, a method,
// or a map whose element it is.
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

// beginning is the text that an expression begins with, and whether that is all of
// it. It is empty if the source does not say.
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
