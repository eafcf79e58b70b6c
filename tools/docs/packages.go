// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
)

var (
	packageRow = regexp.MustCompile("(?m)^\\| `(internal/[^`]+|api|main\\.go)` \\|[^|]*\\|([^|]*)\\|$")
	typeName   = regexp.MustCompile("`(\\w+)`")
	goType     = regexp.MustCompile(`(?m)^type (\w+)`)
)

// checkPackages fails if the table of packages in ARCHITECTURE.md lacks a package, or names a type that its package
// does not declare.
func checkPackages(root string) error {
	files := os.DirFS(root)
	table, err := fs.ReadFile(files, "ARCHITECTURE.md")
	if err != nil {
		return err
	}
	var problems problems
	types := map[string]map[string]bool{} // by package
	const inner = "internal/*/"
	for _, pattern := range []string{"*.go", "api/*.go", inner + "*.go", inner + "*/*.go", inner + "*/*/*.go"} {
		sources, err := fs.Glob(files, pattern)
		if err != nil {
			return err
		}
		for _, name := range sources {
			source, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			in := path.Dir(name)
			if types[in] == nil {
				types[in] = map[string]bool{}
			}
			for _, found := range goType.FindAllStringSubmatch(string(source), -1) {
				types[in][found[1]] = true
			}
		}
	}
	for _, row := range packageRow.FindAllStringSubmatch(string(table), -1) {
		in := row[1]
		if in == "main.go" {
			in = "."
		}
		for _, name := range typeName.FindAllStringSubmatch(row[2], -1) {
			if !types[in][name[1]] {
				problems.add("ARCHITECTURE.md: %s has no type %s", row[1], name[1])
			}
		}
		delete(types, in)
	}
	for in := range types {
		problems.add("ARCHITECTURE.md: the table of packages lacks %s", in)
	}
	return problems.err()
}
