// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// The targets of make work before the first commit, and with a mirror instead of the registry.
func TestExampleGitopsMake(t *testing.T) {
	t.Parallel()
	r := newRepository(t, hosts(t)[0], true)
	if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	contains(
		t,
		"plan",
		r.command("make", "plan"),
		[]string{"### Plan: 8 assessments to attach, 1 skills test to enable\n"},
	)
	r.replaces("positions.yaml", attachFacet[0], attachFacet[1])
	if code, out := r.shell(
		r.dir,
		[]string{"make", "apply"},
		nil,
	); code == 0 ||
		!strings.Contains(out, "### The apply failed") {
		t.Errorf("a plan that was not shown is applied: %d: %s", code, out)
	}
	r.replaces("positions.yaml", attachFacet[1], attachFacet[0])
	contains(
		t,
		"apply",
		r.command("make", "apply"),
		[]string{"### Applied: 8 assessments attached, 1 skills test enabled\n"},
	)
	contains(t, "drift", r.command("make", "drift"), []string{"### No drift\n"})
}

// An existing state is encrypted by the next apply that changes something. The last step of
// state/encryption.tofu then enforces it.
func TestExampleGitopsEncryption(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, withoutLimits)
	state := filepath.Join(t.TempDir(), "terraform.tfstate")
	r := newRepository(t, hosts(t)[0], false, onService(service), func(r *repository) {
		r.save(
			filepath.Join(r.dir, "backend.tf"),
			fmt.Appendf(nil, "terraform {\n  backend \"local\" { path = %q }\n}\n", state),
		)
	})
	if !strings.HasPrefix(r.human("version").output, "OpenTofu") {
		t.Skip("Terraform cannot encrypt a state")
	}
	encrypted := func() bool {
		text, err := os.ReadFile(state)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), `"encrypted_data"`) && !strings.Contains(string(text), "asm-lumen")
	}
	applied(t, r)
	if encrypted() {
		t.Fatal("the state is encrypted already")
	}
	r.copies("state/encryption.tofu", "encryption.tofu")
	r.commit("encryption")
	refused := r.plans(r.open(2, attachFacet)).fails(t)
	contains(t, "summary", refused.summary+refused.output, []string{"passphrase"})
	r.passphrase = "correct horse battery"
	p := r.open(2, attachFacet)
	r.plans(p).passes(t)
	r.merges(p).passes(t)
	if !encrypted() {
		t.Error("the state is not encrypted after the apply")
	}
	migrated := regexp.MustCompile(`(?m)^.*# migration\n`)
	r.save(
		filepath.Join(r.dir, "encryption.tofu"),
		migrated.ReplaceAll(r.copies("state/encryption.tofu", "encryption.tofu"), nil),
	)
	r.replaces("encryption.tofu", "enforced = false", "enforced = true")
	r.human("fmt").ok()
	r.commit("enforced")
	r.plans(r.open(3)).passes(t)
	r.comment(3, "plan", "### Plan: no changes\n")
}

// Atlantis runs the steps of its workflow in one checkout. It applies before the merge.
func TestExampleGitopsAtlantis(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, withoutLimits)
	r := newRepository(t, hosts(t)[0], false, onService(service), func(r *repository) {
		r.copies("atlantis/atlantis.yaml", "atlantis.yaml")
	})
	type stage struct {
		Steps []map[string]string `yaml:"steps"`
	}
	var config struct {
		Workflows map[string]map[string]stage `yaml:"workflows"`
	}
	r.pipeline("atlantis.yaml", &config)
	planned := filepath.Join(t.TempDir(), "default.tfplan")
	env := []string{"PLANFILE=" + planned}
	for name, value := range r.service {
		env = append(env, name+"="+value)
	}
	run := func(stage string, code int, says string) {
		t.Helper()
		for _, step := range config.Workflows["positions"][stage].Steps {
			got, out := r.shell(r.dir, []string{"sh", "-c", step["run"]}, env)
			if got != code || !strings.Contains(out, says) {
				t.Fatalf("%s ended with %d: %s", stage, got, out)
			}
		}
		if _, err := os.Stat(planned); (err == nil) != (stage == "plan" && code == 0) {
			t.Errorf("after %s, the plan that Atlantis looks for: %v", stage, err)
		}
	}
	r.replaces("positions.yaml", "benchmark: Finance", "benchmark: Finanzen")
	run("plan", 1, "### The plan failed\n")
	r.replaces("positions.yaml", "benchmark: Finanzen", "benchmark: Finance")
	run("plan", 0, "### Plan: 8 assessments to attach, 1 skills test to enable\n")
	r.replaces("positions.yaml", attachFacet[0], attachFacet[1])
	run("apply", 1, "### The apply failed")
	run("plan", 0, "### Plan: 9 assessments to attach, 1 skills test to enable\n")
	run("apply", 0, "### Applied: 9 assessments attached")
}
