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

// operation is something that happens in a life. What it does depends on its own
// seed and on what there is, so that it means something wherever it stands.
type operation struct {
	kind int
	seed uint64
}

// kinds are what may happen, with how often it does. Those that do not apply to
// what there is do nothing.
var kinds = []struct {
	often int
	name  string
	do    func(l *life, r *rand.Rand)
}{
	{8, "add", (*life).add},
	{2, "drop", (*life).drop},
	{4, "move", (*life).move},
	{3, "swap", (*life).swap},
	{2, "another assessment", (*life).reassign},
	{5, "reconfigure", (*life).reconfigure},
	{3, "shift", (*life).shift},
	{2, "append", (*life).appendToList},
	{1, "prepend", (*life).prepend},
	{2, "rename with moved", (*life).renameMoved},
	{1, "rename", (*life).rename},
	{2, "options", (*life).lifecycle},
	{2, "activate", (*life).activate},
	{1, "deactivate", (*life).deactivate},
	{2, "trigger", func(l *life, _ *rand.Rand) { l.trigger++ }},
	{1, "removed block", (*life).forget},
	{2, "state rm and import", (*life).reimport},
	{2, "taint", (*life).taint},

	{1, "removed by another", (*life).removedOutside},
	{1, "position deleted", (*life).positionDeleted},
	{1, "benchmark retired", (*life).benchmarkRetired},
	{1, "assessment retired", (*life).assessmentRetired},
	{2, "package added", (*life).packageAdded},
	{2, "drift", (*life).drift},
	{3, "supervisor", (*life).supervise},
	{1, "supervised and moved", (*life).superviseAndMove},
	{1, "test disabled", (*life).disableTest},
	{1, "attached by another", (*life).attachedOutside},

	{24, "apply", (*life).apply},
	{3, "two plans", (*life).planTwice},
	{1, "destroy", (*life).destroy},
}

// operationsOf makes the operations of a seed.
func operationsOf(seed uint64) []operation {
	r := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // a simulation
	total := 0
	for _, k := range kinds {
		total += k.often
	}
	ops := make([]operation, 4+r.IntN(14))
	for i := range ops {
		n := r.IntN(total)
		for ops[i].kind = 0; n >= kinds[ops[i].kind].often; ops[i].kind++ {
			n -= kinds[ops[i].kind].often
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

// any is an item of the user's.
func (l *life) any(r *rand.Rand) *item {
	name, ok := pick(r, sortedNames(l.items))
	if !ok {
		return nil
	}
	return l.items[name]
}

func (l *life) name() string {
	l.names++
	return fmt.Sprintf("a%d", l.names)
}

// position is one of the service's, with its locale.
func (l *life) position(r *rand.Rand) (id, locale string) {
	p, ok := pick(r, l.estate().Positions)
	if !ok {
		return "pos-0", "en-GB"
	}
	return p.ID, p.Locale
}

func (l *life) add(r *rand.Rand) {
	for range 1 + r.IntN(3) {
		position, locale := l.position(r)
		assessment, _ := pick(r, assessments)
		if l.taken(position, assessment) {
			continue
		}
		i := &item{
			name:        l.name(),
			position:    position,
			assessment:  assessment,
			later:       r.IntN(8) == 0,
			createFirst: r.IntN(4) == 0,
			triggered:   r.IntN(6) == 0,
		}
		i.configure(r, locale)
		if r.IntN(6) == 0 {
			i.ignore(r)
		}
		l.items[i.name] = i
		l.log("add %s", i)
	}
}

// ignore ignores changes of everything, or of the block that the item may have.
func (i *item) ignore(r *rand.Rand) {
	i.ignored = [][]string{nil, {"all"}, {cmp.Or(blocks[i.assessment], "all")}}[r.IntN(3)]
}

func (l *life) drop(r *rand.Rand) {
	if i := l.any(r); i != nil {
		delete(l.items, i.name)
		l.log("drop %s", i)
	}
}

func (l *life) move(r *rand.Rand) {
	i := l.any(r)
	position, _ := l.position(r)
	if i == nil || l.taken(position, i.assessment) {
		return
	}
	l.log("move %s to %s", i, position)
	i.position = position
	if r.IntN(3) == 0 {
		i.configure(r, l.localeOf(position))
		l.log("now %s", i)
	}
}

// superviseAndMove moves a position assessment whose profile a supervisor has
// just completed, and attaches a profile to it.
func (l *life) superviseAndMove(r *rand.Rand) {
	l.supervise(r)
	for _, name := range sortedNames(l.items) {
		i := l.items[name]
		position, _ := l.position(r)
		if (i.assessment == profiled || i.assessment == alsoProfiled) && !l.taken(position, i.assessment) {
			i.position, i.profile = position, "prf-1"
			l.log("moved, with a profile: %s", i)
			return
		}
	}
}

func (l *life) swap(r *rand.Rand) {
	a, b := l.any(r), l.any(r)
	if a == nil ||
		a.assessment != b.assessment && (l.taken(a.position, b.assessment) || l.taken(b.position, a.assessment)) {
		return
	}
	l.log("swap %s and %s", a, b)
	a.position, b.position = b.position, a.position
}

func (l *life) reassign(r *rand.Rand) {
	i := l.any(r)
	assessment, _ := pick(r, assessments)
	if i == nil || l.taken(i.position, assessment) {
		return
	}
	i.assessment = assessment
	i.configure(r, l.localeOf(i.position))
	l.log("now %s", i)
}

func (l *life) localeOf(position string) string {
	if p := l.estate().Position(position); p != nil {
		return p.Locale
	}
	return "en-GB"
}

func (l *life) reconfigure(r *rand.Rand) {
	if i := l.any(r); i != nil {
		i.configure(r, l.localeOf(i.position))
		l.log("now %s", i)
	}
}

func (l *life) shift(*rand.Rand) {
	if len(l.list) > 0 {
		l.list = l.list[1:]
		l.log("the list without its first: %v", l.list)
	}
}

func (l *life) appendToList(r *rand.Rand) {
	for range 1 + r.IntN(4) {
		if position, _ := l.position(r); !l.taken(position, l.listOf) {
			l.list = append(slices.Clone(l.list), position)
			l.log("the list: %v", l.list)
		}
	}
}

func (l *life) prepend(r *rand.Rand) {
	if position, _ := l.position(r); !l.taken(position, l.listOf) {
		l.list = append([]string{position}, l.list...)
		l.log("the list: %v", l.list)
		l.loosen("a list was prepended to")
	}
}

func (l *life) renameMoved(r *rand.Rand) {
	if i := l.any(r); i != nil {
		from := i.addr()
		l.renamed(i)
		l.moved = append(slices.Clone(l.moved), coretest.Moved{From: from, To: i.addr()})
		l.log("moved from %s to %s", from, i.addr())
	}
}

func (l *life) rename(r *rand.Rand) {
	if i := l.any(r); i != nil {
		l.log("rename %s without moved", i)
		l.renamed(i)
		l.loosen("a resource was renamed without moved")
	}
}

func (l *life) renamed(i *item) {
	delete(l.items, i.name)
	i.name = l.name()
	l.items[i.name] = i
}

func (l *life) lifecycle(r *rand.Rand) {
	i := l.any(r)
	if i == nil {
		return
	}
	switch r.IntN(4) {
	case 0:
		i.createFirst = !i.createFirst
	case 1:
		i.triggered = !i.triggered
	case 2:
		i.later = !i.later
	case 3:
		i.ignore(r)
	}
	l.log("now %s", i)
}

func (l *life) activate(r *rand.Rand) {
	test := fmt.Sprintf("skt-%d", r.IntN(6))
	if l.activations[test] == "" {
		l.activations[test] = l.name()
		l.log("activate %s", test)
	}
}

func (l *life) deactivate(r *rand.Rand) {
	if test, ok := pick(r, sortedNames(l.activations)); ok {
		delete(l.activations, test)
		l.log("do not activate %s", test)
	}
}

func (l *life) forget(r *rand.Rand) {
	if i := l.any(r); i != nil {
		delete(l.items, i.name)
		l.removed = append(slices.Clone(l.removed), i.addr())
		if o := l.core.State.Instances[i.addr()].Current; o != nil {
			l.foreign[coretest.Text(o.Value, "id")] = true
		}
		l.log("removed block for %s", i)
	}
}

func (l *life) reimport(r *rand.Rand) {
	i := l.any(r)
	if i == nil || l.core.State.Instances[i.addr()].Current == nil || len(l.core.State.Instances[i.addr()].Deposed) > 0 {
		return
	}
	o := l.core.State.Instances[i.addr()].Current
	l.foreign[coretest.Text(o.Value, "id")] = true // until it is imported
	l.core.Forget(i.addr())
	l.imports = append(slices.Clone(l.imports), coretest.Import{
		To: i.addr(), ID: coretest.Text(o.Value, "position_id") + "/" + coretest.Text(o.Value, "id"),
	})
	if coretest.Text(o.Value, "position_id") != i.position || coretest.Text(o.Value, "assessment_id") != i.assessment {
		l.loosen("something is imported that is wanted otherwise")
	}
	l.loosen("%s is imported again", i.name)
	l.log("state rm and import %s", i)
}

func (l *life) taint(r *rand.Rand) {
	if addr, ok := pick(r, l.core.State.Addresses()); ok && !strings.HasPrefix(addr, "terraform_data") {
		l.core.Taint(addr)
		l.log("taint %s", addr)
	}
}
