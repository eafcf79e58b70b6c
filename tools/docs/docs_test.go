// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The binary of the tests is also the CLI that they call. Its fmt replaces a tab with two
// spaces. Its validate fails if the word "undeclared" occurs without "declares". Its
// version depends on its name.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "version":
		fmt.Println(
			map[bool]string{true: "OpenTofu v1.12.0", false: "Terraform v1.14.0"}[filepath.Base(os.Args[0]) == "tofu"],
		)
	case "fmt":
		in, _ := io.ReadAll(os.Stdin)
		fmt.Print(strings.ReplaceAll(string(in), "\t", "  "))
	case "validate":
		files, _ := filepath.Glob("*.tf")
		if slices.Contains(os.Args, "-query") {
			queries, _ := filepath.Glob("*.tfquery.hcl")
			files = append(files, queries...)
		}
		var all string
		for _, file := range files {
			text, _ := os.ReadFile(file)
			all += string(text)
		}
		if strings.Count(all, "required_providers") != 1 ||
			strings.Contains(all, "undeclared") && !strings.Contains(all, "declares") {
			fmt.Println("Error: Reference to undeclared resource")
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// tree writes files and returns the folder they are in.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files["examples/.keep"] = ""
	for path, text := range files {
		file := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// says fails the test unless each line of an error contains one of the texts, in this
// order. Without texts, there must be no error.
func says(t *testing.T, err error, lines ...string) {
	t.Helper()
	var got []string
	if err != nil {
		got = strings.Split(err.Error(), "\n")
	}
	if len(got) != len(lines) {
		t.Fatalf("problems: %q, want %q", got, lines)
	}
	for i, line := range lines {
		if !strings.Contains(got[i], line) {
			t.Errorf("problem %d is %q, want %q", i, got[i], line)
		}
	}
}

func TestSnippets(t *testing.T) {
	t.Parallel()
	source := func(blocks ...string) string { return strings.Join(blocks, "\n") }
	block := func(text string) string { return "```hcl\n" + text + "\n```\n" }
	cases := map[string]struct {
		page string
		want []string // the errors with OpenTofu
	}{
		"valid":         {source(block("resource {}"), "```console\n$ undeclared\n```\n"), nil},
		"whole":         {block("terraform {\n  required_providers {\n  }\n}"), nil},
		"not formatted": {block("a {\n\tb = 1\n}"), []string{"README.md:2: is not formatted", "a {", "  b = 1", "}", ""}},
		"invalid": {
			source("# Title\n", block("undeclared")),
			[]string{"README.md:4: exit status 1", "Error: Reference to undeclared"},
		},
		"of a page":  {source("", "", "```terraform\nundeclared\n```\n"), []string{"README.md:4: exit status 1", "Error"}},
		"on its own": {source(block("declares"), block("undeclared")), []string{"README.md:6: exit status 1", "Error"}},
		"continued":  {source(block("declares"), "<!-- hcl: continues -->", block("undeclared")), nil},
		"continued twice": {
			source(block("declares"), "<!-- hcl: continues -->", block("x"), "<!-- hcl: continues -->", block("undeclared")),
			nil,
		},
		"nothing to continue": {
			source("<!-- hcl: continues -->", block("x")), []string{"README.md:3: the comment \"hcl: continues\" is unknown"},
		},
		"not validated": {source("<!-- hcl: not validated, because -->", block("undeclared")), nil},
		"without a reason": {
			source("<!-- hcl: not validated -->", block("undeclared")),
			[]string{"is unknown", "exit status 1", "Error"},
		},
		"far from its block": {
			source("<!-- hcl: not validated, because -->\n", "Text.\n", block("undeclared")), []string{"exit status 1", "Error"},
		},
		"for Terraform":         {source("<!-- hcl: Terraform 1.14 -->", block("undeclared")), nil},
		"a query":               {source("<!-- hcl: query, Terraform 1.14 -->", block("undeclared")), nil},
		"a right query":         {source("<!-- hcl: query, Terraform 1.14 -->", block("declares")), nil},
		"for a later Terraform": {source("<!-- hcl: Terraform 1.15 -->", block("undeclared")), nil},
		"another comment":       {source("<!-- hcl: Terraform -->", block("x")), []string{"is unknown"}},
	}
	withTerraform := map[string][]string{
		"for Terraform": {"exit status 1", "Error"},
		"a query":       {"exit status 1", "Error"},
		"a right query": nil, "for a later Terraform": nil,
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, name := range []string{"tofu", "terraform"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := []*page{parsePage("README.md", c.page)}
			says(t, checkSnippets(t.Context(), pages, filepath.Join(bin, "tofu"), io.Discard), c.want...)
			if want, ok := withTerraform[name]; ok {
				says(t, checkSnippets(t.Context(), pages, filepath.Join(bin, "terraform"), io.Discard), want...)
			}
		})
	}
}

// Each message has a section with its anchor, and is built with a function that adds the link.
func TestMessages(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"internal/provider/a.go": `package provider
const shared = "From a constant"
func f(detail string) {
	d.Append(newError("Said", "detail"))
	d.Append(newAttributeError(path.Root("output"), "Not said", "detail"))
	d.Append(failure(shared, "what", err))
	summary := "No " + s.item
	d.Append(newWarning(summary, "detail"))
}`,
		"internal/provider/a_test.go":      `d.Append(newError("Of a test", "detail"))`,
		"internal/provider/diagnostics.go": "package provider\nfunc newError(s string) { diag.NewErrorDiagnostic(s) }\n",
		"docs/guides/troubleshooting-x.md": "| <a id=\"of-a-row\"></a>Of a row | x |\n\n<a id=\"said\"></a>\n### Said\n\n" +
			"Not said in a heading.\n\n### From a constant\n",
	}
	says(t, checkMessages(tree(t, files)), `"Not said"`, `"From a constant"`)

	files["docs/guides/troubleshooting-x.md"] = "<a id=\"said\"></a>\n<a id=\"from-a-constant\"></a>\n### Said, From a constant\n" +
		"| <a id=\"not-said\"></a>Not said | x |\n"
	says(t, checkMessages(tree(t, files)))
	files["internal/provider/e.go"] = "package provider\nfunc h() { d.AddError(\"Said\", \"detail\") }\n"
	says(t, checkMessages(tree(t, files)), "e.go: build messages with the functions of diagnostics.go")
}

// Links, tags and blocks of code do not count.
func TestTables(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestCell)
	says(t, checkTables([]*page{
		parsePage("README.md", "| "+long+" | [y]("+long+")"+long+" |\n\n```\n| x"+long+" |\n```\n"),
		parsePage("docs/x.md", "| é | é"+long+" |\n"),
	}), "docs/x.md: a cell has more than 120 characters: é"+long)
}

// The index lists all sections by their titles, with the anchors of messages.
func TestIndex(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{
		troubleshooting: "# Index\n\n" + indexMark + "\nThe end.\n",
		"docs/guides/troubleshooting-x.md": "## Not listed\n\n| <a id=\"of-a-row\"></a>Of a row | x |\n\n" +
			"<a id=\"b\"></a>\n<a id=\"a\"></a>\n### b, A\n",
		"docs/guides/troubleshooting-y.md": "### No anchor, no message\n",
	})
	if err := addIndex(root); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, troubleshooting))
	const want = "# Index\n\n- [A](troubleshooting-x.md#a)<a id=\"a\"></a>\n- [b](troubleshooting-x.md#b)<a id=\"b\"></a>\n" +
		"- [No anchor, no message](troubleshooting-y.md#no-anchor-no-message)<a id=\"no-anchor-no-message\"></a>\n" +
		"- [Of a row](troubleshooting-x.md#of-a-row)<a id=\"of-a-row\"></a>\n\nThe end.\n"
	if err != nil || string(got) != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	if err := addIndex(root); err == nil {
		t.Error("an index without the mark is accepted")
	}
}

func TestImportsThatStandAlone(t *testing.T) {
	t.Parallel()
	const (
		alone    = "import {\n  to = assess_thing.alone\n  id = \"a/b\"\n}\n"
		declared = "import {\n  to       = assess_thing.declared\n  identity = { id = \"b\" }\n}\n"
		resource = "resource \"assess_thing\" \"declared\" {\n}\n"
	)
	got := withImportProviders([]string{alone + declared, resource})
	want := []string{"import {\n  to = assess_thing.alone\n  provider = assess\n  id = \"a/b\"\n}\n" + declared, resource}
	if !slices.Equal(got, want) {
		t.Errorf("imports: %q, want %q", got, want)
	}
}
