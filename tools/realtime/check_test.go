// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The check finds what the comments "want" of testdata/module say, and nothing else.
func TestCheck(t *testing.T) {
	t.Parallel()
	const root = "testdata/module"
	found, err := check(root)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, f := range found {
		where, what, _ := strings.Cut(f, ": ")
		what, _, _ = strings.Cut(what, " is real time")
		got = append(got, where+" "+what)
	}
	wants := regexp.MustCompile(`// want (.*)`)
	for _, file := range []string{"a_test.go", "code.go", "helper/helper.go"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := wants.FindStringSubmatch(line); m != nil {
				want = append(want, fmt.Sprintf("%s:%d %s", file, i+1, m[1]))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
