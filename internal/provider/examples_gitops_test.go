// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// repository is a copy of examples/gitops in an empty git repository, as a user would
// make it. Each job runs in its own checkout.
type repository struct {
	example
	service map[string]string // pipeline variables for a real service
	mirror  string
}

// pull is a pull request.
type pull struct{ number, parent, head, merged string }

func itoa(n int) string { return strconv.Itoa(n) }

// newRepository copies the example, writes its lock file with make, and commits. If
// withTests is false, it leaves out the tests, so that jobs are fast.
func newRepository(t *testing.T, withTests bool, change ...func(*repository)) *repository {
	t.Helper()
	needs(t, "bash", "curl", "git", "go", "jq", "make", "unzip")
	r := &repository{example: newExample(t, "gitops"), service: map[string]string{}}
	if !withTests {
		if err := os.RemoveAll(filepath.Join(r.dir, "tests")); err != nil {
			t.Fatal(err)
		}
	}
	r.environment()
	for _, c := range change {
		c(r)
	}
	r.lock()
	r.git("init", "-q", "-b", "main")
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	r.commit("positions")
	return r
}

// addTests copies the tests that newRepository has left out.
func (r *repository) addTests() {
	r.t.Helper()
	copyExample(r.t, filepath.Join("..", "..", "examples", "gitops", "tests"), filepath.Join(r.dir, "tests"))
}

// environment sets the variables of a new machine with the tools of the pipelines, and
// none of the variables of the current machine.
func (r *repository) environment() {
	r.t.Helper()
	var env []string
	for _, v := range r.env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "GITHUB_"), strings.HasPrefix(name, "GITLAB_"), strings.HasPrefix(name, "CI_"),
			name == "CI", name == "GH_TOKEN", name == "PATH", name == "TF_IN_AUTOMATION":
		default:
			env = append(env, v)
		}
		if name == "TF_CLI_CONFIG_FILE" {
			r.mirror = filepath.Dir(value)
		}
	}
	bin := r.t.TempDir()
	if err := os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), filepath.Join(bin, "tofu")); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(
		filepath.Join(bin, "apk"),
		[]byte("#!/bin/sh\n"),
		0o700,
	); err != nil { //nolint:gosec // an executable file
		r.t.Fatal(err)
	}
	cache, err := exec.CommandContext(r.t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		r.t.Fatal(err)
	}
	r.env = append(
		env,
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOCACHE="+strings.TrimSpace(string(cache)),
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_CONFIG_SYSTEM="+os.DevNull,
		"ASSESS_UNTHROTTLED=1",
		"GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com",
	)
}

// lock writes the lock file as the README describes. The mirror replaces the registry.
func (r *repository) lock() {
	r.t.Helper()
	r.command("make", "lock", "PLATFORMS=-fs-mirror="+r.mirror+" -platform="+runtime.GOOS+"_"+runtime.GOARCH)
}

// onService configures the repository for a real service and a state that outlives
// jobs.
func onService(service *sandboxtest.Server) func(*repository) {
	return func(r *repository) {
		r.t.Helper()
		r.replaces("main.tf", "provider \"assess\" {\n  sandbox {}\n}", "provider \"assess\" {}")
		r.writes("backend.tf", fmt.Sprintf("terraform {\n  backend \"local\" { path = %q }\n}\n",
			filepath.Join(r.t.TempDir(), "terraform.tfstate")))
		r.service = map[string]string{
			"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		}
	}
}

// credentials returns the pipeline variables for the real service.
func (r *repository) credentials() []string {
	var env []string
	for name, value := range r.service {
		env = append(env, name+"="+value)
	}
	return env
}

func withoutLimits(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 100 }

// command runs a command in the repository.
func (r *repository) command(name string, args ...string) string {
	r.t.Helper()
	code, out := r.shell(r.dir, append([]string{name}, args...), nil)
	if code != 0 {
		r.t.Fatalf("%s %v: %d: %s", name, args, code, out)
	}
	return strings.TrimSpace(out)
}

func (r *repository) git(args ...string) string { r.t.Helper(); return r.command("git", args...) }

// commit commits everything and returns the commit.
func (r *repository) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// open opens a pull request: a branch with edits, and its merge commit.
func (r *repository) open(number int, edits func()) pull {
	r.t.Helper()
	p := pull{number: itoa(number), parent: r.git("rev-parse", "main")}
	r.git("checkout", "-q", "--detach", "main")
	edits()
	p.head = r.commit("change " + p.number)
	r.git("checkout", "-q", "--detach", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge "+p.number, p.head)
	p.merged = r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "main")
	return p
}

// checkout makes the checkout of a job.
func (r *repository) checkout(commit string, depth int) string {
	r.t.Helper()
	dir := r.t.TempDir()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"fetch", "-q", "--depth", itoa(depth), "file://" + r.dir, commit},
		{"checkout", "-q", "--detach", commit},
	} {
		if code, out := r.shell(dir, append([]string{"git"}, args...), nil); code != 0 {
			r.t.Fatalf("git %v: %s", args, out)
		}
	}
	return dir
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
	r.writes(name, changed)
}

func (r *repository) writes(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// plans runs the plan of a pull request and stores its artifact.
func (h host) plans(r *repository, p pull, change ...func(*event)) ran {
	r.t.Helper()
	number, _ := strconv.Atoi(p.number)
	e := event{commit: p.merged, pull: number, head: p.head, base: p.parent, key: r.service["ASSESS_API_KEY"]}
	if h.name == "GitLab" {
		e.commit = p.head
	}
	for _, c := range change {
		c(&e)
	}
	result := h.run(r, "plan", e)
	if !result.failed {
		h.fake.artifacts = append(h.fake.artifacts, artifact{Head: p.head, Files: result.artifact, Fork: e.fork})
	}
	return result
}

// merges merges a pull request and runs the apply.
func (h host) merges(r *repository, p pull, change ...func(*event)) ran {
	r.t.Helper()
	r.git("merge", "-q", "--ff-only", p.merged)
	number, _ := strconv.Atoi(p.number)
	h.fake.merges = append(h.fake.merges,
		merge{Number: number, Head: p.head, Commit: p.merged, Base: "develop"}, // merged into another branch
		merge{Number: number, Head: p.head, Commit: p.merged, Base: "main"})
	return h.pushed(r, change...)
}

// pushed runs the apply for the current commit of main.
func (h host) pushed(r *repository, change ...func(*event)) ran {
	r.t.Helper()
	e := event{commit: r.git("rev-parse", "main"), key: r.service["ASSESS_API_KEY"]}
	for _, c := range change {
		c(&e)
	}
	return h.run(r, "apply", e)
}

func (h host) drift(r *repository) ran {
	r.t.Helper()
	return h.run(r, "drift", event{commit: r.git("rev-parse", "main"), key: r.service["ASSESS_API_KEY"]})
}

// passes and fails check the result of a job and its output.
func (j ran) passes(t *testing.T, says ...string) ran {
	t.Helper()
	j.ends(t, false, says)
	return j
}

func (j ran) fails(t *testing.T, says ...string) ran {
	t.Helper()
	j.ends(t, true, says)
	return j
}

func (j ran) ends(t *testing.T, failed bool, says []string) {
	t.Helper()
	if j.failed != failed {
		t.Fatalf("unexpected result, failed is %t:\n%s", j.failed, j.output)
	}
	for _, text := range says {
		if !strings.Contains(j.output, text) {
			t.Fatalf("the output does not contain %q:\n%s", text, j.output)
		}
	}
}

// comment returns the only comment of a kind on a pull request.
func (h host) comment(t *testing.T, number int, kind string, says ...string) note {
	t.Helper()
	var found []note
	for _, n := range h.fake.thread(number) {
		if strings.HasPrefix(n.Body, "<!-- assess: "+kind+" -->\n") {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d comments about the %s, want 1", len(found), kind)
	}
	for _, text := range says {
		if !strings.Contains(found[0].Body, text) {
			t.Fatalf("the comment does not contain %q:\n%s", text, found[0].Body)
		}
	}
	return found[0]
}
