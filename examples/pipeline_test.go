// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	gitops  = "gitops"
	hamburg = "pos-controlling-hamburg"
)

// Edits of positions.csv.
var (
	attachFacet = [2]string{
		"hamburg-skills", "hamburg-facet,\"Controller (m/w/d), Hamburg\",Facet Behavioural Profile,,,,\nhamburg-skills",
	}
	changeQuartet = [2]string{"Numerical reasoning,Engineers", "Numerical reasoning,Graduates"}
	removeTerrain = [2]string{"london-work,\"Backend Engineer, London\",Terrain Work Preferences,,,,\n", ""}
	misspell      = [2]string{",Finance,", ",Finanzen,"}
)

// repository is what README.md tells the user of a host to copy. Each job runs in its own checkout.
type repository struct {
	*runner
	service   *sandboxtest.Server
	variables map[string]string
}

// onRepositories runs a test with a repository for each host, whose state with locks is in GitLab, and a real service. The
// branch main has only a README.
func onRepositories(t *testing.T, test func(*testing.T, *repository)) {
	t.Helper()
	onBothHosts(t, func(t *testing.T, runner *runner) {
		r := &repository{runner: runner, variables: map[string]string{}}
		r.service = newService(t, r.variables, 100)
		r.command("git", "init", "-q", "-b", "main")
		r.command("git", "config", "uploadpack.allowAnySHA1InWant", "true")
		r.Add("README.md", "# Positions\n")
		r.commit("README")
		state := r.fake.URL + "/state"
		r.Env = append(r.Env, "TF_HTTP_ADDRESS="+state, "TF_HTTP_LOCK_ADDRESS="+state+"/lock",
			"TF_HTTP_UNLOCK_ADDRESS="+state+"/lock", "TF_HTTP_LOCK_METHOD=POST", "TF_HTTP_UNLOCK_METHOD=DELETE")
		test(t, r)
	})
}

// copyFiles copies the example with the command of README.md.
func (r *repository) copyFiles() {
	r.T.Helper()
	command := regexp.MustCompile(`(?m)^ *cp -R (.*) github/\. \S+$`).FindStringSubmatch(clitest.ReadFile(r.T, gitops, "README.md"))
	if command == nil {
		r.T.Fatal("README.md does not say how to copy the example")
	}
	if code, out := r.shell(gitops, []string{"sh", "-c", "cp -R " + command[1] + " " + r.host + "/. " + r.Dir}, nil); code != 0 {
		r.T.Fatal(out)
	}
	example{r.CLI}.useModulesOfClone()
	r.Edit("main.tf", [2]string{"provider \"assess\" {\n  sandbox {}\n}", "provider \"assess\" {}"})
	r.Add("backend.tf", clitest.ReadFile(r.T, gitops, "state", "gitlab.tf"))
	r.Human("init", "-backend=false").OK()
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
	number             int
	head, mergedCommit string
}

// open opens a pull request: a branch with changes, and its merge commit.
func (r *repository) open(number int, edits ...[2]string) pull {
	r.T.Helper()
	return r.openWith(number, func() { r.Edit("positions.csv", edits...) })
}

func (r *repository) openWith(number int, change func()) pull {
	r.T.Helper()
	p := pull{number: number}
	r.command("git", "checkout", "-q", "--detach", "main")
	change()
	p.head = r.commit("change " + strconv.Itoa(number))
	r.command("git", "checkout", "-q", "--detach", "main")
	r.command("git", "merge", "-q", "--no-ff", "-m", "merge "+strconv.Itoa(number), p.head)
	p.mergedCommit = r.command("git", "rev-parse", "HEAD")
	r.command("git", "checkout", "-q", "main")
	return p
}

// starts runs a job.
func (r *repository) starts(job string, e trigger, change ...func(*trigger)) *ran {
	r.T.Helper()
	e.variables = r.variables
	r.fake.main = r.command("git", "rev-parse", "main")
	e.commit = cmp.Or(e.commit, r.fake.main)
	for _, c := range change {
		c(&e)
	}
	file := map[string]string{"github": ".github/workflows/positions.yml", "gitlab": ".gitlab-ci.yml"}[r.host]
	return r.runs(job, r.command("git", "show", e.commit+":"+file), e)
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
	e := trigger{event: "workflow_dispatch", inputs: inputs}
	plan := r.starts("plan", e).passes()
	e.reviewed = clitest.ReadFile(r.T, plan.dir, "out/reviewed.json")
	return r.starts("apply", e)
}

func (r *repository) drifts() *ran {
	r.T.Helper()
	return r.starts("drift", trigger{event: "schedule"})
}

func secondAttempt(e *trigger) { e.attempt = 2 }

func withoutKey(e *trigger) {
	e.variables = map[string]string{"ASSESS_BASE_URL": e.variables["ASSESS_BASE_URL"], "ASSESS_CLIENT_ID": sandbox.ClientID}
}

// applies plans and merges a pull request. Both pass.
func (r *repository) applies(p pull) {
	r.T.Helper()
	r.plans(p).passes()
	r.merges(p).passes()
}

// begins applies the first pull request, which adds all files, and forgets the requests until then.
func (r *repository) begins() {
	r.T.Helper()
	r.applies(r.openWith(1, r.copyFiles))
	r.service.ResetJournal()
}

// comment returns the only comment of a kind on a pull request.
func (r *repository) comment(pull int, kind string, says ...string) string {
	r.T.Helper()
	var found []string
	for _, n := range r.fake.notes {
		if n.pull == pull && n.author == botName && strings.HasPrefix(n.body, "<!-- assess: "+kind+" -->\n") {
			found = append(found, n.body)
		}
	}
	if len(found) != 1 {
		r.T.Fatalf("%s: %d comments about the %s, want 1", r.host, len(found), kind)
	}
	clitest.Contains(r.T, "comment", found[0], says...)
	return found[0]
}

// position changes a position in the service, as a teammate can do.
func (r *repository) position(id string, change func(*sandbox.Position)) {
	r.T.Helper()
	r.service.Change(r.T, func(st *sandbox.State) { change(st.Position(id)) })
}

// of returns the position assessment of an assessment.
func of(p *sandbox.Position, assessment string) *sandbox.PositionAssessment {
	i := slices.IndexFunc(p.Assessments, func(a sandbox.PositionAssessment) bool { return a.Assessment == assessment })
	return &p.Assessments[i]
}

// The life of a repository, from the pull request that adds the files to a nightly report of drift.
func TestPipelineLife(t *testing.T) {
	t.Parallel()
	onRepositories(t, func(t *testing.T, r *repository) {
		fake := r.fake
		fake.notes = []*note{ // of others
			{pull: 1, author: "recruiter", body: "<!-- assess: plan -->\n### Plan: no changes\n"},
			{pull: 1, author: botName, body: "Another workflow says <!-- assess: plan -->"},
			{author: "recruiter", body: "<!-- assess: drift -->\n"},
		}
		first := r.openWith(1, r.copyFiles)
		r.plans(first).passes()
		r.comment(1, "plan", "### Plan: 8 assessments to attach\n", "A supervisor must complete the profile.")
		r.service.NoWrites(t)
		r.merges(first).passes()
		r.comment(1, "apply", "### Applied: 8 assessments attached\n", "✅ done")

		// A pull request that is rejected. The log contains no commands for the host.
		log := r.plans(r.open(2, changeQuartet, misspell, [2]string{"london-skills", "::error::\u200bx"})).fails().output
		r.comment(2, "plan", "### The plan failed\n", `The column "benchmark" has "Finanzen", which does not exist.`)
		between := regexp.MustCompile(`(?ms)^::stop-commands::([0-9a-f]{32})\n.*?^::[0-9a-f]{32}::$`)
		if command := regexp.MustCompile(`(?m)^\s*::`).MatchString(between.ReplaceAllString(log, "")); command || strings.Contains(log, "\u200b") {
			t.Errorf("the log contains a command or control characters: %q", log)
		}

		// One that is applied, after a first try with an expired key. What it does is in README.md.
		r.position("pos-backend-london", func(p *sandbox.Position) { of(p, "asm-terrain").Metadata.ProfileStatus = sandbox.SupervisorCompleted })
		later := r.open(3, removeTerrain, changeQuartet, attachFacet)
		r.plans(later).passes()
		body := r.comment(3, "plan", "### Plan: 1 assessment to attach, 1 assessment to change, 1 assessment to remove\n",
			"The profile that a supervisor has completed is deleted (see message 1). **This cannot be undone.**")
		if r.host == "github" {
			inReadme(t, body)
		}
		r.merges(later, func(e *trigger) {
			withoutKey(e)
			e.variables["ASSESS_API_KEY"] = "expired"
		}).fails()
		r.comment(3, "apply", "### The apply failed", "401")
		r.pushed(secondAttempt).passes() // nothing was changed, so the same run can be repeated
		r.comment(3, "apply", "### Applied: 1 assessment attached, 1 assessment changed, 1 assessment removed\n")

		// Drift opens one issue, and its end closes it.
		r.drifts().passes()
		r.service.ResetJournal()
		r.position("pos-backend-london", func(p *sandbox.Position) {
			p.Assessments = append(p.Assessments, sandbox.PositionAssessment{ID: "pas-by-hand", Assessment: "asm-facet"})
		})
		notes := len(fake.notes)
		for range 2 {
			r.drifts().fails("Drift: the service differs from the repository.")
		}
		issue := fake.notes[notes]
		if len(fake.notes) != notes+1 || issue.closed || issue.title == "" {
			t.Fatalf("%d new issues: %+v", len(fake.notes)-notes, issue)
		}
		clitest.Contains(t, "issue", issue.body, "### Drift: ", "Facet Behavioural Profile, pos-backend-london/pas-by-hand")
		r.position("pos-backend-london", func(p *sandbox.Position) { p.Assessments = p.Assessments[:len(p.Assessments)-1] })
		r.drifts().passes()
		if !issue.closed || fake.notes[2].closed {
			t.Errorf("the issue is not closed, or the one of another author is: %+v", issue)
		}
		r.service.NoWrites(t)
	})
}

// The apply compares its own plan with what was reviewed. Whatever the artifact contains, and whatever happened since, it
// applies what was reviewed or nothing.
func TestPipelineAppliesWhatWasReviewed(t *testing.T) {
	t.Parallel()
	onRepositories(t, func(t *testing.T, r *repository) {
		r.begins()
		fake, p := r.fake, r.open(2, attachFacet)
		r.plans(p).passes()
		reviewed := fake.uploads[len(fake.uploads)-1]
		r.plans(r.open(3, [2]string{"hamburg-numbers", "hamburg-tally"})).passes()
		other := fake.uploads[len(fake.uploads)-1]

		fake.uploads = nil
		r.merges(p).fails("There is no reviewed plan for this commit.")
		rejects := func(says string) {
			t.Helper()
			r.pushed().fails()
			r.comment(2, "apply", "### The apply failed", says)
			r.service.NoWrites(t)
		}
		for _, forge := range map[string]func(*upload){
			"of another pull request": func(u *upload) { u.text = other.text }, // the attack: another workflow replaces it
			"of a fork":               func(u *upload) { u.project = forkID },
			"expired":                 func(u *upload) { u.expired = true },
		} {
			forged := reviewed
			forge(&forged)
			fake.uploads = []upload{forged}
			rejects("hamburg-facet")
		}
		fake.uploads = []upload{reviewed}
		if r.host == "gitlab" { // only the artifacts differ between the hosts
			r.pushed().passes()
			r.comment(2, "apply", "### Applied: 1 assessment attached\n")
			return
		}

		// The plan changed after the merge, because a teammate changed the service.
		byHand := func(benchmark string) {
			r.position(hamburg, func(p *sandbox.Position) { of(p, "asm-quartet").Metadata.Benchmark = benchmark })
		}
		byHand("bmk-quartet-engineers-de-de")
		rejects("hamburg-games")
		byHand("")

		// GitLab does not start old deployments again.
		r.command("git", "merge", "-q", "--ff-only", r.openWith(4, func() { r.Add("README.md", "# All positions\n") }).mergedCommit)
		r.pushed(secondAttempt, func(e *trigger) { e.commit = p.mergedCommit }).fails("There is a newer commit on main.")
		r.command("git", "reset", "-q", "--hard", p.mergedCommit)
		r.pushed().passes()
		r.comment(2, "apply", "### Applied: 1 assessment attached\n")
	})
}

// After a killed apply, the state is locked and lacks what the service has. A run that is started by hand removes the
// lock, adopts what the apply attached, and attaches the rest.
func TestPipelineKilledApply(t *testing.T) {
	t.Parallel()
	onRepositories(t, func(t *testing.T, r *repository) {
		p := r.openWith(1, r.copyFiles)
		r.plans(p).passes()
		const id = "6f3c5f4e-0000-4000-8000-000000000000"
		r.fake.lock = []byte(`{"ID":"` + id + `","Operation":"OperationTypeApply","Created":"2026-01-01T00:00:00Z"}`)
		r.service.Change(t, func(st *sandbox.State) {
			if _, err := st.Attach("pos-backend-london", "asm-terrain", sandbox.Metadata{}); err != nil {
				t.Error(err)
			}
		})
		r.merges(p).fails()
		r.comment(1, "apply", "### The apply failed", id)
		r.plans(r.open(2)).passes() // a plan does not wait for the lock
		adopted := r.startedByHand(map[string]string{"adopt": "true", "unlock": id}).passes()
		clitest.Contains(t, "summary", adopted.summary, "7 assessments attached, 1 assessment adopted")
		r.plans(r.open(3)).passes()
		r.comment(3, "plan", "### Plan: no changes\n")
	})
}

// A fork has no key. Its plan fails, sends no request to the service, and cannot be applied without a plan by a member.
func TestPipelineFork(t *testing.T) {
	t.Parallel()
	onRepositories(t, func(t *testing.T, r *repository) {
		r.begins()
		fake := r.fake
		p, uploads, notes := r.open(2, attachFacet), len(fake.uploads), len(fake.notes)
		fork := r.plans(p, withoutKey, func(e *trigger) { e.fork = true }).fails()
		clitest.Contains(t, "summary", fork.summary, "ASSESS_API_KEY")
		// Dependabot has no key either, but its branch is in the same repository.
		r.plans(p, withoutKey).fails()
		r.comment(2, "plan", "### The plan failed", "ASSESS_API_KEY")
		sent, uploaded, commented := len(r.service.Journal()), len(fake.uploads)-uploads, len(fake.notes)-notes
		if sent != 0 || uploaded != 0 || commented != 1 {
			t.Errorf("%d requests, %d uploads, %d comments", sent, uploaded, commented)
		}
		r.merges(p).fails()
		r.service.NoWrites(t)
		r.startedByHand(nil).passes()
	})
}

// Nothing runs if the companion is not the one of the release: with another checksum, or without its attestation.
func TestPipelineVerifiesTheCompanion(t *testing.T) {
	t.Parallel()
	onRepositories(t, func(t *testing.T, r *repository) {
		p := r.openWith(1, r.copyFiles)
		sums := r.fake.release[checksums]
		r.fake.release[checksums] = strings.Repeat("0", 64) + "  " + archive + "\n"
		r.plans(p).fails(archive + ": FAILED")
		r.fake.release[checksums], r.fake.release[attestation] = sums, "forged"
		r.plans(p).fails(archive + ": OK")
		if requests := r.service.Journal(); len(requests) > 0 {
			t.Errorf("%d requests were sent", len(requests))
		}
	})
}

// inReadme checks that README.md shows a comment. UPDATE=1 writes it there. The plan differs between runs, so it is left out,
// and the message is long.
func inReadme(t *testing.T, body string) {
	t.Helper()
	_, body, _ = strings.Cut(body, "\n") // without the marker
	body = regexp.MustCompile(`(?s)(Warning \(message 1\):\n\n).*?(<details><summary>The whole plan</summary>\n\n).*`).
		ReplaceAllString(body, "$1    …\n\n$2    …\n\n</details>\n")
	const begin, end = "<!-- later-change.md: written by TestPipelineLife -->\n", "<!-- end of later-change.md -->"
	text := clitest.ReadFile(t, gitops, "README.md")
	before, rest, _ := strings.Cut(text, begin)
	_, after, _ := strings.Cut(rest, end)
	want := before + begin + body + end + after
	if os.Getenv("UPDATE") != "" {
		(&clitest.CLI{T: t, Dir: gitops}).Add("README.md", want)
	} else if want != text {
		t.Errorf("README.md does not show this comment. UPDATE=1 writes it there:\n%s", body)
	}
}
