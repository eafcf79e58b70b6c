// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func (w *workspace) options(r *rand.Rand) coretest.Options {
	return coretest.Options{Seed: r.Uint64(), Parallelism: []int{1, 2, 10}[r.IntN(3)], Machine: "one"}
}

// fault makes the network fail at a random time and describes how. It returns "" if
// nothing fails.
func (w *workspace) fault(r *rand.Rand) string {
	w.network.Restart()
	w.network.Decide = nil
	at := r.IntN(40)
	method := []string{http.MethodPost, http.MethodPost, http.MethodDelete, http.MethodPut, ""}[r.IntN(5)]
	names := map[coretest.Event]string{
		coretest.LoseRequest: "a lost request", coretest.LoseResponse: "a lost response",
		coretest.KillBefore: "a kill before", coretest.KillAfter: "a kill after",
	}
	event := slices.Sorted(maps.Keys(names))[r.IntN(len(names))]
	switch n := r.IntN(10); {
	case n < 6:
		return ""
	case n == 6: // until the end of the run, because a single 404 looks like one of the service
		w.network.Decide = func(n int, _ *http.Request) coretest.Event {
			if n >= at {
				return coretest.NotFound
			}
			return coretest.Pass
		}
		return fmt.Sprintf("404 from request %d on", at)
	default:
		skip := at % 6
		if method == "" {
			skip = at
		}
		seen := 0
		w.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if method != "" && r.Method != method {
				return coretest.Pass
			}
			if seen++; seen == skip+1 {
				return event
			}
			return coretest.Pass
		}
		return fmt.Sprintf("%s %s number %d", names[event], method, skip+1)
	}
}

// apply plans and applies the configuration with random options.
func (w *workspace) apply(r *rand.Rand) {
	o := w.options(r)
	switch r.IntN(8) {
	case 0:
		o.Refresh = coretest.NoRefresh
	case 1:
		if w.core.Profile.MinimalRefresh {
			o.Refresh = coretest.MinimalRefresh
		}
	case 2:
		if i := w.anyItem(r); i != nil {
			o.Targets = []string{i.addr()}
		}
	case 3:
		if i := w.anyItem(r); i != nil {
			o.Replace = []string{i.addr()}
		}
	}
	w.run(o, w.fault(r), r.IntN(6) == 0)
}

// moveMinimally moves an item in a run with -minimal-refresh, which plans some
// resources twice.
func (w *workspace) moveMinimally(r *rand.Rand) {
	if w.core.Profile.MinimalRefresh {
		w.move(r)
		o := w.options(r)
		o.Refresh = coretest.MinimalRefresh
		w.run(o, "", false)
	}
}

// replaceUnknown replaces an item whose position is unknown until the apply, with
// create_before_destroy.
func (w *workspace) replaceUnknown(r *rand.Rand) {
	i := w.anyItem(r)
	if i == nil {
		return
	}
	i.later, i.createFirst, i.ignored = true, true, nil
	w.log("now %s", i)
	w.run(w.options(r), "", false)
	w.trigger++
	w.run(w.options(r), "", false)
}

// snapshot describes the workspace before a run.
type snapshot struct {
	addresses  map[string]string  // by ID, for each object in the state
	removals   map[string]removal // by ID
	supervised map[string]bool
	refusable  string // why a plan may be refused; "" if it may not
	failable   string // why its apply may fail; "" if it may not
}

func (w *workspace) snapshot(o coretest.Options) snapshot {
	s := snapshot{
		addresses: map[string]string{}, removals: w.removals(), supervised: map[string]bool{},
		refusable: w.refusable(o.Refresh != coretest.NoRefresh), failable: w.refusable(false),
	}
	for addr, i := range w.core.State.Instances {
		if strings.HasPrefix(addr, "assess_position_assessment.") {
			for _, m := range w.moved {
				if m.From == addr {
					addr = m.To
				}
			}
			for _, o := range append(slices.Clone(i.Deposed), i.Current) {
				if o != nil {
					s.addresses[coretest.Text(o.Value, "id")] = addr
				}
			}
		}
	}
	w.before = map[string]bool{}
	for id := range s.addresses {
		w.before[id] = true
	}
	for _, p := range w.serviceState().Positions {
		for _, a := range p.Assessments {
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
				s.supervised[a.ID] = true
			}
		}
	}
	return s
}

// lost reports whether the state has an item that the service no longer has.
func (s snapshot) lost(i item) bool {
	for _, m := range s.removals {
		if !m.exists && m.position == i.position && m.assessment == i.assessment {
			return true
		}
	}
	return false
}

// lacks reports whether the service no longer has an object of the state. A plan
// without refresh does not see that.
func (s snapshot) lacks(exists map[string]bool) bool {
	for id := range s.addresses {
		if !exists[id] {
			return true
		}
	}
	return false
}

// run plans and applies the configuration and checks the invariants.
func (w *workspace) run(o coretest.Options, fault string, elsewhere bool) coretest.Result {
	before, config := w.snapshot(o), w.config()
	w.log("apply %s%s", describeOptions(o), fault)
	w.demanded = o.Replace
	attached := w.idsInService()
	planned := w.core.Plan(w.ctx, config, o)
	w.checkDropped(planned, o)
	if planned.Plan == nil {
		w.logErrors(planned)
		w.checkRefusal(planned, before, fault)
		if !maps.Equal(attached, w.idsInService()) {
			w.failf("a plan changed the service")
		}
		w.network.Decide = nil
		return planned
	}
	w.plan = planned.Plan
	w.log("  plan: %v", planned.Plan.Actions())
	if fault == "" {
		w.checkInvalidRefused(before, planned.Plan)
		w.checkRemovalsRefused(before, planned.Plan)
		w.checkScoreWarnings(planned, before)
	}
	if elsewhere {
		o.Machine = "other"
		w.log("  applied on another machine")
	}
	result := w.core.ApplyPlan(w.ctx, planned.Plan, o)
	w.network.Decide = nil
	w.logErrors(result)
	w.markForgotten(before, planned.Plan)
	w.checkNothingLost(before, planned.Plan, result)
	if result.Err() == nil {
		w.checkForgotten(before, planned.Plan)
		w.checkApplied(o, config, fault)
	} else if fault == "" && before.failable == "" && !w.mayFail(result, before, planned.Plan, elsewhere) &&
		(o.Refresh != coretest.NoRefresh || !before.lacks(attached)) {
		w.failf("the apply failed although its plan succeeded")
	}
	return result
}

func describeOptions(o coretest.Options) string {
	words := []string{fmt.Sprintf("-parallelism=%d ", o.Parallelism)}
	words = append(words, flags(o)...)
	return strings.Join(words, " ") + " "
}

func (w *workspace) logErrors(result coretest.Result) {
	if result.Killed {
		w.log("  killed")
		return
	}
	for _, d := range result.Diagnostics {
		if d.Error && !d.Dropped {
			detail, _, _ := strings.Cut(d.Detail, "\n")
			w.log("  error: %s: %s: %s: %s", d.Phase, d.Addr, d.Summary, detail)
		}
	}
}

// planTwice checks that a plan does not depend on order or parallelism.
func (w *workspace) planTwice(r *rand.Rand) {
	if w.refusalReason != "" || w.refusable(true) != "" {
		return
	}
	w.network.Decide = nil
	a := w.options(r)
	b := a
	a.Parallelism, b.Parallelism, b.Seed, b.Machine = 1, 10, a.Seed+1, "other"
	a.Machine = "third"
	first, second := w.core.Plan(w.ctx, w.config(), a), w.core.Plan(w.ctx, w.config(), b)
	w.log("two plans")
	if (first.Err() == nil) != (second.Err() == nil) {
		w.logErrors(first)
		w.logErrors(second)
		w.failf("whether a plan is refused depends on order")
	} else if first.Err() == nil && !maps.Equal(first.Plan.Actions(), second.Plan.Actions()) {
		w.failf("a plan depends on order: %v, %v", first.Plan.Actions(), second.Plan.Actions())
	}
}
