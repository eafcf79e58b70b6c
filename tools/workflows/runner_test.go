// SPDX-License-Identifier: MPL-2.0

package workflows_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// run is one run of a workflow. Its jobs share only artifacts.
type run struct {
	t         *testing.T
	tag       string
	key       string // the secret GPG_PRIVATE_KEY
	artifacts string
	standIns  string
	calls     string            // the file where stand-ins write how they are called
	temps     map[string]string // RUNNER_TEMP of each job
}

// standIns are programs that take long, or that change something elsewhere. make checks
// that its targets exist, and packs something small for release-build.
var standIns = map[string]string{
	"make": `echo "make $*" >>"$CALLS"
PATH=${PATH#*:} command make -n "$@" >/dev/null
[ "$1" != release-build ] || pack`,
	"go": `echo "go $*" >>"$CALLS"`,
	"pack": `mkdir dist && cd dist
name=terraform-provider-assess_${GITHUB_REF_NAME#v}
echo archive >"${name}_linux_amd64.zip"
echo bill >"${name}_linux_amd64.zip.cdx.json"
echo manifest >"${name}_manifest.json"
echo internal >config.yaml
sha256sum ./*.zip ./*.cdx.json ./*_manifest.json | sed 's, \./, ,' >"${name}_SHA256SUMS"`,
	"gh": `echo "gh $*" >>"$CALLS"
[ -n "$GH_TOKEN" ]
for argument; do case $argument in /*) test -s "$argument" ;; esac; done`,
	"terraform": `exit 1`,
	"tofu":      `exit 1`,
}

func newRun(t *testing.T) *run {
	t.Helper()
	r := &run{
		t: t, tag: "v1.2.3", artifacts: t.TempDir(), standIns: t.TempDir(),
		calls: filepath.Join(t.TempDir(), "calls"), temps: map[string]string{},
	}
	for name, script := range standIns {
		script = "#!/usr/bin/env bash\nset -euo pipefail\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(r.standIns, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// checkout copies the files that steps use into a folder. The changelog contains the
// version of the tag.
func (r *run) checkout() string {
	r.t.Helper()
	work := r.t.TempDir()
	script := `cp -R Makefile go.mod .ci terraform-registry-manifest.json "$0" && mkdir -p "$0/tools" "$0/.changes" && ` +
		`cp -R tools/*.sh tools/lint "$0/tools"`
	command := exec.CommandContext(r.t.Context(), "bash", "-c", script, work)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	section := "## " + strings.TrimPrefix(r.tag, "v") + " (22 November 2026)\n\n### Added\n\n- Everything.\n"
	r.write(filepath.Join(work, ".changes", r.tag+".md"), section)
	r.write(filepath.Join(work, "CHANGELOG.md"), "# Changelog\n\n"+section)
	return work
}

func (r *run) write(file, text string) {
	r.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// job executes the steps of a job, and returns the error of the first that fails.
func (r *run) job(name string, job *actionlint.Job, matrix map[string]string) error {
	r.t.Helper()
	r.temps[name] = r.t.TempDir()
	work := r.t.TempDir()
	expressions := map[string]string{
		"runner.temp": r.temps[name], "github.token": "token", "secrets.GPG_PRIVATE_KEY": r.key,
	}
	maps.Copy(expressions, matrix)
	for _, step := range job.Steps {
		var err error
		switch exec := step.Exec.(type) {
		case *actionlint.ExecAction:
			action, _, _ := strings.Cut(exec.Uses.Value, "@")
			if action == "actions/checkout" {
				work = r.checkout()
			} else {
				err = r.action(action, func(in string) string { return r.expand(input(exec, in), expressions) })
			}
		case *actionlint.ExecRun:
			err = r.shell(work, r.temps[name], exec.Run.Value, step.Env, expressions)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// action does what later steps expect of an action.
func (r *run) action(action string, input func(string) string) error {
	script := ""
	switch action {
	case "actions/setup-go", "hashicorp/setup-terraform", "opentofu/setup-opentofu":
		return nil
	case "actions/upload-artifact": // a folder stands for its files
		script = `mkdir -p "$ARTIFACTS/$NAME" && if [ -d "$FILES" ]; then cp -R "$FILES/." "$ARTIFACTS/$NAME"; ` +
			`else cp $FILES "$ARTIFACTS/$NAME"; fi`
	case "actions/download-artifact":
		script = `mkdir -p "$FILES" && cp -R "$ARTIFACTS/$NAME/." "$FILES"`
	case "actions/attest":
		script = `grep -qE '^[0-9a-f]{64}  [^/]+\.zip$' "$SUBJECTS" && echo "attest $(wc -l <"$SUBJECTS")" >>"$CALLS"`
	default:
		return fmt.Errorf("action %s is unknown here", action)
	}
	command := exec.CommandContext(r.t.Context(), "bash", "-euc", script)
	command.Env = append(os.Environ(), "ARTIFACTS="+r.artifacts, "CALLS="+r.calls,
		"NAME="+input("name"), "FILES="+input("path"), "SUBJECTS="+input("subject-checksums"))
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", action, err, out)
	}
	return nil
}

// shell executes a script as a runner does.
func (r *run) shell(work, temp, script string, env *actionlint.Env, expressions map[string]string) error {
	file := filepath.Join(r.t.TempDir(), "step.sh")
	r.write(file, script)
	command := exec.CommandContext(r.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", file)
	command.Dir = work
	command.Env = []string{
		"PATH=" + r.standIns + ":" + os.Getenv("PATH"), "HOME=" + r.t.TempDir(), "CALLS=" + r.calls, "CI=true",
		"GITHUB_REF_NAME=" + r.tag, "GITHUB_REPOSITORY=assessascode/terraform-provider-assess", "RUNNER_TEMP=" + temp,
	}
	if env != nil {
		for _, variable := range env.Vars {
			command.Env = append(command.Env, variable.Name.Value+"="+r.expand(variable.Value.Value, expressions))
		}
	}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w: %s: %s", err, script, out.String())
	}
	return nil
}

var expression = regexp.MustCompile(`\$\{\{ *([^ }]+) *\}\}`)

// expand replaces the expressions in a value of the workflow.
func (r *run) expand(value string, expressions map[string]string) string {
	return expression.ReplaceAllStringFunc(value, func(text string) string {
		name := expression.FindStringSubmatch(text)[1]
		replacement, ok := expressions[name]
		if !ok {
			r.t.Errorf("the value of %s is unknown here", name)
		}
		return replacement
	})
}

// called returns the lines that stand-ins have written.
func (r *run) called() []string {
	r.t.Helper()
	text, err := os.ReadFile(r.calls)
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
