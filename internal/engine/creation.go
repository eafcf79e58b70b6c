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

// Presence says whether a position already has an assessment that a plan attaches.
type Presence struct {
	// PlannedSame is whether this run has already planned the same creation. PlannedOther is
	// whether it has already planned one of the same assessment with other metadata.
	PlannedSame, PlannedOther bool
	// PlannedAgain is whether that creation may have been the same resource instance.
	PlannedAgain bool
	Attached     []Existing
	// Listed is whether the assessments of the position could be listed.
	Listed bool
}

// Existing is a position assessment of the same assessment on the same position.
type Existing struct {
	Ref Ref
	// Comparable is whether its metadata is known. Same is whether it equals the planned
	// metadata.
	Comparable, Same bool
	// Known is whether this run has seen it in a state. Replaced is whether a plan that was
	// made on this machine replaces it.
	Known, Replaced bool
}

// PlanCreation records a creation, and finds out whether the position already has the
// assessment. If lists are not read, it considers only what the run itself has planned.
// replaced is the position assessment that the creation replaces, or zero. The error is
// that of the list of the position's assessments.
func (e *Engine) PlanCreation(ctx context.Context, c Creation, replaced Ref) (Presence, error) {
	p := e.evidence.planCreation(c, replaced)
	if e.cfg.Reused { // the earlier creations belong to another plan
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
		found.Replaced = e.accepts(c, found.Ref)
		p.Attached = append(p.Attached, found)
	}
	return p, err
}

// AcceptCreation writes notes for the apply: the plan accepts a creation next to the
// existing position assessments. If the creation is a replacement, it accepts all of
// them, because the plan may replace them, too.
func (e *Engine) AcceptCreation(c Creation, p Presence, replaced Ref) {
	compared := p.Listed
	for _, existing := range p.Attached {
		compared = compared && existing.Comparable
		if (existing.Known || replaced != Ref{}) && (existing.Same || !existing.Comparable) {
			e.note(existing.Ref, c.nextTo(existing.Ref))
		}
	}
	if compared && e.LooksUp() {
		_ = e.notes.write(c.note()) // without the note, the apply does not recover a lost response
	}
}

// GuardCreation writes a note for the apply: the plan would have refused a creation as a
// duplicate, but could only warn. [Engine.Attach] checks again before it sends the
// request.
func (e *Engine) GuardCreation(c Creation) { _ = e.notes.write(c.guard()) }

// PlanReplacement writes a note for the apply: the plan replaces a position assessment,
// so its replacement is not a duplicate.
func (e *Engine) PlanReplacement(ref Ref) {
	e.evidence.claim(ref)
	e.note(ref, ref.note())
}

// note writes a note about a position assessment. If it cannot be written, note adds one
// notice in each run.
func (e *Engine) note(ref Ref, note string) {
	if err := e.notes.write(note); err != nil {
		e.notices.once("note", Notice{Kind: NoteNotWritten, Ref: ref, Err: err})
	}
}

// PlanUnknownCreation is PlanCreation for a creation that is not completely known before
// the apply. position and assessment may be empty. It returns the position assessments of
// the same assessment that could be listed.
func (e *Engine) PlanUnknownCreation(ctx context.Context, position, assessment string) []Ref {
	if !e.LooksUp() {
		return nil
	}
	if position == "" { // it may replace a tainted object on any position
		for _, ref := range e.evidence.all() {
			e.note(ref, ref.note())
		}
		return nil
	}
	attached, _, err := e.Attached(ctx, position)
	if err != nil {
		return nil // the apply checks again
	}
	var found []Ref
	for _, pa := range attached {
		ref := Ref{position, pa.ID}
		if assessment != "" && pa.AssessmentID != assessment {
			continue
		}
		if e.evidence.knows(ref) {
			e.PlanReplacement(ref) // this creation may be its replacement
		}
		if assessment != "" {
			found = append(found, ref)
		}
	}
	return found
}

// noted reports whether a plan that was made on this machine wrote a note. When the run
// is known to be a plan, notes of an earlier plan do not count.
func (e *Engine) noted(note string) bool {
	return e.signals.phase() != Planning && e.notes.contains(note)
}

// accepts reports whether a plan replaces a position assessment, or has accepted a
// creation next to it.
func (e *Engine) accepts(c Creation, ref Ref) bool {
	return e.noted(ref.note()) || e.noted(c.nextTo(ref))
}
