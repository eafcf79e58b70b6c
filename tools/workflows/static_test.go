// SPDX-License-Identifier: MPL-2.0

package workflows_test

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"
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

// tools/modules keeps go.mod equal in all modules. Workflows name no version of their own.
func TestWorkflowsUseTheGoOfTheModule(t *testing.T) {
	t.Parallel()
	for _, file := range files(t) {
		for name, job := range parse(t, file).Jobs {
			for _, step := range job.Steps {
				action, ok := step.Exec.(*actionlint.ExecAction)
				if !ok || !strings.HasPrefix(action.Uses.Value, "actions/setup-go@") {
					continue
				}
				if input(action, "go-version-file") != "go.mod" || input(action, "go-version") != "" ||
					input(action, "check-latest") != "" {
					t.Errorf("%s: job %s does not use the Go version in go.mod", file, name)
				}
			}
		}
	}
}

// An expression in a script becomes code of the script.
func TestScriptsContainNoExpression(t *testing.T) {
	t.Parallel()
	for _, file := range files(t) {
		for name, job := range parse(t, file).Jobs {
			for _, step := range job.Steps {
				if run, ok := step.Exec.(*actionlint.ExecRun); ok && strings.Contains(run.Run.Value, "${{") {
					t.Errorf("%s: job %s: pass expressions in env, not in %q", file, name, run.Run.Value)
				}
			}
		}
	}
}

// The key and the permission to publish are in different jobs. Neither job runs code of other
// projects, except for actions of GitHub.
func TestReleaseKeepsTheKeyApart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(root, ".github", "workflows", "release.yml")
	jobs := parse(t, file).Jobs
	want := map[string][]string{
		"test": nil, "build": nil, "rebuild": {"build"}, "sign": {"test", "build", "rebuild"}, "publish": {"sign"},
	}
	for name, job := range jobs {
		var needs []string
		for _, need := range job.Needs {
			needs = append(needs, need.Value)
		}
		if !slices.Equal(needs, want[name]) {
			t.Errorf("job %s needs %q, want %q", name, needs, want[name])
		}
		key, writes := job.Environment != nil, job.Permissions != nil
		if key != (name == "sign") || writes != (name == "publish") {
			t.Errorf("job %s: has the key: %v, may write: %v", name, key, writes)
		}
		for _, step := range job.Steps {
			switch exec := step.Exec.(type) {
			case *actionlint.ExecAction:
				if !strings.HasPrefix(exec.Uses.Value, "actions/") {
					t.Errorf("job %s uses %s", name, exec.Uses.Value)
				}
				if (key || writes) && strings.HasPrefix(exec.Uses.Value, "actions/setup-go@") {
					t.Errorf("job %s builds", name)
				}
			case *actionlint.ExecRun:
				if key && exec.Run.Value != `tools/sign.sh "$RUNNER_TEMP/release"` {
					t.Errorf("job %s runs %q with the key", name, exec.Run.Value)
				}
			}
		}
	}
	if len(jobs) != len(want) {
		t.Errorf("release.yml has %d jobs, want %d", len(jobs), len(want))
	}
}

func TestDependabotCoversEverything(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".github", "dependabot.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Updates []struct {
			Ecosystem   string   `yaml:"package-ecosystem"`
			Directories []string `yaml:"directories"`
		} `yaml:"updates"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	covered := func(ecosystem, directory string) bool {
		for _, update := range config.Updates {
			for _, pattern := range update.Directories {
				if match, _ := path.Match(pattern, directory); match && update.Ecosystem == ecosystem {
					return true
				}
			}
		}
		return false
	}
	manifests := 0
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", ".bin", "dist", "node_modules"}, base):
			return fs.SkipDir
		case entry.IsDir() && strings.HasSuffix(name, ".github/workflows"):
			manifests++
			directory := "/" + strings.TrimSuffix(strings.TrimSuffix(name, ".github/workflows"), "/")
			if !covered("github-actions", directory) && !covered("github-actions", "/"+name) {
				t.Errorf("dependabot.yml does not contain the actions of %s", name)
			}
		case base == "go.mod" || base == "package.json":
			manifests++
			ecosystem := map[string]string{"go.mod": "gomod", "package.json": "npm"}[base]
			if directory := path.Join("/", path.Dir(name)); !covered(ecosystem, directory) {
				t.Errorf("dependabot.yml does not contain %s of %s", ecosystem, directory)
			}
		}
		return nil
	})
	if err != nil || manifests < 5 {
		t.Errorf("found %d manifests, %v", manifests, err)
	}
}

func input(action *actionlint.ExecAction, name string) string {
	if in := action.Inputs[name]; in != nil {
		return in.Value.Value
	}
	return ""
}
