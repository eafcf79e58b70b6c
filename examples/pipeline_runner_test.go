// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// runner runs the jobs of GitHub or GitLab from their files, on a machine with the tools of the host.
type runner struct {
	*clitest.CLI
	host string // github or gitlab
	fake *fakeHost
	path string // of programs
}

// onBothHosts runs a test with a runner for each host.
func onBothHosts(t *testing.T, test func(*testing.T, *runner)) {
	t.Helper()
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("the pipelines run on Linux on amd64")
	}
	needs(t, "bash", "curl", "git", "jq", "sha256sum", "unzip", "xargs")
	for _, host := range []string{"github", "gitlab"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			r := &runner{CLI: clitest.NewBare(t), host: host, fake: newFakeHost(t)}
			programs := map[string]string{"tofu": os.Getenv("TF_ACC_TERRAFORM_PATH"), "gh": verifier(t), "apk": "/bin/true"}
			r.path = strings.TrimPrefix(pathWith(t, programs), "PATH=")
			r.Env = []string{
				"PATH=" + r.path, "HOME=" + t.TempDir(), "TF_CLI_CONFIG_FILE=" + clitest.ProviderMirror(t),
				"CHECKPOINT_DISABLE=1", "TF_DISABLE_PLUGIN_TLS=1", "ASSESS_UNTHROTTLED=1", "GIT_CONFIG_SYSTEM=" + os.DevNull,
				"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
			}
			test(t, r)
		})
	}
}

// verifier returns a program like gh, which accepts only the attestation of the fake release, with the options that name
// its workflow and its tag.
func verifier(t *testing.T) string {
	t.Helper()
	const options = "attestation verify " + archive + " --bundle " + attestation + " --repo assessascode/terraform-provider-assess " +
		"--signer-workflow assessascode/terraform-provider-assess/.github/workflows/release.yml --source-ref refs/tags/v0.1.0"
	script := "#!/bin/sh\n[ \"$*\" = '" + options + "' ] && [ \"$(cat " + attestation + ")\" = " + attested + " ]\n"
	gh := filepath.Join(t.TempDir(), "gh")
	if err := os.WriteFile(gh, []byte(script), 0o700); err != nil { // a program
		t.Fatal(err)
	}
	return gh
}

// command runs a command in the folder of the test, which must succeed.
func (r *runner) command(command ...string) string {
	r.T.Helper()
	code, out := r.shell(r.Dir, command, nil)
	if code != 0 {
		r.T.Fatalf("%v: %d: %s", command, code, out)
	}
	return strings.TrimSpace(out)
}

// shell runs a command with more environment variables.
func (r *runner) shell(dir string, command []string, env map[string]string) (code int, output string) {
	r.T.Helper()
	cmd := exec.CommandContext(r.T.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, slices.Clone(r.Env)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		r.T.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// trigger starts a job, with the values that the host provides.
type trigger struct {
	event     string // as GitHub calls it
	commit    string // the commit to check out
	pull      pull   // the pull request, if there is one
	fork      bool
	inputs    map[string]string // of a run that was started by hand
	variables map[string]string // of the repository, with its secrets
	attempt   int
	reviewed  string // the file that an earlier job of this run has kept, or ""
}

// ran is the result of a job.
type ran struct {
	t                    *testing.T
	output, summary, dir string
	failed               bool
}

func (j *ran) passes(says ...string) *ran { j.t.Helper(); return j.ends(false, says) }
func (j *ran) fails(says ...string) *ran  { j.t.Helper(); return j.ends(true, says) }

func (j *ran) ends(failed bool, says []string) *ran {
	j.t.Helper()
	if j.failed != failed {
		j.t.Fatalf("unexpected result, failed is %t:\n%s\n%s", j.failed, j.output, j.summary)
	}
	clitest.Contains(j.t, "output", j.output, says...)
	return j
}

// script is what a job runs in a shell of its own.
type script struct {
	text   string
	env    map[string]string
	always bool // also after a failure
}

// runs runs a job from the files of its host: plan, apply, drift or report. file is the one of the repository.
func (r *runner) runs(job, file string, e trigger) *ran {
	r.T.Helper()
	result := &ran{t: r.T, dir: r.T.TempDir()}
	if job != "report" {
		const checkout = `git init -q -b main && git fetch -q --depth 20 "$0" "$1" && git checkout -q --detach "$1"`
		r.command("sh", "-c", "cd "+result.dir+" && "+checkout, "file://"+r.Dir, e.commit)
	}
	scriptsOf := r.gitlabJob
	if r.host == "github" {
		scriptsOf = r.githubJob
	}
	for _, s := range scriptsOf(job, file, result.dir, e) {
		if result.failed && !s.always {
			continue
		}
		if added, err := os.ReadFile(s.env["GITHUB_PATH"]); err == nil {
			s.env["PATH"] = strings.TrimSpace(string(added)) + ":" + s.env["PATH"]
		}
		code, output := r.shell(result.dir, []string{"bash", "-e", "-c", s.text}, s.env)
		result.output, result.failed = result.output+output, result.failed || code != 0
		if summary, err := os.ReadFile(s.env["GITHUB_STEP_SUMMARY"]); err == nil {
			result.summary = string(summary)
		}
	}
	result.summary = cmp.Or(result.summary, result.output)
	if text, err := os.ReadFile(filepath.Join(result.dir, "out/reviewed.json")); err == nil && job == "plan" && !result.failed {
		if r.host == "github" {
			text = zipped(map[string]string{"reviewed.json": string(text)})
		}
		project := map[bool]int{true: forkID, false: projectID}[e.fork]
		r.fake.uploads = append(r.fake.uploads, upload{number: cmp.Or(e.pull.number, 99), project: project, text: text})
	}
	return result
}

// decode reads the text of a file of a pipeline, which downloads from the fake host.
func (r *runner) decode(text string, into any) {
	r.T.Helper()
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "https://github.com/", r.fake.URL+"/releases/")), into); err != nil {
		r.T.Fatalf("%v:\n%s", err, text)
	}
}

// values are the values of the expressions of GitHub, as they are written in its files.
type values map[string]string

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// fill replaces the expressions in texts. One without a value fails the test, unless a user may leave it empty.
func (v values) fill(t *testing.T, texts map[string]string) map[string]string {
	t.Helper()
	filled := map[string]string{}
	for name, text := range texts {
		filled[name] = expression.ReplaceAllStringFunc(text, func(found string) string {
			found = expression.FindStringSubmatch(found)[1]
			value, ok := v[found]
			if !ok && !strings.HasPrefix(found, "vars.") && !strings.HasPrefix(found, "secrets.") {
				t.Fatalf("this runner does not implement %q", found)
			}
			return value
		})
	}
	return filled
}

// githubStep is a step of a job or of our action.
type githubStep struct {
	Name, Uses, Run string
	Env, With       map[string]string
}

// githubJob returns the scripts of our action in a job of a workflow.
func (r *runner) githubJob(job, file, _ string, e trigger) []script {
	r.T.Helper()
	var workflow struct {
		Env  map[string]string
		Jobs map[string]struct{ Steps []githubStep }
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []githubStep }
	}
	r.decode(file, &workflow)
	r.decode(clitest.ReadFile(r.T, "../pipeline/action.yml"), &action)
	steps := workflow.Jobs[strings.Replace(job, "drift", "plan", 1)].Steps // the event decides between drift and plan
	use := steps[len(steps)-1]
	v := values{
		"github.token": hostToken, "inputs.unlock": e.inputs["unlock"], "inputs.adopt || vars.ASSESS_ADOPT_EXISTING": e.inputs["adopt"],
		"github.event_name == 'schedule' && 'drift' || 'plan'": map[bool]string{true: "drift", false: "plan"}[e.event == "schedule"],
		"github.event.pull_request.number":                     "", "github.event.pull_request.head.sha": e.pull.head,
		"github.event.pull_request.head.repo.full_name": map[bool]string{true: "stranger/positions", false: ""}[e.fork],
	}
	if e.pull != (pull{}) {
		v["github.event.pull_request.number"] = strconv.Itoa(e.pull.number)
	}
	for name, value := range e.variables {
		v["vars."+name], v["secrets."+name] = value, value
	}
	folder := r.T.TempDir()
	env := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_API_URL": r.fake.URL, "GITHUB_REPOSITORY": "acme/positions", "GITHUB_RUN_ID": "99",
		"GITHUB_SHA": e.commit, "GITHUB_REF_NAME": "main", "GITHUB_STEP_SUMMARY": filepath.Join(folder, "summary.md"),
		"GITHUB_SERVER_URL": "https://github.example.com", "GITHUB_PATH": filepath.Join(folder, "path"), "RUNNER_TEMP": folder,
		"GITHUB_EVENT_NAME": e.event, "GITHUB_RUN_ATTEMPT": strconv.Itoa(max(e.attempt, 1)), "PATH": r.path,
	}
	maps.Copy(env, v.fill(r.T, workflow.Env))
	maps.Copy(env, v.fill(r.T, use.Env))
	with := v.fill(r.T, use.With)
	for name, input := range action.Inputs {
		given, ok := with[name]
		v["inputs."+name] = map[bool]string{true: given, false: v.fill(r.T, map[string]string{"": input.Default})[""]}[ok]
	}
	var scripts []script
	for _, s := range action.Runs.Steps {
		if s.Run == "" || s.Name == "Comment" && job == "report" {
			continue // keeps an artifact, or has a condition
		}
		if s.Name != "Run" && s.Env["ASSESS_API_KEY"]+s.Env["UPLOAD_PASSWORD"] != "" {
			r.T.Errorf("the step %q gets secrets, although it does not need them", s.Name)
		}
		own := maps.Clone(env)
		maps.Copy(own, v.fill(r.T, s.Env))
		scripts = append(scripts, script{s.Run, own, s.Name == "Comment"})
	}
	return scripts
}

// gitlabJob returns the scripts of a job in the file that a pipeline includes with its inputs.
func (r *runner) gitlabJob(name, file, dir string, e trigger) []script {
	r.T.Helper()
	var own struct {
		Include []struct{ Inputs map[string]string }
	}
	var head struct {
		Spec struct {
			Inputs map[string]struct{ Default string }
		}
	}
	r.decode(file, &own)
	header, text, _ := strings.Cut(clitest.ReadFile(r.T, "../pipeline/gitlab.yml"), "\n---\n")
	r.decode(header, &head)
	for input, spec := range head.Spec.Inputs {
		text = strings.ReplaceAll(text, "$[[ inputs."+input+" ]]", cmp.Or(own.Include[0].Inputs[input], spec.Default))
	}
	type gitlabJob struct {
		Variables    map[string]string
		BeforeScript []string `yaml:"before_script"`
		Script       []string
		AfterScript  []string `yaml:"after_script"`
	}
	jobs, bin := map[string]gitlabJob{}, r.T.TempDir()
	_, text, _ = strings.Cut(text, "\n.assess:")
	r.decode(".assess:"+strings.ReplaceAll(text, "/usr/local/bin", bin), &jobs)
	job, all := jobs[name], jobs[".assess"]
	env := maps.Clone(all.Variables)
	maps.Copy(env, job.Variables)
	maps.Copy(env, map[string]string{ // what the host or a person sets
		"CI_API_V4_URL": r.fake.URL + "/api/v4", "CI_PROJECT_ID": strconv.Itoa(projectID), "CI_COMMIT_SHA": e.commit,
		"CI_DEFAULT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.example.com/-/jobs/99", "GITLAB_CI": "true", "CI_PROJECT_DIR": dir,
		"CI_PROJECT_VISIBILITY": r.fake.visibility, "UNLOCK": e.inputs["unlock"], "ASSESS_BASE_URL": "", "PATH": bin + ":" + r.path,
		"ASSESS_ADOPT_EXISTING": cmp.Or(e.inputs["adopt"], "false"), "CI_PIPELINE_SOURCE": e.event,
	})
	switch e.event {
	case "workflow_dispatch":
		env["CI_PIPELINE_SOURCE"] = "web"
	case "pull_request":
		env["CI_PIPELINE_SOURCE"], env["CI_MERGE_REQUEST_IID"] = "merge_request_event", strconv.Itoa(e.pull.number)
	}
	maps.Copy(env, e.variables)
	if !e.fork {
		env["GITLAB_TOKEN"] = hostToken
	}
	if e.reviewed != "" { // a job gets the artifacts of the jobs before it
		example{&clitest.CLI{T: r.T, Dir: dir}}.Add("out/reviewed.json", e.reviewed)
	}
	return []script{
		{strings.Join(append(all.BeforeScript, job.Script...), "\n"), env, false}, {strings.Join(job.AfterScript, "\n"), env, true},
	}
}
