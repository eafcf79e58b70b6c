// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"archive/zip"
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
}

func newRunner(t *testing.T, host string) *runner {
	t.Helper()
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("the pipelines run on Linux on amd64")
	}
	needs(t, "bash", "curl", "git", "jq", "sha256sum", "unzip", "xargs")
	r := &runner{CLI: clitest.NewBare(t), host: host, fake: newFakeHost(t)}
	// gh accepts only the attestation of the fake release, with the options that name its workflow and its tag.
	gh := filepath.Join(t.TempDir(), "gh")
	const verify = "attestation verify assess_0.1.0_linux_amd64.zip --bundle terraform-provider-assess_0.1.0_attestation.jsonl " +
		"--repo assessascode/terraform-provider-assess --signer-workflow " +
		"assessascode/terraform-provider-assess/.github/workflows/release.yml --source-ref refs/tags/v0.1.0"
	script := "#!/bin/sh\n[ \"$*\" = '" + verify + "' ] && grep -qx " + attested + " terraform-provider-assess_0.1.0_attestation.jsonl\n"
	if err := os.WriteFile(gh, []byte(script), 0o700); err != nil { // a program
		t.Fatal(err)
	}
	r.Env = []string{
		pathWith(t, map[string]string{"tofu": os.Getenv("TF_ACC_TERRAFORM_PATH"), "gh": gh, "apk": "/bin/true"}),
		"HOME=" + t.TempDir(), "TF_CLI_CONFIG_FILE=" + clitest.ProviderMirror(t),
		"CHECKPOINT_DISABLE=1", "TF_DISABLE_PLUGIN_TLS=1", "ASSESS_UNTHROTTLED=1", "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	return r
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
func (r *runner) shell(dir string, command, env []string, beside func(group int)) (code int, output string) {
	r.T.Helper()
	cmd := exec.CommandContext(r.T.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(r.Env), env...)
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
	artifact, days       string // a file or a folder, "" if there is none, and how long the host keeps it
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

// values are the values of the expressions of a host, as they are written in its files. An expression without a value
// fails the test.
type values map[string]string

func (v values) of(t *testing.T, expression string) string {
	t.Helper()
	value, ok := v[expression]
	if !ok {
		t.Fatalf("this runner does not implement %q", expression)
	}
	return value
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

// environment returns the variables of maps. Later ones win.
func environment(all ...map[string]string) (env []string) {
	for _, m := range all {
		for name, value := range m {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// decode reads a file of a pipeline, which downloads from the fake host.
func (r *runner) decode(into any, change func(string) string, path ...string) {
	r.T.Helper()
	text := strings.ReplaceAll(clitest.ReadFile(r.T, path...), "https://github.com/", r.fake.URL+"/releases/")
	if err := yaml.Unmarshal([]byte(change(text)), into); err != nil {
		r.T.Fatalf("%v: %v", path, err)
	}
}

func unchanged(text string) string { return text }

// hostStep is a step of a job of GitHub.
type hostStep struct {
	If, Uses, Run string
	Env, With     map[string]string
}

type githubJob struct {
	If          string
	Concurrency map[string]string
	Steps       []hostStep
}

type githubWorkflow struct {
	On struct {
		Schedule []struct{ Cron string }
	}
	Env  map[string]string
	Jobs map[string]githubJob
}

type githubAction struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []hostStep }
}

// runGitHub runs the jobs of a workflow, in the order of what they need.
func (r *runner) runGitHub(e trigger, file string) map[string]*ran {
	r.T.Helper()
	var workflow githubWorkflow
	r.decode(&workflow, unchanged, file)
	number, from := "", ""
	if e.pull != (pull{}) {
		number = strconv.Itoa(e.pull.number)
		from = map[bool]string{true: "stranger/positions", false: "acme/positions"}[e.fork]
	}
	v := values{
		"github.token":  hostToken,
		"inputs.unlock": e.inputs["unlock"],
		"inputs.adopt || vars.ASSESS_ADOPT_EXISTING":           e.inputs["adopt"],
		"github.event_name == 'schedule' && 'drift' || 'plan'": map[bool]string{true: "drift", false: "plan"}[e.event == "schedule"],
		"github.event.pull_request.number":                     number,
		"github.event.pull_request.head.sha":                   e.pull.head,
		"github.event.pull_request.number || github.run_id":    cmp.Or(number, "99"),
		"github.event.pull_request.head.repo.full_name":        from,
		"vars.UPLOAD_URL":         "",
		"vars.UPLOAD_USER":        "",
		"secrets.UPLOAD_PASSWORD": "",
		"vars.ASSESS_BASE_URL":    "",
		"vars.ASSESS_CLIENT_ID":   "",
		"secrets.ASSESS_API_KEY":  "",
	}
	for name, value := range e.variables {
		for _, kind := range []string{"vars.", "secrets."} {
			if _, used := v[kind+name]; used {
				v[kind+name] = value
			}
		}
	}
	byHand, results := e.event == "workflow_dispatch", map[string]*ran{}
	passed := func(job string) bool { return results[job] != nil && !results[job].failed }
	for _, name := range []string{"plan", "approve", "apply", "report"} {
		job, ok := workflow.Jobs[name]
		if !ok {
			continue
		}
		runs, known := map[string]bool{
			"": true,
			"github.event_name != 'push' && (github.event_name != 'schedule' || vars.ASSESS_BASE_URL)": e.event != "push",
			"!cancelled() && (github.event_name == 'push' || github.event_name == 'workflow_dispatch' && " +
				"needs.plan.result == 'success')": e.event == "push" || byHand && passed("plan"),
			"!cancelled() && needs.approve.result == 'success'": passed("approve"),
		}[strings.Trim(job.If, "${ }")]
		if !known {
			r.T.Fatalf("this runner does not implement %q", job.If)
		}
		if !runs {
			continue
		}
		folder := r.T.TempDir()
		summary := filepath.Join(folder, "summary.md")
		env := map[string]string{
			"GITHUB_ACTIONS": "true", "GITHUB_API_URL": r.fake.URL, "GITHUB_REPOSITORY": "acme/positions", "GITHUB_RUN_ID": "99",
			"GITHUB_SHA": e.commit, "GITHUB_REF_NAME": "main", "GITHUB_STEP_SUMMARY": summary, "RUNNER_TEMP": folder,
			"GITHUB_SERVER_URL": "https://github.example.com", "GITHUB_PATH": filepath.Join(folder, "path"),
			"GITHUB_EVENT_NAME": e.event, "GITHUB_RUN_ATTEMPT": strconv.Itoa(max(e.attempt, 1)),
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
	command := v["inputs.command"]
	for _, s := range steps {
		runs, known := map[string]bool{
			"":                            !result.failed,
			"always()":                    true,
			"inputs.command != 'install'": !result.failed && command != "install",
			"inputs.command == 'plan'":    !result.failed && command == "plan",
			"always() && contains('plan apply drift', inputs.command)": command != "install" && command != "report",
			"always() && inputs.command == 'report'":                   command == "report",
		}[s.If]
		if !known {
			r.T.Fatalf("this runner does not implement %q", s.If)
		}
		if !runs {
			continue
		}
		own, with := maps.Clone(env), v.fill(r.T, s.With)
		maps.Copy(own, v.fill(r.T, s.Env))
		switch action, _, _ := strings.Cut(s.Uses, "@"); action {
		case "":
			path := ""
			if added, err := os.ReadFile(env["GITHUB_PATH"]); err == nil {
				path = strings.TrimSpace(string(added)) + ":"
			}
			own["PATH"] = path + strings.TrimPrefix(r.Env[0], "PATH=")
			kill := e.kill
			if !strings.Contains(s.Run, "pipeline.sh apply") && (command != "apply" || !strings.Contains(s.Run, "xargs")) {
				kill = nil
			}
			code, output := r.shell(result.dir, []string{shell, "-e", "-c", s.Run}, environment(own), kill)
			result.output += output
			result.failed = result.failed || code != 0
		case "actions/checkout":
			const script = `git init -q -b main && git fetch -q --depth 20 "$0" "$1" && git checkout -q --detach "$1"`
			r.command("sh", "-c", "cd "+result.dir+" && "+script, "file://"+r.Dir, e.commit)
		case "actions/upload-artifact":
			r.upload(e, result, with)
		case "opentofu/setup-opentofu": // installed already
		case "assessascode/terraform-provider-assess/pipeline":
			var ours githubAction
			r.decode(&ours, unchanged, "../pipeline/action.yml")
			inputs := maps.Clone(v)
			for name, input := range ours.Inputs {
				inputs["inputs."+name] = v.fill(r.T, map[string]string{"": input.Default})[""]
				if given, ok := with[name]; ok {
					inputs["inputs."+name] = given
				}
			}
			r.steps(e, result, ours.Runs.Steps, "bash", inputs, own)
		default:
			r.T.Fatalf("this runner does not implement the action %s", action)
		}
	}
}

// upload keeps a file or a folder. The host serves it as the plan of the pull request.
func (r *runner) upload(e trigger, result *ran, with map[string]string) {
	r.T.Helper()
	path := filepath.Join(result.dir, with["path"])
	if _, err := os.Stat(path); err == nil {
		result.artifact, result.days = path, with["retention-days"]
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	if r.host == "github" {
		text = zipped(map[string]string{filepath.Base(path): string(text)})
	}
	kept := upload{Name: with["name"], Number: e.pull.number, Project: projectID, Text: text}
	if e.fork {
		kept.Project = forkID
	}
	r.fake.uploads = append(r.fake.uploads, kept)
}

// zipped returns an archive with programs or texts.
func zipped(files map[string]string) []byte {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range files {
		header := &zip.FileHeader{Name: name}
		header.SetMode(0o755)
		if f, err := z.CreateHeader(header); err == nil {
			_, _ = f.Write([]byte(text))
		}
	}
	_ = z.Close()
	return archive.Bytes()
}

type gitlabJob struct {
	Variables    map[string]any
	Rules        []map[string]string
	Script       []string
	BeforeScript []string `yaml:"before_script"`
	AfterScript  []string `yaml:"after_script"`
	Artifacts    struct {
		Paths        []string
		When, Access string
		ExpireIn     string `yaml:"expire_in"`
	}
}

type gitlabPipeline struct {
	Include []struct {
		Remote string
		Inputs map[string]string
	}
	Variables                  map[string]any
	Assess                     gitlabJob `yaml:".assess"`
	Plan, Apply, Drift, Report gitlabJob
}

// included returns the jobs of the file that a pipeline includes, with its inputs, for a machine with a folder for
// programs.
func (r *runner) included(file, bin string) (own, jobs gitlabPipeline) {
	r.T.Helper()
	r.decode(&own, unchanged, file)
	const remote = "https://raw.githubusercontent.com/assessascode/terraform-provider-assess/v0.1.0/"
	path, ok := strings.CutPrefix(own.Include[0].Remote, remote)
	if !ok {
		r.T.Fatalf("the pipeline includes %s", own.Include[0].Remote)
	}
	var header struct {
		Spec struct {
			Inputs map[string]struct{ Default string }
		}
	}
	split := func(part int) func(string) string {
		return func(text string) string { return strings.Split(text, "\n---\n")[part] }
	}
	r.decode(&header, split(0), "..", path)
	r.decode(&jobs, func(text string) string {
		input := regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`)
		text = input.ReplaceAllStringFunc(split(1)(text), func(found string) string {
			name := input.FindStringSubmatch(found)[1]
			given, known := header.Spec.Inputs[name]
			if !known {
				r.T.Errorf("the file uses the unknown input %s", name)
			}
			return cmp.Or(own.Include[0].Inputs[name], given.Default)
		})
		return strings.ReplaceAll(text, "/usr/local/bin", bin)
	}, "..", path)
	return own, jobs
}

// runGitLab runs the jobs of a pipeline. A manual job runs as if a person had started it. A job gets the artifacts of the
// jobs before it.
func (r *runner) runGitLab(e trigger, file string) map[string]*ran {
	r.T.Helper()
	bin := r.T.TempDir()
	own, pipeline := r.included(file, bin)
	source := cmp.Or(map[string]string{ // a merge train has pipelines of a merge request
		"pull_request": "merge_request_event", "merge_group": "merge_request_event", "workflow_dispatch": "web",
	}[e.event], e.event)
	v := values{
		"CI_API_V4_URL": r.fake.URL + "/api/v4", "CI_PROJECT_ID": strconv.Itoa(projectID), "CI_COMMIT_SHA": e.commit,
		"CI_DEFAULT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.example.com/-/jobs/99", "GITLAB_CI": "true",
		"CI_PROJECT_VISIBILITY": r.fake.visibility, "CI_PIPELINE_SOURCE": source, "CI_MERGE_REQUEST_IID": "", "UNLOCK": e.inputs["unlock"],
		"ASSESS_ADOPT_EXISTING": cmp.Or(e.inputs["adopt"], "false"), "GITLAB_TOKEN": hostToken, "ASSESS_BASE_URL": "",
	}
	maps.Copy(v, e.variables)
	if e.fork {
		v["GITLAB_TOKEN"] = ""
	}
	if e.pull != (pull{}) {
		v["CI_MERGE_REQUEST_IID"] = strconv.Itoa(e.pull.number)
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
		env := v.with(r.T, own.Variables, pipeline.Assess.Variables, job.Variables)
		env["CI_PROJECT_DIR"], env["GITHUB_PATH"] = result.dir, filepath.Join(bin, "added")
		steps := []hostStep{{Run: "mkdir -p report/old && echo " + bin + " >" + env["GITHUB_PATH"]}} // a runner may have an earlier report
		if name != "report" {
			steps = append(steps, hostStep{Uses: "actions/checkout"})
		}
		if planned != nil {
			steps = append(steps, hostStep{Run: "mkdir -p out && cp " + filepath.Join(planned.dir, pipeline.Plan.Artifacts.Paths[0]) + " out"})
		}
		script := strings.Join(append(slices.Clone(pipeline.Assess.BeforeScript), job.Script...), "\n")
		steps = append(steps, hostStep{Run: script}, hostStep{If: "always()", Run: strings.Join(job.AfterScript, "\n")})
		for _, path := range job.Artifacts.Paths {
			keep := hostStep{Uses: "actions/upload-artifact", With: map[string]string{
				"path": path, "retention-days": strings.TrimSuffix(job.Artifacts.ExpireIn, " days"),
			}}
			if job.Artifacts.When == "always" {
				keep.If = "always()"
			}
			steps = append(steps, keep)
			if job.Artifacts.Access != "developer" {
				r.T.Errorf("%s: the artifact has the access %q", name, job.Artifacts.Access)
			}
		}
		r.steps(e, result, steps, "sh", nil, env)
		result.summary = result.output
		results[name] = result
	}
	return results
}

// with returns the environment of a job of GitLab. What the host or a person sets wins.
func (v values) with(t *testing.T, variables ...map[string]any) map[string]string {
	t.Helper()
	env := map[string]string{}
	for _, set := range variables {
		for name, value := range set {
			if prefilled, ok := value.(map[string]any); ok {
				value = prefilled["value"]
			}
			env[name] = os.Expand(fmt.Sprint(value), func(name string) string { return v.of(t, name) })
		}
	}
	maps.Copy(env, v)
	return env
}
