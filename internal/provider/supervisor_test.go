// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The configurations of these scenarios, which differ in the profile.
var (
	noProfile    = northlight("a", backend)
	keptProfile  = profiled("a", backend, "prf-customer-first")
	otherProfile = profiled("a", backend, "prf-curious-builders")
	reattached   = reattaching("prf-customer-first")
)

func reattaching(profile string) coretest.Resource {
	return positionAssessment("a", backend, "asm-northlight",
		"profile", coretest.Body{"id": profile, "on_supervisor_change": "reattach"})
}

func completeProfile(st *sandbox.State) {
	if err := st.CompleteProfile(backend, "pas-0001"); err != nil {
		panic(err)
	}
}

// supervise applies a configuration. Then a supervisor completes the profile.
func (s *simulation) supervise(r coretest.Resource) {
	s.t.Helper()
	s.applies(r)
	s.change(completeProfile)
	s.service.ResetJournal()
}

// hasProfile checks the state and what was written. Afterwards, a plan is empty.
func (s *simulation) hasProfile(config coretest.Resource, id, status, writes string) {
	s.t.Helper()
	if got := s.text(config, "profile", "id"); got != id || s.text(config, "profile_status") != status {
		s.t.Errorf("the state has profile %q with status %s, want %q with %s", got, s.text(config, "profile_status"), id, status)
	}
	if got := s.writes(); got != writes || s.text(config, "profile_url") == "" {
		s.t.Errorf("sent %q, want %q; the address is %q", got, writes, s.text(config, "profile_url"))
	}
	s.stays(simulatedConfig(config))
}

// After a supervisor has completed the profile, a plan changes it only if the configuration says so,
// and then it warns.
func TestSupervisor(t *testing.T) {
	t.Parallel()
	discards := []string{"Supervisor's profile will be replaced", "discards that work"}
	for name, row := range map[string]struct {
		before, after      coretest.Resource
		id, status, writes string
		warns              []string
	}{
		"the profile is kept": {before: keptProfile, after: keptProfile, id: "prf-customer-first", status: sandbox.SupervisorCompleted},
		"another profile": {
			before: keptProfile, after: otherProfile, id: "prf-curious-builders", status: sandbox.ProfileAttached, writes: "PUT",
			warns: append(discards, "permanently", `"prf-curious-builders"`),
		},
		"reattach": {
			before: reattached, after: reattached, id: "prf-customer-first", status: sandbox.ProfileAttached, writes: "PUT",
			warns: append(discards, `"reattach"`, `keep the work, remove on_supervisor_change\.`),
		},
		"reattach another profile": {
			before: keptProfile, after: reattaching("prf-curious-builders"),
			id: "prf-curious-builders", status: sandbox.ProfileAttached, writes: "PUT",
			warns: append(discards, `remove on_supervisor_change, and set the ID back to "prf-customer-first"`),
		},
		"reattach a profile that the state does not have": {
			before: noProfile, after: reattached, id: "prf-customer-first", status: sandbox.ProfileAttached, writes: "PUT",
			warns: append(discards, `keep the work, remove the block "profile"`),
		},
		"the block is removed": {before: keptProfile, after: noProfile, status: sandbox.SupervisorCompleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.supervise(row.before)
				planned := s.plan(simulatedConfig(row.after))
				if row.warns == nil && len(planned.Diagnostics) > 0 {
					s.t.Errorf("the plan warns: %v", planned.Diagnostics)
				} else if row.warns != nil {
					s.warns(planned, row.warns...)
					if status := coretest.Text(planned.Plan.Changes[0].After, "profile_status"); status != sandbox.ProfileAttached {
						s.t.Errorf("the plan shows the status %q", status)
					}
				}
				s.appliesPlan(planned)
				s.hasProfile(row.after, row.id, row.status, row.writes)
			})
		})
	}
}

// A profile that the state does not have is refused, because the user may not know the supervisor's.
// The CLI does not tell the provider about -replace, so the plan refuses the update that it would be
// without the option. The command in the message replaces it.
func TestSupervisorRefusesAProfileNotInTheState(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.supervise(noProfile)
		for _, s.options.Replace = range [][]string{nil, {keptProfile.Addr}} {
			s.fails(s.plan(simulatedConfig(keptProfile)), "Profile completed by a supervisor", `"prf-customer-first"`,
				`remove the block "profile"`, `"reattach"`, `taint 'ADDRESS'`)
		}
		s.options.Replace = nil
		s.core.Taint(keptProfile.Addr)
		s.applies(keptProfile)
		s.hasProfile(keptProfile, "prf-customer-first", sandbox.ProfileAttached, "DELETE POST")
	})
}

// Until a supervisor completes the profile, it can be attached, changed and removed like any other
// block. Its status and address are known after the apply, whatever the response to the write contained.
func TestSupervisorNotInvolved(t *testing.T) {
	t.Parallel()
	for _, contains := range []string{"", "no status", "no metadata"} {
		t.Run(contains, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				for _, step := range []struct {
					config             coretest.Resource
					id, status, writes string
				}{
					{noProfile, "", sandbox.SupervisorToComplete, "POST"},
					{keptProfile, "prf-customer-first", sandbox.ProfileAttached, "PUT"},
					{otherProfile, "prf-curious-builders", sandbox.ProfileAttached, "PUT"},
					{keptProfile, "prf-customer-first", sandbox.ProfileAttached, "PUT"},
					{reattached, "prf-customer-first", sandbox.ProfileAttached, ""}, // only later plans depend on it
					{noProfile, "", sandbox.SupervisorToComplete, "PUT"},
				} {
					s.service.ResetJournal()
					if r := s.applies(step.config); len(r.Diagnostics) > 0 {
						s.t.Errorf("the run warns: %v", r.Diagnostics)
					}
					s.hasProfile(step.config, step.id, step.status, step.writes)
				}
			}, func(o *sandboxtest.Options) { o.Assumptions.Writes = contains })
		})
	}
}

// If a supervisor completes the profile after the plan, the update fails, because the plan did not
// show that it would discard that work. The same happens while the update reads the profile, just
// before the write.
func TestSupervisorRace(t *testing.T) {
	t.Parallel()
	for name, race := range map[string]func(*simulation){
		"after the plan": func(s *simulation) { s.change(completeProfile) },
		"during the update": func(s *simulation) {
			s.service.Inject(sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Act: completeProfile,
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.applies(keptProfile)
				planned := s.plan(simulatedConfig(otherProfile))
				race(s)
				s.service.ResetJournal()
				s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), "Could not update the position assessment",
					"A supervisor has completed the profile since the plan was made", "nothing was sent", "plan again")
				s.writesNothing()
				s.warns(s.plan(simulatedConfig(otherProfile)), "Supervisor's profile will be replaced")
			})
		})
	}
}

// After a supervisor completed the profile, an import has no profile block.
func TestSupervisorImport(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.supervise(keptProfile)
		s.loses(keptProfile.Addr)
		s.apply(importing(backend+"/pas-0001", noProfile))
		s.hasProfile(noProfile, "", sandbox.SupervisorCompleted, "")
		s.fails(s.plan(simulatedConfig(keptProfile)), "Profile completed by a supervisor", `remove the block "profile"`)
	})
}

// If the private state was lost, and nothing was read again, the status in the state still says
// that an update discards a supervisor's work.
func TestSupervisorWithoutPrivateState(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.supervise(keptProfile)
		s.applies(keptProfile)
		s.object(keptProfile).Private = nil
		s.options.Refresh = coretest.NoRefresh
		s.warns(s.applies(otherProfile), "Supervisor's profile will be replaced", "discards that work permanently")
	})
}
