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
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// repository is what README.md tells the user of a host to copy. Each job runs in its own checkout.
type repository struct {
	*clitest.CLI
	host       string // github or gitlab
	fake       *fakeHost
	service    *sandboxtest.Server
	passphrase string // secret for the state
}

// newRepository copies the example with the command of the README, writes its lock file with make, and commits.
// Without a service, it uses the sandbox. If withTests is false, it leaves out the tests, which take time.
func newRepository(t *testing.T, host string, withTests bool, service *sandboxtest.Server) *repository {
	t.Helper()
	needs(t, "curl", "git", "jq", "make", "unzip")
	r := &repository{CLI: clitest.NewBare(t), host: host, fake: newFakeHost(t), service: service}
	rc := clitest.ProviderMirror(t)
	r.Env = []string{ // of a new machine with the tools of the pipelines
		pathWith(t, map[string]string{
			"tofu": os.Getenv("TF_ACC_TERRAFORM_PATH"), "assess": clitest.CompanionBinary(t), "apk": "/bin/true", // needs no packages
		}),
		"HOME=" + t.TempDir(), "TF_CLI_CONFIG_FILE=" + rc,
		"CHECKPOINT_DISABLE=1", "TF_DISABLE_PLUGIN_TLS=1", "ASSESS_UNTHROTTLED=1", "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	command := regexp.MustCompile(`(?m)^ *cp -R (.*) github/\. \S+$`).FindStringSubmatch(clitest.ReadFile(t, gitops, "README.md"))
	if command == nil {
		t.Fatal("README.md does not say how to copy the example")
	}
	copies := []string{"sh", "-c", "cp -R " + command[1] + " " + host + "/. " + r.Dir}
	if code, out := r.shell(gitops, copies, nil, nil); code != 0 {
		t.Fatal(out)
	}
	if !withTests {
		r.command("rm", "-r", "tests")
	}
	if service != nil { // with a state with locks in GitLab
		r.Edit("main.tf", [2]string{"provider \"assess\" {\n  sandbox {}\n}", "provider \"assess\" {}"})
		r.Add("backend.tf", clitest.ReadFile(t, gitops, "state", "gitlab.tf"))
		state := r.fake.URL + "/state"
		r.Env = append(r.Env, "TF_HTTP_ADDRESS="+state, "TF_HTTP_LOCK_ADDRESS="+state+"/lock",
			"TF_HTTP_UNLOCK_ADDRESS="+state+"/lock", "TF_HTTP_LOCK_METHOD=POST", "TF_HTTP_UNLOCK_METHOD=DELETE",
			"TF_HTTP_USERNAME=gitlab-ci-token", "TF_HTTP_PASSWORD=job-token")
	}
	r.command("make", "lock", "MIRROR="+filepath.Dir(rc), "PLATFORMS=-platform="+runtime.GOOS+"_"+runtime.GOARCH)
	r.command("git", "init", "-q", "-b", "main")
	r.command("git", "config", "uploadpack.allowAnySHA1InWant", "true")
	r.commit("positions")
	return r
}

// command runs a command in the repository, which must succeed.
func (r *repository) command(command ...string) string {
	r.T.Helper()
	code, out := r.shell(r.Dir, command, nil, nil)
	if code != 0 {
		r.T.Fatalf("%v: %d: %s", command, code, out)
	}
	return strings.TrimSpace(out)
}

// shell runs a command, and a function beside it that can kill its process group.
func (r *repository) shell(dir string, command, env []string, beside func(group int)) (code int, output string) {
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

// commit commits everything and returns the commit.
func (r *repository) commit(message string) string {
	r.T.Helper()
	r.command("git", "add", "-A")
	r.command("git", "commit", "-q", "--allow-empty", "-m", message)
	return r.command("git", "rev-parse", "HEAD")
}

// pull is a pull request.
type pull struct {
	number                     int
	parent, head, mergedCommit string
}

// open opens a pull request: a branch with edits, and its merge commit.
func (r *repository) open(number int, edits ...[2]string) pull {
	r.T.Helper()
	p := pull{number: number, parent: r.command("git", "rev-parse", "main")}
	r.command("git", "checkout", "-q", "--detach", "main")
	r.Edit("positions.yaml", edits...)
	p.head = r.commit("change " + strconv.Itoa(number))
	r.command("git", "checkout", "-q", "--detach", "main")
	r.command("git", "merge", "-q", "--no-ff", "-m", "merge "+strconv.Itoa(number), p.head)
	p.mergedCommit = r.command("git", "rev-parse", "HEAD")
	r.command("git", "checkout", "-q", "main")
	return p
}

// starts runs the jobs that an event starts, and returns the one that must run.
func (r *repository) starts(job string, e trigger, change ...func(*trigger)) *ran {
	r.T.Helper()
	e.key, e.token = sandbox.APIKey, hostToken
	r.fake.main = r.command("git", "rev-parse", "main")
	if e.commit == "" {
		e.commit = r.fake.main
	}
	for _, c := range change {
		c(&e)
	}
	jobs := map[string]func(trigger) map[string]*ran{"github": r.runGitHub, "gitlab": r.runGitLab}[r.host](e)
	if jobs[job] == nil {
		r.T.Fatalf("%s: %s does not start the job %s", r.host, e.event, job)
	}
	if job != "apply" && len(jobs) != 1 {
		r.T.Fatalf("%s: %s starts %d jobs", r.host, e.event, len(jobs))
	}
	return jobs[job]
}

// plans runs the plan of a pull request.
func (r *repository) plans(p pull, change ...func(*trigger)) *ran {
	r.T.Helper()
	e := trigger{event: "pull_request", commit: p.mergedCommit, pull: p}
	if r.host == "gitlab" {
		e.commit = p.head
	}
	return r.starts("plan", e, change...)
}

// merges merges a pull request, and runs the apply.
func (r *repository) merges(p pull, change ...func(*trigger)) *ran {
	r.T.Helper()
	r.command("git", "merge", "-q", "--ff-only", p.mergedCommit)
	r.fake.merges = append(r.fake.merges, p)
	return r.pushed(change...)
}

// pushed runs the apply of the newest commit of main.
func (r *repository) pushed(change ...func(*trigger)) *ran {
	r.T.Helper()
	return r.starts("apply", trigger{event: "push"}, change...)
}

// startedByHand plans and applies main.
func (r *repository) startedByHand(inputs map[string]string) *ran {
	r.T.Helper()
	return r.starts("apply", trigger{event: "workflow_dispatch", inputs: inputs})
}

func (r *repository) drifts() *ran {
	r.T.Helper()
	return r.starts("drift", trigger{event: "schedule"})
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

// comment returns the only comment of a kind on a pull request.
func (r *repository) comment(pull int, kind string, says ...string) note {
	r.T.Helper()
	var found []note
	for _, n := range r.fake.notes {
		if n.Pull == pull && n.Author == botName && strings.HasPrefix(n.Body, "<!-- assess: "+kind+" -->\n") {
			found = append(found, *n)
		}
	}
	if len(found) != 1 {
		r.T.Fatalf("%s: %d comments about the %s, want 1", r.host, len(found), kind)
	}
	clitest.Contains(r.T, "comment", found[0].Body, says...)
	return found[0]
}

// trigger starts a pipeline, with the values that the host provides.
type trigger struct {
	event   string // as GitHub calls it
	commit  string // the commit to check out
	pull    pull   // the pull request, if there is one
	fork    bool
	key     string // API key of the service
	token   string // for the API of the host
	inputs  map[string]string
	adopt   string // the variable ASSESS_ADOPT_EXISTING of the repository
	attempt int
	kill    func(group int) // runs beside the script of the apply, and kills its process group
}

// ran is the result of a job.
type ran struct {
	t                    *testing.T
	output, summary, dir string
	failed               bool
	artifact, days       string // a file or a folder, "" if there is none, and how long the host keeps it
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

// decode reads a pipeline file.
func decode(t *testing.T, into any, path ...string) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(clitest.ReadFile(t, path...)), into); err != nil {
		t.Fatalf("%v: %v", path, err)
	}
}

// hostStep is a step of a job of GitHub.
type hostStep struct {
	If, Uses, Run string
	Env, With     map[string]string
}

type githubJob struct {
	If, Environment          string
	Permissions, Concurrency map[string]string
	Timeout                  int `yaml:"timeout-minutes"`
	Env                      map[string]string
	Steps                    []hostStep
}

// steps runs the steps of a job, each in its own shell. After a failure, it runs only the steps that ask for
// it. If the trigger kills the apply, the job is cancelled.
func (r *repository) steps(e trigger, steps []hostStep, shell string, v values, env []string) *ran {
	r.T.Helper()
	result := &ran{t: r.T, dir: r.T.TempDir()}
	for _, s := range steps {
		if result.failed && s.If != "always()" {
			continue
		}
		switch action, _, _ := strings.Cut(s.Uses, "@"); action {
		case "":
			own := slices.Clone(env)
			for name, value := range s.Env {
				own = append(own, name+"="+v.fill(r.T, value))
			}
			kill := map[bool]func(int){true: e.kill}[strings.Contains(s.Run, "run.sh apply")]
			code, output := r.shell(result.dir, []string{shell, "-e", "-c", s.Run}, own, kill)
			result.output += output
			result.failed = result.failed || code != 0
		case "actions/checkout":
			result.dir = r.T.TempDir()
			const script = `git init -q -b main && git fetch -q --depth "$0" "$1" "$2" && git checkout -q --detach "$2"`
			r.command("sh", "-c", "cd "+result.dir+" && "+script, cmp.Or(s.With["fetch-depth"], "1"), "file://"+r.Dir, e.commit)
		case "actions/upload-artifact":
			path := filepath.Join(result.dir, s.With["path"])
			if _, err := os.Stat(path); err == nil {
				result.artifact, result.days = path, s.With["retention-days"]
			}
			if text, err := os.ReadFile(path); err == nil {
				project := map[bool]int{true: forkID, false: projectID}[e.fork]
				if r.host == "github" {
					text = zipped(filepath.Base(path), text)
				}
				r.fake.uploads = append(r.fake.uploads,
					upload{Name: v.fill(r.T, s.With["name"]), Number: e.pull.number, Project: project, Text: text})
			}
		case "opentofu/setup-opentofu": // installed already
		default:
			r.T.Fatalf("this runner does not implement the action %s", action)
		}
	}
	return result
}

// zipped returns an archive with one file.
func zipped(name string, text []byte) []byte {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	if f, err := z.Create(name); err == nil {
		_, _ = f.Write(text)
	}
	_ = z.Close()
	return archive.Bytes()
}

// runGitHub runs the jobs of a workflow, in the order of what they need.
func (r *repository) runGitHub(e trigger) map[string]*ran {
	r.T.Helper()
	var workflow struct {
		Env  map[string]string
		Jobs map[string]githubJob
	}
	decode(r.T, &workflow, r.Dir, ".github/workflows/positions.yml")
	number, from := "", ""
	if e.pull != (pull{}) {
		number = strconv.Itoa(e.pull.number)
		from = map[bool]string{true: "stranger/positions", false: "acme/positions"}[e.fork]
	}
	v := values{
		"vars.ASSESS_BASE_URL": r.service.URL, "vars.ASSESS_CLIENT_ID": sandbox.ClientID,
		"vars.AWS_ROLE_ARN": "", "vars.AWS_REGION": "", "secrets.TF_VAR_PASSPHRASE": r.passphrase,
		"secrets.ASSESS_API_KEY": e.key, "github.token": e.token, "github.server_url": "https://github.example.com",
		"github.repository": "acme/positions", "github.run_id": "99",
		"inputs.adopt || vars.ASSESS_ADOPT_EXISTING": cmp.Or(e.inputs["adopt"], e.adopt),
		"inputs.unlock":                                     e.inputs["unlock"],
		"github.event.pull_request.number":                  number,
		"github.event.pull_request.head.sha || github.sha":  cmp.Or(e.pull.head, e.commit),
		"github.event.pull_request.number || github.run_id": cmp.Or(number, "99"),
		"github.event.pull_request.head.repo.full_name":     from,
	}
	byHand, results := e.event == "workflow_dispatch", map[string]*ran{}
	planned := byHand || e.event == "pull_request" || e.event == "merge_group"
	passed := func(job string) bool { return results[job] != nil && !results[job].failed }
	for _, name := range []string{"plan", "approve", "apply", "drift"} {
		conditions := map[string]bool{
			"github.event_name == 'pull_request' || github.event_name == 'merge_group' || " +
				"github.event_name == 'workflow_dispatch' && github.ref_name == 'main'": planned,
			"!cancelled() && (github.event_name == 'push' || github.event_name == 'workflow_dispatch' && " +
				"needs.plan.result == 'success')": e.event == "push" || byHand && passed("plan"),
			"!cancelled() && needs.approve.result == 'success'":                                     passed("approve"),
			"github.event_name == 'schedule' && vars.ASSESS_BASE_URL && vars.ASSESS_DRIFT != 'off'": e.event == "schedule",
		}
		job := workflow.Jobs[name]
		if runs, ok := conditions[strings.Trim(job.If, "${ }")]; !ok {
			r.T.Fatalf("this runner does not implement %q", job.If)
		} else if !runs {
			continue
		}
		summary := filepath.Join(r.T.TempDir(), "summary.md")
		env := []string{
			"GITHUB_ACTIONS=true", "GITHUB_API_URL=" + r.fake.URL, "GITHUB_REPOSITORY=acme/positions", "GITHUB_RUN_ID=99",
			"GITHUB_SHA=" + e.commit, "GITHUB_REF_NAME=main", "GITHUB_STEP_SUMMARY=" + summary,
			"GITHUB_EVENT_NAME=" + e.event, "GITHUB_RUN_ATTEMPT=" + strconv.Itoa(max(e.attempt, 1)),
		}
		for name, value := range workflow.Env {
			env = append(env, name+"="+v.fill(r.T, value))
		}
		results[name] = r.steps(e, job.Steps, "bash", v, env)
		text, _ := os.ReadFile(summary)
		results[name].summary = string(text)
	}
	return results
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

// runGitLab runs the jobs of a pipeline, in an image without bash. A manual job runs as if a person had
// started it. A job gets the artifacts of the jobs before it.
func (r *repository) runGitLab(e trigger) map[string]*ran {
	r.T.Helper()
	var pipeline struct {
		Default struct {
			BeforeScript []string `yaml:"before_script"`
		}
		Variables          map[string]any
		Plan, Apply, Drift gitlabJob
	}
	decode(r.T, &pipeline, r.Dir, ".gitlab-ci.yml")
	source := cmp.Or(map[string]string{ // a merge train has pipelines of a merge request
		"pull_request": "merge_request_event", "merge_group": "merge_request_event", "workflow_dispatch": "web",
	}[e.event], e.event)
	v := values{
		"CI_API_V4_URL": r.fake.URL + "/api/v4", "CI_PROJECT_ID": strconv.Itoa(projectID), "CI_COMMIT_SHA": e.commit,
		"CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BRANCH": "main", "CI_JOB_URL": "https://gitlab.example.com/-/jobs/99",
		"GITLAB_TOKEN": e.token, "GITLAB_CI": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": e.pull.parent,
		"CI_PIPELINE_SOURCE": source, "ASSESS_API_KEY": e.key, "ASSESS_BASE_URL": r.service.URL,
		"ASSESS_CLIENT_ID": sandbox.ClientID, "CI_MERGE_REQUEST_IID": "", "UNLOCK": e.inputs["unlock"],
		"ASSESS_ADOPT_EXISTING": cmp.Or(e.inputs["adopt"], e.adopt, "false"), "TF_VAR_passphrase": r.passphrase,
	}
	if e.pull != (pull{}) {
		v["CI_MERGE_REQUEST_IID"], v["CI_COMMIT_BRANCH"] = strconv.Itoa(e.pull.number), ""
	}
	results := map[string]*ran{}
	jobs := map[string]gitlabJob{"plan": pipeline.Plan, "apply": pipeline.Apply, "drift": pipeline.Drift}
	for _, name := range []string{"plan", "apply", "drift"} {
		job, planned := jobs[name], results["plan"]
		runs := slices.ContainsFunc(job.Rules, func(rule map[string]string) bool {
			return strings.HasPrefix(rule["if"], fmt.Sprintf("$CI_PIPELINE_SOURCE == %q", source))
		})
		if !runs || planned != nil && planned.failed {
			continue
		}
		script := strings.Join(append(slices.Clone(pipeline.Default.BeforeScript), job.Script...), "\n")
		steps := []hostStep{{Uses: "actions/checkout", With: map[string]string{"fetch-depth": "20"}}}
		if planned != nil {
			steps = append(steps, hostStep{Run: "mkdir -p out && cp " + filepath.Join(planned.dir, pipeline.Plan.Artifacts.Paths[0]) + " out"})
		}
		steps = append(steps, hostStep{Run: script}, hostStep{If: "always()", Run: strings.Join(job.AfterScript, "\n")})
		for _, path := range job.Artifacts.Paths {
			steps = append(steps, hostStep{Uses: "actions/upload-artifact", With: map[string]string{"path": path}})
		}
		results[name] = r.steps(e, steps, "sh", nil, v.with(r.T, pipeline.Variables, job.Variables))
		results[name].summary = results[name].output
	}
	return results
}

// with returns the environment of a job of GitLab. What the host or a person sets wins.
func (v values) with(t *testing.T, variables ...map[string]any) (env []string) {
	t.Helper()
	v = maps.Clone(v)
	for _, set := range variables {
		for name, value := range set {
			if _, ok := v[name]; !ok {
				v[name] = os.Expand(fmt.Sprint(value), func(name string) string { return v.of(t, name) })
			}
		}
	}
	for name, value := range v {
		env = append(env, name+"="+value)
	}
	return env
}
