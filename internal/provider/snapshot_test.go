// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// onSnapshot is the summary of the warning of every run on a snapshot.
const onSnapshot = "Run on a snapshot"

// takeSnapshot runs the real binary with the credentials of a working directory.
func takeSnapshot(t *testing.T, c *clitest.CLI, file string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), clitest.ProviderBinary(t), "-snapshot", file)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// withoutKey returns a working directory without credentials. Its provider uses a copy
// of a snapshot.
func withoutKey(t *testing.T, step, snapshot string) *clitest.CLI {
	t.Helper()
	c := clitest.NewBare(t)
	c.UseFrom("TestSnapshot", step)
	c.Add("snapshot_override.tf", "provider \"assess\" {\n  sandbox { state_file = \"organization.json\" }\n}\n")
	text, err := os.ReadFile(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	c.Add("organization.json", string(text))
	return c
}

// organization takes a snapshot of a service, which it then closes.
func organization(t *testing.T, change ...func(*sandboxtest.Options)) (file string, owner *clitest.CLI, told string) {
	t.Helper()
	service := sandboxtest.New(t, change...)
	owner = clitest.New(t, service)
	told = takeSnapshot(t, owner, "organization.json")
	says := fmt.Sprintf("a snapshot of %s:", service.URL)
	if !strings.Contains(told, says) || !strings.Contains(told, fmt.Sprintf("%d requests in ", service.Count("GET", ""))) {
		t.Errorf("%d requests, but the snapshot printed:\n%s", service.Count("GET", ""), told)
	}
	service.NoWrites(t)
	return filepath.Join(owner.Dir, "organization.json"), owner, told
}

// warnsOnce checks for the warning of a run on a snapshot, and for no other warnings.
func warnsOnce(t *testing.T, r *clitest.Run, patterns ...string) {
	t.Helper()
	r.Warns(append([]string{onSnapshot, "An apply changes only this file, never the service"}, patterns...)...)
	if len(r.Warnings) != 1 {
		t.Errorf("%d warnings:\n%s", len(r.Warnings), r.Text())
	}
}

// A configuration with every block can be planned, applied and tested on a snapshot,
// without credentials. Reading does not change the file. A plan also refuses what the service
// would refuse.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	snapshot, _, told := organization(t)
	origin := regexp.MustCompile(`a snapshot of (\S+):`).FindStringSubmatch(told)[1]
	c := withoutKey(t, "whole", snapshot)
	file := filepath.Join(c.Dir, "organization.json")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	planned := c.Plan().Plans(
		"create assess_position_assessment.ability", "create assess_position_assessment.games",
		"create assess_position_assessment.skills", "create assess_position_assessment.supervised",
		"create assess_position_assessment.values", "create assess_skills_test_activation.go")
	warnsOnce(t, planned, regexp.QuoteMeta(file), regexp.QuoteMeta(origin), `on \d{4}-\d\d-\d\d \d\d:\d\d UTC`)
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the plan changed the snapshot: %v", err)
	}
	c.Add("whole.tftest.hcl", `run "apply" {
  assert {
    condition     = assess_position_assessment.supervised.profile_status == "SUPERVISOR_TO_COMPLETE"
    error_message = "status ${assess_position_assessment.supervised.profile_status}"
  }
}
`)
	c.Human("test", "-no-color").OK()
	c.Apply().OK()
	warnsOnce(t, c.Plan().Empty())
	c.Destroy().OK()

	r := withoutKey(t, "wrong", snapshot).Plan()
	r.Fails("Unknown position", `"pos-missing"`)
	r.Fails("Benchmark of another locale", `"fr-FR"`, "bmk-tally-finance-fr-fr")
	r.Fails("Missing packages", "pkg-problem-solving")
	r.Fails("Skills test not enabled", "skt-go")
	warnsOnce(t, r)
}

// Lists that the service does not show are handled as on the service itself.
func TestSnapshotOfAServiceWithoutLists(t *testing.T) {
	t.Parallel()
	snapshot, _, told := organization(t, func(o *sandboxtest.Options) {
		o.Assumptions.ProfileList, o.Assumptions.BenchmarkList, o.Assumptions.OtherKind = 405, 404, 400
	})
	if !strings.Contains(told, "does not list the profiles of") || !strings.Contains(told, "405 Method Not Allowed") {
		t.Errorf("the snapshot printed:\n%s", told)
	}
	c := withoutKey(t, "whole", snapshot)
	c.Add("main.tf", `provider "assess" {}

resource "assess_position_assessment" "values" {
  position_id   = "pos-clientele-lyon"
  assessment_id = "asm-northlight"
  profile { id = "prf-not-listed" }
}

resource "assess_position_assessment" "ability" {
  position_id   = "pos-clientele-lyon"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-not-listed" }
}
`)
	r := c.Apply().OK()
	r.Warns("Could not check the profiles", "405", "when this snapshot was taken")
	r.Warns("Could not check the benchmarks", "404", "when this snapshot was taken")
	if status := c.Resource("assess_position_assessment.values")["profile_status"]; status != "PROFILE_ATTACHED" {
		t.Errorf("profile_status is %v", status)
	}
	c.Plan().Empty()
}

// A snapshot does not have the position assessments of a state. The plan keeps them in
// the state and shows what the configuration changes.
func TestSnapshotAndTheStateOfTheService(t *testing.T) {
	t.Parallel()
	snapshot, owner, _ := organization(t)
	owner.UseFrom("TestSnapshot", "whole")
	owner.Apply().OK()
	state, err := os.ReadFile(filepath.Join(owner.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	if budgets := budgetsOf(t, owner); len(budgets) != 1 {
		t.Errorf("the snapshot and the provider use the budgets %v", budgets)
	}
	c := withoutKey(t, "whole", snapshot)
	c.Add("terraform.tfstate", string(state))
	// The snapshot was taken before the apply that enabled the test.
	c.Plan().Plans("update assess_skills_test_activation.go")
	c.Destroy().Fails("Could not remove the position assessment", "The snapshot does not contain this object",
		"state was not changed", "state rm")
	if kept := c.Resource("assess_position_assessment.games"); kept == nil {
		t.Error("a position assessment was dropped from the state")
	}
}

// budgetsOf returns the names of the budgets that the runs of a directory used.
func budgetsOf(t *testing.T, c *clitest.CLI) []string {
	t.Helper()
	cache := ""
	for _, v := range c.Env { // the last value is used
		if value, found := strings.CutPrefix(v, "XDG_CACHE_HOME="); found {
			cache = value
		}
	}
	files, err := filepath.Glob(filepath.Join(cache, "terraform-provider-assess", "budget-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
