// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Every rule matches its bad texts, and not its good ones.
func TestRules(t *testing.T) {
	t.Parallel()
	rules, err := parseRules(rulesText)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if r.advice == "" || len(r.bad) == 0 || len(r.good) == 0 {
			t.Errorf("%s has no advice, no bad text or no good text", r.pattern)
		}
		kinds := []string{"docs"}
		if r.only != "" {
			kinds = strings.Fields(r.only)
		}
		for _, k := range kinds {
			for _, bad := range r.bad {
				if len(r.findings("x", passage{kind: kind(k), text: strings.ReplaceAll(bad, " ", "\n")})) == 0 {
					t.Errorf("%s does not match the bad text %q", r.pattern, bad)
				}
			}
			for _, good := range r.good {
				if found := r.findings("x", passage{kind: kind(k), text: good}); len(found) > 0 {
					t.Errorf("%s matches the good text %q: %q", r.pattern, good, found)
				}
			}
		}
	}
}

// Texts are found in every kind of file, with their lines. What is not prose is not read.
func TestTexts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"README.md": "# Made anew\n\nMade\nanew, `anew` [text](anew.md), {{ anew }}.\n\n" +
			"```\nanew\n```\n\n| anew | <b>anew</b> |\n",
		"a.go": "//go:build anew\n\n// Package a is made\n// anew.\n//\n//\tanew()\npackage a\n\n" +
			"var anew = \"anew\" // anew\n\nvar b = \"the text is \" +\n\t\"made anew\"\n\nvar c = `the text\nis made anew`\n",
		"a.sh":                     "#!/bin/sh\nanew=1 # anew\n# made\n# anew\necho \"it is made anew: $x\"\n",
		".changes/unreleased/a.md": "kind: Fixed\nbody: made anew\n",
		"templates/a.md.tmpl":      "anew\n",
		"docs/a.md":                "anew\n",
		"a/testdata/a.md":          "anew\n",
		"a.json":                   "anew\n",
		"a.lua":                    "anew = 1 -- made anew\n",
		"long.md":                  strings.Repeat("word ", 30) + "end.\n",
		"a.html":                   "<p title=\"anew\">It is made\nanew.</p>\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
	}
	if err := os.CopyFS(root, files); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "-C", root, "init", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	findings, read, _, err := check(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, finding := range findings {
		place, _, _ := strings.Cut(finding, ": ")
		got = append(got, place)
	}
	want := []string{
		".changes/unreleased/a.md:2",
		"README.md:1",
		"README.md:4",
		"README.md:10",
		"README.md:10",
		"a.go:4",
		"a.go:9",
		"a.go:12",
		"a.go:15",
		"a.html:2",
		"a.lua:1",
		"a.sh:2",
		"a.sh:4",
		"a.sh:5",
		"long.md:1",
		"templates/a.md.tmpl:1",
	}
	if !slices.Equal(got, want) || read != 8 {
		t.Errorf("findings in %d files: %q, want %q", read, got, want)
	}
}

// Only sentences of paragraphs and lists count. A colon ends no sentence, and code is one word.
func TestRhythm(t *testing.T) {
	t.Parallel()
	var pages rhythm
	for _, p := range fromMarkdown("# A heading.\n\nRun `tofu plan -out x`. It shows, before anything changes, what an apply " +
		"would change:\n\n```\nNot this. Nor this.\n```\n\n- One item: it has a colon and nine words.\n\n| a cell. | b. |\n") {
		pages.add(p)
	}
	if want := (rhythm{sentences: 2, words: 11, short: 1}); pages != want {
		t.Errorf("%+v, want %+v", pages, want)
	}
}
