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
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func (l *life) options(r *rand.Rand) coretest.Options {
	return coretest.Options{Seed: r.Uint64(), Parallelism: []int{1, 2, 10}[r.IntN(3)], Machine: "one"}
}

// fault makes the network fail at some time in a run; "" if it does not.
func (l *life) fault(r *rand.Rand) string {
	l.network.Restart()
	l.network.Decide = nil
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
	case n == 6: // to the end: a single 404 is the service's own, as far as anyone can tell
		l.network.Decide = func(n int, _ *http.Request) coretest.Event {
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
		l.network.Decide = func(_ int, r *http.Request) coretest.Event {
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

// apply plans and applies what is wanted, in one of the ways of the command line.
func (l *life) apply(r *rand.Rand) {
	o := l.options(r)
	if r.IntN(5) == 0 {
		l.trigger++
		l.log("the trigger changes")
	}
	switch r.IntN(8) {
	case 0:
		o.Refresh = coretest.NoRefresh
	case 1, 4, 5:
		if l.core.Profile.MinimalRefresh {
			o.Refresh = coretest.MinimalRefresh
		}
	case 2:
		if i := l.any(r); i != nil {
			o.Targets = []string{i.addr()}
		}
	case 3:
		if i := l.any(r); i != nil {
			o.Replace = []string{i.addr()}
		}
	}
	l.run(o, l.fault(r), r.IntN(6) == 0)
}

// snapshot is what there is before a run.
type snapshot struct {
	addresses  map[string]string // of what the state holds, by id
	supervised map[string]bool
	refusable  string // why a plan may be refused
	failable   string // why its apply may fail
}

func (l *life) snapshot(o coretest.Options) snapshot {
	s := snapshot{map[string]string{}, map[string]bool{}, l.refusable(o.Refresh != coretest.NoRefresh), l.refusable(false)}
	for addr, i := range l.core.State.Instances {
		if strings.HasPrefix(addr, "assess_position_assessment.") {
			for _, m := range l.moved {
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
	l.before = map[string]bool{}
	for id := range s.addresses {
		l.before[id] = true
	}
	for _, p := range l.estate().Positions {
		for _, a := range p.Assessments {
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
				s.supervised[a.ID] = true
			}
		}
	}
	return s
}

// run plans and applies, and checks what must hold afterwards.
func (l *life) run(o coretest.Options, fault string, elsewhere bool) coretest.Result {
	before, config := l.snapshot(o), l.config()
	l.log("apply %s%s", describeOptions(o), fault)
	planned := l.core.Plan(l.ctx, config, o)
	l.shown(planned, o)
	if planned.Plan == nil {
		l.said(planned)
		l.refused(planned, before, fault)
		l.network.Decide = nil
		return planned
	}
	l.plan = planned.Plan
	l.log("  plan: %v", planned.Plan.Actions())
	if fault == "" {
		l.refuses(before, planned.Plan)
	}
	if elsewhere {
		o.Machine = "other"
		l.log("  applied on another machine")
	}
	result := l.core.ApplyPlan(l.ctx, planned.Plan, o)
	l.network.Decide = nil
	l.said(result)
	l.kept(before, planned.Plan, result)
	if result.Err() == nil {
		l.applied(o, config, fault)
	} else if fault == "" && before.failable == "" && !l.mayFail(result, elsewhere) {
		l.fails("what was planned cannot be applied")
	}
	return result
}

func describeOptions(o coretest.Options) string {
	words := []string{fmt.Sprintf("-parallelism=%d ", o.Parallelism)}
	words = append(words, flags(o)...)
	return strings.Join(words, " ") + " "
}

func (l *life) said(result coretest.Result) {
	if result.Killed {
		l.log("  killed")
		return
	}
	for _, d := range result.Diagnostics {
		if d.Error && !d.Dropped {
			detail, _, _ := strings.Cut(d.Detail, "\n")
			l.log("  error: %s: %s: %s: %s", d.Phase, d.Addr, d.Summary, detail)
		}
	}
}

// shown requires that what core does not show has been said elsewhere as well. A
// minimal refresh drops whole plans, which no provider can know.
func (l *life) shown(result coretest.Result, o coretest.Options) {
	if o.Refresh == coretest.MinimalRefresh {
		return
	}
	for _, d := range result.Diagnostics {
		if d.Dropped && !result.Says(d.Summary) {
			l.fails("core does not show: %s: %s", d.Addr, d.Summary)
		}
	}
}

// refused checks a plan that was refused: it must have been for a reason.
func (l *life) refused(result coretest.Result, before snapshot, fault string) {
	if result.Killed || fault != "" || before.refusable != "" {
		return
	}
	l.fails("what the service accepts is refused")
}

// refuses requires that a plan refuses to create what the service would refuse,
// where the service shows all that is needed to know.
func (l *life) refuses(before snapshot, plan *coretest.Plan) {
	if l.assumptions != (sandboxtest.Assumptions{}) || l.unchecked {
		return
	}
	st, actions := l.estate(), plan.Actions()
	known := slices.Collect(maps.Values(before.addresses))
	for _, i := range l.wanted() {
		if actions[i.addr()] != coretest.Create || i.later || slices.Contains(known, i.addr()) {
			continue // what is gone may be planned again
		}
		if why := i.unacceptable(st, l.activations); why != "" {
			l.fails("planned, and the service will refuse it: %s: %s", i, why)
		}
	}
}

// mayFail reports whether an apply may fail for a reason that its plan could not
// know.
func (l *life) mayFail(result coretest.Result, elsewhere bool) bool {
	// On another machine, a creation before the old object is destroyed looks like a
	// duplicate. The message names the setting that helps.
	if elsewhere && result.Says("ASSESS_PLAN_CHECKS=false") {
		return true
	}
	// A skills test must be sent back whole, and this service shows only ids.
	unseen := l.assumptions.RefuseFields == "bare" && len(l.activations) > 0
	return l.assumptions.NoRemoval != 0 || l.assumptions.RefuseRemovals || l.retired || unseen || result.Killed
}

// kept checks that nothing is lost: what exists and was in the state is still in
// it, what was attached is in it, and a supervisor's work is there.
func (l *life) kept(before snapshot, plan *coretest.Plan, result coretest.Result) {
	held, st, actions := l.held(), l.estate(), plan.Actions()
	exists, status := map[string]bool{}, map[string]string{}
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			exists[a.ID], status[a.ID] = true, a.Metadata.ProfileStatus
		}
	}
	for id, addr := range before.addresses {
		if exists[id] && !held[id] && actions[addr] != coretest.Forget {
			l.fails("dropped from the state: %s (%s) exists", addr, id)
		}
	}
	for _, id := range sortedNames(before.supervised) {
		addr := before.addresses[id]
		if addr != "" && status[id] != sandbox.SupervisorCompleted && actions[addr] == "" &&
			actions[addr+" (deposed)"] == "" {
			l.fails("a supervisor's work on %s is gone, and the plan did not say so", addr)
		}
	}
	for _, id := range l.unknown() {
		position, own, _ := strings.Cut(id, "/")
		if !result.Killed && !slices.ContainsFunc(result.Diagnostics, func(d coretest.Diagnostic) bool {
			return d.Error && (strings.Contains(d.Detail, position) || strings.Contains(d.Detail, own))
		}) && !l.foreign["known "+id] {
			l.fails("%s was attached, and neither the state nor an error says so", id)
		}
		l.foreign["known "+id] = true
	}
}

// applied checks what must hold once a run has succeeded.
func (l *life) applied(o coretest.Options, config coretest.Config, fault string) {
	if len(o.Targets) > 0 || o.Refresh != coretest.FullRefresh {
		return
	}
	l.loose, l.imports, l.removed, l.moved = "", nil, nil, nil
	config.Imports = nil
	l.complete(fault)
	if why := l.refusable(false); why != "" {
		return // such as what drifts from what the service accepts
	}
	o.Replace, o.Seed, o.Machine = nil, o.Seed+1, "one"
	urls := map[string]int{}
	l.network.Restart()
	l.network.Decide = func(_ int, r *http.Request) coretest.Event {
		urls[r.Method+" "+r.URL.String()]++
		return coretest.Pass
	}
	again := l.core.Plan(l.ctx, config, o)
	l.network.Decide = nil
	if again.Plan == nil {
		l.said(again)
		l.fails("after an apply the plan is refused")
		return
	}
	if actions := again.Plan.Actions(); len(actions) > 0 {
		l.fails("after an apply the plan is not empty: %v", actions)
	}
	for url, n := range urls {
		if n > 1 && l.assumptions.RefuseFields == "" && !l.assumptions.RefuseLimit {
			l.fails("%d times in one run: %s", n, url)
		}
	}
}

// complete requires that the service has what is wanted.
func (l *life) complete(fault string) {
	st := l.estate()
	for _, i := range l.wanted() {
		o := l.core.State.Instances[i.addr()].Current
		if o == nil {
			l.fails("after an apply the state does not have %s", i)
			continue
		}
		if slices.Contains(i.ignored, "all") {
			continue
		}
		p := st.Position(i.position)
		if p == nil {
			continue // deleted meanwhile
		}
		a := p.Assessment(coretest.Text(o.Value, "id"))
		if a != nil && a.Metadata.ProfileStatus != "" && fault == "" &&
			(coretest.Text(o.Value, "profile_url") == "" || coretest.Text(o.Value, "profile_status") == "") {
			l.fails("after an apply the address or status of the profile of %s is not known", i)
		}
		switch {
		case a == nil || a.Assessment != i.assessment:
			l.fails("after an apply the service does not have %s", i)
		case len(i.ignored) > 0 || l.assumptions.MuteReads || a.Metadata.ProfileStatus == sandbox.SupervisorCompleted:
		case keyOf(p.ID, a.Assessment, a.Metadata) != i.key(i.resolved(st)):
			l.fails("after an apply the service has %+v for %s", a.Metadata, i)
		}
	}
}

// planTwice requires that a plan does not depend on order and parallelism.
func (l *life) planTwice(r *rand.Rand) {
	if l.loose != "" || l.refusable(true) != "" {
		return
	}
	l.network.Decide = nil
	a := l.options(r)
	b := a
	a.Parallelism, b.Parallelism, b.Seed, b.Machine = 1, 10, a.Seed+1, "other"
	a.Machine = "third"
	first, second := l.core.Plan(l.ctx, l.config(), a), l.core.Plan(l.ctx, l.config(), b)
	l.log("two plans")
	if (first.Err() == nil) != (second.Err() == nil) {
		l.said(first)
		l.said(second)
		l.fails("whether a plan is refused depends on order")
	} else if first.Err() == nil && !maps.Equal(first.Plan.Actions(), second.Plan.Actions()) {
		l.fails("a plan depends on order: %v, %v", first.Plan.Actions(), second.Plan.Actions())
	}
}

// destroy destroys everything, with -refresh=false if that is the advice.
func (l *life) destroy(r *rand.Rand) {
	config, o := l.config(), l.options(r)
	before := l.snapshot(o)
	l.network.Decide = nil
	l.log("destroy")
	planned := l.core.PlanDestroy(l.ctx, config, o)
	if planned.Plan == nil {
		l.said(planned)
		if before.refusable == "" {
			l.fails("destroy is refused")
		}
		if !planned.Says("-refresh=false") && (!l.retired || !planned.Says("state rm")) {
			l.fails("destroy is refused, and the advice is not -refresh=false")
		}
		o.Refresh = coretest.NoRefresh
		if planned = l.core.PlanDestroy(l.ctx, config, o); planned.Plan == nil {
			l.said(planned)
			l.fails("destroy -refresh=false is refused")
			return
		}
	}
	l.plan = planned.Plan
	result := l.core.ApplyPlan(l.ctx, planned.Plan, o)
	l.said(result)
	if result.Err() == nil && len(l.core.State.Addresses()) > 0 {
		l.fails("destroyed, and the state holds %q", l.core.State.Addresses())
	}
	if result.Err() != nil && !l.mayFail(result, false) {
		l.fails("what was planned to be destroyed is not")
	}
	l.kept(before, planned.Plan, result)
	l.loosen("everything was destroyed") // until the next apply has made it again
	l.items, l.list, l.activations = map[string]*item{}, nil, map[string]string{}
	l.loose, l.imports, l.moved, l.removed = "", nil, nil, nil
}
