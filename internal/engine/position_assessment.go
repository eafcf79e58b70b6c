// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ErrGone means that a resource no longer exists in the right organization.
var ErrGone = errors.New("it no longer exists in the service")

// ErrNotInSnapshot means that a snapshot does not contain a resource. The service from
// which the snapshot was taken may have it.
var ErrNotInSnapshot = errors.New("the snapshot does not have it")

// ErrProfileCompleted means that a supervisor has completed the profile since the plan
// was made. Nothing was sent.
var ErrProfileCompleted = errors.New("a supervisor has completed the profile since the plan was made")

// UnconfirmedError means that the service answered 404, but this may be wrong: the list
// of assessments could not be read (Err), or it does not contain the resource's own
// assessment (Err is nil).
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string { return "the list of assessments does not confirm the 404" }

// Unwrap returns why the list could not be read. It may be nil.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// Prior is what a state contains about a position assessment.
type Prior struct {
	Assessment string // empty after an import
	Metadata   assessapi.Metadata
	Memory     Memory
}

// Observation is the result of a read.
type Observation struct {
	assessapi.PositionAssessment
	Memory Memory
	// Hidden is whether the service does not return packages, benchmark and tests. Then the
	// state keeps its values (assumption A22).
	Hidden bool
	// Unclear is whether this was an import, and it is unknown whether there are packages, a
	// benchmark or tests.
	Unclear bool
}

// ReadPositionAssessment reads a position assessment (section 4.3). After a 404, it
// returns [ErrGone], [ErrNotInSnapshot] or an [UnconfirmedError]. For an import, it
// returns the 404 itself.
func (e *Engine) ReadPositionAssessment(ctx context.Context, ref Ref, prior Prior) (Observation, error) {
	e.signals.refreshed.Store(true)
	e.evidence.read(ref)
	imported := prior.Assessment == ""
	pa, err := e.attached.one(ctx, ref)
	if assessapi.IsNotFound(err) && !imported {
		err = e.confirmGone(ctx, prior.Assessment)
	}
	if err != nil {
		if errors.Is(err, ErrGone) {
			e.evidence.reportGone(ref.Position, prior.Assessment)
		}
		return Observation{}, err
	}
	o := Observation{PositionAssessment: pa, Hidden: e.hides(pa, prior.Metadata, prior.Memory)}
	o.Memory.Shown = prior.Memory.Shown || pa.Metadata.Configured()
	if imported {
		o.Unclear = e.metadata.provenHidden() || e.cfg.PlanChecks && !e.comparable(ctx, pa)
	}
	return o, nil
}

// PositionAssessment reads a position assessment for a data source.
func (e *Engine) PositionAssessment(ctx context.Context, ref Ref) (assessapi.PositionAssessment, error) {
	return e.attached.one(ctx, ref)
}

// Updated is a position assessment that [Engine.Update] has changed.
type Updated struct {
	assessapi.PositionAssessment
	Shown bool // as in [Memory]
	// Incomplete is why the status and the address of the profile are not known.
	Incomplete error
}

// Change is an update of a position assessment.
type Change struct {
	Ref        Ref
	Assessment string
	Metadata   assessapi.Metadata // replaces the current metadata (assumption A5)
	// WasCompleted is whether the plan has seen a profile that a supervisor had completed.
	WasCompleted bool
	Needs        ProfileNeeds
}

// Update changes a position assessment. If it attaches a profile, and a supervisor has
// completed the profile since the plan, it sends nothing and returns
// [ErrProfileCompleted].
func (e *Engine) Update(ctx context.Context, c Change) (Updated, error) {
	if err := e.Begin(); err != nil {
		return Updated{}, err
	}
	if c.Metadata.Profile != nil {
		current, err := e.attached.fresh(ctx, c.Ref)
		if err != nil {
			return Updated{}, err
		}
		status := current.Metadata.ProfileStatus
		if status != nil && *status == assessapi.SupervisorCompleted && !c.WasCompleted {
			e.changed(c.Ref.Position)
			return Updated{}, ErrProfileCompleted
		}
	}
	pa, err := e.client.UpdatePositionAssessment(ctx, c.Ref.Position, c.Ref.ID, c.Assessment, c.Metadata)
	e.changed(c.Ref.Position)
	if err != nil {
		return Updated{}, err
	}
	u := Updated{}
	created := Creation{c.Ref.Position, c.Assessment, c.Metadata}
	u.PositionAssessment, u.Incomplete = e.withProfile(ctx, c.Ref, created, pa, c.Needs)
	e.probe(ctx, c.Ref, c.Metadata)
	u.Shown = e.metadata.shown.Load()
	return u, nil
}

// Remove removes a position assessment (assumption A6). It also succeeds if the position
// assessment does not exist any more.
func (e *Engine) Remove(ctx context.Context, ref Ref, assessment string) error {
	if err := e.Begin(); err != nil {
		return err
	}
	e.evidence.claim(ref)
	err := e.client.RemovePositionAssessment(ctx, ref.Position, ref.ID)
	e.changed(ref.Position)
	if !assessapi.IsNotFound(err) {
		return err
	}
	if err := e.confirmGone(ctx, assessment); !errors.Is(err, ErrGone) {
		return err
	}
	return nil
}

// IsRefusedRemoval reports whether the service refuses to remove a position assessment
// (assumption A6). A 403 may also refuse the API key. Then the list of assessments cannot
// be read either.
func (e *Engine) IsRefusedRemoval(ctx context.Context, err error, assessment string) bool {
	var refused *assessapi.Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Class() {
	case assessapi.Conflict:
		return true
	case assessapi.Forbidden:
		return errors.Is(e.confirmGone(ctx, assessment), ErrGone) // the credentials are right
	default:
		return false
	}
}

// confirmGone decides whether a 404 can be trusted. A wrong address, the key of another
// organization, or a broken gateway answers 404 to everything. So confirmGone reads the
// list of assessments after the 404. It returns ErrGone only if the list contains the
// resource's own assessment. On a snapshot, it returns ErrNotInSnapshot.
func (e *Engine) confirmGone(ctx context.Context, assessment string) error {
	if e.cfg.Snapshot {
		return ErrNotInSnapshot
	}
	all, err := e.assessmentsAfter(ctx, e.confirmations.Load())
	if err != nil {
		return &UnconfirmedError{Err: err}
	}
	if slices.ContainsFunc(all, func(a assessapi.Assessment) bool { return a.ID == assessment }) {
		return ErrGone
	}
	return &UnconfirmedError{}
}

// assessmentsAfter reads the list of assessments again, unless another read has started
// since the counter had the given value.
func (e *Engine) assessmentsAfter(ctx context.Context, confirmations int64) ([]assessapi.Assessment, error) {
	e.confirming.Lock()
	if e.confirmations.CompareAndSwap(confirmations, confirmations+1) {
		e.lists.assessments.drop("")
	}
	e.confirming.Unlock()
	return e.Assessments(ctx)
}
