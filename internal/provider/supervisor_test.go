// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	supervised = "assess_position_assessment.a"
	backend    = "pos-backend-london"
)

// attachedThen applies a step of TestSupervisor. Then a supervisor completes the
// profile.
func attachedThen(t *testing.T, step string) (*sandboxtest.Server, *cli) {
	t.Helper()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestSupervisor", step)
	c.apply().ok().quiet()
	complete(t, service)
	service.ResetJournal()
	return service, c
}

func complete(t *testing.T, service *sandboxtest.Server) {
	t.Helper()
	service.Change(t, completeProfile)
}

func completeProfile(st *sandbox.State) {
	if err := st.CompleteProfile(backend, "pas-0001"); err != nil {
		panic(err)
	}
}

func assertProfile(t *testing.T, c *cli, id any, status string) {
	t.Helper()
	r := c.resource(supervised)
	var got any
	if block, ok := r["profile"].(map[string]any); ok {
		got = block["id"]
	}
	if got != id || r["profile_status"] != status {
		t.Errorf("the state has profile %v with status %v, want %v with %s", got, r["profile_status"], id, status)
	}
}

func TestSupervisorKeepPlansNothing(t *testing.T) {
	t.Parallel()
	service, c := attachedThen(t, "keep")
	c.plan().empty().quiet()
	c.apply("-refresh-only").ok()
	assertProfile(t, c, "prf-customer-first", "SUPERVISOR_COMPLETED")
	c.plan().empty().quiet()
	c.apply().ok()
	noWrites(t, service)
}

func TestSupervisorKeepWithAnotherProfileWarns(t *testing.T) {
	t.Parallel()
	service, c := attachedThen(t, "keep")
	c.useFrom("TestSupervisor", "other")
	c.plan().plans("update "+supervised).warns("Supervisor's profile will be replaced", `"prf-curious-builders"`,
		"discards that work permanently")
	c.apply().ok()
	service.AssertCount(t, http.MethodPut, "", 1)
	assertProfile(t, c, "prf-curious-builders", "PROFILE_ATTACHED")
	c.plan().empty().quiet()
}

func TestSupervisorKeepRefusesAProfileNotInTheState(t *testing.T) {
	t.Parallel()
	service, c := attachedThen(t, "none")
	c.useFrom("TestSupervisor", "keep")
	c.plan().fails("Profile completed by a supervisor", `"prf-customer-first"`, `remove the block "profile"`,
		`"reattach"`)
	noWrites(t, service)
	c.useFrom("TestSupervisor", "reattach")
	c.plan().plans("update " + supervised)
	c.apply().ok()
	assertProfile(t, c, "prf-customer-first", "PROFILE_ATTACHED")
	c.plan().empty().quiet()
}

// The CLI does not tell the provider about -replace, so the plan refuses the update that it
// would be without the option. The command in the message replaces it.
func TestSupervisorReplace(t *testing.T) {
	t.Parallel()
	service, c := attachedThen(t, "none")
	c.useFrom("TestSupervisor", "keep")
	c.plan("-replace="+supervised).fails("Profile completed by a supervisor", `taint 'ADDRESS'`)
	noWrites(t, service)
	c.human("taint", supervised).ok()
	c.plan().plans("replace " + supervised)
	c.apply().ok()
	assertProfile(t, c, "prf-customer-first", "PROFILE_ATTACHED")
	c.plan().empty().quiet()
}

func TestSupervisorBlockRemovedChangesOnlyTheState(t *testing.T) {
	t.Parallel()
	service, c := attachedThen(t, "keep")
	c.useFrom("TestSupervisor", "none")
	c.plan().plans("update " + supervised)
	c.apply().ok()
	noWrites(t, service)
	assertProfile(t, c, nil, "SUPERVISOR_COMPLETED")
	c.plan().empty().quiet()
}

func TestSupervisorReattach(t *testing.T) {
	t.Parallel()
	service, c := attachedThen(t, "reattach")
	r := c.plan("-out=saved").plans("update "+supervised).warns("Supervisor's profile will be replaced", `"reattach"`,
		"discards that work")
	shown := c.human("show", "-no-color", "saved")
	if !matchesAll(shown.output, []string{`profile_status = "SUPERVISOR_COMPLETED" -> "PROFILE_ATTACHED"`}) {
		t.Errorf("the plan does not show the new status:\n%s\n%s", shown.output, r.text())
	}
	c.do("apply", "-input=false", "saved").ok()
	service.AssertCount(t, http.MethodPut, "", 1)
	assertProfile(t, c, "prf-customer-first", "PROFILE_ATTACHED")
	c.plan().empty().quiet()
}

// Until a supervisor completes the profile, it can be attached, changed and removed
// like any other block.
func TestSupervisorNotInvolved(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestSupervisor", "none")
	c.apply().ok()
	assertProfile(t, c, nil, "SUPERVISOR_TO_COMPLETE")
	for _, step := range []struct {
		name    string
		profile any
		status  string
		puts    int
	}{
		{"keep", "prf-customer-first", "PROFILE_ATTACHED", 1},
		{"other", "prf-curious-builders", "PROFILE_ATTACHED", 1},
		{"keep", "prf-customer-first", "PROFILE_ATTACHED", 1},
		{"reattach", "prf-customer-first", "PROFILE_ATTACHED", 0}, // only later plans depend on it
		{"none", nil, "SUPERVISOR_TO_COMPLETE", 1},
	} {
		service.ResetJournal()
		c.useFrom("TestSupervisor", step.name)
		c.apply().ok().quiet()
		service.AssertCount(t, http.MethodPut, "", step.puts)
		assertProfile(t, c, step.profile, step.status)
		c.plan().empty().quiet()
	}
}

// If a supervisor completes the profile after the plan, the update fails, because the
// plan did not show that it would discard that work.
func TestSupervisorRace(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestSupervisor", "keep")
	c.apply().ok()

	c.useFrom("TestSupervisor", "other")
	c.plan("-out=saved").plans("update " + supervised).quiet()
	complete(t, service)
	service.ResetJournal()
	c.do("apply", "-input=false", "saved").fails("Could not update the position assessment",
		"A supervisor has completed the profile since the plan was made", "nothing was sent", "plan again")
	noWrites(t, service)
	c.plan().warns("Supervisor's profile will be replaced")

	// The same happens if a supervisor completes it while the update reads the profile,
	// just before the write.
	other := sandboxtest.New(t)
	c = newCLI(t, other)
	c.useFrom("TestSupervisor", "keep")
	c.apply().ok()
	other.Inject(sandboxtest.Fault{
		Method: http.MethodGet, Route: sandbox.RoutePositionAssessment,
		Act: completeProfile,
	})
	c.useFrom("TestSupervisor", "other")
	c.apply().fails("A supervisor has completed the profile since")
	other.AssertCount(t, http.MethodPut, "", 0)
}

// After a supervisor completed the profile, an import has no profile block.
func TestSupervisorImport(t *testing.T) {
	t.Parallel()
	service, c := attachedThen(t, "keep")
	c.human("state", "rm", supervised).ok()
	c.useFrom("TestSupervisor", "none")
	c.human("import", "-input=false", supervised, backend+"/pas-0001").ok()
	assertProfile(t, c, nil, "SUPERVISOR_COMPLETED")
	c.plan().empty()
	c.useFrom("TestSupervisor", "keep")
	c.plan().fails("Profile completed by a supervisor", `remove the block "profile"`)
	noWrites(t, service)
}

// If the private state was lost, and nothing was read again, the status in the state still says
// that an update discards a supervisor's work.
func TestSupervisorWithoutPrivateState(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		profile := func(id string) coretest.Config {
			return simulatedConfig(positionAssessment("a", backend, "asm-northlight", "profile", coretest.Body{"id": id}))
		}
		s.apply(profile("prf-customer-first"))
		s.change(func(st *sandbox.State) {
			if err := st.CompleteProfile(backend, "pas-0001"); err != nil {
				t.Fatal(err)
			}
		})
		s.apply(profile("prf-customer-first"))
		s.core.State.Instances[attachmentAddr+"a"].Current.Private = nil
		s.options.Refresh = coretest.NoRefresh
		r := s.apply(profile("prf-curious-builders"))
		s.warns(r, "Supervisor's profile will be replaced", "discards that work permanently")
	})
}
