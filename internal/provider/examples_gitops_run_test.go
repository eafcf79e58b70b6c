// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
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
	github := &host{name: "github", fake: newFakeHost(t, githubRoutes)}
	github.run = github.runGitHub
	gitlab := &host{name: "gitlab", fake: newFakeHost(t, gitlabRoutes)}
	gitlab.run = gitlab.runGitLab
	return []*host{github, gitlab}
}

// contexts are the values of a host that expressions can refer to. "" means false.
type contexts map[string]string

// evaluate returns the value of an expression of a host, which has the syntax of Go except for quotes
// and the sign of a variable. An expression that refers to an unknown value fails the test.
func (c contexts) evaluate(t *testing.T, text string) string {
	t.Helper()
	node, err := parser.ParseExpr(strings.NewReplacer("'", `"`, "$", "").Replace(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var value func(ast.Expr) string
	truth := func(b bool) string { return map[bool]string{true: "true"}[b] }
	value = func(node ast.Expr) string {
		switch n := node.(type) {
		case *ast.ParenExpr:
			return value(n.X)
		case *ast.UnaryExpr:
			return truth(value(n.X) == "")
		case *ast.BasicLit:
			s, _ := strconv.Unquote(n.Value)
			return s
		case *ast.BinaryExpr:
			left := value(n.X)
			switch {
			case n.Op == token.EQL || n.Op == token.NEQ:
				return truth((left == value(n.Y)) == (n.Op == token.EQL))
			case (left == "") == (n.Op == token.LAND):
				return left
			}
			return value(n.Y)
		}
		found, ok := c[types.ExprString(node)]
		if !ok {
			t.Fatalf("this runner does not implement %q in %q", types.ExprString(node), text)
		}
		return found
	}
	return value(node)
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// fill replaces the expressions of GitHub in a text.
func (c contexts) fill(t *testing.T, text string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		return c.evaluate(t, expression.FindStringSubmatch(found)[1])
	})
}

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
	If    string       `yaml:"if"`
	Needs string       `yaml:"needs"`
	Steps []githubStep `yaml:"steps"`
}

// runGitHub runs the jobs of a workflow, in the order of what they need.
func (h *host) runGitHub(r *repository, e trigger) map[string]*ran {
	r.t.Helper()
	var workflow struct {
		Env  map[string]string    `yaml:"env"`
		Jobs map[string]githubJob `yaml:"jobs"`
	}
	r.pipeline(".github/workflows/positions.yml", &workflow)
	c := contexts{
		"vars.ASSESS_BASE_URL":                          r.service["ASSESS_BASE_URL"],
		"vars.ASSESS_CLIENT_ID":                         r.service["ASSESS_CLIENT_ID"],
		"vars.ASSESS_DRIFT":                             "",
		"vars.AWS_ROLE_ARN":                             "",
		"vars.AWS_REGION":                               "",
		"secrets.TF_VAR_PASSPHRASE":                     r.passphrase,
		"secrets.ASSESS_API_KEY":                        e.key,
		"github.token":                                  hostToken,
		"github.server_url":                             "https://github.example.com",
		"github.repository":                             "acme/positions",
		"github.run_id":                                 "99",
		"github.sha":                                    e.commit,
		"github.event_name":                             e.event,
		"github.ref_name":                               "main",
		"github.event.pull_request.number":              "",
		"github.event.pull_request.head.sha":            e.head,
		"github.event.pull_request.head.repo.full_name": "",
		"inputs.adopt":                                  e.inputs["adopt"],
		"inputs.unlock":                                 e.inputs["unlock"],
		"always()":                                      "true",
		"cancelled()":                                   "",
	}
	if e.pull != 0 {
		c["github.event.pull_request.number"] = itoa(e.pull)
		c["github.event.pull_request.head.repo.full_name"] = "acme/positions"
	}
	if e.fork {
		c["github.event.pull_request.head.repo.full_name"], c["github.token"] = "stranger/positions", "read-only"
	}
	if len(workflow.Jobs) != 4 {
		r.t.Fatalf("the workflow has %d jobs", len(workflow.Jobs))
	}
	results := map[string]*ran{}
	for _, name := range []string{"plan", "approve", "apply", "drift"} {
		job := workflow.Jobs[name]
		if job.Needs != "" {
			c["needs."+job.Needs+".result"] = "skipped"
			if before := results[job.Needs]; before != nil {
				c["needs."+job.Needs+".result"] = map[bool]string{true: "failure", false: "success"}[before.failed]
			}
		}
		condition := strings.TrimSuffix(strings.TrimPrefix(job.If, "${{ "), " }}")
		if c.evaluate(r.t, condition) != "" {
			results[name] = h.runGitHubJob(r, e, job, c, workflow.Env)
		}
	}
	return results
}

// runGitHubJob runs the steps of a job. Each step has its own shell. After a failure, it runs only the
// steps that ask for it.
func (h *host) runGitHubJob(r *repository, e trigger, job githubJob, c contexts, common map[string]string) *ran {
	r.t.Helper()
	result := &ran{}
	summary := filepath.Join(r.t.TempDir(), "summary.md")
	for _, step := range job.Steps {
		if result.failed && (step.If == "" || c.evaluate(r.t, step.If) == "") {
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
					env = append(env, name+"="+c.fill(r.t, value))
				}
			}
			r.script(result, e, []string{"bash", "-e", "-c", step.Run}, env)
		case "actions/checkout":
			depth, _ := strconv.Atoi(step.With["fetch-depth"])
			result.dir = r.checkout(e.commit, max(depth, 1))
		case "actions/upload-artifact":
			h.upload(r, e, result.dir, step.With["path"], c.fill(r.t, step.With["name"]))
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
	h.fake.mu.Lock()
	defer h.fake.mu.Unlock()
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
	Variables   map[string]string   `yaml:"variables"`
	Rules       []map[string]string `yaml:"rules"`
	Script      []string            `yaml:"script"`
	AfterScript []string            `yaml:"after_script"`
	Artifacts   struct {
		Paths []string `yaml:"paths"`
	} `yaml:"artifacts"`
}

// runGitLab runs the jobs of a pipeline, in an image without bash. A manual job runs as if a person had
// started it. A job gets the artifacts of the jobs before it.
func (h *host) runGitLab(r *repository, e trigger) map[string]*ran {
	r.t.Helper()
	var all map[string]yaml.Node
	r.pipeline(".gitlab-ci.yml", &all)
	var variables map[string]yaml.Node
	var defaults struct {
		BeforeScript []string `yaml:"before_script"`
	}
	decode := func(node yaml.Node, into any) {
		if err := node.Decode(into); err != nil {
			r.t.Fatal(err)
		}
	}
	decode(all["variables"], &variables)
	decode(all["default"], &defaults)
	sources := map[string]string{"pull_request": "merge_request_event", "workflow_dispatch": "web"}
	c := contexts{
		"CI_API_V4_URL": h.fake.URL + "/api/v4", "CI_PROJECT_ID": itoa(projectID), "CI_COMMIT_SHA": e.commit,
		"CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.example.com/-/jobs/99",
		"GITLAB_TOKEN": hostToken, "GITLAB_CI": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": e.base,
		"CI_PIPELINE_SOURCE": e.event, "ASSESS_API_KEY": e.key, "ASSESS_BASE_URL": r.service["ASSESS_BASE_URL"],
		"ASSESS_CLIENT_ID": r.service["ASSESS_CLIENT_ID"], "CI_MERGE_REQUEST_IID": "",
	}
	if source, ok := sources[e.event]; ok {
		c["CI_PIPELINE_SOURCE"] = source
	}
	if e.pull != 0 {
		c["CI_MERGE_REQUEST_IID"], c["CI_COMMIT_BRANCH"] = itoa(e.pull), ""
	}
	if e.fork {
		c["GITLAB_TOKEN"] = ""
	}
	values := maps.Clone(c)
	for name, node := range variables {
		text := node.Value
		if node.Kind == yaml.MappingNode {
			var described struct{ Value string }
			decode(node, &described)
			text = described.Value
		}
		values[name] = os.Expand(text, func(name string) string { return c.evaluate(r.t, name) })
	}
	maps.Copy(values, map[string]string{"UNLOCK": e.inputs["unlock"]})
	if e.inputs["adopt"] != "" {
		values["ASSESS_ADOPT_EXISTING"] = e.inputs["adopt"]
	}
	results := map[string]*ran{}
	kept := map[string][]byte{}
	for _, name := range []string{"plan", "apply", "drift"} {
		var job gitlabJob
		decode(all[name], &job)
		runs := slices.ContainsFunc(job.Rules, func(rule map[string]string) bool { return c.evaluate(r.t, rule["if"]) != "" })
		if !runs || results["plan"] != nil && results["plan"].failed {
			continue
		}
		result := &ran{dir: r.checkout(e.commit, 20)}
		results[name] = result
		for path, text := range kept {
			r.save(filepath.Join(result.dir, path), text)
		}
		env := []string{}
		for name, value := range values {
			env = append(env, name+"="+value)
		}
		for name, value := range job.Variables {
			env = append(env, name+"="+os.Expand(value, func(name string) string { return c.evaluate(r.t, name) }))
		}
		lines := append(slices.Clone(defaults.BeforeScript), job.Script...)
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
