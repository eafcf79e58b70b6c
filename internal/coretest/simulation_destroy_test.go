// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"math/rand/v2"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// destroy destroys everything. If that is refused, -refresh=false and "state rm" must help (invariant 5).
func (w *workspace) destroy(r *rand.Rand) {
	config, o := w.config(), w.options(r)
	w.network.Decide, w.demanded, w.plan = nil, nil, nil
	w.network.Restart()
	w.log("destroy %s", describeOptions(o))
	w.slow(o)
	a := &application{Options: o, before: w.snapshot()}
	a.planned = w.core.PlanDestroy(w.ctx, config, o)
	w.observe(a.planned)
	if a.planned.Plan == nil {
		w.logErrors(a.planned)
		removals := w.refusedRemovals(a.planned, a.before, true)
		if len(removals) == 0 && w.refusable(o) == "" && !w.refusesUnannounced(a) {
			w.failf("destroy is refused")
		}
		a.Refresh = coretest.NoRefresh
		if a.before, a.planned = w.planDestroy(config, a.Options); a.planned.Plan == nil {
			w.logErrors(a.planned)
			w.failf("destroy -refresh=false is refused")
			return
		}
	}
	a.Plan = a.planned.Plan
	w.checkRemovalsRefused(a.before, a.Plan)
	w.applyPlan(a)
	w.markForgotten(a)
	switch {
	case a.result.Err() != nil:
		if why := w.excuse(a); why == "" {
			w.failf("the planned destroy failed")
		}
	case len(w.core.State.Addresses()) > 0:
		w.failf("after destroy the state still holds %q", w.core.State.Addresses())
	default:
		w.checkForgotten(a)
	}
	w.checkNothingLost(a)
	w.allowRefusal("everything was destroyed") // until the next apply
	w.items, w.list, w.activations = map[string]*item{}, nil, map[string]string{}
	w.each, w.account = map[string]string{}, 0
	w.refusalReason, w.imports, w.moved, w.removed = "", nil, nil, nil
}

// planDestroy plans to destroy everything. It runs "state rm" for each object that the
// service would refuse to remove.
func (w *workspace) planDestroy(config coretest.Config, o coretest.Options) (snapshot, coretest.Result) {
	for {
		before := w.snapshot()
		planned := w.core.PlanDestroy(w.ctx, config, o)
		w.observe(planned)
		refused := w.refusedRemovals(planned, before, true)
		if len(refused) == 0 || w.violation != nil {
			return before, planned
		}
		w.logErrors(planned)
		for _, addr := range refused {
			w.stateRm(addr)
		}
	}
}
