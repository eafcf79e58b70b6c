// SPDX-License-Identifier: MPL-2.0

// Package workflows tests the scripts that only a release runs.
package workflows_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// Scripts of a release reject what must not be released. "tools/release.sh check" signs with a temporary key.
func TestScriptsOfARelease(t *testing.T) {
	t.Parallel()
	changelog := func(sections string) map[string]string {
		return map[string]string{"CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- B.\n\n" + sections}
	}
	const zip, sums = "terraform-provider-assess_1.2.3_linux_amd64.zip", "terraform-provider-assess_1.2.3_SHA256SUMS"
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  " + zip + "\n"
	for name, c := range map[string]struct {
		script, argument, key string
		files                 map[string]string
		want                  string
		succeeds              bool
	}{
		"notes": {
			script: "release-notes.sh", argument: "v1.2.3", files: changelog("## 1.2.3 (1 May 2026)\n\n- A.\n\n## 1.2.2 (1 April 2026)\n\n- C.\n"),
			want: "\n- A.\n", succeeds: true,
		},
		"no notes": {
			script: "release-notes.sh", argument: "v1.2.3", files: changelog("## 1.2.4 (1 May 2026)\n\n- A.\n"),
			want: `no section "## 1.2.3 (`,
		},
		"no date": {
			script: "release-notes.sh", argument: "v1.2.3", files: changelog("## 1.2.3 (unreleased)\n\n- A.\n"),
			want: `is "## 1.2.3 (unreleased)"`,
		},
		"empty notes": {
			script: "release-notes.sh", argument: "v1.2.3", files: changelog("## 1.2.3 (1 May 2026)\n\n## 1.2.2 (1 April 2026)\n\n- C.\n"),
			want: "is empty",
		},
		"no key": {script: "sign.sh", argument: ".", want: "the key to sign with is missing"},
		"no checksums": {
			script: "sign.sh", argument: ".", key: "key", files: map[string]string{zip: ""},
			want: "expected exactly one file of checksums",
		},
		"changed file": {
			script: "sign.sh", argument: ".", key: "key", files: map[string]string{zip: "other bytes", sums: empty},
			want: "did NOT match",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			script, err := os.ReadFile(filepath.Join("..", c.script))
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{"tools/" + c.script: {Data: script, Mode: 0o600}}
			for file, text := range c.files {
				files[file] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
			}
			if err := os.CopyFS(folder, files); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), "bash", filepath.Join("tools", c.script), c.argument)
			command.Dir, command.Env = folder, append(os.Environ(), "GPG_PRIVATE_KEY="+c.key)
			out, err := command.CombinedOutput()
			if (err == nil) != c.succeeds || c.succeeds && string(out) != c.want || !strings.Contains(string(out), c.want) {
				t.Errorf("%v: %s, want %q", err, out, c.want)
			}
		})
	}
}
