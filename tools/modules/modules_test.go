// SPDX-License-Identifier: MPL-2.0

package main

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func TestRepositoryHasNoProblem(t *testing.T) {
	t.Parallel()
	if err := check(t.Context(), filepath.Join("..", "..")); err != nil {
		t.Error(err)
	}
}

// repository writes go.mod files and reads them back.
func repository(t *testing.T, files map[string]string) []module {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	modules, err := findModules(root)
	if err != nil {
		t.Fatal(err)
	}
	return modules
}

func TestGoVersionsDiffer(t *testing.T) {
	t.Parallel()
	const released = "go 1.26.8\n\ntoolchain go1.26.11\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"equal": {files: map[string]string{"go.mod": "module a\n" + released, "tools/b/go.mod": "module b\n" + released}},
		"newer tool": {
			files: map[string]string{
				"go.mod":         "module a\n" + released,
				"tools/b/go.mod": "module b\ngo 1.26.9\n\ntoolchain go1.26.11\n",
			},
			want: []string{"tools/b/go.mod has go 1.26.9 and toolchain go1.26.11, " +
				"but go.mod has go 1.26.8 and toolchain go1.26.11"},
		},
		"no toolchain": {
			files: map[string]string{"go.mod": "module a\ngo 1.26.0\n", "tools/b/go.mod": "module b\ngo 1.26.0\n"},
			want:  []string{"go.mod has no toolchain line: it names the Go that builds releases"},
		},
		"ignored directories": {
			files: map[string]string{
				"go.mod": "module a\n" + released, ".bin/go.mod": "module b\n",
				"testdata/go.mod": "module c\n", "dist/go.mod": "module d\n",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := checkVersions(repository(t, c.files)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestVulnerableVersions(t *testing.T) {
	t.Parallel()
	minimums, err := parseMinimums("# a comment\n\ntoolchain v1.26.6 GO-1\nexample.com/a v1.10.0 GO-2 GO-3\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"minimum": {text: "module m\ngo 1.26.0\ntoolchain go1.26.6\nrequire example.com/a v1.10.0\n"},
		"newer":   {text: "module m\ngo 1.26.0\ntoolchain go1.26.11\nrequire example.com/a v1.10.1 // indirect\n"},
		"older": {
			text: "module m\ngo 1.26.0\ntoolchain go1.26.5\nrequire example.com/a v1.9.3\n",
			want: []string{
				"go.mod requires toolchain 1.26.5. Version 1.26.6 fixes GO-1",
				"go.mod requires example.com/a 1.9.3. Version 1.10.0 fixes GO-2 GO-3",
			},
		},
		"older replacement": {
			text: "module m\ngo 1.26.6\nrequire example.com/b v1.0.0\nreplace example.com/b => example.com/a v1.9.0\n",
			want: []string{"go.mod requires example.com/a 1.9.0. Version 1.10.0 fixes GO-2 GO-3"},
		},
		"not required": {
			text: "module m\ngo 1.26.6\n",
			want: []string{"no module requires example.com/a: remove it from minimum.txt"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := checkMinimums(repository(t, map[string]string{"go.mod": c.text}), minimums)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if _, err := parseMinimums("example.com/a 1.10.0 GO-1\n"); err == nil {
		t.Error("a version without v was accepted")
	}
}

func TestLicensesDiffer(t *testing.T) {
	t.Parallel()
	mpl, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	withLicense := func(path, text string) linked {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "LICENSE.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return linked{Path: path, Dir: dir}
	}
	modules := []linked{
		withLicense("example.com/listed", string(mpl)),
		withLicense("example.com/changed", string(mpl)),
		withLicense("example.com/new", string(mpl)),
		withLicense("example.com/private", "All rights reserved."),
	}
	list := "example.com/listed MPL-2.0\nexample.com/changed MIT\nexample.com/gone MIT\n"
	want := []string{
		`example.com/changed has the license "MPL-2.0". licenses.txt says "MIT"`,
		`licenses.txt does not contain example.com/new MPL-2.0`,
		`example.com/private has the license "unknown", which is not accepted`,
		`licenses.txt does not contain example.com/private unknown`,
		`licenses.txt contains example.com/gone, which the provider does not contain`,
	}
	if got := checkLicenses(modules, list); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoticesContainEveryLicense(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	var notices bytes.Buffer
	if err := writeNotices(t.Context(), &notices, root); err != nil {
		t.Fatal(err)
	}
	for path := range licenses(licenseList) {
		if !strings.Contains(notices.String(), "\n"+path+" ") {
			t.Errorf("the notices do not contain %s", path)
		}
	}
}

// The binary of this test has the same build information as a provider.
func TestBillOfMaterials(t *testing.T) {
	t.Parallel()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(executable)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	entry, err := w.CreateHeader(&zip.FileHeader{
		Name: program + "1.2.3.exe", Modified: time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(binary); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	packed := filepath.Join(dir, "a.zip")
	if err := os.WriteFile(packed, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var written [2][]byte
	for i := range written {
		document := filepath.Join(dir, "bom.json")
		if err := writeSBOM(packed, document); err != nil {
			t.Fatal(err)
		}
		if written[i], err = os.ReadFile(document); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(written[0], written[1]) {
		t.Error("the same archive gave two different documents")
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(written[0]), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	provider := bom.Metadata.Component
	if provider.PackageURL != "pkg:golang/"+own+"@v1.2.3" || (*provider.Hashes)[0].Value != sum(binary) ||
		bom.Metadata.Timestamp != "2026-11-22T01:02:03Z" {
		t.Errorf("described %+v at %s", provider, bom.Metadata.Timestamp)
	}
	urls := map[string]bool{}
	for _, c := range *bom.Components {
		urls[c.PackageURL] = true
	}
	for _, want := range []string{"pkg:golang/std@1.26.", "pkg:golang/github.com/google/licensecheck@v0."} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(urls)), func(u string) bool { return strings.HasPrefix(u, want) }) {
			t.Errorf("no component is %s in %v", want, urls)
		}
	}
	if dependencies := *(*bom.Dependencies)[0].Dependencies; len(dependencies) != len(*bom.Components) {
		t.Errorf("the provider depends on %d of %d components", len(dependencies), len(*bom.Components))
	}
}

func TestNoProviderInArchive(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	if err := zip.NewWriter(&archive).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := billOfMaterials(archive.Bytes()); err == nil {
		t.Error("an archive without a provider has a bill of materials")
	}
}
