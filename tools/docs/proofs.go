// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	// proof is a comment that names the tests that prove a promise.
	proof    = regexp.MustCompile(`<!-- proof: ([^>]+) -->`)
	runFlag  = regexp.MustCompile(`(?m)(?:^|[^-])-run '?\^?(\w+)`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// checkProofs fails if a proof, such as "<!-- proof: TestLives, TestSilence -->", names a test that the repository does
// not have, or if "-run NAME" matches none. It checks the guides and the pages in the root of the repository.
func checkProofs(root string) error {
	files := os.DirFS(root)
	tests, err := testsIn(files)
	if err != nil {
		return err
	}
	guides, err := fs.Glob(files, "templates/guides/*.md")
	if err != nil {
		return err
	}
	pages, err := fs.Glob(files, "*.md")
	if err != nil {
		return err
	}
	all := strings.Join(slices.Collect(maps.Keys(tests)), " ")
	var problems problems
	for _, file := range append(guides, pages...) {
		source, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		for _, match := range proof.FindAllStringSubmatch(string(source), -1) {
			for name := range strings.SplitSeq(match[1], ",") {
				if name = strings.TrimSpace(name); !tests[name] {
					problems.add("%s: the proof %s does not exist", file, name)
				}
			}
		}
		for _, match := range runFlag.FindAllStringSubmatch(string(source), -1) {
			if !strings.Contains(all, match[1]) {
				problems.add("%s: -run %s matches no test", file, match[1])
			}
		}
	}
	return problems.err()
}

// testsIn returns the names of all tests. It skips hidden folders, which contain tools and caches.
func testsIn(files fs.FS) (map[string]bool, error) {
	names := map[string]bool{}
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		isHidden := file != "." && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case isHidden && entry.IsDir():
			return fs.SkipDir
		case isHidden || !strings.HasSuffix(path.Base(file), "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(files, file)
		for _, match := range testFunc.FindAllSubmatch(source, -1) {
			names[string(match[1])] = true
		}
		return err
	})
	return names, err
}
