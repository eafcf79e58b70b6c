// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const hamburg = "pos-controlling-hamburg"

func itoa(n int) string { return strconv.Itoa(n) }

// Edits of positions.yaml.
var (
	attachFacet   = [2]string{"benchmark: Finance\n", "benchmark: Finance\n      - code: FCT\n"}
	changeQuartet = [2]string{"benchmark: Engineers\n      - code: LMN", "benchmark: Graduates\n      - code: LMN"}
	removeTerrain = [2]string{"      - code: TRN # Terrain Work Preferences: completed by a supervisor\n", ""}
	comment       = [2]string{"# The positions and", "# All positions and"}
)

// onBothHosts runs a test with a repository for each host and a real service.
func onBothHosts(t *testing.T, withTests bool, test func(*testing.T, *repository, *sandboxtest.Server)) {
	t.Helper()
	for _, h := range hosts(t) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			h.fake.t = t
			service := sandboxtest.New(t, withoutLimits)
			test(t, newRepository(t, h, withTests, onService(service)), service)
		})
	}
}

func changeService(t *testing.T, service *sandboxtest.Server, change func(*sandbox.State)) {
	t.Helper()
	if err := service.Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		t.Fatal(err)
	}
}

// applied makes the first pull request of a repository, and applies it.
func applied(t *testing.T, r *repository) {
	t.Helper()
	p := r.open(1, comment)
	r.plans(p).passes(t)
	r.merges(p).passes(t)
	r.comment(1, "apply", "### Applied: 8 assessments attached, 1 skills test enabled\n")
}

// The life of a repository, from the first commit to a nightly report of drift.
func TestExampleGitopsLife(t *testing.T) {
	t.Parallel()
	onBothHosts(t, true, func(t *testing.T, r *repository, service *sandboxtest.Server) {
		fake := r.host.fake
		r.starts("apply", trigger{event: "push"}).passes(t, "This is the first commit. Nothing is applied.")
		if fake.writes != 0 || len(service.Journal()) != 0 {
			t.Errorf("the first commit caused %d comments and %d requests", fake.writes, len(service.Journal()))
		}
		for range 130 { // more than one page, and forged ones
			fake.add(note{Pull: 1, Author: "recruiter", Body: "<!-- assess: plan -->\n### Plan: no changes\n"})
		}
		fake.add(note{Pull: 1, Author: botName, Body: "Another workflow says <!-- assess: plan -->"})

		r.plans(r.open(1, attachFacet)).passes(t, "11 passed")
		before := r.comment(1, "plan", "### Plan: 9 assessments to attach, 1 skills test to enable\n", "Facet Behavioural Profile")
		if r.host.name == "github" {
			sameComment(t, "first-change.md", before.Body)
		}
		r.command("git", "rm", "-q", "-r", "tests") // they take time
		r.commit("fewer files")
		first := r.open(1, comment)
		r.plans(first).passes(t)
		if after := r.comment(1, "plan", "### Plan: 8 assessments to attach"); after.ID != before.ID {
			t.Error("the second plan has a second comment")
		}
		if n := len(service.Writes()); n != 0 {
			t.Fatalf("the plan sent %d writes", n)
		}
		r.merges(first).passes(t)
		r.comment(1, "apply", "### Applied: 8 assessments attached, 1 skills test enabled\n", "✅ done")
		written := len(service.Writes())

		empty := r.open(2, [2]string{"# All", "# The"})
		r.plans(empty).passes(t)
		r.comment(2, "plan", "### Plan: no changes\n")
		r.merges(empty).passes(t)
		r.comment(2, "apply", "### Applied: no changes\n")
		r.starts("plan", trigger{event: "merge_group"}, func(e *trigger) { e.event = mergeQueue[r.host.name] }).passes(t)

		r.plans(r.open(3, changeQuartet, [2]string{"benchmark: Finance", "benchmark: Finanzen"})).fails(t)
		r.comment(3, "plan", "### The plan failed\n", "there is no benchmark Finanzen. There are: Finance.",
			"**What failed, and what was planned before:**\n", "| Change benchmark from <code>Engineers</code> to <code>Graduates</code> |")
		if r.host.name == "github" { // GitLab has no commands in a log
			hostileLog(t, r)
		}

		r.drifts().passes(t)
		fake.add(note{Author: "recruiter", Body: "<!-- assess: drift -->\n"})
		changeService(t, service, func(st *sandbox.State) {
			st.Position(backend).Assessments = append(st.Position(backend).Assessments,
				sandbox.PositionAssessment{ID: "pas-by-hand", Assessment: "asm-facet"})
		})
		notes := len(fake.notes)
		for range 2 {
			r.drifts().fails(t, "Drift: the service differs from the repository.")
		}
		issue := fake.notes[notes]
		if len(fake.notes) != notes+1 || issue.Closed || issue.Title == "" {
			t.Fatalf("%d new issues: %+v", len(fake.notes)-notes, issue)
		}
		contains(t, "issue", issue.Body, "### Drift: ", "Facet Behavioural Profile (FCT)", "pas-by-hand")

		known := r.open(4, [2]string{"London\n", "London\n    unmanaged: [FCT]\n"})
		r.plans(known).passes(t)
		r.merges(known).passes(t)
		r.drifts().passes(t)
		if !issue.Closed || fake.notes[notes-1].Closed {
			t.Errorf("the issue is not closed, or the one of another author is: %+v", issue)
		}
		if n := len(service.Writes()); n != written {
			t.Errorf("plans and drift runs sent %d writes", n-written)
		}
		laterChange(t, r, service)
		encrypts(t, r)
	})
}

// hostileLog checks that a file of a pull request cannot write commands or control characters into the log.
func hostileLog(t *testing.T, r *repository) {
	t.Helper()
	r.save(filepath.Join(r.dir, "hostile.tf"), []byte("/*\n::error::\x1b[31mno\n*/\nlocals {\na = 1\n}\n"))
	r.commit("a file that is not formatted")
	log := r.plans(r.open(3)).fails(t, "no").output
	r.comment(3, "plan", "### The plan failed\n", "A file is not formatted.")
	between := regexp.MustCompile(`(?ms)^::stop-commands::([0-9a-f]{32})\n.*?^::[0-9a-f]{32}::$`)
	if found := regexp.MustCompile(`(?m)^\s*::.*|[\x1b\r].*`).FindString(between.ReplaceAllString(log, "")); found != "" {
		t.Errorf("the log contains a command: %q", found)
	}
	if strings.Contains(log, "\x1b") {
		t.Errorf("the log contains control characters: %q", log)
	}
	r.command("git", "reset", "-q", "--hard", "HEAD^")
}

// laterChange checks that the comment of a later pull request shows only the differences, and what cannot be undone.
func laterChange(t *testing.T, r *repository, service *sandboxtest.Server) {
	t.Helper()
	changeService(t, service, func(st *sandbox.State) {
		for i, pa := range st.Position(backend).Assessments {
			if pa.Assessment == "asm-terrain" {
				st.Position(backend).Assessments[i].Metadata.ProfileStatus = "SUPERVISOR_COMPLETED"
			}
		}
	})
	p := r.open(5, removeTerrain, changeQuartet, attachFacet)
	r.plans(p).passes(t)
	planned := r.comment(5, "plan", "### Plan: 1 assessment to attach, 1 assessment to change, 1 assessment to remove\n",
		"A supervisor has completed the profile.")
	if r.host.name == "github" {
		sameComment(t, "later-change.md", planned.Body)
	}
	r.merges(p, func(e *trigger) { e.key = "expired" }).fails(t)
	r.comment(5, "apply", "### The apply failed", "401")
	// Nothing was changed, so the same run can be repeated.
	r.starts("apply", trigger{event: "push", attempt: 2}).passes(t)
	r.comment(5, "apply", "### Applied: 1 assessment attached, 1 assessment changed, 1 assessment removed\n")
}

// encrypts checks that an existing state is encrypted by the next apply that changes something. The last step of
// state/encryption.tofu then enforces it. Terraform ignores the file.
func encrypts(t *testing.T, r *repository) {
	t.Helper()
	file := string(r.copies("state/encryption.tofu", "encryption.tofu"))
	r.passphrase = "correct horse battery"
	r.commit("encryption")
	p := r.open(6, [2]string{"      - code: FCT\n", ""})
	r.plans(p).passes(t)
	r.merges(p).passes(t)
	state, openTofu := string(r.host.fake.state), strings.HasPrefix(r.human("version").output, "OpenTofu")
	if strings.Contains(state, `"encrypted_data"`) != openTofu || strings.Contains(state, "asm-lumen") == openTofu {
		t.Errorf("after the apply, the state is %.500s", state)
	}
	enforced := strings.Replace(regexp.MustCompile(`(?m)^.*# migration\n`).ReplaceAllString(file, ""), "= false", "= true", 1)
	r.save(filepath.Join(r.dir, "encryption.tofu"), []byte(enforced))
	r.human("fmt").ok()
	r.commit("enforced")
	r.drifts().passes(t)
}

// GitLab has merge trains, whose pipelines are those of a merge request.
var mergeQueue = map[string]string{"github": "merge_group", "gitlab": "pull_request"}

// The apply compares its own plan with what was reviewed. Whatever the artifact contains, and whatever
// happened since, it applies what was reviewed or nothing.
func TestExampleGitopsAppliesWhatWasReviewed(t *testing.T) {
	t.Parallel()
	onBothHosts(t, false, func(t *testing.T, r *repository, service *sandboxtest.Server) {
		applied(t, r)
		fake := r.host.fake
		written := len(service.Writes())
		p := r.open(2, attachFacet)
		r.plans(p).passes(t)
		reviewed := fake.uploads[len(fake.uploads)-1]
		if regexp.MustCompile(`asm-|pos-|pas-|Facet|Finance`).Match(reviewed.Text) {
			t.Errorf("the artifact contains values: %s", reviewed.Text)
		}
		refuses := func(says ...string) {
			t.Helper()
			r.starts("apply", trigger{event: "push"}).fails(t)
			r.comment(2, "apply", append(says, "### The apply failed")...)
			if n := len(service.Writes()); n != written {
				t.Fatalf("%d writes without a review", n-written)
			}
		}

		// A second pull request of the same commit has its own plan, on another branch.
		other := p
		other.number = 3
		other.head = r.command("git", "rev-parse", "main")
		other.mergedCommit = other.head
		r.plans(other).passes(t)

		// The attack: its workflow, or another, replaces the artifact.
		forged := reviewed
		forged.Text = fake.uploads[len(fake.uploads)-1].Text
		fake.uploads = append(fake.uploads, forged)
		r.merges(p).fails(t)
		refuses("FCT")

		for name, change := range map[string]func(*upload){
			"expired": func(u *upload) { u.Expired = true }, "not JSON": func(u *upload) { u.Text = []byte("forged") },
			"a fork": func(u *upload) { u.Project, u.Text = forkID, reviewed.Text },
		} {
			forged = reviewed
			change(&forged)
			fake.uploads = []upload{forged}
			t.Log(name)
			refuses()
		}

		// A teammate changed the service after the review.
		fake.uploads = []upload{reviewed}
		before := ""
		hand := func(benchmark string) {
			changeService(t, service, func(st *sandbox.State) {
				for i := range st.Position(hamburg).Assessments {
					if a := &st.Position(hamburg).Assessments[i]; a.Assessment == "asm-tally" {
						before, a.Metadata.Benchmark = a.Metadata.Benchmark, benchmark
					}
				}
			})
		}
		hand("")
		refuses("TLY")
		hand(before)

		if r.host.name == "github" { // GitLab does not start old deployments again
			newer := r.open(4)
			r.command("git", "merge", "-q", "--ff-only", newer.mergedCommit)
			r.starts("apply", trigger{event: "push", commit: p.mergedCommit, attempt: 2}).
				fails(t, "There is a newer commit on main.")
			r.command("git", "reset", "-q", "--hard", p.mergedCommit)
		}
		r.starts("apply", trigger{event: "push"}).passes(t)
		r.comment(2, "apply", "### Applied: 1 assessment attached\n")

		// A push without a pull request.
		r.replaces("positions.yaml", changeQuartet[0], changeQuartet[1])
		r.commit("pushed to main")
		written = len(service.Writes())
		r.starts("apply", trigger{event: "push"}).fails(t, "There is no reviewed plan for this commit.")
		if n := len(service.Writes()); n != written {
			t.Errorf("%d writes without a review", n-written)
		}
		r.startedByHand(nil).passes(t)
	})
}

// After a killed apply, the state is locked and lacks what the service has. A run that is started by hand
// removes the lock, takes over what the apply attached, and attaches the rest.
func TestExampleGitopsKilledApply(t *testing.T) {
	t.Parallel()
	onBothHosts(t, false, func(t *testing.T, r *repository, service *sandboxtest.Server) {
		p := r.open(1, comment)
		r.plans(p).passes(t)
		before := attachedTo(t, service)
		slow := sandboxtest.Fault{Method: http.MethodPost, Times: 3, When: sandboxtest.AfterEffect, Delay: time.Minute}
		service.Inject(slow)
		service.Inject(sandboxtest.Fault{Method: http.MethodPost, Times: -1, Delay: time.Minute})
		killed := r.merges(p, func(e *trigger) {
			e.kill = func(group int) {
				waitFor(t, "three attached assessments", func() bool { return attachedTo(t, service) == before+3 })
				if err := syscall.Kill(-group, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
		})
		service.ClearFaults()
		if !killed.killed {
			t.Fatal("the apply was not killed")
		}
		r.comment(1, "apply", "### The apply failed: ", "not done", "The apply was interrupted.")

		r.plans(r.open(2)).fails(t, "Duplicate assessment") // a plan does not wait for the lock
		refused := r.starts("apply", trigger{event: "push", attempt: 2}).fails(t)
		id := regexp.MustCompile(`ID: +([0-9a-f-]{36})`).FindStringSubmatch(refused.output + r.comment(1, "apply").Body)
		if id == nil {
			t.Fatalf("the output does not name the lock:\n%s", refused.output)
		}
		adopted := r.startedByHand(map[string]string{"adopt": "true", "unlock": id[1]}).passes(t)
		contains(t, "summary", adopted.summary, "5 assessments attached, 3 assessments imported")
		if n := attachedTo(t, service); n != before+8 {
			t.Errorf("the service has %d more assessments, want 8", n-before)
		}
		r.plans(r.open(3)).passes(t)
		r.comment(3, "plan", "### Plan: no changes\n")
	})
}

// A fork has no key. Its pull request is planned on a snapshot, sends no request to the service, and
// cannot be applied without a plan by a member.
func TestExampleGitopsFork(t *testing.T) {
	t.Parallel()
	onBothHosts(t, false, func(t *testing.T, r *repository, service *sandboxtest.Server) {
		applied(t, r)
		fork := func(e *trigger) { e.fork, e.key = true, "" }
		refused := r.plans(r.open(2, attachFacet), fork).fails(t)
		contains(t, "summary", refused.summary, "ASSESS_API_KEY")

		var env []string
		for name, value := range r.service {
			env = append(env, name+"="+value)
		}
		if code, out := r.shell(r.dir, []string{"make", "snapshot"}, env); code != 0 {
			t.Fatalf("make snapshot ended with %d:\n%s", code, out)
		}
		requests, written, writes := len(service.Journal()), len(service.Writes()), r.host.fake.writes
		r.commit("a snapshot")
		p := r.open(2, attachFacet)
		uploads := len(r.host.fake.uploads)
		plan := r.plans(p, fork).passes(t)
		contains(t, "summary", plan.summary, "\n> **This plan was made on a snapshot of the service", "\n### Plan: 1 assessment to attach\n")
		_, body, _ := strings.Cut(plan.summary, "<!-- assess: plan -->")
		if strings.Contains(body, `remove the block "sandbox"`) {
			t.Errorf("the comment advises to remove a block that the repository does not have:\n%s", plan.summary)
		}
		// Dependabot has no key either, but its branch is in the same repository.
		r.plans(p, func(e *trigger) { e.key = "" }).passes(t)
		r.comment(2, "plan", "> **This plan was made on a snapshot", "Facet Behavioural Profile")
		sent := len(service.Journal()) - requests
		uploaded, commented := len(r.host.fake.uploads)-uploads, r.host.fake.writes-writes
		if sent != 0 || uploaded != 0 || commented != 1 {
			t.Errorf("%d requests, %d uploads, %d comments", sent, uploaded, commented)
		}
		r.merges(p).fails(t)
		r.comment(2, "apply", "### The apply failed")
		if n := len(service.Writes()); n != written {
			t.Errorf("%d writes without a review", n-written)
		}
		r.startedByHand(nil).passes(t)
	})
}

// sameComment compares a comment with the one in README.md. UPDATE=1 writes it there instead. The output
// of the CLI differs between runs, so it is left out.
func sameComment(t *testing.T, name, body string) {
	t.Helper()
	path := filepath.Join(gitops, "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ = strings.Cut(body, "\n") // without the marker
	body = regexp.MustCompile(`(?s)(The whole plan</summary>\n\n).*?\n</details>\n.*`).
		ReplaceAllString(body, "$1    (the output of tofu plan)\n\n</details>\n")
	section := regexp.MustCompile(`(?s)(<!-- ` + name + `: written by TestExampleGitops -->\n).*?(<!-- end of ` + name + ` -->)`)
	want := section.ReplaceAllString(string(text), "${1}"+strings.ReplaceAll(body, "$", "$$")+"${2}")
	switch {
	case !section.Match(text):
		t.Errorf("README.md has no section for %s", name)
	case os.Getenv("UPDATE") != "":
		(&repository{cli: &cli{t: t}}).save(path, []byte(want))
	case want != string(text):
		t.Errorf("README.md does not show this comment. UPDATE=1 writes it there:\n%s", body)
	}
}

// These settings of the workflow have no effect in the other tests. A job that waits for reviewers must not
// block other jobs, and one that waits is not dropped.
func TestExampleGitopsGitHubFile(t *testing.T) {
	t.Parallel()
	r := &repository{cli: &cli{t: t, dir: filepath.Join(gitops, "github")}}
	var workflow struct {
		Jobs map[string]githubJob `yaml:"jobs"`
	}
	r.pipeline(".github/workflows/positions.yml", &workflow)
	const read = "contents:read id-token:write"
	want := map[string]string{
		"plan":    "map[" + read + " pull-requests:write] environment= queue=max timeout=30 keys=1",
		"approve": "map[] environment=assess queue= timeout=5 keys=0",
		"apply":   "map[actions:read " + read + " pull-requests:write] environment= queue=max timeout=60 keys=1",
		"drift":   "map[" + read + " issues:write] environment= queue=max timeout=30 keys=1",
	}
	for name, job := range workflow.Jobs {
		keys := 0
		for _, step := range job.Steps {
			if strings.Contains(step.Run, "${{") ||
				strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != "false" {
				t.Errorf("%s: %q inserts text into a script, or the checkout keeps the token", name, step.Run)
			}
			if step.Env["ASSESS_API_KEY"] != "" && step.Run == "ci/run.sh "+name {
				keys++
			} else if step.Env["ASSESS_API_KEY"] != "" {
				t.Errorf("%s: %q has the key", name, step.Run)
			}
		}
		if got := fmt.Sprintf("%v environment=%s queue=%s timeout=%d keys=%d", job.Permissions, job.Environment,
			job.Concurrency["queue"], job.Timeout, keys); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
	}
}
