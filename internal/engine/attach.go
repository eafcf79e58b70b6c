// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/notes"
)

// DuplicateError means that a position already has the assessment with the same
// configuration. Nothing was sent.
type DuplicateError struct{ ID string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the position already has it, as position assessment %q", e.ID)
}

// Attached is a position assessment that [Attachments.Attach] has attached.
type Attached struct {
	assessapi.PositionAssessment
	Memory catalog.Memory
	// Recovered is the error that arrived instead of a response, if the position assessment
	// was found afterwards.
	Recovered error
	// Adopted is whether it existed before, and nothing was sent.
	Adopted bool
	// Incomplete is why the status and the address of the profile are not known.
	Incomplete error
}

// Attach attaches an assessment to a position (attachAssessment). If a response is lost,
// Attach finds out whether the request had an effect before it sends the request again.
//
// If no plan on this machine has compared the position, Attach reads its list before the first
// creation there. A duplicate is refused, or adopted if that is configured.
//
// needs says which attributes of the profile the caller requires. If the response does
// not contain them, Attach reads them (assumption A4).
func (a *Attachments) Attach(ctx context.Context, c Creation, needs ProfileNeeds) (Attached, error) {
	t := attempt{Attachments: a, Creation: c, note: a.notes.Of(c.content())}
	if err := a.run.beginApply(); err != nil {
		_ = a.notes.Write(c.content(), t.note) // for another apply of the same plan
		return Attached{}, err
	}
	existing, err := t.admit(ctx)
	if err != nil {
		return Attached{}, err
	}
	attached := Attached{Adopted: existing != nil}
	if attached.Adopted {
		attached.PositionAssessment = *existing
	} else {
		var lost *assessapi.LostError
		attached.PositionAssessment, lost, err = createOnce(ctx, a.run, t.send, t.search)
		if err != nil {
			return Attached{}, err
		}
		if lost != nil {
			attached.Recovered = lost
		}
	}
	// The assessment is attached now. Later failures are not errors.
	ref := Ref{c.Position, attached.ID}
	a.record(ref, func(o *object) { o.owned = true })
	attached.PositionAssessment, attached.Incomplete = a.withProfile(ctx, ref, c, attached.PositionAssessment, needs)
	a.lists.Probe(ctx, ref.Position, ref.ID, c.Metadata)
	attached.Memory.Shown = a.lists.Shown()
	return attached, nil
}

// withProfile reads a position assessment if the response to a write lacks required
// attributes of its profile, and if it can have a profile.
func (a *Attachments) withProfile(
	ctx context.Context, ref Ref, c Creation, response assessapi.PositionAssessment, needs ProfileNeeds,
) (assessapi.PositionAssessment, error) {
	lacks := needs.Status && response.Metadata.ProfileStatus == nil || needs.URL && response.Metadata.ProfileURL == nil
	if !lacks {
		return response, nil
	}
	if c.Metadata.Profile == nil {
		if profiles, err := a.catalog.Profiles(ctx, c.Assessment); err == nil && len(profiles) == 0 {
			return response, nil
		}
	}
	whole, err := a.lists.Read(ctx, ref.Position, ref.ID)
	if err != nil {
		return response, err
	}
	return whole, nil
}

// ProfileNeeds says which attributes of a profile a caller requires after a write.
type ProfileNeeds struct{ Status, URL bool }

// attempt is one creation with what is known about its position before.
type attempt struct {
	*Attachments
	Creation
	note     notes.Note
	existing []assessapi.PositionAssessment // before the first creation of the run on the position
}

// admit decides whether the creation may be sent. It returns the position assessment that the
// creation adopts instead. It uses up the note of the plan: whoever applies the same plan
// again must compare again.
func (t *attempt) admit(ctx context.Context) (*assessapi.PositionAssessment, error) {
	used := t.note
	used.Compared = false
	_ = t.notes.Write(t.content(), used)
	if !t.run.cfg.PlanChecks && t.note.Adopts == "" {
		return nil, nil
	}
	if t.note.Enables || !t.note.Compared {
		if err := t.activations.ensure(ctx, t.Creation, t.note.Enables); err != nil {
			return nil, err
		}
	}
	if t.note.Compared || t.note.Unlisted {
		return nil, nil
	}
	var err error
	t.existing, err = t.before.Get(ctx, t.Position, func(ctx context.Context) ([]assessapi.PositionAssessment, error) {
		all, _, err := t.List(ctx, t.Position)
		return all, err
	})
	if assessapi.IsNotFound(err) {
		return nil, nil // then the service decides
	}
	if err != nil {
		return nil, err
	}
	return t.resolve(ctx, t.duplicates(ctx))
}

// duplicates returns what the position had before and the creation would duplicate, unless the
// plan has accepted it.
func (t *attempt) duplicates(ctx context.Context) (found []assessapi.PositionAssessment) {
	for _, pa := range t.existing {
		if pa.AssessmentID == t.Assessment && pa.Metadata.Equal(t.Metadata) && t.lists.Comparable(ctx, pa) &&
			!t.note.Accepts(t.Position, pa.ID) {
			found = append(found, pa)
		}
	}
	return found
}

// resolve waits until this apply has removed, replaced or changed the duplicates. If it does
// not, the creation is refused. If the plan has said so, it adopts the only one instead.
func (t *attempt) resolve(
	ctx context.Context, found []assessapi.PositionAssessment,
) (*assessapi.PositionAssessment, error) {
	ref := func(pa assessapi.PositionAssessment) Ref { return Ref{t.Position, pa.ID} }
	left := func(pa assessapi.PositionAssessment) bool { return t.records.get(ref(pa)).hasLeft(t.content()) }
	// Only the plan knows that no state contains it: an apply loads only what changes.
	adopts := len(found) == 1 && t.note.Adopts == notes.Object(t.Position, found[0].ID)
	if !adopts {
		t.run.calls.await(ctx, func() bool {
			return !slices.ContainsFunc(found, func(pa assessapi.PositionAssessment) bool { return !left(pa) })
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if found = slices.DeleteFunc(found, left); len(found) == 0 {
		return nil, nil
	}
	if adopts && t.records.adopt(ref(found[0])) {
		return &found[0], nil
	}
	return nil, &DuplicateError{ID: found[0].ID}
}

func (t *attempt) send(ctx context.Context) (assessapi.PositionAssessment, error) {
	defer t.changed(t.Position)
	return t.writer.Add(ctx, t.Position, t.Assessment, t.Metadata)
}

// search reads the list of the position again, and returns the position assessment that
// matches the request.
func (t *attempt) search(ctx context.Context, lost *assessapi.LostError) (*assessapi.PositionAssessment, error) {
	unresolved := func(doubt Doubt, ids ...string) error { return &UnresolvedError{Lost: lost, Doubt: doubt, IDs: ids} }
	if !t.run.cfg.PlanChecks {
		return nil, unresolved(ChecksOff)
	}
	all, offered, err := t.lists.Recent(ctx, t.Position)
	switch {
	case ctx.Err() != nil:
		return nil, unresolved(Interrupted)
	case err != nil:
		return nil, &UnresolvedError{Lost: lost, Doubt: ListFailed, Err: err}
	case !offered || t.note.Unlisted:
		return nil, unresolved(NotListed)
	}
	var matches []assessapi.PositionAssessment
	for _, pa := range all {
		if pa.AssessmentID != t.Assessment || t.existed(pa.ID) {
			continue
		}
		// If no read has ever contained a block, the service may hide the blocks. Then a
		// position assessment without them may still be the one that was sent.
		lacks := t.Metadata.Configured() && !pa.Metadata.Configured() && !t.lists.Shown()
		if lacks || !t.lists.Comparable(ctx, pa) {
			return nil, unresolved(NotShown, pa.ID)
		}
		if pa.Metadata.Equal(t.Metadata) {
			matches = append(matches, pa)
		}
	}
	switch len(matches) {
	case 0:
		return nil, nil
	case 1:
		if !t.records.own(Ref{t.Position, matches[0].ID}) {
			return nil, unresolved(TakenBefore, matches[0].ID)
		}
		return &matches[0], nil
	}
	ids := make([]string, len(matches))
	for i, pa := range matches {
		ids[i] = pa.ID
	}
	return nil, unresolved(Several, ids...)
}

// existed reports whether a position assessment cannot be the one that was sent.
func (t *attempt) existed(id string) bool {
	ref := Ref{t.Position, id}
	o := t.records.get(ref)
	return o.inState || o.owned || o.adopted || t.note.Accepts(t.Position, id) ||
		slices.ContainsFunc(t.existing, func(pa assessapi.PositionAssessment) bool { return pa.ID == id })
}
