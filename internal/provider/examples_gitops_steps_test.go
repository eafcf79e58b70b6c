// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// event starts a pipeline. It has the values that the host provides.
type event struct {
	commit string // the commit to check out
	pull   int    // number of the pull request, or 0
	head   string // commit of the pull request's branch
	base   string // commit of the target branch
	fork   bool   // the pull request comes from a fork
	env    []string
	key    string // API key of the service
}

// ran is the result of a job.
type ran struct {
	output   string
	failed   bool
	summary  string
	artifact map[string][]byte // nil if there is none
	dir      string
}

// host runs the jobs of one pipeline file.
type host struct {
	name string
	fake *fakeHost
	job  func(r *repository, job string, e event) ran
}

// run runs a job. The locks tell the race detector that the requests of the job's
// processes come after everything that the test did before, and before everything that
// it does next.
func (h host) run(r *repository, job string, e event) ran {
	r.t.Helper()
	h.fake.synchronize()
	defer h.fake.synchronize()
	return h.job(r, job, e)
}

func hosts(t *testing.T) []host {
	t.Helper()
	github, gitlab := newFakeHost(t, githubRoutes), newFakeHost(t, gitlabRoutes)
	return []host{
		{"GitHub", github, func(r *repository, job string, e event) ran { return runGitHub(r, github, job, e) }},
		{"GitLab", gitlab, func(r *repository, job string, e event) ran { return runGitLab(r, gitlab, job, e) }},
	}
}

// loadYAML reads a file of the example.
func loadYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "gitops", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

type githubStep struct {
	Name string            `yaml:"name"`
	If   string            `yaml:"if"`
	Uses string            `yaml:"uses"`
	Run  string            `yaml:"run"`
	Env  map[string]string `yaml:"env"`
	With map[string]any    `yaml:"with"`
}

type githubWorkflow struct {
	Permissions map[string]string `yaml:"permissions"`
	Env         map[string]string `yaml:"env"`
	Jobs        map[string]struct {
		If          string            `yaml:"if"`
		Needs       string            `yaml:"needs"`
		Timeout     int               `yaml:"timeout-minutes"`
		Environment string            `yaml:"environment"`
		Permissions map[string]string `yaml:"permissions"`
		Concurrency map[string]string `yaml:"concurrency"`
		Steps       []githubStep      `yaml:"steps"`
	} `yaml:"jobs"`
}

// expression matches what the host fills in. The test fails for an expression that this
// runner does not implement.
var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// runGitHub runs the steps of a job like a GitHub runner. Each step has its own shell.
// After a failed step, it runs only the steps whose condition says so.
func runGitHub(r *repository, fake *fakeHost, job string, e event) ran {
	r.t.Helper()
	var workflow githubWorkflow
	loadYAML(r.t, ".github/workflows/positions.yml", &workflow)
	steps := workflow.Jobs[job].Steps
	if len(steps) == 0 {
		r.t.Fatalf("no job %s", job)
	}
	head := "acme/positions"
	token := hostToken
	if e.fork {
		head, token = "stranger/positions", "read-only"
	}
	contexts := map[string]string{
		"vars.ASSESS_BASE_URL": r.service["ASSESS_BASE_URL"], "vars.ASSESS_CLIENT_ID": r.service["ASSESS_CLIENT_ID"],
		"secrets.ASSESS_API_KEY": e.key, "github.token": token, "github.server_url": "https://github.example.com",
		"github.repository": "acme/positions", "github.run_id": "99", "github.sha": e.commit,
		"github.event.pull_request.number": "", "github.event.pull_request.head.sha": e.head,
		"github.event.pull_request.head.repo.full_name": head,
	}
	if e.pull != 0 {
		contexts["github.event.pull_request.number"] = itoa(e.pull)
	}
	fill := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(found string) string {
			name := expression.FindStringSubmatch(found)[1]
			value, ok := contexts[name]
			if !ok {
				r.t.Fatalf("this runner does not implement the expression %q", name)
			}
			return value
		})
	}
	result := ran{}
	var dir string
	summary := filepath.Join(r.t.TempDir(), "summary.md")
	env := []string{
		"GITHUB_ACTIONS=true", "CI=true", "GITHUB_API_URL=" + fake.URL, "GITHUB_REPOSITORY=acme/positions",
		"GITHUB_SHA=" + e.commit, "GITHUB_REF_NAME=main", "GITHUB_STEP_SUMMARY=" + summary,
	}
	for name, value := range workflow.Env {
		env = append(env, name+"="+fill(value))
	}
	for _, step := range steps {
		switch step.If {
		case "":
			if result.failed {
				continue
			}
		case "${{ !cancelled() }}":
		case "hashFiles('out/plan.bin', 'out/plan.tree') != ''":
			_, noPlan := os.Stat(filepath.Join(dir, "out", "plan.bin"))
			_, noTree := os.Stat(filepath.Join(dir, "out", "plan.tree"))
			if result.failed || noPlan != nil && noTree != nil {
				continue
			}
		default:
			r.t.Fatalf("this runner does not implement the condition %q", step.If)
		}
		action, _, pinned := strings.Cut(step.Uses, "@")
		switch {
		case step.Run != "":
			stepEnv := slices.Clone(env)
			for name, value := range step.Env {
				stepEnv = append(stepEnv, name+"="+fill(value))
			}
			code, out := r.shell(dir, []string{"bash", "-e", "-c", step.Run}, append(stepEnv, e.env...))
			result.output += out
			result.failed = result.failed || code != 0
		case !pinned:
			r.t.Fatalf("step %q does nothing", step.Name)
		case action == "actions/checkout":
			depth, _ := step.With["fetch-depth"].(int)
			dir = r.checkout(e.commit, max(depth, 1))
		case action == "actions/upload-artifact":
			result.artifact = map[string][]byte{}
			for name := range strings.FieldsSeq(fill(step.With["path"].(string))) { //nolint:forcetypeassert // our own file
				if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
					result.artifact[filepath.Base(name)] = text
				}
			}
		case slices.Contains([]string{"opentofu/setup-opentofu", "actions/setup-go"}, action): // installed already
		default:
			r.t.Fatalf("this runner does not implement the action %s", action)
		}
	}
	text, _ := os.ReadFile(summary)
	result.summary, result.dir = string(text), dir
	return result
}

type gitlabJob struct {
	Extends       string            `yaml:"extends"`
	Stage         string            `yaml:"stage"`
	Timeout       string            `yaml:"timeout"`
	Environment   string            `yaml:"environment"`
	ResourceGroup string            `yaml:"resource_group"`
	Variables     map[string]string `yaml:"variables"`
	Rules         []struct {
		If string `yaml:"if"`
	} `yaml:"rules"`
	Script    []string `yaml:"script"`
	Artifacts struct {
		Paths    []string `yaml:"paths"`
		ExpireIn string   `yaml:"expire_in"`
	} `yaml:"artifacts"`
}

type gitlabPipeline struct {
	Default struct {
		Image        string   `yaml:"image"`
		BeforeScript []string `yaml:"before_script"`
	} `yaml:"default"`
	Variables map[string]string    `yaml:"variables"`
	Jobs      map[string]gitlabJob `yaml:",inline"`
}

// gitlabFile reads GitLab's pipeline file, in which jobs and settings are on the same
// level.
func gitlabFile(t *testing.T) gitlabPipeline {
	t.Helper()
	var nodes map[string]yaml.Node
	loadYAML(t, ".gitlab-ci.yml", &nodes)
	p := gitlabPipeline{Jobs: map[string]gitlabJob{}}
	decode := func(node yaml.Node, into any) {
		if err := node.Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	decode(nodes["default"], &p.Default)
	decode(nodes["variables"], &p.Variables)
	for _, name := range []string{"plan", "apply", "drift", ".one-at-a-time"} {
		var job gitlabJob
		decode(nodes[name], &job)
		p.Jobs[name] = job
	}
	return p
}

// runGitLab runs a job like a GitLab runner in an image without bash: all lines in one
// sh.
func runGitLab(r *repository, fake *fakeHost, name string, e event) ran {
	r.t.Helper()
	p := gitlabFile(r.t)
	job := p.Jobs[name]
	values := map[string]string{
		"CI_API_V4_URL": fake.URL + "/api/v4", "CI_PROJECT_ID": itoa(hostProject), "CI_COMMIT_SHA": e.commit,
		"CI_DEFAULT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.example.com/acme/positions/-/jobs/99",
		"GITLAB_TOKEN": hostToken, "ASSESS_API_KEY": e.key, "CI_MERGE_REQUEST_DIFF_BASE_SHA": e.base,
	}
	if e.fork {
		values["GITLAB_TOKEN"] = ""
	}
	if e.pull != 0 {
		values["CI_MERGE_REQUEST_IID"] = itoa(e.pull)
	}
	for name, value := range r.service {
		if name != "ASSESS_API_KEY" {
			values[name] = value
		}
	}
	env := []string{"GITLAB_CI=true", "CI=true"}
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	for _, set := range []map[string]string{p.Variables, job.Variables} {
		for name, value := range set {
			env = append(env, name+"="+os.Expand(value, func(variable string) string {
				known, ok := values[variable]
				if !ok {
					r.t.Fatalf("this runner does not implement the variable %s", variable)
				}
				return known
			}))
		}
	}
	depth, err := strconv.Atoi(p.Variables["GIT_DEPTH"])
	if err != nil {
		depth = 1 // a project can have this default
	}
	dir := r.checkout(e.commit, depth)
	lines := append(slices.Clone(p.Default.BeforeScript), job.Script...)
	code, out := r.shell(dir, []string{"sh", "-e", "-c", strings.Join(lines, "\n")}, append(env, e.env...))
	result := ran{output: out, failed: code != 0, dir: dir}
	if code == 0 && len(job.Artifacts.Paths) > 0 {
		for _, name := range job.Artifacts.Paths {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
				if result.artifact == nil {
					result.artifact = map[string][]byte{}
				}
				result.artifact[filepath.Base(name)] = text
			}
		}
	}
	return result
}

// shell runs a command in a checkout and returns its exit code and output.
func (r *repository) shell(dir string, command, env []string) (int, string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(r.env), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
