// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	onBothServices(t, selects)
}

func selects(t *testing.T, like func(*sandboxtest.Options)) {
	service := sandboxtest.New(t, like)
	c := newCLI(t, service)

	c.useFrom("TestSelect", "mandatory")
	c.apply().ok().quiet()
	assertPackages(t, service, "pkg-numerical-reasoning", "pkg-problem-solving")

	c.useFrom("TestSelect", "all")
	c.plan().plans("update assess_position_assessment.a")
	c.apply().ok()
	assertPackages(t, service, "pkg-numerical-reasoning", "pkg-problem-solving", "pkg-processing-speed",
		"pkg-verbal-knowledge")

	// The same packages by ID: only the configuration changes.
	service.ResetJournal()
	c.useFrom("TestSelect", "ids")
	c.plan().plans("update assess_position_assessment.a")
	c.apply().ok()
	noWrites(t, service)
	c.plan().empty()
	c.useFrom("TestSelect", "all")
	c.apply().ok()
	noWrites(t, service)

	// "all" includes a package that the service adds later.
	service.Change(t, func(st *sandbox.State) {
		a := st.Assessment("asm-quartet")
		a.Packages = append(a.Packages, sandbox.Package{ID: "pkg-memory", Name: "Memory"})
	})
	c.plan().plans("update assess_position_assessment.a")
	c.apply().ok()
	assertPackages(t, service, "pkg-memory", "pkg-numerical-reasoning", "pkg-problem-solving", "pkg-processing-speed",
		"pkg-verbal-knowledge")
	c.plan().empty().quiet()
}

// If the list of packages changes between a saved plan and its apply, the CLI refuses
// the plan, because the user has not seen the new package.
func TestSelectFrozenInSavedPlan(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestSelect", "all")
	c.plan("-out=saved").ok()
	service.Change(t, func(st *sandbox.State) {
		a := st.Assessment("asm-quartet")
		a.Packages = append(a.Packages, sandbox.Package{ID: "pkg-memory", Name: "Memory"})
	})
	c.do("apply", "-input=false", "saved").fails("inconsistent final plan")
	noWrites(t, service)
}

func TestSelectOfUnknownAssessment(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestSelect", "unknown")
	c.plan().ok().quiet()
	c.apply().ok()
	assertPackages(t, service, "pkg-numerical-reasoning", "pkg-problem-solving", "pkg-processing-speed",
		"pkg-verbal-knowledge")
	c.plan().empty()
}

func assertPackages(t *testing.T, service *sandboxtest.Server, want ...string) {
	t.Helper()
	attached := service.State(t).Position("pos-backend-london").Assessments
	if len(attached) != 1 || !sameIDs(attached[0].Metadata.Packages, want) {
		t.Fatalf("the position has %+v, want the packages %v", attached, want)
	}
}

// The plan accepts a test that an activation in the same plan enables. The activation
// is applied first.
func TestActivationInTheSamePlan(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.use("1")
	c.plan("-out=saved").ok().quiet()
	c.do("apply", "-input=false", "saved").ok()
	writes := service.Writes()
	if len(writes) != 2 || writes[0].Method != http.MethodPut || writes[1].Method != http.MethodPost {
		t.Errorf("writes %+v, want the activation and then the position assessment", writes)
	}
	c.plan().empty().quiet()
}

// A test that is already enabled gets no PUT.
func TestActivationOfAnEnabledTest(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.use("1")
	c.apply().ok()
	noWrites(t, service)
	c.plan().empty()
}
