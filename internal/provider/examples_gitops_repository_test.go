// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const gitops = "../../examples/gitops"

// repository is what README.md tells the user of a host to copy. Each job runs in its own checkout.
type repository struct {
	*cli
	host    *host
	service map[string]string // variables of the pipeline for a real service
	mirror  string

	passphrase string // secret for the state
}

// newRepository copies the example with the command of the README, writes its lock file with make, and
// commits. If withTests is false, it leaves out the tests, so that jobs are fast.
func newRepository(t *testing.T, h *host, withTests bool, change ...func(*repository)) *repository {
	t.Helper()
	needs(t, "curl", "git", "jq", "make", "unzip")
	r := &repository{cli: newBareCLI(t), host: h, service: map[string]string{}}
	r.environment()
	readme, err := os.ReadFile(filepath.Join(gitops, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^ *cp -R (.*) github/\. \S+$`).FindStringSubmatch(string(readme))
	if command == nil {
		t.Fatal("README.md does not say how to copy the example")
	}
	files := append(strings.Fields(command[1]), h.name+"/.")
	if code, out := r.shell(gitops, append(append([]string{"cp", "-R"}, files...), r.dir), nil); code != 0 {
		t.Fatal(out)
	}
	if !withTests {
		if err := os.RemoveAll(filepath.Join(r.dir, "tests")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range change {
		c(r)
	}
	r.command("make", "lock", "MIRROR="+r.mirror, "PLATFORMS=-platform="+runtime.GOOS+"_"+runtime.GOARCH)
	r.command("git", "init", "-q", "-b", "main")
	r.command("git", "config", "uploadpack.allowAnySHA1InWant", "true")
	r.commit("positions")
	return r
}

// environment sets the variables of a new machine with the tools of the pipelines, and none of the
// variables of this machine.
func (r *repository) environment() {
	r.t.Helper()
	rc := providerMirror(r.t)
	r.mirror = filepath.Dir(rc)
	bin := r.t.TempDir()
	if err := os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), filepath.Join(bin, "tofu")); err != nil {
		r.t.Fatal(err)
	}
	apk := []byte("#!/bin/sh\n")
	if err := os.WriteFile(filepath.Join(bin, "apk"), apk, 0o700); err != nil { //nolint:gosec // an executable file
		r.t.Fatal(err)
	}
	r.env = slices.DeleteFunc(r.env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT") || strings.HasPrefix(name, "CI") || name == "GH_TOKEN" || name == "PATH" ||
			name == "TF_IN_AUTOMATION" || name == "TF_CLI_CONFIG_FILE"
	})
	r.env = append(r.env, "TF_CLI_CONFIG_FILE="+rc, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "ASSESS_UNTHROTTLED=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
}

// onService configures the repository for a real service, and a state with locks in GitLab.
func onService(service *sandboxtest.Server) func(*repository) {
	return func(r *repository) {
		r.t.Helper()
		r.replaces("main.tf", "provider \"assess\" {\n  sandbox {}\n}", "provider \"assess\" {}")
		r.copies("state/gitlab.tf", "backend.tf")
		state := r.host.fake.URL + "/state"
		r.env = append(r.env, "TF_HTTP_ADDRESS="+state, "TF_HTTP_LOCK_ADDRESS="+state+"/lock",
			"TF_HTTP_UNLOCK_ADDRESS="+state+"/lock", "TF_HTTP_LOCK_METHOD=POST", "TF_HTTP_UNLOCK_METHOD=DELETE",
			"TF_HTTP_USERNAME=gitlab-ci-token", "TF_HTTP_PASSWORD=job-token")
		r.service = map[string]string{
			"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		}
	}
}

func withoutLimits(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 100 }

// command runs a command in the repository, which must succeed.
func (r *repository) command(command ...string) string {
	r.t.Helper()
	code, out := r.shell(r.dir, command, nil)
	if code != 0 {
		r.t.Fatalf("%v: %d: %s", command, code, out)
	}
	return strings.TrimSpace(out)
}

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

// commit commits everything and returns the commit.
func (r *repository) commit(message string) string {
	r.t.Helper()
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
	r.t.Helper()
	p := pull{number: number, parent: r.command("git", "rev-parse", "main")}
	r.command("git", "checkout", "-q", "--detach", "main")
	for _, e := range edits {
		r.replaces("positions.yaml", e[0], e[1])
	}
	p.head = r.commit("change " + itoa(number))
	r.command("git", "checkout", "-q", "--detach", "main")
	r.command("git", "merge", "-q", "--no-ff", "-m", "merge "+itoa(number), p.head)
	p.mergedCommit = r.command("git", "rev-parse", "HEAD")
	r.command("git", "checkout", "-q", "main")
	return p
}

// checkout makes the checkout of a job.
func (r *repository) checkout(commit string, depth int) string {
	r.t.Helper()
	dir := r.t.TempDir()
	const script = `git init -q -b main && git fetch -q --depth "$0" "$1" "$2" && git checkout -q --detach "$2"`
	if code, out := r.shell(dir, []string{"sh", "-c", script, itoa(depth), "file://" + r.dir, commit}, nil); code != 0 {
		r.t.Fatal(out)
	}
	return dir
}

// copies copies a file of the example that is not in each repository.
func (r *repository) copies(from, to string) []byte {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(gitops, from))
	if err != nil {
		r.t.Fatal(err)
	}
	r.save(filepath.Join(r.dir, to), text)
	return text
}

// replaces replaces text in a file of the repository.
func (r *repository) replaces(name, from, to string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	changed := strings.Replace(string(text), from, to, 1)
	if changed == string(text) {
		r.t.Fatalf("%s does not contain %q", name, from)
	}
	r.save(filepath.Join(r.dir, name), []byte(changed))
}

// starts runs the jobs that an event starts, and returns the one that must run.
func (r *repository) starts(job string, e trigger, change ...func(*trigger)) *ran {
	r.t.Helper()
	e.key = r.service["ASSESS_API_KEY"]
	if e.commit == "" {
		e.commit = r.command("git", "rev-parse", "main")
	}
	for _, c := range change {
		c(&e)
	}
	r.host.fake.main = r.command("git", "rev-parse", "main")
	jobs := r.host.run(r, e)
	if jobs[job] == nil {
		r.t.Fatalf("%s: %s does not start the job %s", r.host.name, e.event, job)
	}
	if job != "apply" && len(jobs) != 1 {
		r.t.Fatalf("%s: %s starts %d jobs", r.host.name, e.event, len(jobs))
	}
	return jobs[job]
}

// plans runs the plan of a pull request.
func (r *repository) plans(p pull, change ...func(*trigger)) *ran {
	r.t.Helper()
	e := trigger{event: "pull_request", commit: p.mergedCommit, pull: p.number, head: p.head, base: p.parent}
	if r.host.name == "gitlab" {
		e.commit = p.head
	}
	return r.starts("plan", e, change...)
}

// merges merges a pull request, and runs the apply.
func (r *repository) merges(p pull, change ...func(*trigger)) *ran {
	r.t.Helper()
	r.command("git", "merge", "-q", "--ff-only", p.mergedCommit)
	r.host.fake.merges = append(r.host.fake.merges,
		merged{Number: p.number + 1000, Head: p.head, Commit: p.mergedCommit, Base: "develop"}, // of another branch
		merged{Number: p.number, Head: p.head, Commit: p.mergedCommit, Base: "main"})
	return r.starts("apply", trigger{event: "push"}, change...)
}

// startedByHand plans and applies main.
func (r *repository) startedByHand(inputs map[string]string) *ran {
	r.t.Helper()
	return r.starts("apply", trigger{event: "workflow_dispatch", inputs: inputs})
}

func (r *repository) drifts() *ran {
	r.t.Helper()
	return r.starts("drift", trigger{event: "schedule"})
}

func (j *ran) passes(t *testing.T, says ...string) *ran { t.Helper(); return j.ends(t, false, says) }
func (j *ran) fails(t *testing.T, says ...string) *ran  { t.Helper(); return j.ends(t, true, says) }

func (j *ran) ends(t *testing.T, failed bool, says []string) *ran {
	t.Helper()
	if j.failed != failed {
		t.Fatalf("unexpected result, failed is %t:\n%s\n%s", j.failed, j.output, j.summary)
	}
	contains(t, "output", j.output, says...)
	return j
}

func contains(t *testing.T, what, text string, says ...string) {
	t.Helper()
	for _, part := range says {
		if !strings.Contains(text, part) {
			t.Fatalf("the %s does not contain %q:\n%s", what, part, text)
		}
	}
}

// comment returns the only comment of a kind on a pull request.
func (r *repository) comment(pull int, kind string, says ...string) note {
	r.t.Helper()
	var found []note
	for _, n := range r.host.fake.notes {
		if n.Pull == pull && n.Author == botName && strings.HasPrefix(n.Body, "<!-- assess: "+kind+" -->\n") {
			found = append(found, *n)
		}
	}
	if len(found) != 1 {
		r.t.Fatalf("%s: %d comments about the %s, want 1", r.host.name, len(found), kind)
	}
	contains(r.t, "comment", found[0].Body, says...)
	return found[0]
}
