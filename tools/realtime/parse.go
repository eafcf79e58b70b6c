// SPDX-License-Identifier: MPL-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// program is the code of all tests of the module, and of packages for tests.
type program struct {
	fset  *token.FileSet
	root  string
	decls []*decl
	// byName has the declarations that a name can refer to, by "folder name".
	byName  map[string][]*decl
	calls   map[string][]reference     // of methods, by "folder name"
	reasons map[string]map[int]*reason // by file and the line that it explains
}

type reason struct {
	line     int
	required bool
}

// decl is a declaration on the top level of a file.
type decl struct {
	folder, name string
	imports      map[string]string // folder or path of each imported package, by its name in the file
	node         ast.Node
	receiver     string // the type of a method
	refs         []reference
	real         bool // it is known to run outside bubbles
}

// reference is a use of a declaration in another one.
type reference struct {
	by     *decl
	bubble bool
}

const prefix = "github.com/assessascode/terraform-provider-assess"

// parse reads the module in a folder.
func parse(root string) (*program, error) {
	p := &program{
		fset: token.NewFileSet(), root: root, byName: map[string][]*decl{}, calls: map[string][]reference{},
		reasons: map[string]map[int]*reason{},
	}
	files, forTests := map[string][]*ast.File{}, map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := d.Name()
			if name != root && (strings.HasPrefix(base, ".") || base == "testdata" || name == filepath.Join(root, "tools")) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(p.fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(relative)
		test := strings.HasSuffix(name, "_test.go")
		if !test && slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing"` }) {
			forTests[folder] = true
		}
		files[folder] = append(files[folder], file)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for folder, all := range files {
		for _, file := range all {
			if name := p.fset.Position(file.Pos()).Filename; forTests[folder] || strings.HasSuffix(name, "_test.go") {
				p.add(folder, file)
			}
		}
	}
	return p, nil
}

// add adds the declarations and the reasons of a file.
func (p *program) add(folder string, file *ast.File) {
	imports := map[string]string{}
	for _, i := range file.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(full)
		if i.Name != nil {
			name = i.Name.Name
		}
		if inside, ok := strings.CutPrefix(full, prefix+"/"); ok {
			full = inside
		}
		imports[name] = full
	}
	p.reasons[p.fset.Position(file.Pos()).Filename] = p.reasonsIn(file)
	declare := func(name, receiver string, node ast.Node) {
		d := &decl{folder: folder, name: name, receiver: receiver, imports: imports, node: node}
		p.decls = append(p.decls, d)
		p.byName[folder+" "+name] = append(p.byName[folder+" "+name], d)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			declare(d.Name.Name, receiverOf(d), d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					declare(spec.Name.Name, "", spec)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						declare(name.Name, "", spec)
					}
				}
			}
		}
	}
}

// reasonsIn returns the reasons in a file. A comment after code explains its own line, another one the next line.
func (p *program) reasonsIn(file *ast.File) map[int]*reason {
	code, reasons := map[int]bool{}, map[int]*reason{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
		default:
			code[p.fset.Position(n.Pos()).Line] = true
			code[p.fset.Position(n.End()).Line] = true
		}
		return true
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			if !strings.HasPrefix(c.Text, "// real time: ") {
				continue
			}
			at := p.fset.Position(c.Pos()).Line
			explains := at
			if !code[at] {
				explains++
			}
			reasons[explains] = &reason{line: at}
		}
	}
	return reasons
}

func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
