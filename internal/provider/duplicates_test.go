// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// duplicateSummary is the summary of every message about duplicates.
const duplicateSummary = "Duplicate assessment"

func duplicates(t *testing.T, step string) (*sandboxtest.Server, *cli) {
	t.Helper()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestDuplicates", step)
	c.apply().ok().quiet()
	service.ResetJournal()
	return service, c
}

func assertAttached(t *testing.T, service *sandboxtest.Server, want int) {
	t.Helper()
	if n := len(service.State(t).Position(backend).Assessments); n != want {
		t.Errorf("the position has %d assessments, want %d", n, want)
	}
}

// "terraform test" plans and applies several times with a provider that it configured
// once. Planning the same creation again is not a duplicate.
func TestDuplicatesInATestFile(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.core.KeepProcesses = true
		s.succeeds(s.plan(simulatedConfig(engineers)))
		s.succeeds(s.plan(simulatedConfig(engineers)))
	})
}

// A position assessment that is in another state, or that a person attached, is not
// attached again.
func TestDuplicatesOfAnotherState(t *testing.T) {
	t.Parallel()
	service, _ := duplicates(t, "a")
	other := newCLI(t, service)
	other.useFrom("TestDuplicates", "b")
	other.plan().fails(duplicateSummary, `"pas-0001"`,
		`If you have renamed the resource, move it.*moved \{.*If no state contains the position assessment, import it`, `id = "pos-backend-london/pas-0001"`,
		"The apply would remove it from the service")
	noWrites(t, service)

	// The block of the message is not valid before its placeholder is replaced.
	other.useFrom("TestDuplicates", "pasted")
	other.plan().fails("Invalid expression")
	other.useFrom("TestDuplicates", "imported")
	other.apply().ok()
	noWrites(t, service)
	other.plan().empty()
	assertAttached(t, service, 1)
}

func TestDuplicatesOtherMetadataWarns(t *testing.T) {
	t.Parallel()
	service, _ := duplicates(t, "a")
	other := newCLI(t, service)
	other.useFrom("TestDuplicates", "other_metadata")
	other.plan().plans("create assess_position_assessment.b").warns(duplicateSummary, "with a different configuration",
		"attaches a second one",
		`import it: +import \{ to = <address> id = "pos-backend-london/pas-0001"`)
}

// If two creations of one plan differ, both are attached, and the plan warns.
func TestDuplicatesInOnePlan(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.warns(s.apply(simulatedConfig(engineers, managers)),
			duplicateSummary, "with a different configuration", "candidates take both")
	})
}

// If one plan imports an object under a new address and destroys it under the old one,
// the assessment would be removed from the position.
func TestDuplicatesImportWhileDestroyed(t *testing.T) {
	t.Parallel()
	service, c := duplicates(t, "a")
	c.useFrom("TestDuplicates", "imported")
	c.plan().fails("Import of a resource that is destroyed", `"pas-0001"`, `moved \{`)
	c.apply().fails("Import of a resource that is destroyed")
	noWrites(t, service)
	assertAttached(t, service, 1)
}

// An object and its replacement are not duplicates, even if the service does not show
// the configuration.
func TestDuplicatesTainted(t *testing.T) {
	t.Parallel()
	for name, hide := range map[string]bool{"service": false, "mute service": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) {
				o.Assumptions.MuteReads, o.Assumptions.MuteWrites = hide, hide
			})
			c := newCLI(t, service)
			c.useFrom("TestDuplicates", "a")
			c.apply().ok().quiet()
			c.human("taint", "assess_position_assessment.a").ok()
			r := c.apply().ok().warns(duplicateSummary)
			if !strings.Contains(r.output, "If this plan removes or replaces it, you do not need to do anything") {
				t.Errorf("no warning mentions the replacement:\n%s", r.output)
			}
			assertAttached(t, service, 1)
			c.plan().empty().quiet()
		})
	}
}

func TestDuplicatesCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	service, c := duplicates(t, "before_destroy")
	c.apply("-replace=assess_position_assessment.a").ok()
	assertAttached(t, service, 1)
	writes := service.Writes()
	if len(writes) != 2 || writes[0].Method != http.MethodPost || writes[1].Method != http.MethodDelete {
		t.Errorf("writes %+v, want a creation and then a removal", writes)
	}
	c.plan().empty().quiet()
}

// Configurations cannot be compared if the service provably does not return packages,
// benchmark and tests (assumption A22). A position assessment that must have packages
// but shows none proves it.
func TestDuplicatesCannotBeCompared(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute })
	c := newCLI(t, service)
	c.useFrom("TestDuplicates", "packages")
	c.apply().ok()
	other := newCLI(t, service)
	other.useFrom("TestDuplicates", "packages_again")
	other.plan().plans("create assess_position_assessment.b").
		warns(duplicateSummary, `"pas-0001"`, "does not return packages, benchmark and tests", "cannot compare")
}

// Without that proof, a missing value means that it is not set: the position assessment
// has no benchmark.
func TestDuplicatesOfHiddenBenchmark(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute })
	c := newCLI(t, service)
	c.useFrom("TestDuplicates", "a")
	c.apply().ok()
	other := newCLI(t, service)
	other.useFrom("TestDuplicates", "b")
	other.plan().plans("create assess_position_assessment.b").warns(duplicateSummary, `"pas-0001"`,
		"with a different configuration")
}

// beside plans to replace the assessment of the step "before_destroy". The plan also
// attaches another assessment first.
func beside(t *testing.T) (*sandboxtest.Server, *cli) {
	t.Helper()
	service, c := duplicates(t, "before_destroy")
	c.useFrom("TestDuplicates", "beside")
	c.plan("-out=saved", "-replace=assess_position_assessment.a").ok()
	return service, c
}

// A saved plan whose replacement failed can be applied again.
func TestDuplicatesReplaceAgain(t *testing.T) {
	t.Parallel()
	service, c := duplicates(t, "before_destroy")
	c.plan("-out=saved", "-replace=assess_position_assessment.a").ok()
	service.Inject(sandboxtest.Fault{Method: http.MethodPost, Status: http.StatusForbidden})
	c.do("apply", "-input=false", "saved").fails("Could not attach the assessment", "403")
	c.do("apply", "-input=false", "saved").ok()
	assertAttached(t, service, 1)
	c.plan().empty().quiet()
}

// An object that one workspace replaces is a duplicate in another workspace.
func TestDuplicatesOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	service, c := beside(t)
	c.human("workspace", "new", "other").ok()
	c.apply().fails(duplicateSummary, "with the same configuration", `"pas-0001"`)
	assertAttached(t, service, 1)
}

// Without the notes of the plan, the apply cannot tell the old object of a replacement with
// create_before_destroy from a duplicate. So it refuses, and sends nothing.
func TestDuplicatesReplaceElsewhere(t *testing.T) {
	t.Parallel()
	service, c := beside(t)
	c.env = append(c.env, "XDG_CACHE_HOME="+t.TempDir())
	c.do("apply", "-input=false", "saved").fails(duplicateSummary, `"pas-0001"`)
	service.AssertCount(t, http.MethodDelete, "", 0)
}

// If a plan cannot write a note that its apply needs, it warns.
func TestDuplicatesWithoutNotes(t *testing.T) {
	t.Parallel()
	_, c := duplicates(t, "before_destroy")
	nowhere := filepath.Join(c.dir, "file")
	if err := os.WriteFile(nowhere, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.env = append(c.env, "XDG_CACHE_HOME="+nowhere)
	c.human("taint", "assess_position_assessment.a").ok()
	c.plan().ok().warns("Could not note a replacement", `"pas-0001"`, "XDG_CACHE_HOME", "ASSESS_PLAN_CHECKS=false")
}

// A creation that is unknown during the plan may be a duplicate. The plan warns.
func TestDuplicatesUnknownAtPlan(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.apply(simulatedConfig(engineers))
		unknown := positionAssessment("unknown", backend, "asm-lumen", "benchmark",
			coretest.Body{"id": coretest.Ref{Addr: "terraform_data.later", Attribute: "output"}})
		unknown.DependsOn = []string{engineers.Addr}
		r := s.succeeds(s.plan(simulatedConfig(engineers, unknownString("later", "bmk-lumen-managers-en-gb"), unknown)))
		s.warns(r, duplicateSummary, `"pas-0001"`, "not known yet", "cannot compare", "attaches a second one")
	})
}
