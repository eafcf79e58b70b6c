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
		simulateAs(t, name, func(s *simulation) {
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
		simulateAs(t, contains, func(s *simulation) {
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
	}
}

// If a supervisor completes the profile after the plan, no change may discard that work, because the plan did not show
// it. The same happens while an update reads the profile, just before the write.
func TestSupervisorRace(t *testing.T) {
	t.Parallel()
	late := func(s *simulation) { s.change(completeProfile) }
	const replaced = "Supervisor's profile will be replaced"
	for name, row := range map[string]struct {
		before    coretest.Resource
		after     resources
		race      func(*simulation)
		verb, the string
		warns     string // the next plan
	}{
		"update": {keptProfile, resources{otherProfile}, late, "update", "the", replaced},
		"during the update": {keptProfile, resources{otherProfile}, func(s *simulation) {
			s.service.Inject(sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Act: completeProfile,
			})
		}, "update", "the", replaced},
		"removal":     {noProfile, nil, late, "remove", "its", profileDeleted},
		"replacement": {noProfile, resources{northlight("a", leeds)}, late, "remove", "its", profileDeleted},
	} {
		simulateAs(t, name, func(s *simulation) {
			s.applies(row.before)
			planned := s.plan(simulatedConfig(row.after...))
			row.race(s)
			s.service.ResetJournal()
			s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), "Could not "+row.verb+" the position assessment",
				"A supervisor has completed "+row.the+" profile since the plan was made", "nothing was sent", "plan again")
			s.writesNothing()
			s.warns(s.plan(simulatedConfig(row.after...)), row.warns)
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
// that an update discards a supervisor's work. An update that sends nothing keeps what is known.
func TestSupervisorWithoutPrivateState(t *testing.T) {
	t.Parallel()
	forgets := func(r coretest.Resource) coretest.Resource {
		r.Body = maps.Clone(r.Body)
		r.Body["on_refused_removal"] = "forget"
		return r
	}
	once(t, func(s *simulation) {
		s.supervise(keptProfile)
		s.applies(keptProfile)
		s.object(keptProfile).Private = nil
		s.options.Refresh = coretest.NoRefresh
		s.warns(s.plan(simulatedConfig(otherProfile)), "Supervisor's profile will be replaced", "discards that work permanently")
		s.applies(forgets(keptProfile))
		s.warns(s.applies(forgets(otherProfile)), "Supervisor's profile will be replaced", "discards that work permanently")
	})
}

// Without a refresh, a destroy does not delete work that the state does not know. The message says what helps.
func TestDestroyWithoutRefresh(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.applies(noProfile)
		s.change(completeProfile)
		s.options.Refresh = coretest.NoRefresh
		s.fails(s.core.Destroy(s.t.Context(), simulatedConfig(noProfile), s.options), "plan again, without -refresh=false")
		s.options.Refresh = coretest.FullRefresh
		s.destroys(simulatedConfig(noProfile))
	})
}

// If the profile of what was attached could not be read, the state does not know whether a supervisor has completed it.
// A removal without a refresh looks first.
func TestRemovalOfUnreadProfile(t *testing.T) {
	t.Parallel()
	for name, completes := range map[string]bool{"completed": true, "not completed": false} {
		simulateAs(t, name, func(s *simulation) {
			s.service.Inject(sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Status: http.StatusBadRequest,
			})
			s.warns(s.applies(noProfile), "Could not read the profile")
			if completes {
				s.change(completeProfile)
			}
			s.service.ResetJournal()
			s.options.Refresh = coretest.NoRefresh
			removed := s.run()
			if !completes {
				s.succeeds(removed)
				s.service.AssertCount(s.t, http.MethodDelete, "", 1)
				return
			}
			s.fails(removed, "Could not remove the position assessment", "plan again, without -refresh=false")
			s.writesNothing()
		}, func(o *sandboxtest.Options) { o.Assumptions.Writes = "no status" })
	}
}

const profileDeleted = "Supervisor's profile will be deleted"

// Each plan that deletes a supervisor's work warns with a summary of its own, or is refused if core would show no
// warning.
func TestSupervisedRemovalWarns(t *testing.T) {
	t.Parallel()
	trigger := func(value string) coretest.Resource {
		return coretest.Resource{Addr: "terraform_data.trigger", Body: coretest.Body{"input": value}}
	}
	one, two, triggered := resources{noProfile}, counted(northlight, backend, leeds), noProfile
	triggered.ReplaceTriggeredBy = []string{"terraform_data.trigger"}
	key := func(name string) resources { return resources{northlight(`each["`+name+`"]`, backend)} }
	later := func(trigger string) resources { return at(northlight("a", ""), trigger, backend) }
	replaced := []string{"taint 'ADDRESS'"}
	tainted := []string{"may be tainted", "untaint 'ADDRESS'"}
	for name, row := range map[string]struct {
		before, after resources
		event         func(*simulation)
		refused       bool
		says          []string
	}{
		"a deleted row":         {before: one, says: []string{"This plan removes", "undo the change"}},
		"another position":      {before: one, after: resources{northlight("a", leeds)}, says: []string{"This plan replaces"}},
		"a renamed key":         {before: key("one"), after: key("two"), says: []string{"use a moved block. moved {"}},
		"an element of a count": {before: two, after: two[1:]},
		"a position that is not known": {
			before: later("1"), after: later("2"),
			says: []string{"only because position_id is not known yet", "depends_on", "-target='ADDRESS'"},
		},
		"-replace": {
			before: one, after: one, refused: true, says: replaced,
			event: func(s *simulation) { s.options.Replace = []string{noProfile.Addr} },
		},
		"replace_triggered_by": {
			before: resources{trigger("1"), triggered}, after: resources{trigger("2"), triggered}, refused: true, says: replaced,
		},
		"a taint": {before: one, after: one, event: taints(noProfile), says: tainted},
		"a taint without plan checks": {
			before: one, after: one, says: tainted,
			event: func(s *simulation) { s.core.Taint(noProfile.Addr); s.env["ASSESS_PLAN_CHECKS"] = "false" },
		},
	} {
		simulateAs(t, name, func(s *simulation) {
			s.applies(row.before...)
			s.change(func(st *sandbox.State) {
				if err := st.CompleteProfile(backend, st.Position(backend).Assessments[0].ID); err != nil {
					panic(err)
				}
			})
			if row.event != nil {
				row.event(s)
			}
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
	}
	simulate(t, func(s *simulation) {
		s.supervise(noProfile)
		s.warns(s.core.PlanDestroy(s.t.Context(), simulatedConfig(noProfile), s.options), profileDeleted)
	})
}

// If the service does not offer to read one position assessment, its list shows whether a supervisor has completed the
// profile (assumption A7). So the profile can be changed and removed, but not after the supervisor has completed it.
func TestSupervisedWithoutSingleReads(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented} {
		once(t, func(s *simulation) {
			s.service.Inject(refusing(sandbox.RoutePositionAssessment, status))
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
		s.warns(s.plan(later(coretest.Body{"on_supervisor_change": outputOf("later")})), "Supervisor's profile may be replaced",
			"attaches the configured profile", "Otherwise, the apply fails")
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
		s.warns(s.plan(later(coretest.Body{"on_supervisor_change": outputOf("later")})), "Supervisor's profile may be replaced",
			`If it is "reattach"`, `keeps the work only if the ID of the configured profile is "prf-customer-first"`)
	})
}

// While on_supervisor_change is not known yet, a plan warns that the apply may discard the supervisor's work. It promises
// neither that the profile changes nor that it stays.
func TestUnknownChangeBesideASupervisor(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before             coretest.Resource
		onChange           string
		id, status, writes string // id is empty if the apply refuses the change
	}{
		"keep": {keptProfile, "keep", "prf-customer-first", sandbox.SupervisorCompleted, ""},
		"reattach": {
			keptProfile, "reattach", "prf-customer-first", sandbox.ProfileAttached, "PUT",
		},
		"keep, and the state has no profile":     {before: noProfile, onChange: "keep"},
		"reattach, and the state has no profile": {noProfile, "reattach", "prf-customer-first", sandbox.ProfileAttached, "PUT"},
	} {
		simulateAs(t, name, func(s *simulation) {
			s.supervise(row.before)
			config := simulatedConfig(unknownString("later", row.onChange), positionAssessment("a", backend, "asm-northlight",
				"profile", coretest.Body{"id": "prf-customer-first", "on_supervisor_change": outputOf("later")}))
			planned := s.plan(config)
			s.warns(planned, "Supervisor's profile may be replaced", "value of on_supervisor_change is not known yet",
				`"reattach"`, `profile "prf-customer-first"`)
			if row.id == "" {
				s.fails(s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, s.options), "Profile completed by a supervisor")
				s.writesNothing()
				return
			}
			s.appliesPlan(planned)
			if got := s.text(keptProfile, "profile", "id"); got != row.id || s.text(keptProfile, "profile_status") != row.status {
				s.t.Errorf("the state has profile %q with status %s", got, s.text(keptProfile, "profile_status"))
			}
			if got := s.writes(); got != row.writes || s.text(keptProfile, "profile_url") == "" {
				s.t.Errorf("sent %q, want %q; the address is %q", got, row.writes, s.text(keptProfile, "profile_url"))
			}
			s.stays(config)
		})
	}
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
