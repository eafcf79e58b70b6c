// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// repository is examples/gitops as people copy it: initialised and committed.
type repository struct{ example }

func newRepository(t *testing.T) repository {
	t.Helper()
	needs(t, "bash", "git", "jq", "iconv")
	r := repository{newExample(t, "gitops")}
	r.env = append(r.env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com")
	r.human("init", "-input=false").ok()
	r.git("init", "-q")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "positions")
	return r
}

func (r repository) git(args ...string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// replaces changes a file of the repository.
func (r repository) replaces(name, from, to string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	changed := strings.Replace(string(text), from, to, 1)
	if changed == string(text) {
		r.t.Fatalf("%s holds no %q", name, from)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// says runs a script and asserts its exit code and what it prints.
func (r repository) says(script string, code int, patterns ...string) {
	r.t.Helper()
	if ran := r.script(script); ran.code != code || !matchesAll(ran.output, patterns) {
		r.t.Fatalf("%s ended with %d, want %d and %q:\n%s", script, ran.code, code, patterns, ran.output)
	}
}

// attachByHand attaches an assessment outside the configuration.
func (r repository) attachByHand() {
	r.t.Helper()
	r.change(func(st *sandbox.State) {
		position := st.Position(backend)
		position.Assessments = append(position.Assessments,
			sandbox.PositionAssessment{ID: "pas-by-hand", Assessment: "asm-facet"})
	})
}

// The scripts of the pipelines, in the order in which they run.
func TestExampleGitopsPipeline(t *testing.T) {
	t.Parallel()
	r := newRepository(t)

	r.says("ci/drift.sh", 2, "Drift: the plan above")
	r.says("ci/plan.sh", 0, `Plan: 9 to add`)
	r.says("ci/comment.sh", 0, `^\*\*Plan: 9 to add[^*]*\*\* `, "will be created", "</details>$")
	r.git("commit", "-q", "--allow-empty", "-m", "merged")
	r.says("ci/apply.sh", 0, "9 added")
	r.says("ci/drift.sh", 0, "No changes")
	r.says("ci/comment.sh", 0, `^\*\*No changes\.`)

	// The merged configuration differs from the planned one.
	r.says("ci/plan.sh", 0, "No changes")
	r.replaces("positions.yaml", "Finance", "None")
	r.git("commit", "-q", "-a", "-m", "another")
	r.says("ci/apply.sh", 1, "What was merged is not what was planned")
	r.git("reset", "-q", "--hard", "HEAD~1")

	// Nothing to apply, and drift.
	r.attachByHand()
	r.says("ci/drift.sh", 2, "No changes", "asm-facet .to import: pos-backend-london/pas-by-hand",
		"Drift: assessments were attached elsewhere")
	r.says("ci/comment.sh", 0, `^\*\*Drift: assessments were attached elsewhere`)
}

// A comment about a failed plan never has the headline of a plan that may be merged,
// and it contains the error.
func TestExampleGitopsHeadlines(t *testing.T) {
	t.Parallel()
	expired := sandboxtest.New(t)
	for name, c := range map[string]struct {
		change         func(repository)
		plan, drift    int // exit codes
		headline, says string
	}{
		"changes": {func(repository) {}, 0, 2, `Plan: 9 to add, 0 to change, 0 to destroy\.`, "will be created"},
		"outputs only": {
			func(r repository) { r.replaces("main.tf", `"positions.yaml"`, `"none.yaml"`) }, 0, 2,
			`The plan has changes of outputs only\.`, "Changes to Outputs",
		},
		// The CLI prints "Plan: 8 to add" before this error.
		"part of a plan": {func(r repository) {
			r.replaces("positions.yaml", "benchmark: Finance",
				"benchmark: Finanzen")
		}, 1, 1, `The plan failed\.`, "there is no benchmark Finanzen"},
		"an expired key": {func(r repository) {
			r.replaces("main.tf", "sandbox {}",
				`base_url = "`+expired.URL+"\"\n  client_id = \"demo-client\"\n  api_key = \"expired\"")
		}, 1, 1, `The plan failed\.`, "401"},
		"nothing that parses": {
			func(r repository) { r.replaces("main.tf", "locals {", "locals {{") }, 1, 1,
			`The plan failed\.`, "Error: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			if err := os.WriteFile(filepath.Join(r.dir, "none.yaml"), []byte("positions: []\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c.change(r)
			for script, code := range map[string]int{"ci/plan.sh": c.plan, "ci/drift.sh": c.drift} {
				r.says(script, code)
				r.says("ci/comment.sh", 0, `^\*\*`+c.headline+`\*\* <details>`, c.says, "</details>$")
			}
		})
	}
}

// A comment on GitHub has at most 65,536 characters. A run that was killed leaves an
// empty plan.
func TestExampleGitopsCommentOfAnyLength(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	for name, c := range map[string]struct{ plan, headline, end string }{
		"long": {
			strings.Repeat("  + Märchen\n", 50_000) + "Plan: 1 to add.\n", "Plan: 1 to add.",
			"the log of the job has the rest.\n\n</details>\n\n",
		},
		"none": {"", "The plan failed.", "\n</details>\n\n"},
	} {
		if err := os.WriteFile(filepath.Join(r.dir, "plan.txt"), []byte(c.plan), 0o600); err != nil {
			t.Fatal(err)
		}
		ran := r.script("ci/comment.sh")
		if ran.code != 0 || len(ran.output) > 65_536 || !strings.HasPrefix(ran.output, "**"+c.headline+"**\n") ||
			!strings.HasSuffix(ran.output, c.end) {
			t.Errorf("%s: the comment of %d bytes ended with %d: %.100q", name, len(ran.output), ran.code, ran.output)
		}
	}
}
