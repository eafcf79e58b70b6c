// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Each summary is a heading of the guide "Messages", word for word and once, so that a search for it finds the section.
// Each heading is the summary of a message.
func TestEachMessageHasItsSection(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := []string{tf.Responses}
	if !strings.Contains(string(guide), "\n## "+tf.Responses+"\n") {
		t.Errorf("the guide has no part %q", tf.Responses)
	}
	for _, heading := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllSubmatch(guide, -1) {
		sections = append(sections, string(heading[1]))
	}
	source := readSummaries(t)
	built := builtSummaries(t)
	for _, pattern := range source.built {
		if !slices.ContainsFunc(built, regexp.MustCompile(pattern).MatchString) {
			t.Errorf("builtSummaries lists no summary like %s", pattern)
		}
	}
	for _, summary := range built {
		if !slices.ContainsFunc(source.built, func(p string) bool { return regexp.MustCompile(p).MatchString(summary) }) {
			t.Errorf("builtSummaries lists %q, which the source does not build", summary)
		}
	}
	summaries := slices.Concat(source.written, built, []string{tf.Stopped})
	slices.Sort(summaries)
	summaries = slices.Compact(summaries)
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
	pages, err := filepath.Glob("../../templates/guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if title := regexp.MustCompile(`(?m)^page_title: (".+")$`).FindSubmatch(text); title != nil {
			titles = append(titles, string(title[1]))
		}
	}
	named := 0
	for name, source := range sources(t) {
		text := regexp.MustCompile(`" \+\n\s*"`).ReplaceAllString(source, "") // parts of one string
		for _, guide := range regexp.MustCompile(`the guide (\\".+?\\")`).FindAllStringSubmatch(text, -1) {
			named++
			if title := strings.ReplaceAll(guide[1], `\`, ""); !slices.Contains(titles, title) {
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
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

// builtSummaries are the summaries that are built at run time.
func builtSummaries(t *testing.T) []string {
	t.Helper()
	all := []string{
		"No position assessment found", "Could not check the benchmarks", "Could not check the profiles",
		"Missing address of the service", "Missing Client Identifier", "Missing API key",
		"Could not list the assessments", "Could not list the positions", "Could not list the packages",
		"Could not list the benchmarks", "Could not list the profiles", "Could not list the skills tests",
	}
	lists := map[string]bool{} // by the name of a data source, whether it lists items
	for _, create := range (&Provider{}).DataSources(t.Context()) {
		var named datasource.MetadataResponse
		var described datasource.SchemaResponse
		source := create()
		source.Metadata(t.Context(), datasource.MetadataRequest{}, &named)
		source.Schema(t.Context(), datasource.SchemaRequest{}, &described)
		isLookup := func(attribute string) bool { return strings.HasPrefix(attribute, "ids_by_") }
		name := strings.ReplaceAll(strings.Trim(named.TypeName, "_"), "_", " ")
		lists[name] = slices.ContainsFunc(slices.Collect(maps.Keys(described.Schema.Attributes)), isLookup)
	}
	for name, isList := range lists {
		if !isList && lists[name+"s"] {
			all = append(all, "No "+name+" found", "Several "+name+"s found")
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

// summarized are the builders whose next argument is the summary, if it differs from the section.
var summarized = map[string]bool{"tf.ErrorIn": true, "ErrorIn": true}

// unlinked matches functions of the framework that make diagnostics. Only diagnostics.go may call them, because the
// diagnostics of other files have links.
var unlinked = regexp.MustCompile(`^diag\.New\w+Diagnostic$|\.Add(Attribute)?(Error|Warning)$`)

// sourceSummaries are the summaries in the source.
type sourceSummaries struct {
	written []string // as constants
	built   []string // regular expressions for those that are built of constants and other values
	texts   map[string][]ast.Expr
}

// readSummaries finds the summary of each message with a link that the source makes.
func readSummaries(t *testing.T) *sourceSummaries {
	t.Helper()
	s := &sourceSummaries{texts: map[string][]ast.Expr{}}
	parsed := map[string]*ast.File{}
	for name, source := range sources(t) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if makesMessages(file) {
			parsed[name] = file
			ast.Inspect(file, s.name)
		}
	}
	for name, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.CallExpr:
				called := types.ExprString(n.Fun)
				if filepath.Base(name) != "diagnostics.go" && unlinked.MatchString(called) {
					t.Errorf("%s: make diagnostics with the functions of diagnostics.go, which add a link", name)
				}
				if i, ok := builders[called]; ok && i < len(n.Args) {
					s.add(t, n.Args[i])
				}
				if summarized[called] {
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
	switch types.ExprString(rule.Type) {
	case "function.Definition": // its summary describes a function
		return
	case "Problem":
		if _, named := rule.Elts[0].(*ast.KeyValueExpr); !named {
			s.add(t, rule.Elts[0])
			return
		}
	}
	for _, element := range rule.Elts {
		if field, ok := element.(*ast.KeyValueExpr); ok && types.ExprString(field.Key) == "Summary" {
			s.add(t, field.Value)
		}
	}
}

// name stores the texts of a name.
func (s *sourceSummaries) name(node ast.Node) bool {
	if n, ok := node.(*ast.ValueSpec); ok {
		for i, value := range n.Values {
			s.texts[n.Names[i].Name] = append(s.texts[n.Names[i].Name], value)
		}
	}
	if n, ok := node.(*ast.AssignStmt); ok && len(n.Lhs) == len(n.Rhs) {
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
