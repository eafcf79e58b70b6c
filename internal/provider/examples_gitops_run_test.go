// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"
)

// trigger starts a pipeline, with the values that the host provides.
type trigger struct {
	event   string // as GitHub calls it
	commit  string // the commit to check out
	pull    int    // number of the pull request, or 0
	head    string // commit of the branch of the pull request
	base    string // commit of the branch that it changes
	fork    bool
	key     string // API key of the service
	inputs  map[string]string
	attempt int
	kill    func(group int) // runs beside the script of the apply, and kills its process group
}

// ran is the result of a job.
type ran struct {
	output, summary, dir string
	failed, killed       bool
}

// host runs the jobs of one pipeline file.
type host struct {
	name string
	fake *fakeHost
	run  func(r *repository, e trigger) map[string]*ran
}

func hosts(t *testing.T) []*host {
	t.Helper()
	github, gitlab := &host{name: "github", fake: newFakeHost(t)}, &host{name: "gitlab", fake: newFakeHost(t)}
	github.run, gitlab.run = github.runGitHub, gitlab.runGitLab
	return []*host{github, gitlab}
}

// values are the values of the expressions of a host, as they are written in its pipeline file. An expression
// without a value fails the test.
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

// fill replaces the expressions of GitHub in a text.
func (v values) fill(t *testing.T, text string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		return v.of(t, expression.FindStringSubmatch(found)[1])
	})
}

// when returns "true" for a condition that holds.
func when(holds bool) string { return map[bool]string{true: "true"}[holds] }

func (r *repository) pipeline(name string, into any) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
}

type githubStep struct {
	If   string            `yaml:"if"`
	Uses string            `yaml:"uses"`
	Run  string            `yaml:"run"`
	Env  map[string]string `yaml:"env"`
	With map[string]string `yaml:"with"`
}

type githubJob struct {
	If          string            `yaml:"if"`
	Timeout     int               `yaml:"timeout-minutes"`
	Environment string            `yaml:"environment"`
	Permissions map[string]string `yaml:"permissions"`
	Concurrency map[string]string `yaml:"concurrency"`
	Steps       []githubStep      `yaml:"steps"`
}

// runGitHub runs the jobs of a workflow, in the order of what they need.
func (h *host) runGitHub(r *repository, e trigger) map[string]*ran {
	r.t.Helper()
	var workflow struct {
		Env  map[string]string    `yaml:"env"`
		Jobs map[string]githubJob `yaml:"jobs"`
	}
	r.pipeline(".github/workflows/positions.yml", &workflow)
	v := values{
		"vars.ASSESS_BASE_URL": r.service["ASSESS_BASE_URL"], "vars.ASSESS_CLIENT_ID": r.service["ASSESS_CLIENT_ID"],
		"vars.AWS_ROLE_ARN": "", "vars.AWS_REGION": "", "secrets.TF_VAR_PASSPHRASE": r.passphrase,
		"secrets.ASSESS_API_KEY": e.key, "github.token": hostToken, "github.server_url": "https://github.example.com",
		"github.repository": "acme/positions", "github.run_id": "99", "inputs.adopt": e.inputs["adopt"],
		"inputs.unlock": e.inputs["unlock"], "always()": "true", "github.event.pull_request.number": "",
		"github.event.pull_request.head.sha || github.sha":  cmp.Or(e.head, e.commit),
		"github.event.pull_request.number || github.run_id": "99",
		"github.event.pull_request.head.repo.full_name":     "",
	}
	if e.pull != 0 {
		v["github.event.pull_request.number"], v["github.event.pull_request.number || github.run_id"] = itoa(e.pull), itoa(e.pull)
		v["github.event.pull_request.head.repo.full_name"] = "acme/positions"
	}
	if e.fork {
		v["github.event.pull_request.head.repo.full_name"], v["github.token"] = "stranger/positions", "read-only"
	}
	byHand := e.event == "workflow_dispatch"
	if len(workflow.Jobs) != 4 {
		r.t.Fatalf("the workflow has %d jobs", len(workflow.Jobs))
	}
	results := map[string]*ran{}
	passed := func(job string) bool { return results[job] != nil && !results[job].failed }
	for _, name := range []string{"plan", "approve", "apply", "drift"} {
		v["github.event_name == 'pull_request' || github.event_name == 'merge_group' || "+
			"github.event_name == 'workflow_dispatch' && github.ref_name == 'main'"] = when(e.pull != 0 || e.event == "merge_group" || byHand)
		v["!cancelled() && (github.event_name == 'push' || github.event_name == 'workflow_dispatch' && "+
			"needs.plan.result == 'success')"] = when(e.event == "push" || byHand && passed("plan"))
		v["!cancelled() && needs.approve.result == 'success'"] = when(passed("approve"))
		v["github.event_name == 'schedule' && vars.ASSESS_BASE_URL && vars.ASSESS_DRIFT != 'off'"] = when(e.event == "schedule" && r.service["ASSESS_BASE_URL"] != "")
		job := workflow.Jobs[name]
		if v.of(r.t, strings.TrimSuffix(strings.TrimPrefix(job.If, "${{ "), " }}")) != "" {
			results[name] = h.runGitHubJob(r, e, job, v, workflow.Env)
		}
	}
	return results
}

// runGitHubJob runs the steps of a job. Each step has its own shell. After a failure, it runs only the
// steps that ask for it.
func (h *host) runGitHubJob(r *repository, e trigger, job githubJob, v values, common map[string]string) *ran {
	r.t.Helper()
	result := &ran{}
	summary := filepath.Join(r.t.TempDir(), "summary.md")
	for _, step := range job.Steps {
		if result.failed && (step.If == "" || v.of(r.t, step.If) == "") {
			continue
		}
		action, _, _ := strings.Cut(step.Uses, "@")
		switch action {
		case "":
			env := []string{
				"GITHUB_ACTIONS=true", "GITHUB_API_URL=" + h.fake.URL, "GITHUB_REPOSITORY=acme/positions", "GITHUB_RUN_ID=99",
				"GITHUB_SHA=" + e.commit, "GITHUB_REF_NAME=main", "GITHUB_STEP_SUMMARY=" + summary,
				"GITHUB_EVENT_NAME=" + e.event, "GITHUB_RUN_ATTEMPT=" + itoa(max(e.attempt, 1)),
			}
			for _, set := range []map[string]string{common, step.Env} {
				for name, value := range set {
					env = append(env, name+"="+v.fill(r.t, value))
				}
			}
			r.script(result, e, []string{"bash", "-e", "-c", step.Run}, env)
		case "actions/checkout":
			depth, _ := strconv.Atoi(step.With["fetch-depth"])
			result.dir = r.checkout(e.commit, max(depth, 1))
		case "actions/upload-artifact":
			h.upload(r, e, result.dir, step.With["path"], v.fill(r.t, step.With["name"]))
		case "opentofu/setup-opentofu": // installed already
		default:
			r.t.Fatalf("this runner does not implement the action %s", action)
		}
	}
	text, _ := os.ReadFile(summary)
	result.summary = string(text)
	return result
}

func (h *host) upload(r *repository, e trigger, dir, path, name string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		return
	}
	h.fake.uploads = append(h.fake.uploads,
		upload{Name: name, Number: e.pull, Project: map[bool]int{true: forkID, false: projectID}[e.fork], Text: text})
}

// script runs a script of a job in its checkout. If the trigger kills the apply, the job is cancelled.
func (r *repository) script(result *ran, e trigger, command, env []string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = result.dir, append(slices.Clone(r.env), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if e.kill != nil && strings.Contains(strings.Join(command, " "), "run.sh apply") {
		e.kill(cmd.Process.Pid)
		result.killed = true
	}
	err := cmd.Wait()
	result.output += out.String()
	result.failed = result.failed || err != nil
}

type gitlabJob struct {
	Variables   map[string]any      `yaml:"variables"`
	Rules       []map[string]string `yaml:"rules"`
	Script      []string            `yaml:"script"`
	AfterScript []string            `yaml:"after_script"`
	Artifacts   struct{ Paths []string }
}

// runGitLab runs the jobs of a pipeline, in an image without bash. A manual job runs as if a person had
// started it. A job gets the artifacts of the jobs before it.
func (h *host) runGitLab(r *repository, e trigger) map[string]*ran {
	r.t.Helper()
	var pipeline struct {
		Default struct {
			BeforeScript []string `yaml:"before_script"`
		}
		Variables          map[string]any
		Plan, Apply, Drift gitlabJob
	}
	r.pipeline(".gitlab-ci.yml", &pipeline)
	source := map[string]string{
		"pull_request": "merge_request_event", "workflow_dispatch": "web", "push": "push", "schedule": "schedule",
	}[e.event]
	v := values{
		"CI_API_V4_URL": h.fake.URL + "/api/v4", "CI_PROJECT_ID": itoa(projectID), "CI_COMMIT_SHA": e.commit,
		"CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.example.com/-/jobs/99",
		"GITLAB_TOKEN": hostToken, "GITLAB_CI": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": e.base, "CI_PIPELINE_SOURCE": source,
		"ASSESS_API_KEY": e.key, "ASSESS_BASE_URL": r.service["ASSESS_BASE_URL"],
		"ASSESS_CLIENT_ID": r.service["ASSESS_CLIENT_ID"], "CI_MERGE_REQUEST_IID": "", "UNLOCK": e.inputs["unlock"],
		"TF_VAR_passphrase": r.passphrase,
	}
	rules := values{
		`$CI_PIPELINE_SOURCE == "schedule" && $ASSESS_BASE_URL`: when(source == "schedule" && v["ASSESS_BASE_URL"] != ""),
	}
	for _, name := range []string{"push", "web", "merge_request_event"} {
		rules[`$CI_PIPELINE_SOURCE == "`+name+`"`] = when(source == name)
	}
	if e.pull != 0 {
		v["CI_MERGE_REQUEST_IID"], v["CI_COMMIT_BRANCH"] = itoa(e.pull), ""
	}
	if e.fork {
		v["GITLAB_TOKEN"] = ""
	}
	env := []string{}
	set := func(variables map[string]any) {
		for name, value := range variables {
			if described, ok := value.(map[string]any); ok {
				value = described["value"]
			}
			if _, ok := v[name]; !ok { // what the host or a person sets wins
				env = append(env, name+"="+os.Expand(fmt.Sprint(value), func(name string) string { return v.of(r.t, name) }))
			}
		}
	}
	if e.inputs["adopt"] != "" {
		v["ASSESS_ADOPT_EXISTING"] = e.inputs["adopt"]
	}
	for name, value := range v {
		env = append(env, name+"="+value)
	}
	set(pipeline.Variables)
	results, common := map[string]*ran{}, len(env)
	jobs := map[string]gitlabJob{"plan": pipeline.Plan, "apply": pipeline.Apply, "drift": pipeline.Drift}
	kept := map[string][]byte{}
	for _, name := range []string{"plan", "apply", "drift"} {
		job := jobs[name]
		runs := slices.ContainsFunc(job.Rules, func(rule map[string]string) bool { return rules.of(r.t, rule["if"]) != "" })
		if !runs || results["plan"] != nil && results["plan"].failed {
			continue
		}
		result := &ran{dir: r.checkout(e.commit, 20)}
		results[name] = result
		for path, text := range kept {
			r.save(filepath.Join(result.dir, path), text)
		}
		env = env[:common]
		set(job.Variables)
		lines := append(slices.Clone(pipeline.Default.BeforeScript), job.Script...)
		r.script(result, e, []string{"sh", "-e", "-c", strings.Join(lines, "\n")}, env)
		failed := result.failed
		r.script(result, trigger{}, []string{"sh", "-e", "-c", strings.Join(job.AfterScript, "\n")}, env)
		result.failed, result.summary = failed, result.output
		for _, path := range job.Artifacts.Paths {
			text, err := os.ReadFile(filepath.Join(result.dir, path))
			if err == nil && !failed {
				kept[path] = text
				h.upload(r, e, result.dir, path, "")
			}
		}
	}
	return results
}

func (r *repository) save(path string, text []byte) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		r.t.Fatal(err)
	}
}
