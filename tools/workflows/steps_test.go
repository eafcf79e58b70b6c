// SPDX-License-Identifier: MPL-2.0

package workflows_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// newKey creates a key to sign with. It returns the armored private key, and the directory
// of gpg that contains it.
func newKey(t *testing.T) (armored, home string) {
	t.Helper()
	home, err := os.MkdirTemp("", "gpg") // shorter than t.TempDir: it contains a socket
	if err != nil {
		t.Fatal(err)
	}
	gpg := func(arguments ...string) string {
		command := exec.CommandContext(
			t.Context(),
			"gpg",
			append([]string{"--homedir", home, "--batch", "--quiet"}, arguments...)...)
		out, err := command.Output()
		if err != nil {
			t.Fatalf("gpg %v: %v", arguments, err)
		}
		return string(out)
	}
	t.Cleanup(func() {
		_ = exec.CommandContext(context.Background(), "gpgconf", "--homedir", home, "--kill", "gpg-agent").Run()
		_ = os.RemoveAll(home)
	})
	gpg("--passphrase", "", "--quick-generate-key", "release <release@example.com>", "rsa3072", "sign", "1d")
	return gpg("--armor", "--export-secret-keys"), home
}

func releaseJobs(t *testing.T) map[string]*actionlint.Job {
	t.Helper()
	return parse(t, filepath.Join(root, ".github", "workflows", "release.yml")).Jobs
}

// The workflow builds, compares, signs, attests and publishes the files of a tag.
func TestReleaseWorkflow(t *testing.T) {
	t.Parallel()
	jobs := releaseJobs(t)
	r := newRun(t)
	key, home := newKey(t)
	r.key = key
	for _, name := range []string{"build", "rebuild", "sign", "publish"} {
		if err := r.job(name, jobs[name], nil); err != nil {
			t.Fatalf("job %s: %v", name, err)
		}
	}
	release := filepath.Join(r.temps["publish"], "release")
	name := filepath.Join(release, "terraform-provider-assess_1.2.3")
	published := []string{
		name + "_SHA256SUMS", name + "_SHA256SUMS.sig",
		name + "_linux_amd64.zip", name + "_linux_amd64.zip.cdx.json", name + "_manifest.json",
	}
	notes := filepath.Join(r.temps["publish"], "artifacts", "notes", "notes.md")
	want := []string{
		"make release-build",
		"make verify-release SUMS=" + filepath.Join(
			r.temps["rebuild"],
			"release",
			"terraform-provider-assess_1.2.3_SHA256SUMS",
		),
		"attest 3",
		"gh release create v1.2.3 --repo assessascode/terraform-provider-assess --draft --verify-tag --title v1.2.3" +
			" --notes-file " + notes + " " + strings.Join(published, " "),
	}
	if got := r.called(); !slices.Equal(got, want) {
		t.Errorf("called\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text, err := os.ReadFile(notes); err != nil || strings.TrimSpace(string(text)) != "### Added\n\n- Everything." {
		t.Errorf("the notes are %q (%v)", text, err)
	}
	verify := exec.CommandContext(t.Context(), "gpg", "--homedir", home, "--batch", "--verify", published[1], published[0])
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("the signature does not verify: %v: %s", err, out)
	}
}

// A file that changes between two jobs is neither signed nor published.
func TestReleaseRefusesChangedFiles(t *testing.T) {
	t.Parallel()
	jobs := releaseJobs(t)
	r := newRun(t)
	r.key, _ = newKey(t)
	change := func() {
		r.write(filepath.Join(r.artifacts, "release", "terraform-provider-assess_1.2.3_linux_amd64.zip"), "other bytes")
	}
	if err := r.job("build", jobs["build"], nil); err != nil {
		t.Fatal(err)
	}
	original, err := os.ReadFile(filepath.Join(r.artifacts, "release", "terraform-provider-assess_1.2.3_linux_amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	change()
	if err := r.job("sign", jobs["sign"], nil); err == nil || !strings.Contains(err.Error(), "did NOT match") {
		t.Errorf("sign signed a changed file: %v", err)
	}
	r.write(filepath.Join(r.artifacts, "release", "terraform-provider-assess_1.2.3_linux_amd64.zip"), string(original))
	if err := r.job("sign", jobs["sign"], nil); err != nil {
		t.Fatal(err)
	}
	change()
	if err := r.job("publish", jobs["publish"], nil); err == nil || !strings.Contains(err.Error(), "did NOT match") {
		t.Errorf("publish published a changed file: %v", err)
	}
	if calls := r.called(); len(calls) != 1 {
		t.Errorf("called %q after the build", calls)
	}
}

func TestReleaseRequiresKey(t *testing.T) {
	t.Parallel()
	jobs := releaseJobs(t)
	r := newRun(t)
	if err := r.job("build", jobs["build"], nil); err != nil {
		t.Fatal(err)
	}
	if err := r.job(
		"sign",
		jobs["sign"],
		nil,
	); err == nil ||
		!strings.Contains(err.Error(), "the key to sign with is missing") {
		t.Errorf("signed without a key: %v", err)
	}
}

// A tag is released only if the changelog has a dated section for it.
func TestReleaseNotes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ section, changelog, want string }{
		"missing":          {want: "is missing or empty"},
		"no date":          {section: "## 1.2.3 (unreleased)\n\n- A.\n", want: `is "## 1.2.3 (unreleased)"`},
		"other version":    {section: "## 1.2.4 (1 May 2026)\n\n- A.\n", want: `is "## 1.2.4 (1 May 2026)"`},
		"not in changelog": {section: "## 1.2.3 (1 May 2026)\n\n- A.\n", changelog: "# Changelog\n", want: "does not contain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t)
			work := r.checkout()
			r.write(filepath.Join(work, ".changes", "v1.2.3.md"), c.section)
			if c.changelog != "" {
				r.write(filepath.Join(work, "CHANGELOG.md"), c.changelog)
			}
			err := r.shell(work, t.TempDir(), `tools/release-notes.sh "$GITHUB_REF_NAME"`, nil, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// Every step of the test workflow runs, with each combination of its matrix, even if its
// condition is false.
func TestTestWorkflow(t *testing.T) {
	t.Parallel()
	jobs := parse(t, filepath.Join(root, ".github", "workflows", "test.yml")).Jobs
	want := map[string][]string{
		"ci":            {"make lint", "make test", "make docs-check"},
		"cli":           {"make test"},
		"platform":      {"go test -timeout 30m ./...", "make demo"},
		"vet":           {"make vet"},
		"release-check": {"make release-check"},
		"vuln":          {"make vuln"},
	}
	for name, job := range jobs {
		for _, matrix := range combinations(t, job) {
			r := newRun(t)
			if err := r.job(name, job, matrix); err != nil {
				t.Errorf("job %s %v: %v", name, matrix, err)
			}
			if got := r.called(); !slices.Equal(got, want[name]) {
				t.Errorf("job %s %v called %q, want %q", name, matrix, got, want[name])
			}
		}
	}
	if len(jobs) != len(want) {
		t.Errorf("test.yml has %d jobs, want %d", len(jobs), len(want))
	}
}

// combinations returns the values of a job's matrix, as expressions name them.
func combinations(t *testing.T, job *actionlint.Job) []map[string]string {
	t.Helper()
	if job.Strategy == nil {
		return []map[string]string{{}}
	}
	matrix := job.Strategy.Matrix
	var all []map[string]string
	for name, row := range matrix.Rows {
		if len(matrix.Rows) > 1 {
			t.Fatal("this test knows matrices of one row, or of a list of combinations")
		}
		for _, value := range row.Values {
			all = append(all, map[string]string{"matrix." + name: strings.Trim(value.String(), `"`)})
		}
	}
	if matrix.Include != nil {
		for _, combination := range matrix.Include.Combinations {
			values := map[string]string{}
			for name, assign := range combination.Assigns {
				values["matrix."+name] = strings.Trim(assign.Value.String(), `"`)
			}
			all = append(all, values)
		}
	}
	return all
}

// changie merge writes CHANGELOG.md from .changes.
func TestChangelogIsMerged(t *testing.T) {
	t.Parallel()
	parts, err := filepath.Glob(filepath.Join(root, ".changes", "v*.md"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("there is no version in .changes (%v)", err)
	}
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range append(parts, filepath.Join(root, ".changes", "header.md")) {
		text, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(changelog), string(text)) {
			t.Errorf("CHANGELOG.md does not contain %s: run changie merge", part)
		}
	}
}
