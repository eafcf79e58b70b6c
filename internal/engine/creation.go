// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Creation is an assessment that is going to be attached to a position.
type Creation struct {
	Position, Assessment string
	Metadata             assessapi.Metadata
}

// Presence is what a position already has of the assessment that a plan attaches.
type Presence struct {
	// PlannedSame is whether this run has planned the same creation before,
	// PlannedOther one of the same assessment with other metadata.
	PlannedSame, PlannedOther bool
	// PlannedAgain is whether that may have been the same instance.
	PlannedAgain bool
	Attached     []Existing
	// Listed is whether the service has listed what the position has.
	Listed bool
}

// Existing is a position assessment of the same assessment on the same position.
type Existing struct {
	Ref Ref
	// Comparable is whether its metadata is known, Same whether it equals what is
	// planned.
	Comparable, Same bool
	// Known is whether this run has seen it in a state, Replaced whether a plan
	// that was made on this machine replaces it.
	Known, Replaced bool
}

// PlanCreation remembers a creation, and looks for what the position already has
// of it. Without look-ups only what the run itself has planned is found. replaced
// is what the creation replaces, or zero. The error is that of the list of the
// position's assessments.
func (e *Engine) PlanCreation(ctx context.Context, c Creation, replaced Ref) (Presence, error) {
	p := e.evidence.planCreation(c, replaced)
	if e.cfg.Reused { // that was another plan
		p = Presence{}
	}
	if !e.LooksUp() {
		return p, nil
	}
	attached, offered, err := e.Attached(ctx, c.Position)
	p.Listed = offered && err == nil
	for _, pa := range attached {
		if pa.AssessmentID != c.Assessment {
			continue
		}
		found := Existing{Ref: Ref{c.Position, pa.ID}, Comparable: e.comparable(ctx, pa)}
		found.Same = found.Comparable && pa.Metadata.Equal(c.Metadata)
		found.Known = e.evidence.knows(found.Ref)
		found.Replaced = e.leaves(c, found.Ref)
		p.Attached = append(p.Attached, found)
	}
	return p, err
}

// AcceptCreation notes, for the apply, that a plan lets a creation through beside
// what its position has. If the creation itself replaces something, that is all of
// it: other instances may be about to leave the position.
func (e *Engine) AcceptCreation(c Creation, p Presence, replaced Ref) {
	compared := p.Listed
	for _, existing := range p.Attached {
		compared = compared && existing.Comparable
		if (existing.Known || replaced != Ref{}) && (existing.Same || !existing.Comparable) {
			e.note(existing.Ref, c.beside(existing.Ref))
		}
	}
	if compared && e.LooksUp() {
		_ = e.notes.write(c.note()) // without it, the apply does not recover a lost response
	}
}

// GuardCreation notes, for the apply, that a plan lets a creation through which it
// would have refused as a duplicate. [Engine.Attach] looks again before it sends it.
func (e *Engine) GuardCreation(c Creation) { _ = e.notes.write(c.guard()) }

// PlanReplacement notes, for the apply, that a plan replaces a position
// assessment, so that what replaces it is no duplicate of it.
func (e *Engine) PlanReplacement(ref Ref) {
	e.evidence.claim(ref)
	e.note(ref, ref.note())
}

// note writes a note about a position assessment, and reports once if it cannot.
func (e *Engine) note(ref Ref, note string) {
	if err := e.notes.write(note); err != nil {
		e.notices.once("note", Notice{Kind: NoteNotWritten, Ref: ref, Err: err})
	}
}

// PlanUnknownCreation is PlanCreation for a creation of which something is not
// known before the apply. The assessment may be empty. It returns what the
// position has of the assessment, as far as it can be listed.
func (e *Engine) PlanUnknownCreation(ctx context.Context, position, assessment string) []Ref {
	if !e.LooksUp() {
		return nil
	}
	if position == "" { // it may replace a tainted object, wherever that is
		for _, ref := range e.evidence.all() {
			e.note(ref, ref.note())
		}
		return nil
	}
	attached, _, err := e.Attached(ctx, position)
	if err != nil {
		return nil // the apply asks again
	}
	var found []Ref
	for _, pa := range attached {
		ref := Ref{position, pa.ID}
		if assessment != "" && pa.AssessmentID != assessment {
			continue
		}
		if e.evidence.knows(ref) {
			e.PlanReplacement(ref) // perhaps by this creation
		}
		if assessment != "" {
			found = append(found, ref)
		}
	}
	return found
}

// noted reports whether a plan that was made on this machine wrote a note. A plan
// does not believe the notes of an earlier plan, as soon as it is known to be a plan.
func (e *Engine) noted(note string) bool {
	return e.signals.phase() != Planning && e.notes.contains(note)
}

// leaves reports whether a plan replaces a position assessment, or let a creation
// through beside it.
func (e *Engine) leaves(c Creation, ref Ref) bool {
	return e.noted(ref.note()) || e.noted(c.beside(ref))
}
