// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/notes"
)

// Ref identifies a position assessment (attachAssessment).
type Ref struct{ Position, ID string }

// Creation is an assessment that is going to be attached to a position.
type Creation struct {
	Position, Assessment string
	Metadata             assessapi.Metadata
}

func (c Creation) content() notes.Content {
	return notes.Content{Position: c.Position, Assessment: c.Assessment, Metadata: c.Metadata.Key()}
}

// content has no metadata if the creation is not completely known.
func (c *creation) content() notes.Content {
	if c.unknown {
		return notes.Content{Position: c.Position}
	}
	return c.Creation.content()
}

// records is what a run knows about position assessments: one record for each object of a
// state, and one for each planned creation. Everything else is derived from them. They are
// incomplete while the CLI still plans other resources, so they may turn a refusal into a
// warning, but never the other way around. The only exception is the second of two equal
// creations, which is refused.
type records struct {
	mu        sync.Mutex
	step      int // counts loads, reads and creations, to record their order
	objects   map[Ref]*object
	creations map[slot]map[string]*creation // by the key of their metadata
	unknown   map[string]*creation          // by position, which may be unknown, too
	dependent map[any][]*creation           // by their twins (Ref) and their tests that are not enabled (catalog.TestRef)
	gone      map[notes.Content]bool        // what Read has found to be gone
}

// slot is where position assessments can be duplicates of each other.
type slot struct{ position, assessment string }

// object is a position assessment that the CLI has in a state, or that this run has
// attached.
type object struct {
	inState  bool // the CLI has loaded it from a state
	owned    bool // this run has attached it
	adopted  bool // this run has taken it over
	imported bool
	kept     bool // a call has planned to keep or update it
	left     bool // a call has planned to remove or replace it, without an update of the same instance before
	gone     bool // Read has found that it no longer exists
	shared   bool // the CLI has loaded it more than once, so it may be at several addresses
	fate     fate
	keeps    notes.Content // with fate keeps: what it consists of after the apply
	// loaded and read are the steps in which the CLI first loaded and read it. 0 means never.
	loaded, read int
}

// fate is what a plan or an apply does with an object.
type fate int

const (
	unplanned fate = iota // or tainted: the CLI plans its replacement as an unrelated creation
	keeps
	leaves // it is removed, replaced, or forgotten
)

// creation is a planned creation, or an update that changes an object into the same content.
type creation struct {
	Creation
	unknown  bool        // whether it stands for all creations on the position that are not completely known
	others   bool        // whether the run had planned the same assessment there with other metadata
	refused  atomic.Bool // whether the plan refuses it, so that no apply follows
	changed  Ref         // the object that the update changes, or zero
	replaced Ref         // the object that the creation replaced when it was planned first, or zero
	planned  int         // the step in which it was planned first
	found    atomic.Pointer[comparison]
}

// comparison is what a creation was compared with.
type comparison struct {
	twins    []twin
	replaces bool              // whether the creation replaces an object, so that each twin may leave, too
	unlisted bool              // whether the service does not list the assessments of a position
	complete bool              // whether everything on the position could be compared
	disabled []catalog.TestRef // tests of the creation that are not enabled
}

// twin is an existing position assessment of the same assessment on the same position.
type twin struct {
	ref              Ref
	comparable, same bool
}

func newRecords() *records {
	return &records{
		objects: map[Ref]*object{}, creations: map[slot]map[string]*creation{}, unknown: map[string]*creation{},
		dependent: map[any][]*creation{}, gone: map[notes.Content]bool{},
	}
}

// update changes the record of an object. It returns the creations beside it.
func (r *records) update(ref Ref, change func(*object)) []*creation {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.objects[ref]
	if o == nil {
		o = &object{}
		r.objects[ref] = o
	}
	change(o)
	return r.dependent[ref]
}

// get returns a copy of the record of an object.
func (r *records) get(ref Ref) object {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.objects[ref]; o != nil {
		return *o
	}
	return object{}
}

func (r *records) next() int {
	r.step++
	return r.step
}

// wasGone reports whether Read has found in this run that a position assessment with this
// content no longer exists. A plan may attach it again, and only warns, because the CLI plans
// everything before it destroys anything. For most instances, the private state says the same,
// but the CLI drops it if the instance is tainted.
func (r *records) wasGone(c notes.Content) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone[c]
}

func (r *records) reportGone(c notes.Content) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone[c] = true
}

// own claims an object that this run has attached. It returns false if it is taken.
func (r *records) own(ref Ref) (claimed bool) {
	r.update(ref, func(o *object) {
		claimed = !o.owned && !o.adopted && !o.inState
		o.owned = o.owned || claimed
	})
	return claimed
}

// adopt claims an object for a creation. It returns false if it is taken.
func (r *records) adopt(ref Ref) (claimed bool) {
	r.update(ref, func(o *object) {
		claimed = !o.owned && !o.adopted && !o.inState
		o.adopted = o.adopted || claimed
	})
	return claimed
}

func (r *records) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.objects)
	clear(r.creations)
	clear(r.dependent)
	clear(r.unknown)
	clear(r.gone)
}

// create records a planned creation. It returns another record if this run has already
// planned a creation with the same content. A replacement may be planned several times in a
// run, and as an update first. replaced identifies it, and is zero for other creations. If Read
// then finds that the object is gone, the CLI plans the same instance as a creation.
func (r *records) create(c Creation, replaced Ref) (record *creation, same bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	record, planned := r.claim(c)
	if !planned {
		record.replaced = replaced
		return record, false
	}
	old := r.objects[record.replaced]
	again := replaced != Ref{} && (record.replaced == replaced || record.changed == replaced) || old != nil && old.gone
	return record, !again
}

// change records an update that changes an object. It returns nil if this run has planned
// another position assessment with the same content.
func (r *records) change(c Creation, ref Ref) *creation {
	r.mu.Lock()
	defer r.mu.Unlock()
	record, planned := r.claim(c)
	if planned && record.changed != ref && record.replaced != ref {
		return nil
	}
	record.changed = ref
	for other, o := range r.objects {
		if other != ref && o.fate == keeps && o.keeps == c.content() {
			return nil
		}
	}
	return record
}

// mayKeep reports whether this run has planned to change no other object into the content of an
// object that it leaves as it is.
func (r *records) mayKeep(c Creation, ref Ref) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	record := r.creations[slot{c.Position, c.Assessment}][c.Metadata.Key()]
	return record == nil || record.changed == Ref{} || record.changed == ref
}

// claim returns the record with a content, and whether it existed before.
func (r *records) claim(c Creation) (record *creation, planned bool) {
	at, key := slot{c.Position, c.Assessment}, c.Metadata.Key()
	if record, planned = r.creations[at][key]; planned {
		return record, true
	}
	if r.creations[at] == nil {
		r.creations[at] = map[string]*creation{}
	}
	record = &creation{Creation: c, planned: r.next(), others: len(r.creations[at]) > 0}
	r.creations[at][key] = record
	return record, false
}

// createUnknown records a planned creation that is not completely known.
func (r *records) createUnknown(position string) *creation {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unknown[position] == nil {
		r.unknown[position] = &creation{Creation: Creation{Position: position}, unknown: true}
	}
	return r.unknown[position]
}

// compare stores what a creation was compared with.
func (r *records) compare(c *creation, found comparison) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.unknown {
		earlier := c.twins()
		found.twins = append(slices.Clone(earlier), slices.DeleteFunc(found.twins, func(t twin) bool {
			return slices.Contains(earlier, t)
		})...)
	}
	c.found.Store(&found)
	depends := func(on any) {
		if !slices.Contains(r.dependent[on], c) {
			r.dependent[on] = append(r.dependent[on], c)
		}
	}
	for _, t := range found.twins {
		depends(t.ref)
	}
	for _, test := range found.disabled {
		depends(test)
	}
}

// needing returns the creations that need a test.
func (r *records) needing(test catalog.TestRef) []*creation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dependent[test]
}

// twins returns the existing position assessments that may be duplicates of a creation.
func (c *creation) twins() []twin { return c.comparison().twins }

func (c *creation) comparison() comparison {
	if found := c.found.Load(); found != nil {
		return *found
	}
	return comparison{}
}

// unplanned returns the objects of a state on a position that the CLI has not planned yet, or
// on any position if it is empty. A creation may replace those that stay unplanned, because
// they are tainted. The others are in progress, so there are few of them.
func (r *records) unplanned(position string) (twins []twin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ref, o := range r.objects {
		if o.inState && o.fate == unplanned && (position == "" || ref.Position == position) {
			twins = append(twins, twin{ref: ref})
		}
	}
	return twins
}

// mayBeAgain reports whether the CLI may be planning the same instance again. With a minimal
// refresh, it plans an instance, reads it, and plans it again. A tainted instance is planned
// without its prior state both times.
func (r *records) mayBeAgain(c *creation) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.changed != (Ref{}) {
		return false // an update is never planned as a creation
	}
	for _, o := range r.objects {
		if o.fate == unplanned && o.loaded > 0 && o.loaded < c.planned && c.planned < o.read {
			return true
		}
	}
	return false
}

// mayLeave reports whether a plan may accept a creation beside an object: a state contains
// it, and the plan does not keep it with the same content.
func (o object) mayLeave(c notes.Content) bool {
	return o.inState && (o.fate != keeps || o.keeps != c && !c.IsUnknown())
}

// hasLeft reports whether an apply makes room for a creation: it has removed, replaced or
// changed the object, or has attached it for another resource.
func (o object) hasLeft(c notes.Content) bool {
	return o.owned || o.adopted || o.fate == leaves || o.fate == keeps && o.keeps != c
}

// isProtected reports whether a plan imports the object, or keeps it at one of several addresses.
// The CLI does not tell the plan if the instance at another address is tainted.
func (o object) isProtected() bool {
	return o.fate != leaves && (o.imported || o.kept && o.shared)
}

// removesImport reports whether a plan imports an object under one address, and removes or
// replaces it under another. An import and a replacement at the same address are legal: then
// the CLI has not loaded the object from a state.
func (o object) removesImport() bool { return o.imported && o.loaded > 0 && o.fate == leaves }
