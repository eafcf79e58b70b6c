// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No type has more than 15 exported methods, so that no object knows everything. The files of a
// package have an order in which at most three pairs of files refer upward, to a file that comes
// earlier.
func TestStructure(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "../catalog", "../connection", "../notes"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			testStructure(t, dir)
		})
	}
}

func testStructure(t *testing.T, dir string) {
	t.Helper()
	set := token.NewFileSet()
	var trees []*ast.File
	var order []string
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		trees, order = append(trees, tree), append(order, name)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	checker := types.Config{Error: func(error) {}} // other packages are missing, which does not matter
	pkg, _ := checker.Check("engine", set, trees, &info)

	for _, name := range pkg.Scope().Names() {
		object, isType := pkg.Scope().Lookup(name).(*types.TypeName)
		if !isType {
			continue
		}
		exported := 0
		for method := range types.NewMethodSet(types.NewPointer(object.Type())).Methods() {
			if method.Obj().Exported() {
				exported++
			}
		}
		if exported > 15 {
			t.Errorf("%s has %d exported methods", name, exported)
		}
	}

	refers := map[[2]string]bool{} // from a file to another one
	for name, object := range info.Uses {
		if object.Pkg() == pkg {
			refers[[2]string{set.File(name.Pos()).Name(), set.File(object.Pos()).Name()}] = true
		}
	}
	upward := func() (pairs [][2]string) {
		at := map[string]int{}
		for i, name := range order {
			at[name] = i
		}
		for pair := range refers {
			if at[pair[0]] > at[pair[1]] {
				pairs = append(pairs, pair)
			}
		}
		return pairs
	}
	for fewest, moved := len(upward()), true; moved; { // moves each file where the fewest pairs refer upward
		moved = false
		for _, name := range names {
			from := slices.Index(order, name)
			for to := 0; from >= 0 && to < len(order); to++ {
				before := slices.Clone(order)
				order = slices.Insert(slices.Delete(order, from, from+1), to, name)
				if n := len(upward()); n < fewest {
					fewest, from, moved = n, to, true
				} else {
					order = before
				}
			}
		}
	}
	if pairs := upward(); len(pairs) > 3 {
		t.Errorf("%d of %d pairs of files refer upward: %q", len(pairs), len(refers), pairs)
	}
}
