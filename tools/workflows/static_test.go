// SPDX-License-Identifier: MPL-2.0

// Package workflows checks the workflows of this repository, and the scripts that only a release runs.
package workflows_test

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

var root = filepath.Join("..", "..")

// files returns the paths of the workflows in a folder of the repository.
func files(t *testing.T, folder ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, filepath.Join(folder...), ".github", "workflows", "*.yml"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v contains no workflow (%v)", folder, err)
	}
	return found
}

// unknownQueue matches a finding about a key that this version of actionlint does not know yet.
var unknownQueue = regexp.MustCompile(`^unexpected key "queue" for "concurrency" section`)

func parse(t *testing.T, file string) *actionlint.Workflow {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	workflow, errs := actionlint.Parse(text)
	for _, finding := range errs {
		if !unknownQueue.MatchString(finding.Message) {
			t.Fatalf("%s: %v", file, finding)
		}
	}
	return workflow
}

func TestActionlintFindsNothing(t *testing.T) {
	t.Parallel()
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{
		IgnorePatterns: []string{unknownQueue.String()},
	})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := linter.LintFiles(append(files(t), files(t, "examples", "gitops", "github")...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range findings {
		t.Error(finding)
	}
}

// The scripts of the example run in the shells of both hosts, and in the one of macOS.
func TestShellcheckFindsNothing(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("shellcheck")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("shellcheck is not on PATH")
	}
	example := filepath.Join(root, "examples", "gitops")
	command := exec.CommandContext(t.Context(), program, "--shell=sh",
		filepath.Join(example, "ci", "run.sh"), filepath.Join(example, "github", "ci", "host.sh"),
		filepath.Join(example, "gitlab", "ci", "host.sh"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A tag can be moved to other code, a commit cannot.
func TestActionsArePinnedToCommits(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$`)
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`)
	for _, file := range append(files(t), files(t, "examples", "gitops", "github")...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range uses.FindAllStringSubmatch(string(text), -1) {
			if action := match[1]; !strings.HasPrefix(action, "./") && !pinned.MatchString(action) {
				t.Errorf("%s uses %q: name the commit, and the version in a comment", file, action)
			}
		}
	}
}

// What tools/modules, the signing key and the permission to publish rely on. An expression in a script
// becomes code of the script.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, file := range files(t) {
		workflow := parse(t, file)
		if p := workflow.Permissions; p == nil || len(p.Scopes) != 1 || p.Scopes["contents"].Value.Value != "read" {
			t.Errorf("%s: the permissions are not only \"contents: read\"", file)
		}
		for name, job := range workflow.Jobs {
			secret := job.Environment != nil || job.Permissions != nil
			for _, step := range job.Steps {
				switch exec := step.Exec.(type) {
				case *actionlint.ExecAction:
					setup := strings.HasPrefix(exec.Uses.Value, "actions/setup-go@")
					if version := exec.Inputs["go-version-file"]; setup && (version == nil || version.Value.Value != "go.mod" || secret) {
						t.Errorf("%s: job %s builds with a secret, or not with the Go of go.mod", file, name)
					}
					if isRelease(file) && !strings.HasPrefix(exec.Uses.Value, "actions/") {
						t.Errorf("job %s uses %s, which is not of GitHub", name, exec.Uses.Value)
					}
				case *actionlint.ExecRun:
					if strings.Contains(exec.Run.Value, "${{") {
						t.Errorf("%s: job %s: pass expressions in env, not in %q", file, name, exec.Run.Value)
					}
					if job.Environment != nil && exec.Run.Value != `tools/sign.sh "$RUNNER_TEMP/release"` {
						t.Errorf("job %s runs %q with the key", name, exec.Run.Value)
					}
				}
			}
		}
	}
}

// The key and the permission to publish are in different jobs. Nothing is signed or published before
// it is tested and built twice.
func TestReleaseKeepsTheKeyApart(t *testing.T) {
	t.Parallel()
	type rights struct {
		needs       string
		key, writes bool
	}
	got := map[string]rights{}
	for _, file := range files(t) {
		if !isRelease(file) {
			continue
		}
		for name, job := range parse(t, file).Jobs {
			var needs []string
			for _, need := range job.Needs {
				needs = append(needs, need.Value)
			}
			got[name] = rights{strings.Join(needs, " "), job.Environment != nil, job.Permissions != nil}
		}
	}
	if want := map[string]rights{
		"test":    {},
		"build":   {},
		"rebuild": {needs: "build"},
		"sign":    {needs: "test build rebuild", key: true},
		"publish": {needs: "sign", writes: true},
	}; !maps.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func isRelease(file string) bool { return filepath.Base(file) == "release.yml" }

// Each target of make that a workflow or .ci/run names exists.
func TestTargetsExist(t *testing.T) {
	t.Parallel()
	targets := regexp.MustCompile(`(?m)\bmake ([a-z][a-z-]*)\b`)
	for _, file := range append(files(t), filepath.Join(root, ".ci", "run")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range targets.FindAllStringSubmatch(string(text), -1) {
			command := exec.CommandContext(t.Context(), "make", "-C", root, "-n", target[1])
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%s: make %s: %v: %s", file, target[1], err, out)
			}
		}
	}
}
