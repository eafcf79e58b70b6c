// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"math/rand/v2"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// destroy destroys everything. If that is refused, -refresh=false and "state rm" must help.
func (w *workspace) destroy(r *rand.Rand) {
	config, o := w.config(), w.options(r)
	w.network.Decide, w.demanded = nil, nil
	w.log("destroy")
	before := w.snapshot(o)
	planned := w.core.PlanDestroy(w.ctx, config, o)
	if planned.Plan == nil {
		w.logErrors(planned)
		removals := w.refusedRemovals(planned, before, true)
		if before.refusable == "" && len(removals) == 0 {
			w.failf("destroy is refused")
		}
		o.Refresh = coretest.NoRefresh
		if before, planned = w.planDestroy(config, o); planned.Plan == nil {
			w.logErrors(planned)
			w.failf("destroy -refresh=false is refused")
			return
		}
	}
	w.plan = planned.Plan
	w.checkRemovalsRefused(before, planned.Plan)
	result := w.core.ApplyPlan(w.ctx, planned.Plan, o)
	w.logErrors(result)
	w.markForgotten(before, planned.Plan)
	if result.Err() == nil {
		w.checkForgotten(before, planned.Plan)
	}
	if result.Err() == nil && len(w.core.State.Addresses()) > 0 {
		w.failf("after destroy the state still holds %q", w.core.State.Addresses())
	}
	if result.Err() != nil && !w.unforeseeable(result, before, planned.Plan, false) {
		w.failf("the planned destroy failed")
	}
	w.checkNothingLost(before, planned, result)
	w.allowRefusal("everything was destroyed") // until the next apply
	w.items, w.list, w.activations = map[string]*item{}, nil, map[string]string{}
	w.each, w.account = map[string]string{}, 0
	w.refusalReason, w.imports, w.moved, w.removed = "", nil, nil, nil
}

// planDestroy plans to destroy everything. It runs "state rm" for each object that the
// service would refuse to remove.
func (w *workspace) planDestroy(config coretest.Config, o coretest.Options) (snapshot, coretest.Result) {
	for {
		before := w.snapshot(o)
		planned := w.core.PlanDestroy(w.ctx, config, o)
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
