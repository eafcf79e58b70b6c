// SPDX-License-Identifier: MPL-2.0

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// clock are the functions that depend on time, by package.
var clock = map[string][]string{
	"time":                strings.Fields("Now Since Until Sleep After AfterFunc NewTimer NewTicker Tick"),
	"context":             {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
	"internal/connection": {"WithTimeout"},
}

// deadlines are methods that depend on time.
var deadlines = []string{"SetDeadline", "SetReadDeadline", "SetWriteDeadline"}

// check returns each use of the real clock without a reason, and each reason that is not required.
func check(root string) ([]string, error) {
	p, err := parse(root)
	if err != nil {
		return nil, err
	}
	wrappers := p.wrappers()
	type use struct {
		in     *decl
		at     token.Pos
		name   string
		bubble bool
	}
	var uses []use
	for _, d := range p.decls {
		p.walk(d, wrappers, func(n ast.Node, bubble bool) {
			if name := p.clockIn(d, n); name != "" {
				uses = append(uses, use{d, n.Pos(), name, bubble})
			}
			for _, target := range p.targets(d, n) {
				if target != d {
					target.refs = append(target.refs, reference{d, bubble})
				}
			}
			if selector, ok := n.(*ast.SelectorExpr); ok && d.name != selector.Sel.Name {
				name := d.folder + " " + selector.Sel.Name
				p.calls[name] = append(p.calls[name], reference{d, bubble})
			}
		})
	}
	p.spread()
	var found []string
	for _, u := range uses {
		if u.bubble || !u.in.real {
			continue
		}
		at := p.fset.Position(u.at)
		if why := p.reasons[at.Filename][at.Line]; why != nil {
			why.required = true
		} else {
			found = append(found, fmt.Sprintf("%s: %s in %s is real time: use testing/synctest, or wait for a condition "+
				"and say why in a comment \"// real time: ...\"", p.position(at), u.name, u.in.name))
		}
	}
	for file, lines := range p.reasons {
		for _, why := range lines {
			if at := (token.Position{Filename: file, Line: why.line}); !why.required {
				found = append(found, p.position(at)+": this reason is not required")
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

func (p *program) position(at token.Position) string {
	name, err := filepath.Rel(p.root, at.Filename)
	if err != nil {
		name = at.Filename
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line)
}

// spread finds the declarations that run outside bubbles: those without a reference, and those to which one
// refers from outside.
func (p *program) spread() {
	for changed := true; changed; {
		changed = false
		for _, d := range p.decls {
			if d.real {
				continue
			}
			inBubbles := func(refs []reference) bool {
				return len(refs) > 0 && !slices.ContainsFunc(refs, func(r reference) bool {
					return !r.bubble && r.by.real && r.by.receiver != cmp.Or(d.receiver, d.name)
				})
			}
			virtual := inBubbles(d.refs)
			if d.receiver != "" { // it is called, or whoever has a value of the type can call it through an interface
				var refs []reference
				for _, typ := range p.byName[d.folder+" "+d.receiver] {
					refs = append(refs, typ.refs...)
				}
				virtual = inBubbles(refs) || p.isPrivate(d) && inBubbles(p.calls[d.folder+" "+d.name])
			}
			if !virtual {
				d.real, changed = true, true
			}
		}
	}
}

// isPrivate returns whether only the tests of the same package can call a method.
func (p *program) isPrivate(d *decl) bool {
	return !ast.IsExported(d.name) && strings.HasSuffix(p.fset.Position(d.node.Pos()).Filename, "_test.go")
}

// clockIn returns the name of the function of the clock to which a node refers, or nothing.
func (p *program) clockIn(d *decl, n ast.Node) string {
	selector, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(clock[d.imports[x.Name]], selector.Sel.Name) {
		return x.Name + "." + selector.Sel.Name
	}
	if slices.Contains(deadlines, selector.Sel.Name) {
		return selector.Sel.Name
	}
	return ""
}

// targets returns the declarations to which a node can refer.
func (p *program) targets(d *decl, n ast.Node) []*decl {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && d.imports[x.Name] != "" {
			return p.functions(d.imports[x.Name] + " " + n.Sel.Name)
		}
	case *ast.Ident:
		return p.functions(d.folder + " " + n.Name)
	}
	return nil
}

func (p *program) functions(name string) []*decl {
	return slices.DeleteFunc(slices.Clone(p.byName[name]), func(d *decl) bool { return d.receiver != "" })
}

// walk visits the nodes of a declaration, and says which of them are in a bubble.
func (p *program) walk(d *decl, wrappers map[*decl]bool, visit func(n ast.Node, bubble bool)) {
	var walk func(n ast.Node, bubble bool)
	walk = func(n ast.Node, bubble bool) {
		ast.Inspect(n, func(child ast.Node) bool {
			if _, signature := child.(*ast.FuncType); signature || child == nil {
				return false // a signature makes no value
			}
			if call, ok := child.(*ast.CallExpr); ok && p.isBubble(d, call, wrappers) {
				walk(call.Fun, bubble)
				for _, argument := range call.Args {
					walk(argument, true)
				}
				return false
			}
			visit(child, bubble)
			if selector, ok := child.(*ast.SelectorExpr); ok { // Sel is not a reference by itself
				walk(selector.X, bubble)
				return false
			}
			return true
		})
	}
	walk(d.node, false)
}

// isBubble returns whether the functions that are passed to a call run in a bubble.
func (p *program) isBubble(d *decl, call *ast.CallExpr, wrappers map[*decl]bool) bool {
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
		if x, ok := selector.X.(*ast.Ident); ok && d.imports[x.Name] == "testing/synctest" && selector.Sel.Name == "Test" {
			return true
		}
	}
	return slices.ContainsFunc(p.targets(d, call.Fun), func(target *decl) bool { return wrappers[target] })
}

// wrappers returns the functions that call a function which is passed to them only in a bubble.
func (p *program) wrappers() map[*decl]bool {
	wrappers := map[*decl]bool{}
	for before := -1; before < len(wrappers); {
		before = len(wrappers)
		for _, d := range p.decls {
			function, ok := d.node.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			inside, outside := map[string]bool{}, map[string]bool{}
			for _, field := range function.Type.Params.List {
				if _, ok := field.Type.(*ast.FuncType); ok {
					for _, name := range field.Names {
						inside[name.Name] = false
					}
				}
			}
			body := &decl{folder: d.folder, imports: d.imports, node: function.Body}
			p.walk(body, wrappers, func(n ast.Node, bubble bool) {
				if name, ok := n.(*ast.Ident); ok && bubble {
					if _, is := inside[name.Name]; is {
						inside[name.Name] = true
					}
				} else if ok {
					outside[name.Name] = true
				}
			})
			for name := range maps.Keys(inside) {
				if inside[name] && !outside[name] {
					wrappers[d] = true
				}
			}
		}
	}
	return wrappers
}
