// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const profileDeleted = "Supervisor's profile will be deleted"

// Each plan that deletes a supervisor's work warns with a summary of its own, or is refused if core would show no
// warning.
func TestSupervisedRemovalWarns(t *testing.T) {
	t.Parallel()
	const taint = "taint 'ADDRESS'"
	always := func(*simulation) {}
	trigger := func(value string) coretest.Resource {
		return coretest.Resource{Addr: "terraform_data.trigger", Body: coretest.Body{"input": value}}
	}
	triggered := noProfile
	triggered.ReplaceTriggeredBy = []string{"terraform_data.trigger"}
	key := func(name string) coretest.Resource { return northlight(`each["`+name+`"]`, backend) }
	later := func(trigger string) resources { return at(northlight("a", ""), trigger, backend) }
	for name, row := range map[string]struct {
		before, after resources
		event         func(*simulation)
		refused       bool
		says          []string
	}{
		"a deleted row":    {resources{noProfile}, nil, always, false, []string{"This plan removes", "undo the change"}},
		"another position": {resources{noProfile}, resources{northlight("a", leeds)}, always, false, []string{"This plan replaces"}},
		"a renamed key":    {resources{key("one")}, resources{key("two")}, always, false, []string{"use a moved block. moved {"}},
		"an element of a count": {
			counted(northlight, backend, leeds), counted(northlight, backend, leeds)[1:], always, false, nil,
		},
		"a position that is not known": {
			later("1"), later("2"), always, false,
			[]string{"only because position_id is not known yet", "depends_on", "-target='ADDRESS'"},
		},
		"-replace": {
			resources{noProfile},
			resources{noProfile},
			func(s *simulation) { s.options.Replace = []string{noProfile.Addr} }, true,
			[]string{taint},
		},
		"replace_triggered_by": {
			resources{trigger("1"), triggered}, resources{trigger("2"), triggered}, always, true, []string{taint},
		},
		"a taint": {
			resources{noProfile},
			resources{noProfile},
			func(s *simulation) { s.core.Taint(noProfile.Addr) }, false,
			[]string{"may be tainted", "untaint 'ADDRESS'"},
		},
		"a taint without plan checks": {
			resources{noProfile},
			resources{noProfile},
			func(s *simulation) { s.core.Taint(noProfile.Addr); s.env["ASSESS_PLAN_CHECKS"] = "false" }, false,
			[]string{"may be tainted", "untaint 'ADDRESS'"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.applies(row.before...)
				s.change(func(st *sandbox.State) {
					if err := st.CompleteProfile(backend, st.Position(backend).Assessments[0].ID); err != nil {
						panic(err)
					}
				})
				row.event(s)
				planned := s.plan(simulatedConfig(row.after...))
				expect := s.warns
				if row.refused {
					expect = s.fails
				} else {
					s.succeeds(planned)
				}
				expect(planned, append([]string{profileDeleted, "A supervisor has completed its profile"}, row.says...)...)
				if planned.Says("need to do anything") {
					s.t.Errorf("the plan plays down what it does: %v", planned.Diagnostics)
				}
			})
		})
	}
	simulate(t, func(s *simulation) {
		s.supervise(noProfile)
		s.warns(s.core.PlanDestroy(s.t.Context(), simulatedConfig(noProfile), s.options), profileDeleted)
	})
}

// A supervisor who completes the profile after the plan is not overruled by a removal.
func TestSupervisorRacesWithRemoval(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]resources{"removal": nil, "replacement": {northlight("a", leeds)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.applies(noProfile)
				planned := s.plan(simulatedConfig(after...))
				s.change(completeProfile)
				s.service.ResetJournal()
				s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), "Could not remove the position assessment",
					"completed its profile since the plan was made", "plan again")
				s.service.AssertCount(s.t, http.MethodDelete, "", 0)
				s.warns(s.plan(simulatedConfig(after...)), profileDeleted)
			})
		})
	}
}

// If the service does not offer to read one position assessment, its list shows whether a supervisor has completed the
// profile (assumption A7). So the profile can be changed and removed, but not after the supervisor has completed it.
func TestSupervisedWithoutSingleReads(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented} {
		once(t, func(s *simulation) {
			s.service.Inject(sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Status: status, Times: -1,
			})
			curious, customer := profiled("a", backend, "prf-curious-builders"), profiled("a", backend, "prf-customer-first")
			s.applies(curious)
			s.converges(customer)
			planned := s.succeeds(s.plan(simulatedConfig(curious)))
			s.change(completeProfile)
			s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), "A supervisor has completed the profile since")
			s.destroys(simulatedConfig(curious))
		})
	}
}

// The memory of a supervisor's work follows from what the service says, also after an adoption and an update.
func TestSupervisedMemory(t *testing.T) {
	t.Parallel()
	refused := func(s *simulation) {
		s.t.Helper()
		s.options.Refresh = coretest.NoRefresh
		s.service.ResetJournal()
		s.fails(s.run(keptProfile), "Profile completed by a supervisor", `remove the block "profile"`)
		s.writesNothing()
	}
	simulate(t, func(s *simulation) { // adopted when it was completed already
		s.supervise(noProfile)
		s.loses(noProfile.Addr)
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		s.applies(noProfile)
		refused(s)
	})
	simulate(t, func(s *simulation) { // the block is removed in a plan, and then a supervisor completes the profile
		s.applies(keptProfile)
		planned := s.plan(simulatedConfig(noProfile))
		s.change(completeProfile)
		s.appliesPlan(planned)
		refused(s)
	})
}

// A profile whose ID is not known yet discards the supervisor's work, or is refused, as the apply does.
func TestUnknownProfileBesideASupervisor(t *testing.T) {
	t.Parallel()
	later := func(more coretest.Body) coretest.Config {
		body := coretest.Body{"id": outputOf("later")}
		maps.Copy(body, more)
		return simulatedConfig(unknownString("later", "prf-curious-builders"),
			positionAssessment("a", backend, "asm-northlight", "profile", body))
	}
	simulate(t, func(s *simulation) {
		s.supervise(noProfile)
		s.fails(s.plan(later(nil)), "Profile completed by a supervisor", "not known yet", `remove the block "profile"`)
		reattach := later(coretest.Body{"on_supervisor_change": "reattach"})
		s.warns(s.plan(reattach), "Supervisor's profile will be replaced", "not known yet")
		s.apply(reattach)
		attached := s.service.State(s.t).Position(backend).Assessments[0]
		if got := attached.Metadata.ProfileStatus; got != sandbox.ProfileAttached {
			s.t.Errorf("the status is %s", got)
		}
	})
	simulate(t, func(s *simulation) {
		s.supervise(keptProfile)
		s.warns(s.plan(later(nil)), "Supervisor's profile may be replaced", `"prf-customer-first"`)
	})
}

// Nothing warns about a profile that no longer exists.
func TestSupervisedAndGone(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.supervise(noProfile)
		s.applies(noProfile) // so that the state has the status
		s.change(func(st *sandbox.State) { st.Position(backend).Assessments = nil })
		if planned := s.succeeds(s.plan(simulatedConfig(noProfile))); planned.Says(profileDeleted) {
			s.t.Errorf("the plan warns about what is gone: %v", planned.Diagnostics)
		}
	})
}
