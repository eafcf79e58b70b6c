// SPDX-License-Identifier: MPL-2.0

// Package mutants proves that tests notice defects. Each file GROUP.txt lists mutants. A mutant
// is one defect, and begins with "NAME: DEFECT". The last line "$ COMMAND" before it is the test
// that must fail with the defect, and pass without it. Each edit consists of the lines
// "@ DIRECTORY FUNCTION", "- OLD CODE" and "+ NEW CODE". The function must contain the old code
// exactly once, apart from white space. With -short, the mutants are not tested.
package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestMutants(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	passes := map[string]bool{} // whether a command passes without a defect
	groups, _ := filepath.Glob("tools/mutants/*.txt")
	for _, group := range groups {
		t.Run(strings.TrimSuffix(filepath.Base(group), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(group)
			if err != nil {
				t.Fatal(err)
			}
			command := ""
			for paragraph := range strings.SplitSeq(string(text), "\n\n") {
				if after, ok := strings.CutPrefix(paragraph, "$ "); ok {
					command, paragraph, _ = strings.Cut(after, "\n")
				}
				if name, edits, ok := strings.Cut(paragraph, ": "); ok && paragraph[0] != '#' {
					t.Run(name, func(t *testing.T) { kill(t, command, edits, passes) })
				}
			}
		})
	}
}

// kill makes the edits of a mutant, which follow its defect, and tests it.
func kill(t *testing.T, command, edits string, passes map[string]bool) {
	t.Helper()
	defect, edits, _ := strings.Cut(edits, "\n")
	texts := map[string]string{} // of the files that change
	var directory, function, old string
	for line := range strings.Lines(edits) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "@":
			directory, function, _ = strings.Cut(rest, " ")
		case "-":
			old = rest
		case "+":
			if found := change(texts, directory, function, old, rest); found != 1 {
				t.Fatalf("%s %s contains %d times: %s", directory, function, found, old)
			}
		}
	}
	if testing.Short() {
		return
	}
	if _, known := passes[command]; !known {
		passes[command], _ = test(command, "")
	}
	passed, log := test(command, " -overlay="+overlay(t, texts))
	verdict := strings.TrimSuffix("killed at "+regexp.MustCompile(`\bseed \d+|$`).FindString(log), " at ")
	switch {
	case !passes[command]:
		verdict = "the test fails without the defect"
	case passed:
		verdict = "SURVIVED"
	case !strings.Contains(log, "--- FAIL"):
		verdict = "does not compile, or was interrupted"
	}
	fmt.Printf("| %s | %s | %s |\n", strings.TrimPrefix(t.Name(), "TestMutants/"), defect, verdict)
	if !strings.HasPrefix(verdict, "killed") {
		t.Error(log[max(0, len(log)-1000):])
	}
}

// test runs a command with additional flags of Go.
func test(command, flags string) (passed bool, log string) {
	c := exec.Command("sh", "-c", command)
	c.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -count=1 -timeout=20m"+flags)
	out, err := c.CombinedOutput()
	return err == nil, string(out)
}

// overlay writes a file that tells Go to read these texts instead of the files.
func overlay(t *testing.T, texts map[string]string) string {
	t.Helper()
	scratch, copies := t.TempDir(), map[string]string{}
	write := func(name, text string) string {
		path := filepath.Join(scratch, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, text := range texts {
		copies[path] = write(filepath.Base(path), text)
	}
	text, _ := json.Marshal(map[string]any{"Replace": copies})
	return write("overlay.json", string(text))
}

// change replaces code in a function, and returns how often the function contains it.
func change(texts map[string]string, directory, function, old, replacement string) (found int) {
	name := regexp.MustCompile(`^(\w+)\.`).ReplaceAllString(function, `\(\w+ \*?$1(?:\[\w+\])?\) `)
	body := regexp.MustCompile(`(?m)^func ` + name + `\b(.*\}$|(?s:.*?)^\}$)`)
	quoted := regexp.QuoteMeta(strings.Join(strings.Fields(old), " "))
	code := regexp.MustCompile(strings.ReplaceAll(quoted, " ", `\s+`))
	files, _ := filepath.Glob(filepath.Join(directory, "*.go"))
	for _, file := range files {
		text, changed := texts[file]
		if !changed {
			source, _ := os.ReadFile(file)
			text = string(source)
		}
		for _, at := range body.FindAllStringIndex(text, -1) {
			for _, match := range code.FindAllStringIndex(text[at[0]:at[1]], -1) {
				found++
				texts[file] = text[:at[0]+match[0]] + replacement + text[at[0]+match[1]:]
			}
		}
	}
	return found
}
