// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// builtSummaries are the summaries that are built at run time.
var builtSummaries = []string{
	"Could not check the benchmarks", "Could not check the profiles",
	"Could not list the assessments", "Could not list the benchmarks", "Could not list the packages",
	"Could not list the positions", "Could not list the profiles", "Could not list the skills tests",
	"Missing API key", "Missing Client Identifier", "Missing address of the service",
	"No assessment found", "No benchmark found", "No package found", "No position assessment found",
	"No position found", "No profile found", "No skills test found",
	"Several assessments found", "Several benchmarks found", "Several packages found",
	"Several positions found", "Several profiles found", "Several skills tests found",
}

// Each summary is a heading of the guide "Messages", word for word and once, so that a search for it finds the section.
// Each heading is the summary of a message.
func TestEachMessageHasItsSection(t *testing.T) {
	t.Parallel()
	guide := clitest.ReadFile(t, "../../templates/guides/messages.md")
	sections := []string{tf.Responses}
	if !strings.Contains(guide, "\n## "+tf.Responses+"\n") {
		t.Errorf("the guide has no part %q", tf.Responses)
	}
	for _, heading := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(guide, -1) {
		sections = append(sections, heading[1])
	}
	source := readSummaries(t)
	for _, pattern := range source.built {
		if !slices.ContainsFunc(builtSummaries, regexp.MustCompile(pattern).MatchString) {
			t.Errorf("builtSummaries lists no summary like %s", pattern)
		}
	}
	summaries := slices.Concat(source.written, builtSummaries, []string{tf.Stopped})
	for _, summary := range summaries {
		if !slices.Contains(sections, summary) {
			t.Errorf("the guide has no heading %q", summary)
		}
	}
	slices.Sort(sections)
	for i, section := range sections {
		if i > 0 && section == sections[i-1] {
			t.Errorf("the guide has two headings %q", section)
		}
		if !slices.Contains(summaries, section) {
			t.Errorf("the guide has a heading %q, and the source has no message", section)
		}
	}
}

// A message that names a guide uses its title, by which a reader finds it in the registry.
func TestMessagesNameExistingGuides(t *testing.T) {
	t.Parallel()
	pages, _ := filepath.Glob("../../templates/guides/*.md")
	var titles strings.Builder
	for _, page := range pages {
		head, _, _ := strings.Cut(clitest.ReadFile(t, page), "\n---\n")
		titles.WriteString(head + "\n")
	}
	named := 0
	for name, source := range sources(t) {
		text := regexp.MustCompile(`" \+\n\s*"`).ReplaceAllString(source, "") // parts of one string
		for _, guide := range regexp.MustCompile(`the guide (\\".+?\\")`).FindAllStringSubmatch(text, -1) {
			named++
			if title := strings.ReplaceAll(guide[1], `\`, ""); !strings.Contains(titles.String(), "page_title: "+title+"\n") {
				t.Errorf("%s: no guide has the title %s", name, title)
			}
		}
	}
	if named == 0 {
		t.Error("no message names a guide")
	}
}

// sources are the texts of all files of the packages, without tests.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, _ := filepath.Glob("../*/*.go")
	nested, _ := filepath.Glob("../*/*/*.go")
	all := map[string]string{}
	for _, name := range append(files, nested...) {
		if !strings.HasSuffix(name, "_test.go") {
			all[name] = clitest.ReadFile(t, name)
		}
	}
	return all
}

// builders are the functions that add a link to a message, with the number of the argument that names the section.
var builders = map[string]int{
	"tf.Error": 0, "tf.Warning": 0, "tf.ErrorIn": 0, "tf.SectionURL": 0, "tf.AttributeError": 1,
	"tf.Failure": 0, "messages.Warning": 0, "changeFailure": 0, "problems.add": 0,
	"r.Warn": 1, "r.Run.Warn": 1, "c.Warn": 1, "f.run.Warn": 1, // of a run, after the key
	// In the packages tf and run:
	"Error": 0, "Warning": 0, "ErrorIn": 0, "SectionURL": 0, "AttributeError": 1, "Failure": 0,
}

// sourceSummaries are the summaries in the source.
type sourceSummaries struct {
	written []string              // as constants
	built   []string              // regular expressions for those that are built of constants and other values
	texts   map[string][]ast.Expr // by the name of a constant or a variable
}

// readSummaries finds the summary of each message with a link that the source makes.
func readSummaries(t *testing.T) *sourceSummaries {
	t.Helper()
	s := &sourceSummaries{texts: map[string][]ast.Expr{}}
	var parsed []*ast.File
	for name, source := range sources(t) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if makesMessages(file) {
			parsed = append(parsed, file)
			ast.Inspect(file, s.name)
		}
	}
	for _, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.CallExpr:
				called := types.ExprString(n.Fun)
				if i, ok := builders[called]; ok && i < len(n.Args) {
					s.add(t, n.Args[i])
				}
				if strings.HasSuffix(called, "ErrorIn") { // the section, and then a summary that may differ
					s.add(t, n.Args[1])
				}
			case *ast.CompositeLit:
				s.addRule(t, n)
			}
			return true
		})
	}
	return s
}

// makesMessages reports whether a file imports what messages are made of.
func makesMessages(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
		return regexp.MustCompile(`/internal/(tf|run|messages)"$`).MatchString(i.Path.Value)
	}) || slices.Contains([]string{"tf", "run", "messages", "assessapi"}, file.Name.Name)
}

// addRule adds the summary of a rule, a problem or a warning.
func (s *sourceSummaries) addRule(t *testing.T, rule *ast.CompositeLit) {
	t.Helper()
	kind := types.ExprString(rule.Type)
	for i, element := range rule.Elts {
		field, isNamed := element.(*ast.KeyValueExpr)
		switch {
		case isNamed && types.ExprString(field.Key) == "Summary" && kind != "function.Definition":
			s.add(t, field.Value)
		case !isNamed && kind == "Problem" && i == 0:
			s.add(t, element)
		}
	}
}

// name stores the texts of a name.
func (s *sourceSummaries) name(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.ValueSpec:
		for i, value := range n.Values {
			s.texts[n.Names[i].Name] = append(s.texts[n.Names[i].Name], value)
		}
	case *ast.AssignStmt:
		for i, value := range n.Rhs {
			switch value.(type) {
			case *ast.BasicLit, *ast.BinaryExpr:
				at := types.ExprString(n.Lhs[i])
				s.texts[at] = append(s.texts[at], value)
			}
		}
	}
	return true
}

// add adds a section, or all values of its name. In a builder, "summary" and "section" are parameters.
func (s *sourceSummaries) add(t *testing.T, summary ast.Expr) {
	t.Helper()
	switch e := summary.(type) {
	case *ast.BasicLit:
		s.written = append(s.written, text(e))
	case *ast.BinaryExpr:
		s.built = append(s.built, "^"+pattern(e)+"$")
	case *ast.Ident:
		if len(s.texts[e.Name]) == 0 && e.Name != "summary" && e.Name != "section" {
			t.Errorf("the summary %s has no value, so its section is unknown", e.Name)
		}
		for _, value := range s.texts[e.Name] {
			s.add(t, value)
		}
	case *ast.SelectorExpr:
		if types.ExprString(e.X) == "tf" { // a constant
			s.add(t, e.Sel)
		} else if e.Sel.Name != "Summary" {
			t.Errorf("a summary is %s, so its section is unknown", types.ExprString(e))
		}
	default:
		t.Errorf("a summary is %s, so its section is unknown", types.ExprString(e))
	}
}

// pattern is a regular expression for a text that is built of constants and other values.
func pattern(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return pattern(e.X) + pattern(e.Y)
	case *ast.BasicLit:
		return regexp.QuoteMeta(text(e))
	}
	return ".+"
}

func text(literal *ast.BasicLit) string {
	value, _ := strconv.Unquote(literal.Value) // the parser accepts only valid literals
	return value
}

func TestSectionURL(t *testing.T) {
	t.Parallel()
	const want = "https://github.com/assessascode/terraform-provider-assess/blob/main/docs/guides/messages.md#supervisors-profile-will-be-deleted"
	if got := tf.SectionURL("Supervisor's profile will be deleted"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A release links to its own pages. The tests with a CLI run a program that is built like a release.
func TestLinkOfRelease(t *testing.T) {
	t.Parallel()
	c := clitest.NewBare(t)
	c.UseText("provider \"assess\" {\n  sandbox {}\n}\n\ndata \"assess_position\" \"none\" {\n  title = \"None\"\n}\n")
	c.Plan().Fails("No position found",
		`https://registry\.terraform\.io/providers/assessascode/assess/1\.2\.3/docs/guides/messages#no-position-found`)
}
