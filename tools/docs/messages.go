// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// troubleshooting is the page that is ordered by message.
const troubleshooting = "docs/guides/troubleshooting.md"

// messageArgument says which argument of a call is the summary of a message.
var messageArgument = map[string]int{
	"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1,
	"NewErrorDiagnostic": 0, "NewWarningDiagnostic": 0, "NewAttributeErrorDiagnostic": 1, "NewAttributeWarningDiagnostic": 1,
	"failure": 0, "notice": 0, "Notice": 0,
}

// checkMessages fails where the source words a message whose summary stands in
// no heading of the page on troubleshooting. Of a summary that is put together
// while it runs, what it begins with counts.
func checkMessages(root string, out io.Writer) error {
	source, err := os.ReadFile(filepath.Join(root, troubleshooting))
	if err != nil {
		return err
	}
	var headings []string
	for line := range strings.Lines(string(source)) {
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			headings = append(headings, heading)
		}
	}
	var problems []string
	found := map[string]bool{}
	for _, folder := range []string{"internal/provider", "internal/assessapi"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			summaries, err := summariesIn(file)
			if err != nil {
				return err
			}
			for _, summary := range summaries {
				if !found[summary] && !slices.ContainsFunc(headings, func(h string) bool { return strings.Contains(h, summary) }) {
					problems = append(problems, fmt.Sprintf("%s: no heading says %q, which %s does", troubleshooting, summary, filepath.Base(file)))
				}
				found[summary] = true
			}
		}
	}
	if _, err := fmt.Fprintf(out, "messages: %d summaries, %d of them in headings of %s\n", len(found), len(found)-len(problems), troubleshooting); err != nil {
		return err
	}
	return joined(problems)
}

// summariesIn lists what a file's messages begin with.
func summariesIn(file string) ([]string, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	var summaries []string
	add := func(e ast.Expr) {
		text, _, _ := strings.Cut(beginning(e), "%")
		if text = strings.TrimSpace(text); text != "" {
			summaries = append(summaries, text)
		}
	}
	ast.Inspect(tree, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if name.Name == "summary" && i < len(n.Values) {
					add(n.Values[i])
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && name.Name == "summary" && i < len(n.Rhs) {
					add(n.Rhs[i])
				}
			}
		case *ast.CallExpr:
			if at, ok := messageArgument[called(n)]; ok && at < len(n.Args) {
				add(n.Args[at])
			}
		}
		return true
	})
	return summaries, nil
}

// called is the name of what a call calls, without its package or receiver.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// beginning is the text that an expression certainly begins with.
func beginning(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(x.Value) // no string: no text
		return text
	case *ast.BinaryExpr:
		return beginning(x.X)
	case *ast.CallExpr: // fmt.Sprintf
		if called(x) == "Sprintf" && len(x.Args) > 0 {
			return beginning(x.Args[0])
		}
	}
	return ""
}
