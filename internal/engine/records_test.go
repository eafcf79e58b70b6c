// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/notes"
)

// What a run knows about an object decides what a plan and an apply accept beside it.
func TestObject(t *testing.T) {
	t.Parallel()
	this := Creation{Position: "pos-1", Assessment: "asm-1"}.content()
	other := Creation{Position: "pos-1", Assessment: "asm-2"}.content()
	imported := func(loaded int, f fate) object {
		return object{inState: true, imported: true, loaded: loaded, fate: f, keeps: this}
	}
	for name, row := range map[string]struct {
		object                   object
		mayLeave, left, unimport bool
	}{
		"unknown":                              {},
		"in a state, not planned":              {object{inState: true}, true, false, false},
		"keeps its content":                    {object{inState: true, fate: keeps, keeps: this}, false, false, false},
		"changes its content":                  {object{inState: true, fate: keeps, keeps: other}, true, true, false},
		"removed or replaced":                  {object{inState: true, fate: leaves}, true, true, false},
		"attached for another resource":        {object{owned: true}, false, true, false},
		"adopted by another resource":          {object{adopted: true}, false, true, false},
		"imported":                             {imported(0, keeps), false, false, false},
		"imported, removed elsewhere":          {imported(1, leaves), true, true, true},
		"imported and replaced at one address": {imported(0, leaves), true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := row.object.mayLeave(this); got != row.mayLeave {
				t.Errorf("mayLeave is %t", got)
			}
			if got := row.object.hasLeft(this); got != row.left {
				t.Errorf("hasLeft is %t", got)
			}
			if got := row.object.removesImport(); got != row.unimport {
				t.Errorf("removesImport is %t", got)
			}
		})
	}
	if (object{inState: true, fate: keeps, keeps: other}).mayLeave(notes.Content{Position: "pos-1"}) {
		t.Error("a creation that is not completely known is accepted beside an object that stays")
	}
}

// Only the same replacement, or the creation instead of an object that is gone, may be planned
// twice.
func TestCreationPlannedTwice(t *testing.T) {
	t.Parallel()
	c, one, other := Creation{Position: "pos-1", Assessment: "asm-1"}, Ref{"pos-1", "pas-1"}, Ref{"pos-1", "pas-2"}
	for name, row := range map[string]struct {
		first, second Ref
		gone          bool // Read finds between the two that the first object no longer exists
		same          bool
	}{
		"two creations":                       {Ref{}, Ref{}, false, true},
		"a replacement and a creation":        {one, Ref{}, false, true},
		"two replacements":                    {one, other, false, true},
		"the same replacement":                {one, one, false, false},
		"a creation instead of a gone object": {one, Ref{}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecords()
			first, same := r.create(c, row.first)
			if same {
				t.Error("the first creation is not the first")
			}
			if row.gone {
				r.update(row.first, func(o *object) { o.gone = true })
			}
			if second, same := r.create(c, row.second); second != first || same != row.same {
				t.Errorf("the same record: %t, a duplicate: %t", second == first, same)
			}
		})
	}
}

// A tainted instance may be planned before and after it is read.
func TestCreationOfATaintedInstance(t *testing.T) {
	t.Parallel()
	c := &creation{planned: 2}
	for name, row := range map[string]struct {
		object object
		want   bool
	}{
		"read after the first planning": {object{loaded: 1, read: 3}, true},
		"read before":                   {object{loaded: 1, read: 1}, false},
		"not read":                      {object{loaded: 1}, false},
		"loaded after":                  {object{loaded: 3, read: 4}, false},
		"planned under its address":     {object{loaded: 1, read: 3, fate: keeps}, false},
	} {
		r := newRecords()
		r.update(Ref{"pos-1", "pas-1"}, func(o *object) { *o = row.object })
		if got := r.mayBeAgain(c); got != row.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
