// SPDX-License-Identifier: MPL-2.0

// Package workflows checks the workflows of this repository, and the scripts that only a release runs.
package workflows_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

var root = filepath.Join("..", "..")

const release = "release.yml"

// workflows returns the workflows, by the names of their files.
func workflows(t *testing.T) map[string]*actionlint.Workflow {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	found := map[string]*actionlint.Workflow{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		workflow, errs := actionlint.Parse(text)
		for _, finding := range errs {
			t.Fatalf("%s: %v", file, finding)
		}
		found[filepath.Base(file)] = workflow
	}
	if found[release] == nil {
		t.Fatalf("%s is missing", release)
	}
	return found
}

// What tools/modules, the signing key and the permission to publish rely on. An expression in a script
// becomes code of the script.
func TestSteps(t *testing.T) {
	t.Parallel()
	for file, workflow := range workflows(t) {
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
					if file == release && !strings.HasPrefix(exec.Uses.Value, "actions/") {
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
	for name, job := range workflows(t)[release].Jobs {
		var needs []string
		for _, need := range job.Needs {
			needs = append(needs, need.Value)
		}
		got[name] = rights{strings.Join(needs, " "), job.Environment != nil, job.Permissions != nil}
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
