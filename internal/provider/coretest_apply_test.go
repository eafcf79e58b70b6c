// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// These scenarios show that an apply decides by what it sees, not by what an earlier plan has found. The simulation of
// coretest also abandons plans.

// A saved plan attaches nothing that others have attached since.
func TestSavedPlanMeetsOthers(t *testing.T) {
	t.Parallel()
	a, b := lumen("a", backend), dependingOn(lumen("b", leeds), lumen("a", backend))
	other := func(s *simulation) { s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{})) }
	simulate(t, func(s *simulation) { // another configuration on the same machine
		saved := s.plan(simulatedConfig(a))
		others := s.core.State
		s.applies(lumen("x", backend))
		s.core.State = others
		s.fails(s.core.ApplyPlan(s.t.Context(), saved.Plan, s.options), duplicateSummary, "Nothing was sent", "import it")
		s.noDuplicates()
	})
	for name, row := range map[string]struct{ machine, adopts string }{
		"on the same machine": {}, "on another machine": {machine: "other"}, "with adopt_existing": {adopts: "true"},
	} {
		simulateAs(t, name, func(s *simulation) { // a goes first, so that the apply has changed something
			s.env["ASSESS_ADOPT_EXISTING"] = row.adopts
			planned := s.succeeds(s.plan(simulatedConfig(a, b)))
			other(s)
			s.options.Machine = row.machine
			applied := s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options)
			if row.adopts != "" {
				s.warns(s.succeeds(applied), "Existing position assessment adopted", `"pas-0001"`)
			} else {
				s.fails(applied, duplicateSummary, `"pas-0001"`)
			}
			s.noDuplicates()
		})
	}
}

// A plan takes no time, whatever it finds: it never waits for other calls.
func TestPlanNeverWaits(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.applies(lumen("a", aberdeen))
		s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
		begin := time.Now()
		s.succeeds(s.plan(simulatedConfig(lumen("renamed", aberdeen), lumen("b", leeds))))
		s.fails(s.plan(simulatedConfig(lumen("c", backend), lumen("d", backend))), duplicateSummary)
		s.fails(s.plan(simulatedConfig(tested("t", backend, "skt-go"))), "Skills test not enabled")
		if took := time.Since(begin); took >= 2*time.Second { // the shortest wait
			s.t.Errorf("three plans took %s of virtual time", took)
		}
	})
}

// Only what is in no state counts when a creation adopts: a rename whose first apply was killed.
func TestAdoptsWhatNoStateHas(t *testing.T) {
	t.Parallel()
	a, b := lumen("a", backend), lumen("b", backend)
	simulate(t, func(s *simulation) {
		s.applies(a)
		s.change(attaches(backend, "asm-lumen", sandbox.Metadata{}))
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		r := s.run(b)
		if r.Err() != nil && s.options.Parallelism == 1 { // core removes a only after it has given up b
			s.fails(r, duplicateSummary, "apply again")
			r = s.run(b)
		}
		s.succeeds(r)
		s.stays(simulatedConfig(b))
		if on := s.on(backend); !slices.Equal(on, []string{"pas-0002"}) {
			s.t.Errorf("the position has %q", on)
		}
	})
}

// Candidates are invited between a plan and its apply, so that the removed object stays as a deposed one. The
// way out of the message works.
func TestDeposedObjectThatStays(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		first, moved := createFirst(lumen("a", backend)), createFirst(lumen("a", leeds))
		s.applies(first)
		planned := s.plan(simulatedConfig(moved))
		s.service.Invite(s.t, backend, "asm-lumen")
		s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), "Could not remove the position assessment")
		s.fails(s.plan(simulatedConfig(moved)), "1 candidate has been invited", `If the plan says "deposed"`, "state rm 'ADDRESS'")
		current := s.id(moved)
		s.loses(moved.Addr)
		s.apply(importing(leeds+"/"+current, moved))
		s.stays(simulatedConfig(moved))
	})
}

// An update sends all blocks, so that a plan checks all of them, also those that do not change.
func TestUpdateIsCheckedAsAWhole(t *testing.T) {
	t.Parallel()
	both := func(benchmark string) coretest.Resource {
		r := packaged("a", backend)
		r.Body["benchmark"] = coretest.Body{"id": benchmark}
		return r
	}
	simulate(t, func(s *simulation) {
		benchmarks := s.service.State(s.t).Assessment("asm-quartet").Benchmarks
		benchmarks = slices.DeleteFunc(benchmarks, func(b sandbox.Benchmark) bool { return b.Locale != "en-GB" })
		s.applies(both(benchmarks[0].ID))
		s.change(func(st *sandbox.State) {
			packages := st.Assessment("asm-quartet").Packages
			packages[slices.IndexFunc(packages, func(p sandbox.Package) bool { return !p.Mandatory })].Mandatory = true
		})
		s.stays(simulatedConfig(both(benchmarks[0].ID))) // nothing is sent
		s.fails(s.plan(simulatedConfig(packaged("a", backend))), "Missing mandatory package")
	})
	simulate(t, func(s *simulation) {
		s.supervise(keptProfile)
		s.change(func(st *sandbox.State) { st.Assessment("asm-northlight").Profiles = nil })
		s.fails(s.plan(simulatedConfig(reattached)), "Unknown profile", "has no profiles")
	})
	simulate(t, func(s *simulation) { // packages that are selected again as before are no update
		r := selected("a", backend, "all")
		r.Body["benchmark"] = coretest.Body{"id": "bmk-quartet-engineers-en-gb"}
		s.applies(r)
		s.change(func(st *sandbox.State) { st.Assessment("asm-quartet").Benchmarks = nil })
		s.stays(simulatedConfig(r))
	})
	simulate(t, func(s *simulation) { // a test that was disabled later stays, and need not be enabled
		s.applies(tested("a", backend, "skt-sql"))
		s.change(func(st *sandbox.State) { st.Assessment("asm-workbench").SkillsTest("skt-sql").Set("active", false) })
		s.converges(tested("a", backend, "skt-sql", "skt-python"))
	})
}

// A position that was deleted is named as the cause, and does not block a destroy.
func TestDeletedPosition(t *testing.T) {
	t.Parallel()
	deleted := []string{"Unknown position", `"pos-support-leeds" was deleted in the service`, "remove the resources of this position"}
	simulate(t, func(s *simulation) {
		all := resources{lumen("a", backend), lumen("b", leeds)}
		s.applies(all...)
		s.change(removePosition(leeds))
		planned := s.plan(simulatedConfig(all...))
		s.warns(planned, deleted...)
		s.succeeds(s.core.PlanDestroy(s.t.Context(), simulatedConfig(all...), s.options))
		s.service.ResetJournal()
		s.fails(s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, s.options),
			"Unknown position", `"pos-support-leeds"`, "was deleted in the service", "remove the resources of this position")
		s.writesNothing()
	})
}

// With a provider for the removal and another one for the creation, the object that is adopted is not removed.
func TestAdoptionThroughAnotherAlias(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := func(r coretest.Resource) coretest.Config {
			c := simulatedConfig(r)
			c.Providers["other"] = c.Providers[""]
			return c
		}
		a, b := lumen("a", backend), lumen("b", backend)
		a.Provider = "other"
		s.apply(config(a))
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		s.apply(config(b))
		if s.options.Parallelism == 1 { // the removal can come after the wait, which is a known limit
			s.apply(config(b))
		}
		if on := s.on(backend); !slices.Equal(on, []string{s.id(b)}) {
			s.t.Errorf("the position has %q, and the state %q", on, s.id(b))
		}
	})
}

// Thirty renamed keys are through in under two minutes and two applies, whatever the parallelism.
func TestManyRenamedKeys(t *testing.T) {
	t.Parallel()
	keyed := func(prefix string) resources {
		var all resources
		for n := range 30 {
			all = append(all, lumen(fmt.Sprintf("each[%q]", fmt.Sprint(prefix, n)), fmt.Sprintf("pos-%04d", n%12)))
			if n >= 12 {
				all[n] = benchmarked(fmt.Sprintf("each[%q]", fmt.Sprint(prefix, n)), fmt.Sprintf("pos-%04d", n%12),
					[]string{engineersBenchmark, managersBenchmark}[n/12-1])
			}
		}
		return all
	}
	for _, parallelism := range []int{1, 2, 10, 50} {
		onceAs(t, fmt.Sprint(parallelism), func(s *simulation) {
			s.options.Parallelism = parallelism
			others := len(s.attached())
			s.applies(keyed("old")...)
			begin := time.Now()
			if r := s.run(keyed("new")...); r.Err() != nil && parallelism < 50 {
				s.fails(r, duplicateSummary, "apply again")
				s.applies(keyed("new")...)
			}
			if took := time.Since(begin); took > 2*time.Minute {
				s.t.Errorf("took %s", took)
			}
			s.stays(simulatedConfig(keyed("new")...))
			s.noDuplicates()
			if got := len(s.attached()) - others; got != 30 {
				s.t.Errorf("%d are attached", got)
			}
		})
	}
}

// One duplicate that others have attached costs the apply of many resources one wait.
func TestOneWaitForOneDuplicate(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.options.Parallelism = 10
		s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
		all := resources{lumen("duplicate", leeds)}
		for n := range 60 {
			of := []func(name, position string) coretest.Resource{
				lumen, facet, northlight,
				func(name, position string) coretest.Resource { return tested(name, position, "skt-sql") },
				func(name, position string) coretest.Resource { return packaged(name, position) },
			}[n/12]
			all = append(all, of(fmt.Sprintf("r%d", n), fmt.Sprintf("pos-%04d", n%12)))
		}
		begin := time.Now()
		s.fails(s.run(all...), duplicateSummary, `"pas-0001"`)
		if took := time.Since(begin); took > 40*time.Second { // 60 waits would take more than two minutes
			t.Errorf("took %s", took)
		}
		s.service.AssertCount(t, http.MethodPost, "", 60)
	})
}

// With adopt_existing, a counterpart with another configuration is an error of its own, and what is equal is
// adopted. Without it, nothing is.
func TestLostState(t *testing.T) {
	t.Parallel()
	all := resources{lumen("a", backend), benchmarked("b", leeds, graduatesBenchmark), facet("c", aberdeen)}
	lost := func(s *simulation) {
		s.applies(all...)
		s.loses(s.core.State.Addresses()...)
		s.change(func(st *sandbox.State) { st.Position(leeds).Assessments[0].Metadata.Benchmark = "" }) // by hand
		s.service.ResetJournal()
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
	}
	simulate(t, func(s *simulation) {
		lost(s)
		planned := s.plan(simulatedConfig(all...))
		s.warns(planned, alreadyAttached, "adopts it, or attaches anew")
		s.warns(planned, attachedTwice, "the apply fails", "unset adopt_existing")
		s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), attachedTwice, "a different configuration",
			`What differs: benchmark \(existing: none, here: `, "import")
		s.writesNothing()
		if s.object(all[0]) == nil || s.object(all[2]) == nil {
			s.t.Errorf("the state has only %q", s.core.State.Addresses())
		}
	})
	simulate(t, func(s *simulation) { // one warning names all that was adopted at the same time
		ids := []string{"Existing position assessment adopted"}
		s.applies(all...)
		for _, r := range all {
			ids = append(ids, fmt.Sprintf("%q", s.id(r)))
		}
		s.loses(s.core.State.Addresses()...)
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		adopted := s.succeeds(s.core.Apply(s.t.Context(), simulatedConfig(all...), s.with(func(o *coretest.Options) {
			o.Parallelism = 10
		})))
		s.warns(adopted, ids...)
		if n := strings.Count(fmt.Sprint(adopted.Diagnostics), ids[0]); n != 1 {
			s.t.Errorf("%d warnings say what was adopted, want 1:\n%v", n, adopted.Diagnostics)
		}
	})
	simulate(t, func(s *simulation) { // the setting in the apply decides
		lost(s)
		planned := s.plan(simulatedConfig(all[0], all[2]))
		delete(s.env, "ASSESS_ADOPT_EXISTING")
		refused := s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options)
		s.fails(refused, duplicateSummary, "import it", "ASSESS_ADOPT_EXISTING=true")
		s.fails(refused, duplicateSummary, "The error with an import block says how to fix this", "import ID")
		if n := strings.Count(fmt.Sprint(refused.Diagnostics), "import it:"); n != 1 {
			s.t.Errorf("%d errors give the same advice, want 1:\n%v", n, refused.Diagnostics)
		}
		s.writesNothing()
		if left := s.core.State.Addresses(); len(left) > 0 {
			s.t.Errorf("adopted although the setting is not set: %q", left)
		}
	})
}

// With adopt_existing, nothing is attached beside what another creation of the run adopts, in any order.
func TestAttachesNothingBesideWhatIsAdopted(t *testing.T) {
	t.Parallel()
	inOrders(t, func(s *simulation) {
		s.change(attaches(backend, "asm-lumen", sandbox.Metadata{}))
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		a, b := lumen("a", backend), benchmarked("b", backend, engineersBenchmark)
		planned := s.plan(simulatedConfig(a, b))
		s.warns(planned, alreadyAttached, "adopts it, or attaches anew")
		s.warns(planned, attachedTwice, "the apply fails")
		s.fails(s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options), attachedTwice, "a different configuration")
		if s.writesNothing(); s.object(a) == nil {
			s.t.Error("nothing was adopted")
		}
	})
}

// An import and a replacement at the same address are legal.
func TestImportOfWhatItsOwnAddressReplaces(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a, b := lumen("a", backend), lumen("b", leeds)
		s.applies(a)
		id := s.id(a)
		s.loses(a.Addr)
		s.apply(importing(backend+"/"+id, b))
		if on := s.on(leeds); len(on) != 1 || len(s.on(backend)) != 0 {
			s.t.Errorf("the positions have %q and %q", s.on(backend), on)
		}
	})
}

// With settings that are not known yet, a replacement with create_before_destroy on the same position has a way out, too.
// Core removes the old object only after the creation, so the apply refuses to attach an equal one, however often. With
// adopt_existing, one apply completes it.
func TestReplacementCreateFirst(t *testing.T) {
	t.Parallel()
	config := func(trigger string) coretest.Config {
		account := unknownString("account", sandbox.ClientID)
		account.Body["triggers_replace"] = trigger
		c := simulatedConfig(account, createFirst(lumen("a", backend)))
		c.Providers[""]["client_id"] = outputOf("account")
		return c
	}
	simulate(t, func(s *simulation) {
		s.apply(config("1"))
		s.service.ResetJournal()
		replace := s.with(func(o *coretest.Options) { o.Replace = []string{attachmentAddr + "a"} })
		for range 2 {
			s.fails(s.core.Apply(s.t.Context(), config("2"), replace), duplicateSummary, `"pas-0001"`, "create_before_destroy",
				"ASSESS_ADOPT_EXISTING=true")
		}
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		s.succeeds(s.core.Apply(s.t.Context(), config("2"), replace))
		delete(s.env, "ASSESS_ADOPT_EXISTING")
		s.writesNothing()
		s.stays(config("2"))
		s.noDuplicates()
	})
}

// adoptBeside takes the object of resource a into the state under address b, too. An apply with
// -target can do that, because the CLI does not read a.
func (s *simulation) adoptBeside(a, b coretest.Resource) {
	s.env["ASSESS_ADOPT_EXISTING"] = "true"
	onlyB := s.with(func(o *coretest.Options) { o.Targets = []string{b.Addr} })
	s.succeeds(s.core.Apply(s.t.Context(), simulatedConfig(a, b), onlyB))
	delete(s.env, "ASSESS_ADOPT_EXISTING")
	s.service.ResetJournal()
}

// An apply without checks looks before it attaches, and adopts.
func TestAdoptionWithoutChecks(t *testing.T) {
	t.Parallel()
	a := lumen("a", backend)
	simulate(t, func(s *simulation) {
		s.applies(a)
		s.loses(a.Addr)
		s.env["ASSESS_ADOPT_EXISTING"] = "true"
		saved := s.plan(simulatedConfig(a))
		s.service.ResetJournal()
		s.env["ASSESS_PLAN_CHECKS"] = "false"
		s.appliesPlan(saved)
		s.writesNothing()
	})
}

// If two addresses have one object, a plan does not remove at one address what the other one keeps. It warns
// while both keep it, and destroys it if both leave.
func TestObjectAtTwoAddresses(t *testing.T) {
	t.Parallel()
	const summary = "Position assessment at two addresses"
	simulate(t, func(s *simulation) {
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		s.adoptBeside(a, b)
		s.fails(s.run(b), summary, "state rm 'ADDRESS'")
		s.fails(s.run(lumen("a", leeds), b), summary, "state rm 'ADDRESS'")
		s.warns(s.applies(a, b), summary, "state rm 'ADDRESS'")
		s.core.Taint(a.Addr) // core does not tell the provider, so that the plan can only warn
		s.warns(s.plan(simulatedConfig(a, b)), summary)
		s.core.State.Instances[a.Addr].Current.Tainted = false
		s.writesNothing()
		s.destroys(simulatedConfig(a, b))
		s.service.AssertCount(s.t, http.MethodDelete, "", 1)
	})
	simulate(t, func(s *simulation) { // an import can be the second address
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		id := backend + "/" + s.id(a)
		second := importing(id, a, b)
		second.Imports = []coretest.Import{{To: b.Addr, ID: id}}
		s.warns(s.plan(second), summary, "import block")
		s.loses(a.Addr)
		second.Imports = append(second.Imports, coretest.Import{To: a.Addr, ID: id})
		s.warns(s.plan(second), summary, "import block")
	})
	simulate(t, func(s *simulation) { // but not if a removed block drops the first one
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		moves := importing(backend+"/"+s.id(a), b)
		moves.Removed = []string{a.Addr}
		if r := s.succeeds(s.plan(moves)); r.Says(summary) {
			s.t.Errorf("one address has the object: %v", r.Diagnostics)
		}
	})
	simulate(t, func(s *simulation) { // the way out of the message
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		s.adoptBeside(a, b)
		s.loses(a.Addr)
		s.converges(b)
		s.destroys(simulatedConfig(b))
	})
}

// A saved plan whose apply failed can be applied again.
func TestSavedPlanAppliesAgain(t *testing.T) {
	t.Parallel()
	for failure, row := range map[string]struct {
		causes, ends func(*simulation)
	}{
		"read-only": {
			func(s *simulation) { s.env["ASSESS_READ_ONLY"] = "true" }, func(s *simulation) { delete(s.env, "ASSESS_READ_ONLY") },
		},
		"403": {
			func(s *simulation) {
				s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Status: http.StatusForbidden})
			},
			func(*simulation) {},
		},
	} {
		simulateAs(t, failure, func(s *simulation) {
			config := simulatedConfig(lumen("a", backend))
			before, saved := s.core.State, s.plan(config)
			row.causes(s)
			s.fails(s.core.ApplyPlan(s.t.Context(), saved.Plan, s.options), failure)
			row.ends(s)
			s.core.State = before
			s.appliesPlan(saved)
			s.stays(config)
			s.noDuplicates()
		})
	}
}

// One 404 to the list of a position that exists does not let the run attach without looking elsewhere.
func TestOneMissingListBlindsNothing(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.options.Parallelism = 1
		s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
		s.env["ASSESS_PLAN_CHECKS"] = "false"
		planned := s.plan(simulatedConfig(lumen("a", backend), dependingOn(lumen("b", leeds), lumen("a", backend))))
		s.service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: http.StatusNotFound, Times: 1,
		})
		s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, s.options)
		s.noDuplicates()
	})
}

// A mute service hides a benchmark. A removal is not handed over to a creation without one.
func TestMuteServiceHandsNothingOver(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.options.Parallelism = 10
		s.network.Latency = 50 * time.Millisecond
		all := resources{benchmarked("a", backend, engineersBenchmark)}
		for n := range 8 { // delays the removal of a
			all = append(all, dependingOn(facet(fmt.Sprint("x", n), fmt.Sprintf("pos-%04d", n)), all[len(all)-1]))
		}
		s.applies(all...)
		s.applies(lumen("b", backend))
		if on := s.service.State(s.t).Position(backend).Assessments; on[0].Metadata.Benchmark != "" {
			t.Errorf("configured without a benchmark, the service has %+v", on)
		}
	}, mute)
}

// What an apply refuses that its plan has not checked. Whether the service hides how something is configured follows from
// lists, so if one of them cannot be read, nothing is attached beside it. The apply does not call a mistyped position
// deleted, because it does not know the past.
func TestApplyWithoutChecksRefuses(t *testing.T) {
	t.Parallel()
	unread := []string{"Could not attach the assessment", "403 Forbidden"}
	for name, row := range map[string]struct {
		unread, position string
		says             []string
	}{
		"packages that cannot be read": {sandbox.RoutePackages, leeds, unread},
		"tests that cannot be read":    {sandbox.RouteSkillsTests, leeds, unread},
		"a mistyped position": {"/none", "pos-typo", []string{
			"Unknown position", `The organization has no position "pos-typo"`, "If the position was deleted",
		}},
	} {
		onceAs(t, name, func(s *simulation) {
			s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
			s.env["ASSESS_PLAN_CHECKS"] = "false"
			s.service.Inject(refusing(row.unread, http.StatusForbidden))
			s.fails(s.run(lumen("a", row.position)), row.says...)
			s.writesNothing()
		})
	}
}

// Reads may lack a position assessment for a few seconds after it was attached. That it has gone is believed only later,
// because the next apply would attach a duplicate.
func TestReadsLagBehindCreation(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		later   time.Duration // of the plan
		appears time.Duration // after the plan has begun. 0: another client has removed it
		waits   time.Duration
	}{
		"at once":              {0, 5 * time.Second, 10 * time.Second},
		"after a while":        {6 * time.Second, 3 * time.Second, 4 * time.Second},
		"removed at once":      {0, 0, 10 * time.Second},
		"removed after a time": {time.Minute, 0, 0},
	} {
		simulateAs(t, name, func(s *simulation) {
			s.applies(engineers)
			time.Sleep(row.later)
			want := "map[]"
			if row.appears > 0 {
				s.service.Inject(sandboxtest.Fault{
					Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Times: -1, Body: []byte("[]"),
				})
				s.service.Inject(refusing(sandbox.RoutePositionAssessment, http.StatusNotFound))
				time.AfterFunc(row.appears, s.service.ClearFaults)
			} else {
				s.change(empty(backend))
				want = fmt.Sprintf("map[%s:create]", engineers.Addr)
			}
			start := time.Now()
			planned := s.succeeds(s.plan(simulatedConfig(engineers)))
			if got := fmt.Sprint(planned.Plan.Actions()); got != want {
				s.t.Errorf("the plan does %s, want %s", got, want)
			}
			if took := time.Since(start).Round(time.Second); took != row.waits {
				s.t.Errorf("the plan took %s, want %s", took, row.waits)
			}
		})
	}
}
