// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// edits changes positions.yaml of an example.
func (e example) edits(edits ...[2]string) {
	e.t.Helper()
	for _, edit := range edits {
		(&repository{cli: e.cli}).replaces("positions.yaml", edit[0], edit[1])
	}
}

// What happens to positions in the first months needs neither a block of HCL nor a command for the state.
func TestExampleGitopsPositions(t *testing.T) {
	t.Parallel()
	e := newExample(t, "gitops")
	e.human("init", "-input=false").ok()
	e.apply().ok()
	before := e.attached()
	const title, corrected = "Controller (m/w/d), Hamburg", "Controlling (m/w/d), Hamburg"

	// The service renames a position, and the file follows.
	e.change(func(st *sandbox.State) { st.Position(hamburg).Title = corrected })
	e.plan().fails("No position found")
	e.edits([2]string{"title: " + title, "title: " + corrected + "\n    formerly: " + title})
	e.plan().plans()
	e.apply().ok()

	// The service keeps what candidates have been invited to. The file ends its management.
	e.change(func(st *sandbox.State) {
		if _, err := sandboxtest.Invite(st, hamburg, "asm-tally"); err != nil {
			t.Error(err)
		}
	})
	e.edits([2]string{"      - code: TLY # Tally Numerical Reasoning\n        benchmark: Finance\n", ""},
		[2]string{"formerly: " + title, "formerly: " + title + "\n    unmanaged: [TLY]"})
	e.apply().ok().warns("Removal that the service would refuse")
	if n := e.managed(); n != 7 || len(e.attached()) != len(before) {
		t.Errorf("%d are managed, and %d of %d are attached", n, len(e.attached()), len(before))
	}
	e.plan().empty()

	// It is managed again. The tests, which use another file, pass with the import.
	id := ""
	e.change(func(st *sandbox.State) {
		for _, a := range st.Position(hamburg).Assessments {
			if a.Assessment == "asm-tally" {
				id = hamburg + "/" + a.ID
			}
		}
	})
	e.edits([2]string{"    unmanaged: [TLY]\n", ""},
		[2]string{"packages: mandatory\n", "packages: mandatory\n      - code: TLY\n        import: " + id + "\n"})
	e.human("test", "-no-color").ok()
	e.apply().ok().warns("After the merge, delete")
	e.edits([2]string{"        import: " + id + "\n", ""})
	if n := e.managed(); n != 8 {
		t.Errorf("%d are managed, want 8", n)
	}
}

// Each mistake in the file is refused with the position or the line.
func TestExampleGitopsMistakes(t *testing.T) {
	t.Parallel()
	e := newExample(t, "gitops")
	e.human("init", "-input=false").ok()
	text, err := os.ReadFile(filepath.Join(e.dir, "positions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const second = "  - title: Controller (m/w/d), Hamburg\n"
	for _, c := range [][3]string{
		{"        benchmark: Finance", "       benchmark: Finance", ", column 8: did not find expected"},
		{"- SQL Queries", "- SQL Querys", "Backend Engineer, London, WBN: there is no test SQL Querys. There are "},
		{"benchmark: Finance", "profile: Finance", "Hamburg, TLY: there is no profile Finance. There is none."},
		{"benchmark: Finance", "benchmrk: Finance", "Controller (m/w/d), Hamburg, TLY: unknown keys: benchmrk."},
		{second, "  - titel: x\n", `entry 2 under "positions": "title" is missing.`},
		{second, second + "    asessments: []\n", "Controller (m/w/d), Hamburg: Unknown key asessments."},
		{second, "  - title: Backend Engineer, London\n", "Backend Engineer, London: There is more than one entry."},
		{second, second + "    unmanaged: [TLY]\n", `Controller (m/w/d), Hamburg: an assessment is either under`},
		{second, second + "    unmanaged: [XXX]\n", "Controller (m/w/d), Hamburg, unmanaged: no assessment has"},
		{"enabled_skills_tests", "enabled_tests", "unknown keys at the top level: enabled_tests."},
	} {
		(&repository{cli: e.cli}).save(filepath.Join(e.dir, "positions.yaml"), text)
		e.edits([2]string{c[0], c[1]})
		if found := strings.Join(strings.Fields(e.plan().text()), " "); !strings.Contains(found, c[2]) {
			t.Errorf("for %q, the plan does not say %q:\n%s", c[1], c[2], found)
		}
	}
}

// One checkout plans and applies: on your machine with make, before the first commit, and with the workflow of
// Atlantis, which applies before the merge.
func TestExampleGitopsOneCheckout(t *testing.T) {
	t.Parallel()
	planned := filepath.Join(t.TempDir(), "default.tfplan")
	for name, commands := range map[string]map[string][]string{
		"make":     {"plan": {"make", "plan"}, "apply": {"make", "apply"}, "drift": {"make", "drift"}},
		"atlantis": atlantis(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, hosts(t)[0], name == "make")
			if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
				t.Fatal(err)
			}
			run := func(stage string, passes bool, says string) {
				t.Helper()
				code, out := r.shell(r.dir, commands[stage], []string{"PLANFILE=" + planned})
				if (code == 0) != passes || !strings.Contains(out, says) {
					t.Fatalf("%s ended with %d: %s", stage, code, out)
				}
				_, err := os.Stat(planned) // Atlantis applies only if there is a plan
				if name == "atlantis" && (err == nil) != (stage == "plan" && passes) {
					t.Errorf("after %s, the plan that Atlantis looks for: %v", stage, err)
				}
			}
			r.replaces("positions.yaml", "benchmark: Finance", "benchmark: Finanzen")
			run("plan", false, "### The plan failed\n")
			r.replaces("positions.yaml", "benchmark: Finanzen", "benchmark: Finance")
			run("plan", true, "### Plan: 8 assessments to attach, 1 skills test to enable\n")
			r.replaces("positions.yaml", attachFacet[0], attachFacet[1])
			run("apply", false, "### The apply failed")
			run("plan", true, "### Plan: 9 assessments to attach, 1 skills test to enable\n")
			run("apply", true, "### Applied: 9 assessments attached")
			if name == "make" {
				run("drift", true, "### No drift\n")
			}
		})
	}
}

// atlantis returns the command of each stage of the workflow for Atlantis.
func atlantis(t *testing.T) map[string][]string {
	t.Helper()
	var config struct {
		Workflows map[string]map[string]struct{ Steps []map[string]string }
	}
	(&repository{cli: &cli{t: t, dir: gitops}}).pipeline("atlantis/atlantis.yaml", &config)
	commands := map[string][]string{}
	for stage, s := range config.Workflows["positions"] {
		if len(s.Steps) != 1 {
			t.Fatalf("%s has %d steps", stage, len(s.Steps))
		}
		commands[stage] = []string{"sh", "-c", s.Steps[0]["run"]}
	}
	return commands
}
