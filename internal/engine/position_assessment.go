// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ErrGone says that what was read no longer exists, and that the organization is
// the right one.
var ErrGone = errors.New("it no longer exists in the service")

// ErrProfileCompleted says that a supervisor has completed the profile since the
// plan was made. Nothing was sent.
var ErrProfileCompleted = errors.New("a supervisor has completed the profile since the plan was made")

// UnconfirmedError says that the service answered 404 and that this cannot be
// relied on: the list of assessments could not be read (Err), or it does not
// contain the resource's own assessment (Err is nil).
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string { return "the list of assessments does not confirm the 404" }

// Unwrap returns why the list could not be read, if that was the reason.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// Prior is what a state holds about a position assessment.
type Prior struct {
	Assessment string // empty after an import
	Metadata   assessapi.Metadata
	Memory     Memory
}

// Observation is what a read has found.
type Observation struct {
	assessapi.PositionAssessment
	Memory Memory
	// Hidden: the service does not return packages, benchmark and tests, so what
	// the state holds of them stays (assumption A22).
	Hidden bool
	// Unclear: this was an import, and it cannot be known whether there are
	// packages, a benchmark or tests.
	Unclear bool
}

// ReadPositionAssessment reads a position assessment (section 4.3). The error is
// [ErrGone] or an [UnconfirmedError] after a 404, except for an import: then it is
// the 404 itself.
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
		o.Unclear = e.metadata.provenMute() || e.cfg.PlanChecks && !e.comparable(ctx, pa)
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
	// Incomplete is why the status and address of the profile are not known.
	Incomplete error
}

// Change is an update of a position assessment.
type Change struct {
	Ref        Ref
	Assessment string
	Metadata   assessapi.Metadata // replaces what there is (assumption A5)
	// WasCompleted is whether the plan has seen a profile that a supervisor had
	// completed.
	WasCompleted bool
	Needs        ProfileNeeds
}

// Update changes a position assessment. If it attaches a profile, and a supervisor
// has completed the profile since the plan, the error is [ErrProfileCompleted] and
// nothing is sent.
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

// Remove removes a position assessment (assumption A6). It succeeds if it is gone
// already.
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

// IsRefusedRemoval reports whether the service refuses to remove a position
// assessment (assumption A6). A 403 may also mean the key: then the list of
// assessments cannot be read either.
func (e *Engine) IsRefusedRemoval(ctx context.Context, err error, assessment string) bool {
	var refused *assessapi.Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Class() {
	case assessapi.Conflict:
		return true
	case assessapi.Forbidden:
		return errors.Is(e.confirmGone(ctx, assessment), ErrGone) // the organization is the right one
	default:
		return false
	}
}

// confirmGone decides whether a 404 that has just arrived can be believed. A wrong
// address, the key of another organization, or a broken gateway answers 404 to
// everything. Only if the list of assessments, read after the 404, contains the
// resource's own assessment, the error is ErrGone.
func (e *Engine) confirmGone(ctx context.Context, assessment string) error {
	all, err := e.assessmentsAfter(ctx, e.confirmations.Load())
	if err != nil {
		return &UnconfirmedError{Err: err}
	}
	if slices.ContainsFunc(all, func(a assessapi.Assessment) bool { return a.ID == assessment }) {
		return ErrGone
	}
	return &UnconfirmedError{}
}

// assessmentsAfter reads the list of assessments again, unless a read has started
// after the given number of them.
func (e *Engine) assessmentsAfter(ctx context.Context, confirmations int64) ([]assessapi.Assessment, error) {
	e.confirming.Lock()
	if e.confirmations.CompareAndSwap(confirmations, confirmations+1) {
		e.lists.assessments.drop("")
	}
	e.confirming.Unlock()
	return e.Assessments(ctx)
}
