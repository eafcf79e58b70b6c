// SPDX-License-Identifier: MPL-2.0

package api

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
)

//go:embed guide.md.tmpl
var guideTemplate string

// The guide "Assumptions about the service" is the result of guide.md.tmpl. To write it, run the test
// with UPDATE=1.
func TestGuide(t *testing.T) {
	t.Parallel()
	understood, others := func(a Assumption) string {
		var said []string
		for _, d := range a.Differences {
			if d.Then == NothingChanges {
				said = append(said, d.If)
			}
		}
		return strings.Join(said, " ")
	}, func(a Assumption) []Difference {
		return slices.DeleteFunc(slices.Clone(a.Differences), func(d Difference) bool { return d.Then == NothingChanges })
	}
	page, err := template.New("guide").Funcs(template.FuncMap{
		"lower": strings.ToLower, "understood": understood, "others": others,
	}).Parse(guideTemplate)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := page.Execute(&text, Assumptions); err != nil {
		t.Fatal(err)
	}
	const file = "../templates/guides/assumptions.md"
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != text.String() {
		t.Errorf("%s differs from guide.md.tmpl and assumptions.go: run UPDATE=1 go test ./api", file)
	}
}

// Each assumption has all texts, and the numbers are those of the specification.
func TestAssumptions(t *testing.T) {
	t.Parallel()
	for i := range 31 {
		a := Find(fmt.Sprintf("A%d", i+1))
		if a.Title == "" || a.Expected == "" || a.Unknown == "" || len(a.Differences) == 0 {
			t.Errorf("%s lacks a text", a.ID)
		}
		names := map[string]bool{}
		for _, d := range a.Differences {
			if d.If == "" || d.Then == "" || d.Name != "" && names[d.Name] {
				t.Errorf("%s: the difference %q lacks a text or a name of its own", a.ID, d.Name)
			}
			names[d.Name] = true
		}
	}
	if n := len(Assumptions); n != 31 {
		t.Errorf("%d assumptions, want 31", n)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	const markdown = "Set [plan_checks](../index.md#optional) to `false`,\nand [more](x)."
	if got, want := Plain(markdown), "Set plan_checks to false, and more."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
