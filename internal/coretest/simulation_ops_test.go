// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// operation is something that happens to a workspace. It depends only on its own seed
// and the workspace, so that it still makes sense after other operations are left out.
type operation struct {
	kind int
	seed uint64
}

// kinds lists the possible operations and their weights. An operation that does not
// apply to the workspace does nothing.
var kinds = []struct {
	weight int
	name   string
	do     func(w *workspace, r *rand.Rand)
}{
	{8, "add", (*workspace).add},
	{2, "drop", ofItem((*workspace).drop)},
	{4, "move", ofItem((*workspace).move)},
	{3, "swap", (*workspace).swap},
	{5, "add to the same place", ofItem((*workspace).addBeside)},
	{3, "rotate what is at one place", ofItem((*workspace).rotate)},
	{2, "another assessment", ofItem((*workspace).reassign)},
	{5, "reconfigure", ofItem((*workspace).reconfigure)},
	{3, "shift", (*workspace).shift},
	{2, "append", (*workspace).appendToList},
	{1, "prepend", (*workspace).prepend},
	{2, "add keys", (*workspace).addKeys},
	{3, "rename a key", (*workspace).renameKey},
	{2, "rename with moved", ofItem((*workspace).renameMoved)},
	{1, "rename", ofItem((*workspace).rename)},
	{2, "rename what is used", ofItem((*workspace).renameUsed)},
	{2, "rename what candidates are invited to", ofItem((*workspace).renameInvited)},
	{2, "options", ofItem((*workspace).lifecycle)},
	{2, "activate", (*workspace).activate},
	{1, "deactivate", (*workspace).deactivate},
	{3, "trigger", func(w *workspace, _ *rand.Rand) { w.trigger++ }},
	{1, "removed block", ofItem((*workspace).forget)},
	{2, "state rm and import", ofItem((*workspace).reimport)},
	{2, "taint", (*workspace).taint},
	{2, "lose the state", (*workspace).loseState},
	{2, "import what was lost", (*workspace).importLost},
	{2, "adopt what was lost", (*workspace).adoptLost},
	{2, "lose private data", (*workspace).losePrivateData},
	{1, "import what is replaced", ofItem((*workspace).importReplaced)},
	{2, "copy", ofItem((*workspace).copyItem)},
	{2, "forget and attach again", ofItem((*workspace).forgetAndAttach)},
	{3, "literal test", (*workspace).literalTest},
	{1, "no such position", (*workspace).noSuchPosition},
	{2, "next to a lost one", (*workspace).nextToLost},

	{1, "removed by others", (*workspace).removedOutside},
	{1, "position deleted", (*workspace).positionDeleted},
	{1, "benchmark retired", (*workspace).benchmarkRetired},
	{1, "assessment retired", (*workspace).assessmentRetired},
	{2, "package added", (*workspace).packageAdded},
	{2, "ignored packages", (*workspace).ignorePackages},
	{2, "drift", (*workspace).drift},
	{3, "supervisor", (*workspace).supervise},
	{1, "supervised and moved", (*workspace).superviseAndMove},
	{1, "test disabled", (*workspace).disableTest},
	{1, "attached by others", (*workspace).attachedOutside},
	{3, "invite", (*workspace).invite},
	{1, "complete", (*workspace).complete},
	{1, "withdraw", (*workspace).withdraw},

	{24, "apply", (*workspace).apply},
	{2, "apply elsewhere", (*workspace).applyElsewhere},
	{3, "apply later", (*workspace).applyLater},
	{3, "abandoned plan", (*workspace).abandonPlan},
	{2, "unknown settings", (*workspace).unknownSettings},
	{2, "move with a minimal refresh", (*workspace).moveMinimally},
	{2, "replace with an unknown position", ofItem((*workspace).replaceUnknown)},
	{3, "two plans", (*workspace).planTwice},
	{1, "destroy", (*workspace).destroy},
}

// operationsOf returns the operations of a seed.
func operationsOf(seed uint64) []operation {
	r := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // a simulation
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	ops := make([]operation, 4+r.IntN(14))
	for i := range ops {
		n := r.IntN(total)
		for ops[i].kind = 0; n >= kinds[ops[i].kind].weight; ops[i].kind++ {
			n -= kinds[ops[i].kind].weight
		}
		ops[i].seed = r.Uint64()
	}
	return ops
}

func pick[T any](r *rand.Rand, from []T) (chosen T, ok bool) {
	if len(from) == 0 {
		return chosen, false
	}
	return from[r.IntN(len(from))], true
}

// ofItem is an operation on a random item of the configuration.
func ofItem(do func(w *workspace, r *rand.Rand, i *item)) func(w *workspace, r *rand.Rand) {
	return func(w *workspace, r *rand.Rand) {
		if i := w.anyItem(r); i != nil {
			do(w, r, i)
		}
	}
}

// anyItem returns a random item of the configuration.
func (w *workspace) anyItem(r *rand.Rand) *item {
	name, ok := pick(r, sortedNames(w.items))
	if !ok {
		return nil
	}
	return w.items[name]
}

func (w *workspace) name() string {
	w.names++
	return fmt.Sprintf("a%d", w.names)
}

// position returns a random position of the service and its locale.
func (w *workspace) position(r *rand.Rand) (id, locale string) {
	p, ok := pick(r, w.serviceState().Positions)
	if !ok {
		return "pos-0", "en-GB"
	}
	return p.ID, p.Locale
}

func (w *workspace) add(r *rand.Rand) {
	for range 1 + r.IntN(3) {
		position, locale := w.position(r)
		assessment, _ := pick(r, assessments)
		if w.taken(position, assessment) {
			continue
		}
		i := &item{
			name: w.name(), position: position, assessment: assessment,
			later: r.IntN(8) == 0, createFirst: r.IntN(5) == 0, triggered: r.IntN(6) == 0, forgets: r.IntN(4) == 0,
			vague: r.IntN(8) == 0, slow: r.IntN(5) == 0,
			user:  []user{noUser, noUser, noUser, noUser, plainUser, createFirstUser}[r.IntN(6)],
			alias: []string{"", "", "", "second"}[r.IntN(4)],
		}
		i.createFirst = i.createFirst || i.later && r.IntN(2) == 0
		i.configure(r, locale)
		w.items[i.name] = i
		w.log("add %s", i)
	}
}

func (w *workspace) drop(_ *rand.Rand, i *item) {
	delete(w.items, i.name)
	w.log("drop %s", i)
}

func (w *workspace) move(r *rand.Rand, i *item) {
	position, _ := w.position(r)
	if w.taken(position, i.assessment) {
		return
	}
	w.log("move %s to %s", i, position)
	i.position = position
	if r.IntN(3) == 0 {
		i.configure(r, w.localeOf(position))
		w.log("now %s", i)
	}
}

// superviseAndMove moves a position assessment whose profile a supervisor just
// completed, and sets a profile.
func (w *workspace) superviseAndMove(r *rand.Rand) {
	w.supervise(r)
	for _, name := range sortedNames(w.items) {
		i := w.items[name]
		position, _ := w.position(r)
		if (i.assessment == asmProfile || i.assessment == asmProfile2) && !w.taken(position, i.assessment) {
			i.position, i.profile = position, "prf-1"
			w.log("moved, with a profile: %s", i)
			return
		}
	}
}

func (w *workspace) swap(r *rand.Rand) {
	a, b := w.anyItem(r), w.anyItem(r)
	if a == nil ||
		a.assessment != b.assessment && (w.taken(a.position, b.assessment) || w.taken(b.position, a.assessment)) {
		return
	}
	w.log("swap %s and %s", a, b)
	a.position, b.position = b.position, a.position
}

// addBeside adds an item with the position and the assessment of another one.
func (w *workspace) addBeside(r *rand.Rand, i *item) {
	if w.taken(i.position, i.assessment) {
		return
	}
	copied := *i
	copied.name = w.name()
	copied.configure(r, w.localeOf(i.position))
	w.items[copied.name] = &copied
	w.log("add %s", copied)
}

// rotate lets each item take the blocks of the next one with the same position and assessment.
func (w *workspace) rotate(r *rand.Rand, beside *item) {
	w.addBeside(r, beside)
	w.run(w.options(r), events{})
	places := map[string][]*item{}
	for _, name := range sortedNames(w.items) {
		i := w.items[name]
		places[i.position+" "+i.assessment] = append(places[i.position+" "+i.assessment], i)
	}
	for _, place := range sortedNames(places) {
		all := places[place]
		for n := range all[1:] {
			a, b := all[n], all[n+1]
			a.packages, b.packages, a.selected, b.selected = b.packages, a.packages, b.selected, a.selected
			a.benchmark, b.benchmark, a.profile, b.profile = b.benchmark, a.benchmark, b.profile, a.profile
			a.tests, b.tests, a.literal, b.literal = b.tests, a.tests, b.literal, a.literal
			w.log("now %s, and %s", a, b)
		}
	}
	w.run(w.options(r), w.events(r))
}

func (w *workspace) reassign(r *rand.Rand, i *item) {
	assessment, _ := pick(r, assessments)
	if w.taken(i.position, assessment) {
		return
	}
	i.assessment = assessment
	i.configure(r, w.localeOf(i.position))
	w.log("now %s", i)
}

func (w *workspace) localeOf(position string) string {
	if p := w.serviceState().Position(position); p != nil {
		return p.Locale
	}
	return "en-GB"
}

func (w *workspace) reconfigure(r *rand.Rand, i *item) {
	i.configure(r, w.localeOf(i.position))
	w.log("now %s", i)
}

func (w *workspace) shift(*rand.Rand) {
	if len(w.list) > 0 {
		w.list = w.list[1:]
		w.log("removed the first of the list: %v", w.list)
	}
}

func (w *workspace) appendToList(r *rand.Rand) {
	for range 1 + r.IntN(4) {
		if position, _ := w.position(r); !w.taken(position, w.listOf) {
			w.list = append(slices.Clone(w.list), position)
			w.log("the list: %v", w.list)
		}
	}
}

func (w *workspace) prepend(r *rand.Rand) {
	if position, _ := w.position(r); !w.taken(position, w.listOf) {
		w.list = append([]string{position}, w.list...)
		w.log("the list: %v", w.list)
	}
}

func (w *workspace) addKeys(r *rand.Rand) {
	for range 1 + r.IntN(3) {
		if position, _ := w.position(r); !w.taken(position, w.listOf) {
			w.each[w.name()] = position
			w.log("for_each: %v", w.each)
		}
	}
}

// renameKey renames a key of for_each without a moved block.
func (w *workspace) renameKey(r *rand.Rand) {
	w.addKeys(r)
	w.run(w.options(r), events{})
	if key, ok := pick(r, sortedNames(w.each)); ok {
		w.each[w.name()] = w.each[key]
		delete(w.each, key)
		w.log("renamed the key %s: %v", key, w.each)
		w.planTwice(r)
	}
}

func (w *workspace) renameMoved(_ *rand.Rand, i *item) {
	from := i.addr()
	w.renamed(i)
	w.moved = append(slices.Clone(w.moved), coretest.Moved{From: from, To: i.addr()})
	w.log("moved from %s to %s", from, i.addr())
}

func (w *workspace) rename(_ *rand.Rand, i *item) {
	w.log("rename %s without moved", i)
	w.renamed(i)
}

func (w *workspace) renamed(i *item) {
	delete(w.items, i.name)
	i.name = w.name()
	w.items[i.name] = i
}

func (w *workspace) lifecycle(r *rand.Rand, i *item) {
	switch r.IntN(8) {
	case 0:
		i.createFirst = !i.createFirst
	case 1:
		i.triggered = !i.triggered
	case 2:
		i.later = !i.later
	case 3:
		i.ignored = [][]string{nil, {"all"}, {cmp.Or(blocks[i.assessment], "all")}}[r.IntN(3)]
	case 4:
		i.forgets = !i.forgets
	case 5:
		i.vague = !i.vague
	case 6:
		i.slow = !i.slow
	case 7:
		i.user = user(r.IntN(3))
	}
	w.log("now %s", i)
}

func (w *workspace) activate(r *rand.Rand) {
	test := fmt.Sprintf("skt-%d", r.IntN(6))
	if w.activations[test] == "" {
		w.activations[test] = w.name()
		w.log("activate %s", test)
	}
}

func (w *workspace) deactivate(r *rand.Rand) {
	if test, ok := pick(r, sortedNames(w.activations)); ok {
		delete(w.activations, test)
		w.log("do not activate %s", test)
	}
}

// forget replaces an item by a removed block that does not destroy it.
func (w *workspace) forget(_ *rand.Rand, i *item) {
	delete(w.items, i.name)
	w.removed = append(slices.Clone(w.removed), i.addr())
	if o := w.core.State.Object(w.movedFrom(i.addr())); o != nil {
		w.foreign[o.Text("id")] = true
	}
	w.log("removed block for %s", i)
}

func (w *workspace) reimport(_ *rand.Rand, i *item) {
	o := w.core.State.Object(i.addr())
	if o == nil || len(w.core.State.Instances[i.addr()].Deposed) > 0 {
		return
	}
	w.foreign[o.Text("id")] = true // until it is imported
	w.core.Forget(i.addr())
	w.imports = append(slices.Clone(w.imports), coretest.Import{
		To: i.addr(), ID: o.Text("position_id") + "/" + o.Text("id"),
	})
	if o.Text("position_id") != i.position || o.Text("assessment_id") != i.assessment {
		w.allowRefusal("an imported object differs from the configuration")
	}
	w.allowRefusal("%s is imported again", i.name)
	w.log("state rm and import %s", i)
}

func (w *workspace) taint(r *rand.Rand) {
	if addr, ok := pick(r, w.core.State.Addresses()); ok && strings.HasPrefix(addr, "assess_") {
		w.core.Taint(addr)
		w.log("taint %s", addr)
	}
}
