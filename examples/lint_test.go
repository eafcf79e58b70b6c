// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// modules are the folders that users copy as modules.
var modules = []string{
	"quickstart", "import", "report", "spreadsheet", "module-tests", "gitops",
	"../modules/spreadsheet", "../modules/position",
}

var header = regexp.MustCompile(`(?m)^(terraform|variable|locals|data)( "([^"]+)")?( "([^"]+)")? \{`)

// The examples follow the rules of tflint that its users see first: required_version, so that an older CLI says so at
// once, required_providers with a version, because the CLI would look for "hashicorp/assess" otherwise, types of
// variables, and no declaration that nothing uses.
func TestExamplesAreLinted(t *testing.T) {
	t.Parallel()
	for _, folder := range modules {
		files, _ := filepath.Glob(filepath.Join(folder, "*.tf"))
		if len(files) == 0 {
			t.Fatalf("%s has no configuration", folder)
		}
		var all strings.Builder
		for _, file := range files {
			all.WriteString(clitest.ReadFile(t, file) + "\n")
		}
		for _, problem := range lint(all.String()) {
			t.Errorf("%s: %s", folder, problem)
		}
	}
}

// Every folder of the examples with a complete configuration is in the list of modules.
func TestModulesAreComplete(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		folder := filepath.ToSlash(filepath.Dir(path))
		if err == nil && entry.Name() == "main.tf" && !slices.Contains(modules, folder) {
			t.Errorf("%s is not linted", folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lint returns what is wrong with the text of a module.
func lint(text string) (problems []string) {
	if !regexp.MustCompile(`(?m)^  required_version += "`).MatchString(text) {
		problems = append(problems, "no required_version")
	}
	if !regexp.MustCompile(`assess += \{\s+source += "assessascode/assess",?\s+version += "`).MatchString(text) {
		problems = append(problems, "required_providers has no source and version")
	}
	unused := func(kind, reference string) {
		if n := len(regexp.MustCompile(regexp.QuoteMeta(reference)+`\b`).FindAllString(text, -1)); n == 0 {
			problems = append(problems, fmt.Sprintf("nothing uses the %s %s", kind, reference))
		}
	}
	for _, at := range header.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return text[at[2*i]:at[2*i+1]]
		}
		body := blockAt(text, at[1])
		switch group(1) {
		case "variable":
			unused("variable", "var."+group(3))
			if !regexp.MustCompile(`(?m)^  type +=`).MatchString(body) {
				problems = append(problems, "the variable "+group(3)+" has no type")
			}
		case "locals":
			for _, name := range regexp.MustCompile(`(?m)^  (\w+) +=`).FindAllStringSubmatch(body, -1) {
				unused("local", "local."+name[1])
			}
		case "data":
			unused("data source", "data."+group(3)+"."+group(5))
		}
	}
	return problems
}

// blockAt returns the text of a block from after its opening brace. The closing brace is at the beginning of a line.
func blockAt(text string, from int) string {
	line, _, _ := strings.Cut(text[from:], "\n")
	if strings.Contains(line, "}") {
		return "\n  " + strings.TrimSpace(line)
	}
	body, _, _ := strings.Cut(text[from:], "\n}")
	return body
}
