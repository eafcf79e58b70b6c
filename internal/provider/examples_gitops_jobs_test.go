// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A copy of the folder works from the first commit: the first push, a pull request, a
// second push to it, and the merge.
func TestExampleGitopsFirstCopy(t *testing.T) {
	t.Parallel()
	r := newRepository(t, true)
	for _, h := range hosts(t) {
		r.git("checkout", "-q", "-B", "main", r.git("rev-list", "--max-parents=0", "HEAD"))
		h.pushed(r).passes(t, "This is the first commit. Nothing is applied")
		if h.fake.writes != 0 {
			t.Errorf("%s: the first push sent %d comments or issues", h.name, h.fake.writes)
		}

		h.fake.addOtherComments(1)
		first := r.open(1, func() {
			r.replaces("positions.yaml", "benchmark: Finance\n", "benchmark: Finance\n      - code: FCT\n")
			if h.name == "GitLab" { // the tests take time. There they run in TestExampleGitopsSnapshot
				r.git("rm", "-q", "-r", "tests")
			}
		})
		plan := h.plans(r, first).passes(t)
		if h.name == "GitHub" {
			plan.passes(t, "12 passed")
		}
		comment := h.comment(
			t,
			1,
			"plan",
			"### Plan: 9 assessments to attach, 1 skills test to enable\n",
			"Facet Behavioural Profile",
		)
		if len(plan.artifact) != 2 || strings.Count(comment.Body, "⚠️ A supervisor must complete") != 1 {
			t.Errorf("%s: the artifact has %d files, and the comment is\n%s", h.name, len(plan.artifact), comment.Body)
		}
		sameComment(t, "first-change.md", comment.Body)
		if h.name == "GitHub" && plan.summary != comment.Body {
			t.Errorf("the summary of the run differs from the comment:\n%s", plan.summary)
		}

		second := r.open(1, func() {
			r.replaces("positions.yaml", "benchmark: Finance\n", "benchmark: Finance\n      - code: MRG\n")
			r.git("rm", "-q", "-r", "tests")
		})
		h.plans(r, second).passes(t)
		again := h.comment(t, 1, "plan", "### Plan: 9 assessments to attach", "MRG")
		if again.ID != comment.ID || strings.Contains(again.Body, "Facet") {
			t.Errorf("%s: the second push did not update the comment:\n%s", h.name, again.Body)
		}

		// A stranger pushes the same commit to a fork, and plans it there.
		forged := map[string][]byte{"plan.bin": []byte("x"), "plan.tree": []byte("x")}
		h.fake.artifacts = append(h.fake.artifacts, artifact{Head: second.head, Files: forged, Fork: true})
		h.merges(r, second).passes(t, "10 added")
		h.comment(
			t,
			1,
			"apply",
			"### Applied: 9 assessments attached, 1 skills test enabled\n",
			"✅ done",
			"supervisor has not completed",
		)
		h.comment(t, 1, "plan", "### Plan: 9 assessments")
		if n := len(h.fake.comments[1]); n != 132+2 {
			t.Errorf("%s: %d comments, want one for each", h.name, n)
		}
	}
}

// A failed step is reported with its reason, and no plan is saved that could be
// applied.
func TestExampleGitopsFailedSteps(t *testing.T) {
	t.Parallel()
	r := newRepository(t, false)
	for i, h := range hosts(t) {
		for k, c := range []struct {
			name    string
			edit    func()
			comment []string
		}{
			{"no lock file", func() { r.git("rm", "-q", ".terraform.lock.hcl") }, []string{`Run "make lock" and commit .terraform.lock.hcl.`}},
			{"another provider", func() { r.replaces("main.tf", `"assessascode/assess"`, `"assessascode/other"`) }, []string{"(tofu init)", "assessascode/other"}},
			{"not formatted", func() { r.replaces("main.tf", "  sandbox {}", "      sandbox {}") }, []string{"tofu fmt -recursive", "\n    main.tf\n"}},
			{"a failing test", func() {
				r.writes("a.tftest.hcl", "run \"a\" {\n  command = plan\n  variables {\n    file = \"@octocat\"\n  }\n}\n")
			}, []string{"(tofu test)", "@octocat is not YAML"}},
			{"an unknown name", func() { r.replaces("positions.yaml", "benchmark: Finance", "benchmark: Finanzen") }, []string{
				"Nothing was changed. The messages below say why.", "Error (message 1):", "Finanzen",
			}},
		} {
			if c.name != "not formatted" && k%2 != i {
				continue // to save time, the hosts take turns
			}
			p := r.open(2, c.edit)
			result := h.plans(r, p)
			if result.fails(t); result.artifact != nil {
				t.Errorf("%s, %s: a plan was saved", h.name, c.name)
			}
			body := h.comment(t, 2, "plan", append(c.comment, "### The plan failed\n")...).Body
			if strings.Contains(body, "### Plan") || strings.Contains(body, "\n@octocat") {
				t.Errorf("%s, %s: the comment is\n%s", h.name, c.name, body)
			}
		}
		// The comment of a failed plan is replaced by the next plan.
		p := r.open(2, func() {})
		h.plans(r, p).passes(t)
		h.comment(t, 2, "plan", "### Plan: 8 assessments to attach")
		// The apply fails before it opens the plan.
		h.merges(r, p, func(e *event) { e.env = []string{"CLI=false"} }).fails(t)
		h.comment(t, 2, "apply", "### The apply failed\n", "(tofu init). Nothing was changed.")
	}
}

// With a real service and a persistent state, a merge is applied and reported, drift
// opens an issue, and only the apply writes.
func TestExampleGitopsRealService(t *testing.T) {
	t.Parallel()
	for _, h := range hosts(t) {
		service := sandboxtest.New(t, withoutLimits)
		r := newRepository(t, false, onService(service))
		first := r.open(1, func() {})
		h.plans(r, first).passes(t)
		if n := len(service.Writes()); n != 0 {
			t.Fatalf("%s: the plan sent %d writes", h.name, n)
		}
		h.merges(r, first).passes(t)
		h.comment(t, 1, "apply", "### Applied: 8 assessments attached, 1 skills test enabled\n")
		written := len(service.Writes())

		h.drift(r).passes(t)
		if len(h.fake.issues) != 0 {
			t.Errorf("%s: an issue was opened without drift: %s", h.name, h.fake.issues[0].Body)
		}
		h.fake.add(&h.fake.issues, note{Author: "recruiter", Body: "<!-- assess: drift -->\n"})
		changeService(t, service, func(st *sandbox.State) {
			position := st.Position(backend)
			position.Assessments = append(
				position.Assessments,
				sandbox.PositionAssessment{ID: "pas-by-hand", Assessment: "asm-facet"},
			)
		})
		for range 2 {
			h.drift(r).fails(t, "Drift: see the plan above.")
		}
		if n := len(h.fake.issues); n != 2 || h.fake.issues[1].Closed || h.fake.issues[1].Title == "" ||
			!strings.Contains(h.fake.issues[1].Body, "### Drift: ") || !strings.Contains(h.fake.issues[1].Body, "pas-by-hand") {
			t.Fatalf("%s: %d issues: %+v", h.name, n, h.fake.issues[n-1])
		}
		changeService(t, service, func(st *sandbox.State) {
			position := st.Position(backend)
			position.Assessments = position.Assessments[:len(position.Assessments)-1]
		})
		h.drift(r).passes(t)
		if n := len(
			h.fake.issues,
		); n != 2 || !h.fake.issues[1].Closed || h.fake.issues[0].Closed ||
			h.fake.issues[0].Body != "<!-- assess: drift -->\n" {
			t.Errorf("%s: the issue is not closed, or another issue was changed: %+v", h.name, h.fake.issues[1])
		}
		if n := len(service.Writes()); n != written {
			t.Errorf("%s: plans and drift runs sent %d writes", h.name, n-written)
		}
		if h.name == "GitHub" { // the hosts do not differ in it
			laterChange(t, h, r, service)
		}
	}
}

// laterChange is a pull request whose changes need attention and whose apply fails.
func laterChange(t *testing.T, h host, r *repository, service *sandboxtest.Server) {
	t.Helper()
	changeService(t, service, func(st *sandbox.State) {
		for i, pa := range st.Position(backend).Assessments {
			if pa.Assessment == "asm-terrain" {
				st.Position(backend).Assessments[i].Metadata.ProfileStatus = "SUPERVISOR_COMPLETED"
			}
		}
	})
	p := r.open(3, func() {
		r.replaces("positions.yaml", "      - code: TRN # Terrain Work Preferences: completed by a supervisor\n", "")
		r.replaces("positions.yaml", "benchmark: Engineers\n      - code: LMN", "benchmark: Graduates\n      - code: LMN")
		r.replaces("positions.yaml", "benchmark: Finance\n", "benchmark: Finance\n      - code: FCT\n")
	})
	h.plans(r, p).passes(t)
	body := h.comment(
		t,
		3,
		"plan",
		"### Plan: 1 assessment to attach, 1 assessment to change, 1 assessment to remove\n",
		"**Look at 1 of 3 changes: see the last column.**",
		"A supervisor has completed the profile. That work is lost",
	).Body
	sameComment(t, "later-change.md", body)

	h.merges(r, p, func(e *event) { e.key = "expired" }).fails(t, "401")
	h.comment(
		t,
		3,
		"apply",
		"### The apply failed: 0 of 3 changes done\n",
		"To continue, open a new pull request",
		"not done",
		"401",
	)
	again := r.open(4, func() {})
	h.plans(r, again).passes(t)
	h.merges(r, again).passes(t)
	h.comment(t, 4, "apply", "### Applied: 1 assessment attached, 1 assessment changed, 1 assessment removed\n")
}

func changeService(t *testing.T, service *sandboxtest.Server, change func(*sandbox.State)) {
	t.Helper()
	if err := service.Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		t.Fatal(err)
	}
}

// Without a reviewed plan, a run succeeds only if there is nothing to apply.
func TestExampleGitopsWithoutReviewedPlan(t *testing.T) {
	t.Parallel()
	for _, h := range hosts(t) {
		service := sandboxtest.New(t, withoutLimits)
		r := newRepository(t, false, onService(service))
		p := r.open(1, func() { r.replaces("README.md", "#", "# ") })
		plan := h.plans(r, p).passes(t)

		// Another pull request was merged first.
		r.writes("other.txt", "x")
		r.commit("another merge")
		moved := p
		r.git("merge", "-q", "--no-ff", "-m", "merge", p.head)
		moved.merged = r.git("rev-parse", "HEAD")
		h.merges(r, moved).fails(t, "What was merged is not what was planned")
		h.comment(t, 1, "apply", "### The apply failed: 0 of 9 changes done\n", "another merge came first")

		// The plan has expired, or a fork made it.
		for _, kept := range []artifact{{Expired: true}, {Fork: true}} {
			kept.Head, kept.Files = p.head, plan.artifact
			h.fake.artifacts = []artifact{kept}
			h.pushed(r).fails(t, "No reviewed plan was found for this commit, and there is something to apply.")
			h.comment(
				t,
				1,
				"apply",
				"### The apply failed: 0 of 9 changes done\n",
				"There is no reviewed plan for what was merged.",
			)
		}
		if n := len(service.Writes()); n != 0 {
			t.Errorf("%s: %d writes without a reviewed plan", h.name, n)
		}

		// A push without a pull request.
		r.writes("positions.yaml", "positions: []\n")
		r.commit("pushed to main")
		h.pushed(r).passes(t, "There is nothing to apply.")
		r.git("reset", "-q", "--hard", "HEAD~1")
		r.writes("other.txt", "y")
		r.commit("pushed to main")
		h.pushed(r).fails(t, "No reviewed plan was found")
		if n := len(service.Writes()); n != 0 {
			t.Errorf("%s: %d writes without a reviewed plan", h.name, n)
		}
	}
}

// Pull requests from forks and from Dependabot have no key. They are planned on a
// snapshot, send no request to the service, and say so.
func TestExampleGitopsSnapshot(t *testing.T) {
	t.Parallel()
	for _, h := range hosts(t) {
		service := sandboxtest.New(t, withoutLimits)
		r := newRepository(t, false, onService(service))
		fork := func(e *event) { e.fork, e.key = true, "" }
		change := func() {
			r.replaces("positions.yaml", "benchmark: Finance\n", "benchmark: Finance\n      - code: FCT\n")
		}

		h.plans(r, r.open(1, change), fork).fails(t, "ASSESS_API_KEY")

		code, out := r.shell(r.dir, []string{"make", "snapshot"}, r.credentials())
		if code != 0 || len(service.Writes()) != 0 {
			t.Fatalf("make snapshot ended with %d after %d writes:\n%s", code, len(service.Writes()), out)
		}
		requests := len(service.Journal())
		r.commit("a snapshot")
		p := r.open(1, change)
		fromFork := p
		if h.name == "GitLab" { // the tests take time. On GitHub they run in TestExampleGitopsFirstCopy
			fromFork = r.open(1, func() { change(); r.addTests() })
		}
		result := h.plans(r, fromFork, fork).passes(t)
		if h.name == "GitLab" {
			result.passes(t, "12 passed")
		}
		if result.artifact != nil || h.fake.writes != 0 {
			t.Errorf("%s: a plan was saved, or comments were sent: %d", h.name, h.fake.writes)
		}
		if shown := result.output + result.summary; !strings.Contains(
			shown,
			"\n> **This plan was made on a snapshot of the service",
		) ||
			!strings.Contains(shown, "\n### Plan: 1 assessment to attach\n") {
			t.Errorf("%s: neither the log nor the summary shows the plan:\n%s", h.name, shown)
		}
		// Dependabot's branch is in the same repository.
		h.plans(r, p, func(e *event) { e.key = "" }).passes(t)
		h.comment(
			t,
			1,
			"plan",
			"### Plan: 1 assessment to attach\n",
			"> **This plan was made on a snapshot",
			"Facet Behavioural Profile",
		)
		if n := len(service.Journal()) - requests; n != 0 {
			t.Errorf("%s: the service received %d requests", h.name, n)
		}
		h.merges(r, p).fails(t, "No reviewed plan was found")
		if n := len(service.Writes()); n != 0 {
			t.Errorf("%s: %d writes", h.name, n)
		}
	}
}

// sameComment compares a comment with the one in README.md of the example. UPDATE=1
// writes it there instead. The output of the CLI and the addresses of the run differ
// between runs, so they are left out.
func sameComment(t *testing.T, name, body string) {
	t.Helper()
	path := filepath.Join("..", "..", "examples", "gitops", "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": written by TestExampleGitops -->\n", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(string(text), begin)
	shown, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("README.md has no section for %s", name)
	}
	_, body, _ = strings.Cut(body, "\n") // without the marker
	body = regexp.MustCompile(`pas-[0-9]{4}`).ReplaceAllString(body, "pas-0005")
	start := strings.Index(body, "<details><summary>The whole plan</summary>\n\n")
	body = body[:start] + "<details><summary>The whole plan</summary>\n\n    (the output of tofu plan)\n\n</details>\n"
	if shown == body {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Errorf("README.md does not show this comment. UPDATE=1 writes it there:\n%s", body)
		return
	}
	if err := os.WriteFile(path, []byte(before+begin+body+end+after), 0o600); err != nil {
		t.Fatal(err)
	}
}
