// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// intents is what core has loaded and planned in this run, by position. While core plans other resources, a missing
// record proves nothing. So two facts are compared when the second one is recorded, in either order.
type intents struct {
	sync.Mutex
	step       int // counts loads, reads and creations, to record their order
	byPosition map[string]*intended
}

// intended is what is planned for one position.
type intended struct {
	objects   map[string]*planned
	creations map[content]*plannedCreation
	gone      map[content]bool // what Read has found to be gone
}

// planned is an object of a state. Because core does not tell its address, the record counts calls for all addresses.
// With a minimal refresh, core plans an address twice, so these numbers are limited to the number of addresses.
type planned struct {
	object         ManagedObject // as this run has loaded, read or listed it last
	loads, imports int           // addresses of a state, and imports
	kept, replaced int           // calls that keep or update it, and calls that then replace it
	leaves         bool          // a call removes or replaces it without keeping it before
	gone           bool          // Read has found that it no longer exists
	// has and becomes are its content before and after the run, if a call keeps or updates it.
	has, becomes content
	// refused is whether candidates are known to be invited, so that a removal only forgets it.
	refused bool
	// loaded and read are the first steps of their kinds. 0 means never.
	loaded, read int
}

// keepers returns how many addresses keep or update the object, or 0 if Read has since found that it is gone.
func (o *planned) keepers() int {
	if addresses := o.loads + o.imports; !o.gone {
		return min(o.kept, addresses) - min(o.replaced, addresses)
	}
	return 0
}

// stays reports whether an address keeps or updates the object.
func (o *planned) stays() bool { return o.keepers() > 0 }

// isShared reports whether several addresses have the object, and one of them keeps it, because other addresses of the
// state may be tainted. With an import, two must keep it, because an import may take over what a removed block drops.
func (o *planned) isShared() bool { return o.loads > 1 && o.stays() || o.keepers() > 1 }

// isUnplanned reports whether no call has planned an object of a state yet. A tainted or forgotten one stays unplanned.
func (o *planned) isUnplanned() bool { return o.loads > 0 && o.kept == 0 && !o.leaves }

// plannedCreation is a planned creation.
type plannedCreation struct {
	planned  int // the step in which it was planned first
	replaced Ref // the object that it replaces, or zero
}

func (i *intents) next() int {
	i.step++
	return i.step
}

func (i *intents) at(position string) *intended {
	if i.byPosition[position] == nil {
		i.byPosition[position] = &intended{map[string]*planned{}, map[content]*plannedCreation{}, map[content]bool{}}
	}
	return i.byPosition[position]
}

func (i *intents) record(ref Ref) *planned {
	objects := i.at(ref.Position).objects
	if objects[ref.ID] == nil {
		objects[ref.ID] = &planned{}
	}
	return objects[ref.ID]
}

// object changes the record of an object, and returns a copy of the changed record.
func (i *intents) object(ref Ref, change func(*planned)) planned {
	i.Lock()
	defer i.Unlock()
	o := i.record(ref)
	change(o)
	if o.loaded == 0 && o.loads > 0 {
		o.loaded = i.next()
	}
	return *o
}

// get returns a copy of the record of an object.
func (i *intents) get(ref Ref) planned { return i.object(ref, func(*planned) {}) }

func (i *intents) read(ref Ref) {
	i.object(ref, func(o *planned) { o.read = cmp.Or(o.read, i.next()) })
}

// unplanned returns the objects of an assessment that a state has on a position, and that no call has planned yet.
func (i *intents) unplanned(position, assessment string) (all []ManagedObject) {
	i.Lock()
	defer i.Unlock()
	objects := i.at(position).objects
	for _, id := range slices.Sorted(maps.Keys(objects)) {
		if o := objects[id]; o.isUnplanned() && !o.gone && o.object.Assessment == assessment {
			all = append(all, o.object)
		}
	}
	return all
}

// wasGone reports whether Read has found this content to be gone. Then a plan only warns, because core plans everything
// before it destroys anything. The private state says the same, but core drops it if the instance is tainted.
func (i *intents) wasGone(c Creation) bool {
	i.Lock()
	defer i.Unlock()
	return i.at(c.Position).gone[c.content()]
}

func (i *intents) reportGone(ref Ref, c Creation) {
	i.Lock()
	defer i.Unlock()
	i.record(ref).gone = true
	i.at(c.Position).gone[c.content()] = true
}

// create records a planned creation, and returns what contradicts another record. replaced is the object that it
// replaces, or zero. If Read then finds that this is gone, core plans the same instance as a creation.
func (i *intents) create(c Creation, replaced Ref, adopts bool, n rules.Names) (found []finding.Finding) {
	i.Lock()
	defer i.Unlock()
	at, wanted := i.at(c.Position), c.content()
	earlier := at.creations[wanted]
	if earlier == nil {
		at.creations[wanted] = &plannedCreation{planned: i.next(), replaced: replaced}
	}
	for _, id := range slices.Sorted(maps.Keys(at.objects)) {
		switch o := at.objects[id]; {
		case o.refused && o.has == wanted:
			return rules.ForgottenDuplicate(rules.Removal{Names: n, ID: id})
		case replaced == Ref{c.Position, id} || !o.stays():
		case o.becomes == wanted && o.has != wanted:
			return rules.PlannedTwice(n)
		case o.has == wanted && adopts:
			return rules.AdoptsKept(n)
		case o.has == wanted && o.isShared():
			found = rules.KeptTwice(n.Position, id)
		}
	}
	switch {
	case earlier == nil, replaced != Ref{} && earlier.replaced == replaced, i.record(earlier.replaced).gone:
		return found
	case i.mayBeAgain(earlier):
		return rules.MaybePlannedTwice(n)
	}
	return rules.PlannedTwice(n)
}

// mayBeAgain reports whether core may be planning the same instance again. With a minimal refresh, it plans an
// instance, reads it, and plans it again. A tainted instance is planned without its prior state both times.
func (i *intents) mayBeAgain(c *plannedCreation) bool {
	for _, p := range i.byPosition { // a tainted instance can move
		for _, o := range p.objects {
			if o.isUnplanned() && o.loaded < c.planned && c.planned < o.read {
				return true
			}
		}
	}
	return false
}

// keep records that a call keeps or updates an object, and returns what contradicts another record.
func (i *intents) keep(ref Ref, has, becomes content, adopts bool, n rules.Names) (planned, []finding.Finding) {
	o := i.object(ref, func(o *planned) { o.kept, o.has, o.becomes = o.kept+1, has, becomes })
	i.Lock()
	defer i.Unlock()
	at := i.at(ref.Position)
	creates := func(c content) bool { return at.creations[c] != nil && at.creations[c].replaced != ref }
	if becomes != has && creates(becomes) {
		return o, rules.PlannedTwice(n)
	}
	for _, id := range slices.Sorted(maps.Keys(at.objects)) {
		switch other := at.objects[id]; {
		case id == ref.ID, becomes == content{}:
		case other.refused && other.has == becomes && has != becomes:
			return o, rules.ForgottenDuplicate(rules.Removal{Names: n, ID: id})
		case other.stays() && other.becomes == becomes && (has != becomes || other.has != becomes):
			return o, rules.PlannedTwice(n)
		}
	}
	if adopts && creates(has) && o.stays() {
		return o, rules.AdoptsKept(n)
	}
	return o, nil
}

// leave records that a call removes or replaces an object. replaces is whether a call has kept it at the same address
// before. refused is whether it is only forgotten. again is whether the run attaches the same again, or changes another
// object into it.
func (i *intents) leave(ref Ref, has content, replaces, refused bool) (o planned, again bool) {
	o = i.object(ref, func(o *planned) {
		if o.refused = o.refused || refused; has != (content{}) {
			o.has = has
		}
		if replaces && o.kept > 0 {
			o.replaced++
		}
		o.leaves = o.leaves || !replaces || o.kept == 0
	})
	i.Lock()
	defer i.Unlock()
	at := i.at(ref.Position)
	again = at.creations[o.has] != nil
	for id, other := range at.objects {
		again = again || id != ref.ID && other.stays() && other.becomes == o.has && other.has != o.has
	}
	return o, again
}
