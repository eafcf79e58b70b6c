// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	gitops  = "gitops"
	hamburg = "pos-controlling-hamburg"
)

// Edits of positions.yaml.
var (
	attachFacet   = [2]string{"benchmark: Finance\n", "benchmark: Finance\n      - code: FCT\n"}
	changeQuartet = [2]string{"benchmark: Engineers\n      - code: LMN", "benchmark: Graduates\n      - code: LMN"}
	removeTerrain = [2]string{"      - code: TRN # Terrain Work Preferences: completed by a supervisor\n", ""}
)

// onBothHosts runs a test with a repository for each host and a real service.
func onBothHosts(t *testing.T, withTests bool, test func(*testing.T, *repository)) {
	t.Helper()
	onHosts(t, withTests, test, "github", "gitlab")
}

func onHosts(t *testing.T, withTests bool, test func(*testing.T, *repository), hosts ...string) {
	t.Helper()
	for _, host := range hosts {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 100 })
			test(t, newRepository(t, host, withTests, service))
		})
	}
}

// position changes a position in the service, as a teammate can do.
func (r *repository) position(id string, change func(*sandbox.Position)) {
	r.T.Helper()
	err := r.service.Update(func(st *sandbox.State) error { change(st.Position(id)); return nil })
	if err != nil {
		r.T.Fatal(err)
	}
}

// of returns the position assessment of an assessment.
func of(p *sandbox.Position, assessment string) *sandbox.PositionAssessment {
	i := slices.IndexFunc(p.Assessments, func(a sandbox.PositionAssessment) bool { return a.Assessment == assessment })
	return &p.Assessments[i]
}

// applies plans and merges a pull request. Both pass.
func (r *repository) applies(p pull) {
	r.T.Helper()
	r.plans(p).passes()
	r.merges(p).passes()
}

// begins applies the first pull request, and forgets the requests until then.
func (r *repository) begins() {
	r.T.Helper()
	r.applies(r.open(1, [2]string{"# The positions and", "# All positions and"}))
	r.comment(1, "apply", "### Applied: 8 assessments attached, 1 skills test enabled\n", "✅ done")
	r.service.ResetJournal()
}

func secondAttempt(e *trigger) { e.attempt = 2 }

// The life of a repository, from the first commit to a nightly report of drift.
func TestExampleGitopsLife(t *testing.T) {
	t.Parallel()
	onBothHosts(t, true, func(t *testing.T, r *repository) {
		copied := strings.Fields(r.command("git", "ls-files", ":!tests", ":!.terraform.lock.hcl", ":!backend.tf"))
		if programs := r.command("git", "ls-files", "*.go"); len(copied) > 12 || programs != "" {
			t.Errorf("users copy %d files, and the programs %q: %q", len(copied), programs, copied)
		}
		fake := r.fake
		r.pushed().passes("This is the first commit. Nothing is applied.")
		if len(fake.notes) != 0 || len(r.service.Journal()) != 0 {
			t.Errorf("the first commit caused %d comments and %d requests", len(fake.notes), len(r.service.Journal()))
		}
		for range 130 { // more than one page, and forged ones
			fake.add(note{Pull: 1, Author: "recruiter", Body: "<!-- assess: plan -->\n### Plan: no changes\n"})
		}
		fake.add(note{Pull: 1, Author: botName, Body: "Another workflow says <!-- assess: plan -->"})

		tested := strings.Count(r.command("git", "grep", "-h", "^run ", "--", "tests"), `run "`)
		r.plans(r.open(1, attachFacet)).passes(fmt.Sprintf("%d passed", tested))
		r.comment(1, "plan", "### Plan: 9 assessments to attach, 1 skills test to enable\n", "Facet Behavioural Profile",
			"The provider cannot disable it again. **This cannot be undone.**", "A supervisor must complete the profile.")
		r.command("git", "rm", "-q", "-r", "tests") // they take time
		r.commit("fewer files")
		r.service.NoWrites(t)
		r.begins()
		r.comment(1, "plan", "### Plan: 8 assessments to attach")

		r.applies(r.open(2, [2]string{"# All", "# The"}))
		r.comment(2, "plan", "### Plan: no changes\n")
		r.comment(2, "apply", "### Applied: no changes\n")
		r.starts("plan", trigger{event: "merge_group"}).passes()

		r.plans(r.open(3, changeQuartet, [2]string{"benchmark: Finance", "benchmark: Finanzen"})).fails()
		r.comment(3, "plan", "### The plan failed\n", "there is no benchmark Finanzen. There are: Finance.",
			"**What failed, and what was planned before the failure:**\n", "| Change benchmark from <code>Engineers</code> to <code>Graduates</code> |")
		if r.host == "github" { // GitLab has no commands in a log
			hostileLog(t, r)
		}

		r.drifts().passes()
		fake.add(note{Author: "recruiter", Body: "<!-- assess: drift -->\n"})
		r.position("pos-backend-london", func(p *sandbox.Position) {
			p.Assessments = append(p.Assessments, sandbox.PositionAssessment{ID: "pas-by-hand", Assessment: "asm-facet"})
		})
		notes := len(fake.notes)
		for range 2 {
			r.drifts().fails("Drift: the service differs from the repository.")
		}
		issue := fake.notes[notes]
		if len(fake.notes) != notes+1 || issue.Closed || issue.Title == "" {
			t.Fatalf("%d new issues: %+v", len(fake.notes)-notes, issue)
		}
		clitest.Contains(t, "issue", issue.Body, "### Drift: ", "Facet Behavioural Profile (FCT)", "pas-by-hand")
		r.applies(r.open(4, [2]string{"London\n", "London\n    unmanaged: [FCT]\n"}))
		r.drifts().passes()
		if !issue.Closed || fake.notes[notes-1].Closed {
			t.Errorf("the issue is not closed, or the one of another author is: %+v", issue)
		}
		r.service.NoWrites(t)
		laterChange(t, r)
		encrypts(t, r)
	})
}

// hostileLog checks that a file of a pull request cannot write commands or control characters into the log.
func hostileLog(t *testing.T, r *repository) {
	t.Helper()
	r.Add("hostile.tf", "/*\n::error::\x1b[31mno\n*/\nlocals {\na = 1\n}\n")
	r.commit("a file that is not formatted")
	log := r.plans(r.open(3)).fails("no").output
	r.comment(3, "plan", "### The plan failed\n", "A file is not formatted.")
	between := regexp.MustCompile(`(?ms)^::stop-commands::([0-9a-f]{32})\n.*?^::[0-9a-f]{32}::$`)
	command := regexp.MustCompile(`(?m)^\s*::`).MatchString(between.ReplaceAllString(log, ""))
	if command || strings.ContainsAny(log, "\x1b\r") {
		t.Errorf("the log contains a command or control characters: %q", log)
	}
	r.command("git", "reset", "-q", "--hard", "HEAD^")
}

// laterChange checks that the comment of a later pull request shows only the differences, and what cannot be undone.
func laterChange(t *testing.T, r *repository) {
	t.Helper()
	r.position("pos-backend-london", func(p *sandbox.Position) { of(p, "asm-terrain").Metadata.ProfileStatus = "SUPERVISOR_COMPLETED" })
	p := r.open(5, removeTerrain, changeQuartet, attachFacet)
	r.plans(p).passes()
	planned := r.comment(5, "plan", "### Plan: 1 assessment to attach, 1 assessment to change, 1 assessment to remove\n",
		"The profile that a supervisor has completed is deleted (see message 1). **This cannot be undone.**")
	r.inReadme("later-change.md", planned.Body)
	r.merges(p, func(e *trigger) { e.key = "expired" }).fails()
	r.comment(5, "apply", "### The apply failed", "401")
	r.pushed(secondAttempt).passes() // nothing was changed, so the same run can be repeated
	r.comment(5, "apply", "### Applied: 1 assessment attached, 1 assessment changed, 1 assessment removed\n")
}

// encrypts checks that an existing state is encrypted by the next apply that changes something. The last step of
// state/encryption.tofu then enforces it. Terraform ignores the file.
func encrypts(t *testing.T, r *repository) {
	t.Helper()
	file := clitest.ReadFile(t, gitops, "state", "encryption.tofu")
	r.Add("encryption.tofu", file)
	r.passphrase = "correct horse battery"
	r.commit("encryption")
	r.applies(r.open(6, [2]string{"      - code: FCT\n", ""}))
	state, openTofu := string(r.fake.state), strings.HasPrefix(r.Human("version").Output, "OpenTofu")
	if strings.Contains(state, `"encrypted_data"`) != openTofu || strings.Contains(state, "asm-lumen") == openTofu {
		t.Errorf("after the apply, the state is %.500s", state)
	}
	enforced := regexp.MustCompile(`(?m)^.*# migration\n`).ReplaceAllString(file, "")
	r.Add("encryption.tofu", strings.Replace(enforced, "= false", "= true", 1))
	r.Human("fmt").OK()
	r.commit("enforced")
	r.drifts().passes()
}

// The apply compares its own plan with what was reviewed. Whatever the artifact contains, and whatever
// happened since, it applies what was reviewed or nothing.
func TestExampleGitopsAppliesWhatWasReviewed(t *testing.T) {
	t.Parallel()
	onBothHosts(t, false, func(t *testing.T, r *repository) {
		r.begins()
		fake, p := r.fake, r.open(2, attachFacet)
		r.plans(p).passes()
		reviewed := fake.uploads[len(fake.uploads)-1]
		// A second pull request of the same commit has its own plan, on another branch.
		r.plans(pull{number: 3, parent: p.parent, head: p.parent, mergedCommit: p.parent}).passes()
		other := fake.uploads[len(fake.uploads)-1]

		fake.uploads = nil
		r.merges(p).fails("There is no reviewed plan for this commit.")
		refuses := func(says string) {
			t.Helper()
			r.pushed().fails()
			r.comment(2, "apply", "### The apply failed", says)
			r.service.NoWrites(t)
		}
		for _, forge := range map[string]func(*upload){
			"of another pull request": func(u *upload) { u.Text = other.Text }, // the attack: another workflow replaces it
			"of a fork":               func(u *upload) { u.Project = forkID },
			"expired":                 func(u *upload) { u.Expired = true },
		} {
			forged := reviewed
			forge(&forged)
			fake.uploads = []upload{forged}
			refuses("FCT")
		}

		fake.uploads = []upload{reviewed}
		if r.host == "gitlab" { // only the artifacts differ between the hosts
			r.pushed().passes()
			r.comment(2, "apply", "### Applied: 1 assessment attached\n")
			return
		}

		// A teammate changed the service after the review.
		hand := func(benchmark string) {
			r.position(hamburg, func(p *sandbox.Position) { of(p, "asm-tally").Metadata.Benchmark = benchmark })
		}
		hand("")
		refuses("TLY")
		hand("bmk-tally-finance-de-de")

		// GitLab does not start old deployments again.
		r.command("git", "merge", "-q", "--ff-only", r.open(4).mergedCommit)
		r.pushed(secondAttempt, func(e *trigger) { e.commit = p.mergedCommit }).fails("There is a newer commit on main.")
		r.command("git", "reset", "-q", "--hard", p.mergedCommit)
		r.pushed().passes()
		r.comment(2, "apply", "### Applied: 1 assessment attached\n")

		// A push without a pull request.
		r.Edit("positions.yaml", changeQuartet)
		r.commit("pushed to main")
		r.service.ResetJournal()
		r.pushed().fails("There is no reviewed plan for this commit.")
		r.service.NoWrites(t)
		r.startedByHand(nil).passes()
	})
}

// After a killed apply, the state is locked and lacks what the service has. A run that is started by hand
// removes the lock, adopts what the apply attached, and attaches the rest.
func TestExampleGitopsKilledApply(t *testing.T) {
	t.Parallel()
	onBothHosts(t, false, func(t *testing.T, r *repository) {
		p := r.open(1)
		r.plans(p).passes()
		attached := func() int { return len(sandboxtest.AttachedIDs(r.service.State(t))) }
		before := attached()
		slow := sandboxtest.Fault{Method: http.MethodPost, Times: 3, When: sandboxtest.AfterEffect, Delay: time.Minute}
		r.service.Inject(slow)
		r.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Times: -1, Delay: time.Minute})
		kill := func(group int) {
			clitest.WaitFor(t, "three attached assessments", func() bool { return attached() == before+3 })
			_ = syscall.Kill(-group, syscall.SIGKILL) // otherwise, the apply ends only with the test
		}
		r.merges(p, func(e *trigger) { e.kill = kill }).fails()
		r.service.ClearFaults()
		r.comment(1, "apply", "### The apply failed: ", "not done", "The apply was interrupted.")

		r.plans(r.open(2)).fails("The apply would reject a part of this plan") // a plan does not wait for the lock
		refused := r.pushed(secondAttempt).fails()
		id := regexp.MustCompile(`ID: +([0-9a-f-]{36})`).FindStringSubmatch(refused.output + r.comment(1, "apply").Body)
		if id == nil {
			t.Fatalf("the output does not name the lock:\n%s", refused.output)
		}
		adopted := r.startedByHand(map[string]string{"adopt": "true", "unlock": id[1]}).passes()
		clitest.Contains(t, "summary", adopted.summary, "5 assessments attached, 3 assessments adopted")
		if n := attached(); n != before+8 {
			t.Errorf("the service has %d more assessments, want 8", n-before)
		}
		r.plans(r.open(3)).passes()
		r.comment(3, "plan", "### Plan: no changes\n")
	})
}

// While the variable ASSESS_ADOPT_EXISTING of the repository is true, a pull request adopts existing
// position assessments. It is reviewed like any other change, and sends no change to the service.
func TestExampleGitopsAdopts(t *testing.T) {
	t.Parallel()
	onHosts(t, false, func(t *testing.T, r *repository) {
		r.begins()
		attach := func(p *sandbox.Position) {
			p.Assessments = append(p.Assessments, sandbox.PositionAssessment{ID: "pas-by-hand", Assessment: "asm-facet"})
		}
		r.position(hamburg, attach)
		p, adopts := r.open(2, attachFacet), func(e *trigger) { e.adopt = "true" }
		uploads := len(r.fake.uploads)
		r.plans(p).fails("The apply would reject a part of this plan")
		r.comment(2, "plan", "### The apply would fail: 1 assessment that it would refuse\n", "| ❌ The apply refuses this. ",
			"\""+hamburg+"/pas-by-hand\"")
		if len(r.fake.uploads) != uploads {
			t.Error("a plan that the apply would reject was kept to be applied")
		}
		r.plans(p, adopts).passes()
		r.comment(2, "plan", "### Plan: 1 assessment to adopt")
		r.service.ResetJournal()

		// What was reviewed is an adoption, so nothing is attached if the assessment has gone since.
		byHand := sandboxtest.AttachedIDs(r.service.State(t))
		r.position(hamburg, func(p *sandbox.Position) { p.Assessments = p.Assessments[:len(p.Assessments)-1] })
		r.merges(p, adopts).fails()
		r.comment(2, "apply", "### The apply failed", "FCT")
		r.service.NoWrites(t)

		r.position(hamburg, attach)
		r.pushed(adopts).passes()
		r.comment(2, "apply", "### Applied: 1 assessment adopted")
		r.service.NoWrites(t)
		if now := sandboxtest.AttachedIDs(r.service.State(t)); len(now) != len(byHand) {
			t.Errorf("the service has %q, want %q", now, byHand)
		}
		r.drifts().passes()
	}, "github") // for the script, GitLab differs only in a variable, which TestExampleGitopsKilledApply sets
}

// A fork has no key. Its plan fails, sends no request to the service, and cannot be applied without a plan by a member.
func TestExampleGitopsFork(t *testing.T) {
	t.Parallel()
	onBothHosts(t, false, func(t *testing.T, r *repository) {
		r.begins()
		fake := r.fake
		r.service.ResetJournal()
		p, uploads, notes := r.open(2, attachFacet), len(fake.uploads), len(fake.notes)
		fork := r.plans(p, func(e *trigger) { e.fork, e.key, e.token = true, "", "" }).fails()
		clitest.Contains(t, "summary", fork.summary, "ASSESS_API_KEY")
		// Dependabot has no key either, but its branch is in the same repository.
		r.plans(p, func(e *trigger) { e.key = "" }).fails()
		r.comment(2, "plan", "### The plan failed", "ASSESS_API_KEY")
		sent, uploaded, commented := len(r.service.Journal()), len(fake.uploads)-uploads, len(fake.notes)-notes
		if sent != 0 || uploaded != 0 || commented != 1 {
			t.Errorf("%d requests, %d uploads, %d comments", sent, uploaded, commented)
		}
		r.merges(p).fails()
		r.comment(2, "apply", "### The apply failed")
		r.service.NoWrites(t)
		r.startedByHand(nil).passes()
	})
}

// inReadme compares a comment with the one in README.md. UPDATE=1 writes it there instead. The plan differs between
// runs, so it is left out, and the message is long.
func (r *repository) inReadme(name, body string) {
	r.T.Helper()
	if r.host != "github" {
		return
	}
	text := clitest.ReadFile(r.T, gitops, "README.md")
	_, body, _ = strings.Cut(body, "\n") // without the marker
	body = regexp.MustCompile(`(?s)(Warning \(message 1\):\n\n).*?(<details><summary>The whole plan</summary>\n\n).*`).
		ReplaceAllString(body, "$1    …\n\n$2    …\n\n</details>\n")
	begin, end := "<!-- "+name+": written by TestExampleGitops -->\n", "<!-- end of "+name+" -->"
	section := regexp.MustCompile("(?s)" + begin + ".*?" + end)
	if !section.MatchString(text) {
		r.T.Errorf("README.md has no section for %s", name)
	}
	if want := section.ReplaceAllLiteralString(text, begin+body+end); os.Getenv("UPDATE") != "" {
		(&clitest.CLI{T: r.T, Dir: gitops}).Add("README.md", want)
	} else if want != text {
		r.T.Errorf("README.md does not show this comment. UPDATE=1 writes it there:\n%s", body)
	}
}

// These settings of the workflow have no effect in the other tests. A job that waits for reviewers must not
// block other jobs, and one that waits is not dropped. Only one step of a job has the key.
func TestExampleGitopsGitHubFile(t *testing.T) {
	t.Parallel()
	var workflow struct{ Jobs map[string]githubJob }
	decode(t, &workflow, gitops, "github/.github/workflows/positions.yml")
	want := map[string]string{
		"plan":    "map[contents:read id-token:write pull-requests:write] environment= queue=max timeout=30 keys=[ci/run.sh plan]",
		"approve": "map[] environment=assess queue= timeout=5 keys=[]",
		"apply":   "map[actions:read contents:read id-token:write pull-requests:write] environment= queue=max timeout=60 keys=[ci/run.sh apply]",
		"drift":   "map[contents:read id-token:write issues:write] environment= queue=max timeout=30 keys=[ci/run.sh drift]",
	}
	for name, job := range workflow.Jobs {
		var keys []string
		for _, s := range job.Steps {
			if s.Env["ASSESS_API_KEY"] != "" {
				keys = append(keys, s.Run)
			}
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
				t.Errorf("%s: the checkout keeps the token", name)
			}
		}
		if got := fmt.Sprintf("%v environment=%s queue=%s timeout=%d keys=%v", job.Permissions, job.Environment,
			job.Concurrency["queue"], job.Timeout, keys); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
	}
}

// One checkout plans and applies: on your machine with make, before the first commit, and with the workflow of
// Atlantis, which applies before the merge.
func TestExampleGitopsOneCheckout(t *testing.T) {
	t.Parallel()
	var atlantis struct {
		Workflows map[string]map[string]struct{ Steps []hostStep }
	}
	decode(t, &atlantis, gitops, "atlantis/atlantis.yaml")
	steps := atlantis.Workflows["positions"]
	planned := filepath.Join(t.TempDir(), "default.tfplan")
	for name, scripts := range map[string]map[string]string{
		"make":     {"plan": "make plan", "apply": "make apply"},
		"atlantis": {"plan": steps["plan"].Steps[0].Run, "apply": steps["apply"].Steps[0].Run},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, "github", name == "make", nil)
			r.command("rm", "-r", "-f", ".git")
			run := func(stage string, passes bool, says string) {
				t.Helper()
				code, out := r.shell(r.Dir, []string{"sh", "-c", scripts[stage]}, []string{"PLANFILE=" + planned}, nil)
				if (code == 0) != passes || !strings.Contains(out, says) {
					t.Fatalf("%s ended with %d: %s", stage, code, out)
				}
				_, err := os.Stat(planned) // Atlantis applies only if there is a plan
				if name == "atlantis" && (err == nil) != (stage == "plan" && passes) {
					t.Errorf("after %s, the plan that Atlantis looks for: %v", stage, err)
				}
			}
			r.Add("assess-sandbox-tests.json", "of tests that were stopped")
			r.Edit("positions.yaml", [2]string{"benchmark: Finance", "benchmark: Finanzen"})
			run("plan", false, "### The plan failed\n")
			r.Edit("positions.yaml", [2]string{"benchmark: Finanzen", "benchmark: Finance"})
			run("plan", true, "### Plan: 8 assessments to attach, 1 skills test to enable\n")
			r.Edit("positions.yaml", attachFacet)
			run("apply", false, "### The apply failed")
			run("plan", true, "### Plan: 9 assessments to attach, 1 skills test to enable\n")
			run("apply", true, "### Applied: 9 assessments attached")
			clitest.Contains(t, "drift report", r.command("make", "drift"), "### No drift\n")
		})
	}
}
