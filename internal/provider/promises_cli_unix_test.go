// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// These tests run the promises of a plan on the real CLI.

// elsewhere copies the working directory to another machine of another user.
func elsewhere(c *clitest.CLI) *clitest.CLI {
	c.T.Helper()
	other := &clitest.CLI{T: c.T, Dir: c.T.TempDir()}
	other.Env = append(slices.Clone(c.Env), "HOME="+c.T.TempDir(), "XDG_CACHE_HOME="+c.T.TempDir())
	if err := os.CopyFS(other.Dir, os.DirFS(c.Dir)); err != nil {
		c.T.Fatal(err)
	}
	return other
}

// holdsAll fails the test unless the state contains this many different position assessments,
// and the plan is empty.
func holdsAll(c *clitest.CLI, want int) {
	c.T.Helper()
	managed, ids := c.Managed(), map[any]bool{}
	for _, attributes := range managed {
		ids[attributes["id"]] = true
	}
	if len(managed) != want || len(ids) != want {
		c.T.Errorf("the state has %d position assessments with %d different ids, want %d", len(managed), len(ids), want)
	}
	c.Plan().Empty()
}

// A renamed key of for_each without a moved block has the same verdict in each plan, although the CLI plans the old and
// the new instance in any order. It applies: the new instance takes the object over, or the old one is removed first.
func TestRenamedKeyHasOneVerdict(t *testing.T) {
	t.Parallel()
	service, c := large(t, 3)
	keys := func(renamed string) string {
		return fmt.Sprintf(`resource "assess_position_assessment" "each" {
  for_each      = { one = "pos-0000", %s = "pos-0001", three = "pos-0002" }
  position_id   = each.value
  assessment_id = "asm-lumen"
}`, renamed)
	}
	c.UseText(keys("two"))
	c.Apply().OK().Quiet()
	c.UseText(keys("deux"))
	for range 30 {
		c.Plan().OK().Warns("Already attached", `"pas-`, "move")
	}
	service.ResetJournal()
	c.Apply().OK()
	service.AssertCount(t, http.MethodPost, "", service.Count(http.MethodDelete, ""))
	attachedOnce(t, service)
	holdsAll(c, 3)
}

// After a killed apply, adopt_existing takes into the state what it does not contain. Two
// working copies of the old state do the same at once, each in its own state.
func TestKilledApplyIsAdopted(t *testing.T) {
	t.Parallel()
	const resources, saved, lost = 30, 5, 12
	service, c := large(t, resources)
	c.UseFrom("TestRequestCount", "one_each")
	c.With(fmt.Sprintf("TF_VAR_positions=%d", saved)).Apply().OK()
	service.ResetJournal()
	late := sandboxtest.Fault{Method: http.MethodPost, Times: lost, When: sandboxtest.AfterEffect, Delay: time.Minute}
	service.Inject(late)
	late.Times, late.When = -1, sandboxtest.BeforeEffect
	service.Inject(late)
	killed := begin(c, "apply", "-input=false", "-auto-approve", fmt.Sprint("-parallelism=", resources))
	clitest.WaitFor(t, "the attached ones", func() bool {
		return len(sandboxtest.AttachedIDs(service.State(t))) == saved+lost
	})
	killed.kill(service, http.MethodPost, resources-saved)
	killed.ended()
	service.ClearFaults()
	if left := len(sandboxtest.AttachedIDs(service.State(t))) - len(c.Managed()); left != lost {
		t.Fatalf("%d are attached and not in the state, want %d", left, lost)
	}

	c.Env = append(c.Env, "ASSESS_ADOPT_EXISTING=true")
	copies := []*clitest.CLI{elsewhere(c), elsewhere(c)}
	service.ResetJournal()
	c.Apply().OK().Warns("Existing position assessment adopted", "adopt_existing", `"pas-`)
	holdsAll(c, resources)
	var runs []*running
	for _, other := range copies {
		runs = append(runs, begin(other, "apply", "-input=false", "-auto-approve", "-no-color"))
	}
	for i, r := range runs {
		if status := r.ended(); status != 0 {
			t.Errorf("copy %d ended with %d:\n%s", i, status, r.plainOutput())
		}
		holdsAll(copies[i], resources)
	}
	service.AssertCount(t, http.MethodPost, "", resources-saved-lost)
	attachedOnce(t, service)
}

// A plan is applied on another machine, and three of ten responses are lost. The apply recovers
// them, with at most one more request for each position than on the machine of the plan. Where
// the same plan is applied again with the old state, it attaches nothing.
func TestSavedPlanAppliedElsewhere(t *testing.T) {
	t.Parallel()
	const resources = 10
	for name, row := range map[string]struct {
		positions         int
		step, parallelism string
	}{
		"one on each position":  {resources, "one_each", "-parallelism=10"},
		"five on each position": {resources / 5, "positions", "-parallelism=1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := map[bool]int{}
			for _, moves := range []bool{false, true} {
				service, c := large(t, row.positions)
				c.UseFrom("TestRequestCount", row.step)
				c.Plan("-out=saved").OK()
				machine, again := c, elsewhere(c)
				if moves {
					machine = elsewhere(c)
				}
				service.ResetJournal()
				service.Inject(sandboxtest.Fault{
					Method: http.MethodPost, Skip: 2, Times: 3, When: sandboxtest.AfterEffect, Reset: true,
				})
				machine.Do("apply", "-input=false", row.parallelism, "saved").OK()
				requests[moves] = service.Count("", "")
				holdsAll(machine, resources)
				again.Do("apply", "-input=false", "saved").Fails(duplicateSummary)
				service.AssertCount(t, http.MethodPost, "", resources)
				if n := len(sandboxtest.AttachedIDs(service.State(t))); n != resources {
					t.Errorf("%d are attached, want %d", n, resources)
				}
			}
			t.Logf("%d requests on one machine, %d on two", requests[false], requests[true])
			if requests[true] > requests[false]+row.positions {
				t.Errorf("more than one request more for each of %d positions", row.positions)
			}
		})
	}
}
