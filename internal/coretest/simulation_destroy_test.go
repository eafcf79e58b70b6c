// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"math/rand/v2"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// destroy destroys everything, and follows the advice of refusals.
func (w *workspace) destroy(r *rand.Rand) {
	config, o := w.config(), w.options(r)
	w.network.Decide, w.demanded = nil, nil
	w.log("destroy")
	before := w.snapshot(o)
	planned := w.core.PlanDestroy(w.ctx, config, o)
	if planned.Plan == nil {
		w.said(planned)
		removals := w.refusedRemovals(planned, before, true)
		if before.refusable == "" && len(removals) == 0 {
			w.fails("destroy is refused")
		}
		if len(removals) == 0 && !planned.Says("-refresh=false") && (!w.retired || !planned.Says("state rm")) {
			w.fails("destroy is refused, and the advice is not -refresh=false")
		}
		o.Refresh = coretest.NoRefresh
		if before, planned = w.planDestroy(config, o); planned.Plan == nil {
			w.said(planned)
			w.fails("destroy -refresh=false is refused")
			return
		}
	}
	w.plan = planned.Plan
	w.refusesRemovals(before, planned.Plan)
	result := w.core.ApplyPlan(w.ctx, planned.Plan, o)
	w.said(result)
	w.disown(before, planned.Plan)
	if result.Err() == nil {
		w.forgotten(before, planned.Plan)
	}
	if result.Err() == nil && len(w.core.State.Addresses()) > 0 {
		w.fails("destroyed, and the state holds %q", w.core.State.Addresses())
	}
	if result.Err() != nil && !w.mayFail(result, before, planned.Plan, false) {
		w.fails("what was planned to be destroyed is not")
	}
	w.kept(before, planned.Plan, result)
	w.loosen("everything was destroyed") // until the next apply has made it again
	w.items, w.list, w.activations = map[string]*item{}, nil, map[string]string{}
	w.loose, w.imports, w.moved, w.removed = "", nil, nil, nil
}

// planDestroy plans to destroy everything, and drops from the state what the service
// would refuse to remove.
func (w *workspace) planDestroy(config coretest.Config, o coretest.Options) (snapshot, coretest.Result) {
	for {
		before := w.snapshot(o)
		planned := w.core.PlanDestroy(w.ctx, config, o)
		refused := w.refusedRemovals(planned, before, true)
		if len(refused) == 0 || w.broken != nil {
			return before, planned
		}
		w.said(planned)
		for _, addr := range refused {
			w.stateRm(addr)
		}
	}
}
