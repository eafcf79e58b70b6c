// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// These operations are accidents and mistakes of the user. If a run refuses a mistake, the
// user corrects it.

// loseState drops position assessments from the state. The service keeps them, so that the
// next run must not attach them again.
func (w *workspace) loseState(r *rand.Rand) {
	if r.IntN(2) == 0 {
		w.abandonPlan(r)
	}
	all := r.IntN(2) == 0
	for _, addr := range w.core.State.Addresses() {
		if all || strings.HasPrefix(addr, "assess_position_assessment.") && r.IntN(2) == 0 {
			w.stateRm(addr)
		}
	}
	w.moved = nil
	w.run(w.options(r), events{})
}

// importLost imports what the service has and the state has lost.
func (w *workspace) importLost(*rand.Rand) {
	st := w.serviceState()
	for _, i := range w.wanted() {
		p := st.Position(i.position)
		if p == nil || i.later || w.imported(i.addr()) || w.core.State.Object(w.movedFrom(i.addr())) != nil {
			continue
		}
		for _, a := range p.Assessments {
			if w.foreign[a.ID] && !w.idsInState()[a.ID] && i.unacceptable(st, w.activations) == "" &&
				keyOf(p.ID, a.Assessment, a.Metadata) == i.key(i.resolved(st)) {
				w.imports = append(slices.Clone(w.imports), coretest.Import{To: i.addr(), ID: p.ID + "/" + a.ID})
				w.allowRefusal("%s is imported", i.name)
				w.log("import %s to %s", a.ID, i)
				break
			}
		}
	}
}

// adoptLost loses position assessments and takes them back into the state with
// adopt_existing. It uses one provider, because none knows what the state of another has.
func (w *workspace) adoptLost(r *rand.Rand) {
	for _, i := range w.core.State.Instances {
		if i.Provider != "" {
			return
		}
	}
	if w.imports != nil || slices.ContainsFunc(w.wanted(), func(i item) bool { return i.alias != "" }) {
		return
	}
	w.moved = nil
	for _, i := range w.wanted() {
		if r.IntN(2) == 0 && w.core.State.Object(i.addr()) != nil {
			w.stateRm(i.addr())
		}
	}
	missing := w.idsInService()
	for id := range w.idsInState() {
		delete(missing, id)
	}
	w.adopts = true
	w.log("adopt_existing is on")
	result := w.run(w.options(r), events{machine: w.machine(r)})
	w.adopts = false
	for id := range w.idsInState() {
		if missing[id] && !result.Says(id) {
			w.failf("the run took %s into the state without a message", id)
		}
	}
}

// losePrivateData replaces the profile that a supervisor has completed, after the provider's
// private data was lost, for example in a migration of the state.
func (w *workspace) losePrivateData(r *rand.Rand) {
	w.supervise(r)
	w.run(w.options(r), events{})
	state := w.core.State.Clone()
	for addr, i := range state.Instances {
		if i.Current != nil {
			bare := *i.Current
			bare.Private = nil
			i.Current = &bare
			state.Instances[addr] = i
		}
	}
	w.core.State = state
	w.log("private data is lost")
	for _, name := range sortedNames(w.items) {
		if i := w.items[name]; i.profile != "" {
			i.profile = map[string]string{"prf-1": "prf-2", "prf-2": "prf-1"}[i.profile]
			w.log("now %s", i)
		}
	}
	o := w.options(r)
	o.Refresh = coretest.NoRefresh
	w.run(o, events{})
	// Before others can empty the configuration, a refresh sees that the service does not hide it (assumption A22).
	o.Refresh = coretest.FullRefresh
	w.run(o, events{})
}

// importReplaced imports an object to a new address, while its old address moves to another
// position or is dropped.
func (w *workspace) importReplaced(r *rand.Rand, i *item) {
	position, _ := w.position(r)
	if i.later || position == i.position || w.taken(position, i.assessment) || w.moved != nil {
		return
	}
	o := w.core.State.Object(i.addr())
	if o == nil || o.Text("position_id") != i.position {
		return
	}
	was, copied, imports := *i, *i, w.imports
	copied.name = w.name()
	w.items[copied.name] = &copied
	w.imports = append(slices.Clone(w.imports), coretest.Import{
		To: copied.addr(), ID: i.position + "/" + o.Text("id"),
	})
	if i.position = position; r.IntN(3) == 0 {
		delete(w.items, i.name)
	}
	w.log("import %s to %s, and move %s to %s", o.Text("id"), copied.addr(), i, position)
	w.mistake(w.options(r), func() {
		delete(w.items, copied.name)
		w.items[was.name], w.imports = &was, imports
	})
}

// mistake runs a configuration that may be refused, and then corrects it.
func (w *workspace) mistake(o coretest.Options, correct func()) {
	reason := w.refusalReason
	w.allowRefusal("a mistake")
	w.run(o, events{})
	correct()
	w.refusalReason = reason
	w.log("corrected")
}

// copyItem copies a resource whose original stays in the configuration.
func (w *workspace) copyItem(r *rand.Rand, i *item) {
	if w.adopts = r.IntN(2) == 0; w.adopts {
		w.log("adopt_existing is on")
	}
	w.addMistake(r, *i)
	w.adopts = false
}

// forgetAndAttach drops an item from the state with a removed block, and attaches the same at another
// address. That must not attach it a second time.
func (w *workspace) forgetAndAttach(r *rand.Rand, i *item) {
	if w.core.State.Object(w.movedFrom(i.addr())) == nil {
		return
	}
	copied := *i
	w.forget(r, i)
	w.addMistake(r, copied)
}

// addMistake adds an item that cannot be applied.
func (w *workspace) addMistake(r *rand.Rand, i item) {
	i.name = w.name()
	w.items[i.name] = &i
	w.log("add %s", i)
	w.mistake(w.options(r), func() { delete(w.items, i.name) })
}

// literalTest adds an item that names a test without referring to its activation.
func (w *workspace) literalTest(r *rand.Rand) {
	position, _ := w.position(r)
	test := fmt.Sprintf("skt-%d", 4+r.IntN(2))
	if w.taken(position, asmTests) {
		return
	}
	if w.activations[test] == "" {
		w.activations[test] = w.name()
	}
	i := item{name: w.name(), position: position, assessment: asmTests, tests: []string{test}, literal: true}
	w.items[i.name] = &i
	w.log("activate %s and add %s", test, i)
	e := events{}
	if r.IntN(2) == 0 && !w.faultless { // the activation takes longer than everything else
		e = w.loses(coretest.LoseRequest, http.MethodPut, 0)
	}
	e.machine = w.machine(r)
	if w.run(w.options(r), e).Err() != nil {
		i.literal = false
		w.log("now %s", i)
	}
}

// noSuchPosition adds an item whose position does not exist and whose block may be unknown.
func (w *workspace) noSuchPosition(r *rand.Rand) {
	i := item{position: "pos-none", assessment: asmBenchmark, vague: r.IntN(2) == 0}
	i.benchmark = "bmk-a-en-gb-0"
	w.addMistake(r, i)
}

// nextToLost adds an item with a benchmark that does not exist, where others have removed another
// position assessment of the same assessment.
func (w *workspace) nextToLost(r *rand.Rand) {
	for _, name := range sortedNames(w.items) {
		i := *w.items[name]
		o := w.core.State.Object(i.addr())
		if o == nil || i.tests != nil || o.Text("position_id") != i.position {
			continue
		}
		w.change(func(st *sandbox.State) {
			if p := st.Position(i.position); p != nil {
				p.Assessments = slices.DeleteFunc(p.Assessments, func(a sandbox.PositionAssessment) bool {
					return a.ID == o.Text("id")
				})
			}
		})
		w.log("others remove %s", o.Text("id"))
		i.benchmark, i.profile, i.vague = "bmk-none", "", false
		w.addMistake(r, i)
		return
	}
}

// abandonPlan makes a plan of another configuration that is never applied.
func (w *workspace) abandonPlan(r *rand.Rand) {
	config, o := w.config(), w.options(r)
	what := "of the configuration"
	switch r.IntN(4) {
	case 0:
		what = "with a resource whose position is unknown"
		config.Resources = append(config.Resources, data("new", "pos-0"), coretest.Resource{
			Addr: "assess_position_assessment.new",
			Body: coretest.Body{"position_id": output("new"), "assessment_id": asmPlain},
		})
	case 1:
		what = "that replaces everything"
		for _, i := range w.wanted() {
			o.Replace = append(o.Replace, i.addr())
		}
	case 2:
		what = "to destroy everything"
		config.Resources = slices.DeleteFunc(config.Resources, func(r coretest.Resource) bool {
			return strings.HasPrefix(r.Addr, "assess_") // providers may refer to the others
		})
	}
	w.network.Decide, w.plan = nil, nil
	w.slow(o)
	w.core.Plan(w.t.Context(), config, o)
	w.log("a plan %s, never applied", what)
}

// abandonPlans makes plans of other configurations that are never applied, without a trace.
func (w *workspace) abandonPlans(o coretest.Options) {
	if w.faultless { // or the time that these plans take decides whether a read waits for what was just attached
		time.Sleep(time.Minute)
	}
	decide := w.network.Decide
	w.unobserved, w.requests = true, nil
	r := rand.New(rand.NewPCG(o.Seed, 6)) //nolint:gosec // a simulation
	for range w.abandons {
		w.abandonPlan(r)
	}
	w.unobserved = false
	w.network.Decide = decide
	w.network.Restart()
}

// unknownSettings makes the settings of a provider depend on a resource that is created or
// replaced in the next run.
func (w *workspace) unknownSettings(r *rand.Rand) {
	unknown, account := w.unknown, w.account
	if w.account == 0 {
		w.unknown = []string{"", "second"}[r.IntN(2)]
	}
	w.account++
	w.log("the settings of the provider %q are unknown", w.unknown)
	o := w.options(r)
	if i := w.anyItem(r); i != nil && r.IntN(2) == 0 {
		i.createFirst, o.Replace = true, []string{i.addr()}
		w.log("now %s", i)
	}
	w.run(o, events{})
	if w.blind(w.unknown) {
		w.unknown, w.account = unknown, account
		w.log("the settings are as before")
	}
}
