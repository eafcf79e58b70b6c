// SPDX-License-Identifier: MPL-2.0

package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// minimumList is one minimum version in each line: module, version, and the
// vulnerabilities that the version fixes.
//
//go:embed minimum.txt
var minimumList string

// module is a go.mod file of the repository.
type module struct {
	path string // of the file, relative to the repository
	file *modfile.File
}

// minimum is the oldest version of a module without the given vulnerabilities.
type minimum struct {
	module, version, fixes string
}

// findModules reads every go.mod file below a directory. Directories that Go
// tools ignore, and dist, are left out.
func findModules(root string) ([]module, error) {
	var modules []module
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "dist"):
			return filepath.SkipDir
		case entry.IsDir() || name != "go.mod":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := modfile.Parse(relative, text, nil)
		modules = append(modules, module{path: filepath.ToSlash(relative), file: file})
		return err
	})
	if err == nil && len(modules) == 0 {
		err = fmt.Errorf("%s contains no go.mod file", root)
	}
	return modules, err
}

// checkVersions compares the Go versions of all modules with those of the first.
func checkVersions(modules []module) []string {
	var problems []string
	first := goVersions(modules[0].file)
	if !strings.Contains(first, "toolchain") {
		problems = append(problems, modules[0].path+" has no toolchain line: it names the Go that builds releases")
	}
	for _, m := range modules[1:] {
		if own := goVersions(m.file); own != first {
			problems = append(problems, fmt.Sprintf("%s has %s, but %s has %s", m.path, own, modules[0].path, first))
		}
	}
	return problems
}

// goVersions returns the lines of a go.mod file that name a version of Go.
func goVersions(file *modfile.File) string {
	var lines []string
	if file.Go != nil {
		lines = append(lines, "go "+file.Go.Version)
	}
	if file.Toolchain != nil {
		lines = append(lines, "toolchain "+file.Toolchain.Name)
	}
	return strings.Join(lines, " and ")
}

func parseMinimums(list string) ([]minimum, error) {
	var minimums []minimum
	for line := range strings.Lines(list) {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 || !semver.IsValid(fields[1]) {
			return nil, fmt.Errorf("minimum.txt: %q is not: module, version, vulnerabilities", line)
		}
		minimums = append(minimums, minimum{fields[0], fields[1], strings.Join(fields[2:], " ")})
	}
	return minimums, nil
}

// checkMinimums returns a problem for each requirement that is too old, and for
// each minimum that no module needs anymore.
func checkMinimums(modules []module, minimums []minimum) []string {
	var problems []string
	for _, m := range minimums {
		used := false
		for _, module := range modules {
			version := selected(module.file, m.module)
			used = used || version != ""
			if version != "" && semver.Compare(version, m.version) < 0 {
				problems = append(problems, fmt.Sprintf("%s requires %s %s. Version %s fixes %s",
					module.path, m.module, strings.TrimPrefix(version, "v"), strings.TrimPrefix(m.version, "v"), m.fixes))
			}
		}
		if !used {
			problems = append(problems, fmt.Sprintf("no module requires %s: remove it from minimum.txt", m.module))
		}
	}
	return problems
}

// selected returns the version of a module that a go.mod file asks for, or "".
// "toolchain" is the version of Go that builds releases.
func selected(file *modfile.File, path string) string {
	if path == "toolchain" {
		if file.Toolchain == nil {
			return "v" + file.Go.Version
		}
		return "v" + strings.TrimPrefix(file.Toolchain.Name, "go")
	}
	for _, replace := range file.Replace {
		if replace.New.Path == path {
			return replace.New.Version
		}
	}
	for _, require := range file.Require {
		if require.Mod.Path == path {
			return require.Mod.Version
		}
	}
	return ""
}
