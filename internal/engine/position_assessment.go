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
	e.Know(ref)
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

// Update replaces the metadata of a position assessment (assumption A5). wasCompleted
// is whether the plan has seen a profile that a supervisor had completed: if a
// profile is attached and a supervisor has completed it since, the error is
// [ErrProfileCompleted] and nothing is sent.
func (e *Engine) Update(
	ctx context.Context, ref Ref, assessment string, metadata assessapi.Metadata, wasCompleted, needsProfile bool,
) (Updated, error) {
	if err := e.Begin(); err != nil {
		return Updated{}, err
	}
	if metadata.Profile != nil {
		current, err := e.attached.fresh(ctx, ref)
		if err != nil {
			return Updated{}, err
		}
		status := current.Metadata.ProfileStatus
		if status != nil && *status == assessapi.SupervisorCompleted && !wasCompleted {
			e.changed(ref.Position)
			return Updated{}, ErrProfileCompleted
		}
	}
	pa, err := e.client.UpdatePositionAssessment(ctx, ref.Position, ref.ID, assessment, metadata)
	e.changed(ref.Position)
	if err != nil {
		return Updated{}, err
	}
	u := Updated{PositionAssessment: pa}
	if needsProfile {
		u.PositionAssessment, u.Incomplete = e.withProfile(ctx, ref, assessment, metadata, pa)
	}
	e.probe(ctx, ref, metadata)
	u.Shown = e.metadata.shown.Load()
	return u, nil
}

// Remove removes a position assessment (assumption A6). It succeeds if it is gone
// already.
func (e *Engine) Remove(ctx context.Context, ref Ref, assessment string) error {
	if err := e.Begin(); err != nil {
		return err
	}
	e.Know(ref)
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
