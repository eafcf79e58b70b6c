// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// licenseList contains the licenses of all modules in a release, one module in each line.
// It has no versions, so that an update changes it only if a license or a module is new.
//
//go:embed licenses.txt
var licenseList string

// accepted are the licenses of modules that a binary under the MPL 2.0 may contain.
var accepted = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// systems are the operating systems of a release. Each links different modules.
var systems = []string{"darwin", "freebsd", "linux", "windows"}

// own is the module of the provider.
const own = "github.com/assessascode/terraform-provider-assess"

// standard is the name of the standard library in lists and in an SBOM.
const standard = "std"

// linked is a module that the provider contains on at least one operating system.
type linked struct {
	Path, Version, Dir string
	Error              *struct{ Err string }
}

// linkedModules asks the go command for the modules that the provider of a
// repository contains, sorted by path. The standard library is one of them.
func linkedModules(ctx context.Context, root string) ([]linked, error) {
	found := map[string]linked{}
	for _, system := range systems {
		command := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
		command.Dir = root
		command.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
		paths, err := output(command)
		if err != nil {
			return nil, err
		}
		for _, path := range strings.Fields(paths) {
			found[path] = linked{}
		}
	}
	delete(found, own)
	command := exec.CommandContext(
		ctx,
		"go",
		append([]string{"list", "-m", "-json"}, slices.Sorted(maps.Keys(found))...)...)
	command.Dir = root
	listed, err := output(command)
	if err != nil {
		return nil, err
	}
	command = exec.CommandContext(ctx, "go", "env", "GOROOT")
	command.Dir = root
	goroot, err := output(command)
	if err != nil {
		return nil, err
	}
	modules := []linked{{Path: standard, Dir: strings.TrimSpace(goroot)}}
	for decoder := json.NewDecoder(strings.NewReader(listed)); ; {
		var m linked
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			return modules, nil
		}
		if err != nil {
			return nil, err
		}
		if m.Dir == "" {
			return nil, fmt.Errorf("%s is not in the module cache: run go mod download", m.Path)
		}
		modules = append(modules, m)
	}
}

func output(command *exec.Cmd) (string, error) {
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, stderr.String())
	}
	return string(out), nil
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licenseTexts returns the names and contents of a module's license files.
func licenseTexts(m linked) (map[string][]byte, error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, entry := range entries {
		if entry.IsDir() || !licenseFile.MatchString(entry.Name()) {
			continue
		}
		if texts[entry.Name()], err = os.ReadFile(filepath.Join(m.Dir, entry.Name())); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// required reports whether a file must contain a known license, and no other text.
func required(name string) bool {
	name = strings.ToLower(name)
	return !strings.HasPrefix(name, "notice") && !strings.HasPrefix(name, "patents")
}

// license returns the SPDX identifiers of a module's licenses, joined by AND, or
// "unknown" if a license file is not recognized.
func license(m linked) string {
	texts, err := licenseTexts(m)
	if err != nil {
		return "unknown"
	}
	found := map[string]bool{}
	for name, text := range texts {
		if !required(name) {
			continue
		}
		coverage := licensecheck.Scan(text)
		if coverage.Percent < 75 {
			return "unknown"
		}
		for _, match := range coverage.Match {
			found[match.ID] = true
		}
	}
	if len(found) == 0 {
		return "unknown"
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND ")
}

// licenseTable is what licenses.txt should contain.
func licenseTable(modules []linked) string {
	var table strings.Builder
	for _, m := range modules {
		fmt.Fprintf(&table, "%s %s\n", m.Path, license(m))
	}
	return table.String()
}

// checkLicenses returns a problem for each difference between the list and the
// modules, and for each license that is not accepted.
func checkLicenses(modules []linked, list string) []string {
	var problems []string
	listed := licenses(list)
	for _, m := range modules {
		actual := license(m)
		for id := range strings.SplitSeq(actual, " AND ") {
			if !slices.Contains(accepted, id) {
				problems = append(problems, fmt.Sprintf("%s has the license %q, which is not accepted", m.Path, id))
			}
		}
		switch known, ok := listed[m.Path]; {
		case !ok:
			problems = append(problems, fmt.Sprintf("licenses.txt does not contain %s %s", m.Path, actual))
		case known != actual:
			problems = append(problems, fmt.Sprintf("%s has the license %q. licenses.txt says %q", m.Path, actual, known))
		}
		delete(listed, m.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(listed)) {
		problems = append(problems, fmt.Sprintf("licenses.txt contains %s, which the provider does not contain", path))
	}
	return problems
}

// licenses returns the licenses of a list, by module.
func licenses(list string) map[string]string {
	byModule := map[string]string{}
	for line := range strings.Lines(list) {
		path, license, _ := strings.Cut(strings.TrimSpace(line), " ")
		byModule[path] = license
	}
	return byModule
}

// writeNotices writes the license texts of everything that a release contains.
func writeNotices(ctx context.Context, w io.Writer, root string) error {
	modules, err := linkedModules(ctx, root)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, "terraform-provider-assess contains the following software."); err != nil {
		return err
	}
	for _, m := range modules {
		texts, err := licenseTexts(m)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			_, err := fmt.Fprintf(w, "\n%s\n%s %s: %s\n\n%s\n",
				strings.Repeat("=", 80), m.Path, m.Version, name, strings.TrimSpace(string(texts[name])))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
