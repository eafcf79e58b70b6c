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

// A plan is applied on another machine, and three of ten responses are lost. The apply recovers them. Where the same
// plan is applied again with the old state, it finds what is attached, and sends nothing.
func TestSavedPlanAppliedElsewhere(t *testing.T) {
	t.Parallel()
	const resources = 10
	service, c := large(t, resources)
	c.UseFrom("TestRequestCount", "one_each")
	c.Add("provider.tf", "provider \"assess\" { request_timeout = \"5s\" }\n") // the provider waits before it looks
	c.Plan("-out=saved").OK()
	machine := elsewhere(c)
	service.Inject(sandboxtest.Fault{
		Method: http.MethodPost, Skip: 2, Times: 3, When: sandboxtest.AfterEffect, Reset: true,
	})
	machine.Do("apply", "-input=false", "saved").OK().Warns("Recovered after a lost response")
	holdsAll(machine, resources)
	c.Do("apply", "-input=false", "saved").Fails("Already attached", "Nothing was sent")
	service.AssertCount(t, http.MethodPost, "", resources)
	attachedOnce(t, service)
}
