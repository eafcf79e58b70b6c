// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
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
	code, out := r.shell(r.Dir, command, nil, nil)
	if code != 0 {
		r.T.Fatalf("%v: %d: %s", command, code, out)
	}
	return strings.TrimSpace(out)
}

// shell runs a command, and a function beside it that can kill its process group.
func (r *runner) shell(
	dir string, command []string, env map[string]string, beside func(group int),
) (code int, output string) {
	r.T.Helper()
	cmd := exec.CommandContext(r.T.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, slices.Clone(r.Env)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		r.T.Fatal(err)
	}
	if beside != nil {
		beside(cmd.Process.Pid)
	}
	_ = cmd.Wait() // the exit code says it
	return cmd.ProcessState.ExitCode(), out.String()
}

// trigger starts a pipeline, with the values that the host provides.
type trigger struct {
	event     string // as GitHub calls it
	commit    string // the commit to check out
	pull      pull   // the pull request, if there is one
	fork      bool
	inputs    map[string]string // of a run that was started by hand
	variables map[string]string // of the repository, with its secrets
	attempt   int
	kill      func(group int) // runs beside the script of the apply, and kills its process group
}

// ran is the result of a job.
type ran struct {
	t                    *testing.T
	output, summary, dir string
	failed               bool
	artifact             string // a file or a folder that the host keeps, or ""
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

// values are the values of the expressions of a host, as they are written in its files.
type values map[string]string

// of returns the value of an expression. One without a value fails the test, unless a user may leave it empty.
func (v values) of(t *testing.T, expression string) string {
	t.Helper()
	value, ok := v[expression]
	if !ok && !strings.HasPrefix(expression, "vars.") && !strings.HasPrefix(expression, "secrets.") {
		t.Fatalf("this runner does not implement %q", expression)
	}
	return value
}

// holds reports whether the condition of a job or a step holds.
func (v values) holds(t *testing.T, condition string) bool {
	t.Helper()
	return condition == "" || v.of(t, strings.Trim(condition, "${ }")) == "true"
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// fill replaces the expressions of GitHub in texts.
func (v values) fill(t *testing.T, texts map[string]string) map[string]string {
	t.Helper()
	filled := map[string]string{}
	for name, text := range texts {
		filled[name] = expression.ReplaceAllStringFunc(text, func(found string) string {
			return v.of(t, expression.FindStringSubmatch(found)[1])
		})
	}
	return filled
}

// decode reads the text of a file of a pipeline, which downloads from the fake host.
func (r *runner) decode(text string, into any) {
	r.T.Helper()
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "https://github.com/", r.fake.URL+"/releases/")), into); err != nil {
		r.T.Fatalf("%v:\n%s", err, text)
	}
}

// hostStep is a step of a job of GitHub.
type hostStep struct {
	If, Uses, Run string
	Env, With     map[string]string
}

type githubWorkflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		If          string
		Concurrency map[string]string
		Steps       []hostStep
	}
}

// runGitHub runs the jobs of a workflow, in the order of what they need.
func (r *runner) runGitHub(e trigger, file string) map[string]*ran {
	r.T.Helper()
	var workflow githubWorkflow
	r.decode(file, &workflow)
	v := values{
		"github.token": hostToken, "inputs.unlock": e.inputs["unlock"],
		"inputs.adopt || vars.ASSESS_ADOPT_EXISTING":                                               e.inputs["adopt"],
		"github.event_name == 'schedule' && 'drift' || 'plan'":                                     map[bool]string{true: "drift", false: "plan"}[e.event == "schedule"],
		"github.event_name != 'push' && (github.event_name != 'schedule' || vars.ASSESS_BASE_URL)": strconv.FormatBool(e.event != "push"),
		"github.event.pull_request.number":                                                         "", "github.event.pull_request.number || github.run_id": "99",
		"github.event.pull_request.head.sha": e.pull.head, "github.event.pull_request.head.repo.full_name": "",
		"always()": "true",
	}
	if e.pull != (pull{}) {
		v["github.event.pull_request.number"] = strconv.Itoa(e.pull.number)
		v["github.event.pull_request.number || github.run_id"] = strconv.Itoa(e.pull.number)
		v["github.event.pull_request.head.repo.full_name"] = map[bool]string{true: "stranger/positions", false: "acme/positions"}[e.fork]
	}
	for name, value := range e.variables {
		v["vars."+name], v["secrets."+name] = value, value
	}
	results := map[string]*ran{}
	for _, name := range []string{"plan", "approve", "apply", "report"} {
		passed := func(job string) bool { return results[job] != nil && !results[job].failed }
		isApproved := e.event == "push" || e.event == "workflow_dispatch" && passed("plan")
		v["!cancelled() && (github.event_name == 'push' || github.event_name == 'workflow_dispatch' && "+
			"needs.plan.result == 'success')"] = strconv.FormatBool(isApproved)
		v["!cancelled() && needs.approve.result == 'success'"] = strconv.FormatBool(passed("approve"))
		job, ok := workflow.Jobs[name]
		if !ok || !v.holds(r.T, job.If) {
			continue
		}
		if name != "approve" && job.Concurrency["queue"] != "max" {
			r.T.Errorf("%s does not wait for other jobs, or is dropped: %v", name, job.Concurrency)
		}
		folder := r.T.TempDir()
		summary := filepath.Join(folder, "summary.md")
		env := map[string]string{
			"GITHUB_ACTIONS": "true", "GITHUB_API_URL": r.fake.URL, "GITHUB_REPOSITORY": "acme/positions", "GITHUB_RUN_ID": "99",
			"GITHUB_SHA": e.commit, "GITHUB_REF_NAME": "main", "GITHUB_STEP_SUMMARY": summary, "RUNNER_TEMP": folder,
			"GITHUB_SERVER_URL": "https://github.example.com", "GITHUB_PATH": filepath.Join(folder, "path"),
			"GITHUB_EVENT_NAME": e.event, "GITHUB_RUN_ATTEMPT": strconv.Itoa(max(e.attempt, 1)), "PATH": r.path,
		}
		maps.Copy(env, v.fill(r.T, workflow.Env))
		result := &ran{t: r.T, dir: r.T.TempDir()}
		r.steps(e, result, job.Steps, "bash", v, env)
		text, _ := os.ReadFile(summary)
		result.summary = string(text)
		results[name] = result
	}
	return results
}

// steps runs the steps of a job or of our action, each in its own shell. If the trigger kills the apply, its step fails.
func (r *runner) steps(e trigger, result *ran, steps []hostStep, shell string, v values, env map[string]string) {
	r.T.Helper()
	for _, s := range steps {
		if result.failed && !strings.HasPrefix(s.If, "always()") || !v.holds(r.T, s.If) {
			continue
		}
		own, with := maps.Clone(env), v.fill(r.T, s.With)
		maps.Copy(own, v.fill(r.T, s.Env))
		switch action, _, _ := strings.Cut(s.Uses, "@"); action {
		case "":
			if added, err := os.ReadFile(env["GITHUB_PATH"]); err == nil {
				own["PATH"] = strings.TrimSpace(string(added)) + ":" + own["PATH"]
			}
			kill := e.kill
			if !strings.Contains(s.Run, "xargs pipeline.sh") && !strings.Contains(s.Run, "pipeline.sh apply") {
				kill = nil
			}
			code, output := r.shell(result.dir, []string{shell, "-e", "-c", s.Run}, own, kill)
			result.output += output
			result.failed = result.failed || code != 0
		case "actions/checkout":
			const script = `git init -q -b main && git fetch -q --depth 20 "$0" "$1" && git checkout -q --detach "$1"`
			r.command("sh", "-c", "cd "+result.dir+" && "+script, "file://"+r.Dir, e.commit)
		case "actions/upload-artifact":
			r.upload(e, result, with["path"])
		case "opentofu/setup-opentofu": // installed already
		case "assessascode/terraform-provider-assess/pipeline":
			r.runAction(e, result, with, v, own)
		default:
			r.T.Fatalf("this runner does not implement the action %s", action)
		}
	}
}

// runAction runs our action with its inputs.
func (r *runner) runAction(e trigger, result *ran, with map[string]string, v values, env map[string]string) {
	r.T.Helper()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []hostStep }
	}
	r.decode(clitest.ReadFile(r.T, "../pipeline/action.yml"), &action)
	inputs := maps.Clone(v)
	for name, input := range action.Inputs {
		given, ok := with[name]
		if !ok {
			given = v.fill(r.T, map[string]string{"": input.Default})[""]
		}
		inputs["inputs."+name] = given
	}
	command := with["command"]
	for condition, holds := range map[string]bool{
		"inputs.command != 'install'": command != "install", "inputs.command == 'plan'": command == "plan",
		"always() && contains('plan apply drift', inputs.command)": command != "report",
		"always() && inputs.command == 'report'":                   command == "report",
	} {
		inputs[condition] = strconv.FormatBool(holds)
	}
	for _, s := range action.Runs.Steps {
		if secret := s.Env["ASSESS_API_KEY"] + s.Env["UPLOAD_PASSWORD"]; secret != "" && !strings.Contains(s.Run, "xargs pipeline.sh") {
			r.T.Errorf("the step %q gets secrets, although it does not need them", s.Run)
		}
	}
	r.steps(e, result, action.Runs.Steps, "bash", inputs, env)
}

// upload keeps a file or a folder. The host serves a file as the plan of the pull request.
func (r *runner) upload(e trigger, result *ran, name string) {
	r.T.Helper()
	path := filepath.Join(result.dir, name)
	if _, err := os.Stat(path); err == nil {
		result.artifact = path
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	if r.host == "github" {
		text = zipped(map[string]string{filepath.Base(path): string(text)})
	}
	project := map[bool]int{true: forkID, false: projectID}[e.fork]
	r.fake.uploads = append(r.fake.uploads, upload{number: cmp.Or(e.pull.number, 99), project: project, text: text})
}

type gitlabJob struct {
	Variables    map[string]string
	Rules        []map[string]string
	Script       []string
	BeforeScript []string `yaml:"before_script"`
	AfterScript  []string `yaml:"after_script"`
	Artifacts    struct {
		Paths []string
		When  string
	}
}

type gitlabPipeline struct {
	Assess                     gitlabJob `yaml:".assess"`
	Plan, Apply, Drift, Report gitlabJob
}

// included returns the jobs of the file that a pipeline includes with its inputs, for a machine with a folder for programs.
func (r *runner) included(file, bin string) (jobs gitlabPipeline) {
	r.T.Helper()
	var own struct {
		Include []struct {
			Remote string
			Inputs map[string]string
		}
	}
	r.decode(file, &own)
	const release = "https://raw.githubusercontent.com/assessascode/terraform-provider-assess/v0.1.0/"
	path := strings.TrimPrefix(own.Include[0].Remote, release)
	header, text, _ := strings.Cut(clitest.ReadFile(r.T, "..", path), "\n---\n")
	var head struct {
		Spec struct {
			Inputs map[string]struct{ Default string }
		}
	}
	r.decode(header, &head)
	for name, input := range head.Spec.Inputs {
		text = strings.ReplaceAll(text, "$[[ inputs."+name+" ]]", cmp.Or(own.Include[0].Inputs[name], input.Default))
	}
	r.decode(strings.ReplaceAll(text, "/usr/local/bin", bin), &jobs)
	return jobs
}

// runGitLab runs the jobs of a pipeline. A manual job runs as if a person had started it. A job gets the artifacts of the
// jobs before it.
func (r *runner) runGitLab(e trigger, file string) map[string]*ran {
	r.T.Helper()
	bin := r.T.TempDir()
	pipeline := r.included(file, bin)
	source := cmp.Or(map[string]string{ // a merge train has pipelines of a merge request
		"pull_request": "merge_request_event", "merge_group": "merge_request_event", "workflow_dispatch": "web",
	}[e.event], e.event)
	host := map[string]string{ // what the host or a person sets
		"CI_API_V4_URL": r.fake.URL + "/api/v4", "CI_PROJECT_ID": strconv.Itoa(projectID), "CI_COMMIT_SHA": e.commit,
		"CI_DEFAULT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.example.com/-/jobs/99", "GITLAB_CI": "true",
		"CI_PROJECT_VISIBILITY": r.fake.visibility, "CI_PIPELINE_SOURCE": source, "UNLOCK": e.inputs["unlock"],
		"ASSESS_ADOPT_EXISTING": cmp.Or(e.inputs["adopt"], "false"), "ASSESS_BASE_URL": "", "PATH": bin + ":" + r.path,
	}
	maps.Copy(host, e.variables)
	if !e.fork {
		host["GITLAB_TOKEN"] = hostToken
	}
	if e.pull != (pull{}) {
		host["CI_MERGE_REQUEST_IID"] = strconv.Itoa(e.pull.number)
	}
	results := map[string]*ran{}
	jobs := map[string]gitlabJob{"plan": pipeline.Plan, "apply": pipeline.Apply, "drift": pipeline.Drift, "report": pipeline.Report}
	for _, name := range []string{"plan", "apply", "drift", "report"} {
		job, planned := jobs[name], results["plan"]
		runs := slices.ContainsFunc(job.Rules, func(rule map[string]string) bool {
			kind := map[bool]string{true: "report", false: "positions"}[name == "report"]
			return strings.HasPrefix(rule["if"], fmt.Sprintf("%q == %q && $CI_PIPELINE_SOURCE == %q", kind, kind, source))
		})
		if !runs || planned != nil && planned.failed {
			continue
		}
		result := &ran{t: r.T, dir: r.T.TempDir()}
		steps := []hostStep{{Run: "mkdir -p report/old"}} // a runner may have an earlier report
		if name != "report" {
			steps = append(steps, hostStep{Uses: "actions/checkout"})
		}
		if planned != nil {
			steps = append(steps, hostStep{Run: "mkdir -p out && cp " + filepath.Join(planned.dir, pipeline.Plan.Artifacts.Paths[0]) + " out"})
		}
		script := strings.Join(append(slices.Clone(pipeline.Assess.BeforeScript), job.Script...), "\n")
		steps = append(steps, hostStep{Run: script}, hostStep{If: "always()", Run: strings.Join(job.AfterScript, "\n")})
		for _, path := range job.Artifacts.Paths {
			condition := map[bool]string{true: "always()", false: ""}[job.Artifacts.When == "always"]
			steps = append(steps, hostStep{If: condition, Uses: "actions/upload-artifact", With: map[string]string{"path": path}})
		}
		env := map[string]string{"CI_PROJECT_DIR": result.dir}
		for _, variables := range []map[string]string{pipeline.Assess.Variables, job.Variables, host} {
			maps.Copy(env, variables)
		}
		r.steps(e, result, steps, "sh", values{"always()": "true"}, env)
		result.summary = result.output
		results[name] = result
	}
	return results
}
