// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// DuplicateError means that a position already has the assessment with the same
// configuration. Nothing was sent.
type DuplicateError struct{ ID string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the position already has it, as position assessment %q", e.ID)
}

// Attached is a position assessment that [Engine.Attach] has attached.
type Attached struct {
	assessapi.PositionAssessment
	Memory Memory
	// Recovered is the error that arrived instead of a response, if the position assessment
	// was found afterwards.
	Recovered error
	// Incomplete is why the status and the address of the profile are not known.
	Incomplete error
}

// UnresolvedError means that a response was lost, and that it is unknown whether the
// assessment was attached. The request was not sent again.
type UnresolvedError struct {
	Lost *assessapi.LostError
	// Reason says why it is unknown. It is the part of a sentence after a colon. Err is the
	// error of the request that should have found out. It may be nil.
	Reason string
	Err    error
}

func (e *UnresolvedError) Error() string { return e.Reason }

// Unwrap returns the error that arrived instead of a response.
func (e *UnresolvedError) Unwrap() error { return e.Lost }

// Attach attaches an assessment to a position (section 4.2). If a response is lost,
// Attach finds out whether the request had an effect before it sends the request again.
//
// needs says which attributes of the profile the caller requires. If the response does
// not contain them, Attach reads them (assumption A4).
func (e *Engine) Attach(ctx context.Context, c Creation, needs ProfileNeeds) (Attached, error) {
	if err := e.Begin(); err != nil {
		return Attached{}, err
	}
	if err := e.checkGuarded(ctx, c); err != nil {
		return Attached{}, err
	}
	pa, lost, err := e.send(ctx, c)
	if err != nil {
		return Attached{}, err
	}
	// The assessment is attached now. Later failures are not errors.
	ref := Ref{c.Position, pa.ID}
	e.evidence.claim(ref)
	a := Attached{PositionAssessment: pa}
	if lost != nil {
		a.Recovered = lost
	}
	a.PositionAssessment, a.Incomplete = e.withProfile(ctx, ref, c, pa, needs)
	e.probe(ctx, ref, c.Metadata)
	a.Memory.Shown = e.metadata.shown.Load()
	return a, nil
}

// withProfile reads a position assessment if the response to a write lacks required
// attributes of its profile, and if it can have a profile.
func (e *Engine) withProfile(
	ctx context.Context, ref Ref, c Creation, response assessapi.PositionAssessment, needs ProfileNeeds,
) (assessapi.PositionAssessment, error) {
	lacks := needs.Status && response.Metadata.ProfileStatus == nil || needs.URL && response.Metadata.ProfileURL == nil
	if !lacks {
		return response, nil
	}
	if c.Metadata.Profile == nil {
		if profiles, err := e.Profiles(ctx, c.Assessment); err == nil && len(profiles) == 0 {
			return response, nil
		}
	}
	whole, err := e.attached.fresh(ctx, ref)
	if err != nil {
		return response, err
	}
	return whole, nil
}

// ProfileNeeds says which attributes of a profile a caller requires after a write.
type ProfileNeeds struct{ Status, URL bool }

// checkGuarded looks for a duplicate before a creation that the plan could not refuse as
// a duplicate (see [Engine.GuardCreation]).
func (e *Engine) checkGuarded(ctx context.Context, c Creation) error {
	if !e.cfg.PlanChecks || !e.notes.contains(c.guard()) {
		return nil
	}
	e.attached.lists.drop(c.Position)
	all, _, err := e.Attached(ctx, c.Position)
	for _, pa := range all {
		ref := Ref{c.Position, pa.ID}
		if pa.AssessmentID == c.Assessment && pa.Metadata.Equal(c.Metadata) &&
			e.comparable(ctx, pa) && !e.evidence.knows(ref) && !e.noted(ref.note()) {
			return &DuplicateError{ID: pa.ID}
		}
	}
	return err
}

// send sends the request. If its response is lost, send looks for its effect. If there is
// none, it sends the request again until the retry timeout is over.
func (e *Engine) send(
	ctx context.Context, c Creation,
) (pa assessapi.PositionAssessment, lost *assessapi.LostError, err error) {
	start := time.Now()
	limit, cancel := throttle.WithTimeout(ctx, e.cfg.RetryTimeout)
	defer cancel()
	// Recovery may outlive the retry timeout: it must finish, or the result stays unknown.
	// It ends when the run is interrupted.
	recovery, stop := context.WithCancel(context.WithoutCancel(limit))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	for attempts := 1; ; attempts++ {
		pa, err = e.client.AddAssessment(limit, c.Position, c.Assessment, c.Metadata)
		e.changed(c.Position)
		if !errors.As(err, &lost) {
			return pa, nil, err
		}
		found, err := e.recover(recovery, c, lost, attempts)
		if err != nil {
			return pa, lost, err
		}
		if found != nil {
			return *found, lost, nil
		}
		if limit.Err() != nil {
			return pa, lost, inTotal(lost.Err, attempts, time.Since(start))
		}
	}
}

// inTotal adds to the last error how often the request was sent, and how long that took.
func inTotal(err error, attempts int, elapsed time.Duration) error {
	var (
		refused *assessapi.Error
		call    *assessapi.CallError
	)
	switch {
	case errors.As(err, &refused):
		refused.Attempts, refused.Elapsed = attempts, elapsed
	case errors.As(err, &call):
		call.Attempts, call.Elapsed = attempts, elapsed
	}
	return err
}

// recover finds out what a lost response did. It looks twice, because the effect may come
// late. A nil result without an error means that there was no effect.
func (e *Engine) recover(
	ctx context.Context, c Creation, lost *assessapi.LostError, attempts int,
) (*assessapi.PositionAssessment, error) {
	if !e.cfg.PlanChecks {
		return nil, &UnresolvedError{Lost: lost, Reason: "the plan checks are off, so the provider does not know what the " +
			"position had before"}
	}
	found, err := e.search(ctx, c, lost)
	if err != nil || found != nil {
		return found, err
	}
	if lost.Settle(ctx, attempts) != nil {
		return nil, &UnresolvedError{Lost: lost, Reason: "the run was interrupted while the request might still be in " +
			"progress"}
	}
	found, err = e.search(ctx, c, lost)
	if err == nil && found == nil && lost.Accepted {
		err = &UnresolvedError{Lost: lost, Reason: "the service answered that the assessment was attached, but the " +
			"position does not have it"}
	}
	return found, err
}

// search reads the list of the position again, and returns the position assessment that
// matches the request.
func (e *Engine) search(
	ctx context.Context, c Creation, lost *assessapi.LostError,
) (*assessapi.PositionAssessment, error) {
	unresolved := func(format string, values ...any) error {
		return &UnresolvedError{Lost: lost, Reason: fmt.Sprintf(format, values...)}
	}
	e.attached.lists.drop(c.Position)
	all, offered, err := e.Attached(ctx, c.Position)
	switch {
	case ctx.Err() != nil:
		return nil, unresolved("the run was interrupted before the provider could read the position")
	case err != nil:
		return nil, &UnresolvedError{Lost: lost, Reason: "could not list the assessments of the position", Err: err}
	case !offered:
		return nil, unresolved("this service does not list the assessments of a position")
	}
	var matches []assessapi.PositionAssessment
	for _, pa := range all {
		ref := Ref{c.Position, pa.ID}
		if pa.AssessmentID != c.Assessment || e.evidence.knows(ref) || e.accepts(c, ref) {
			continue
		}
		// If no read has ever contained a block, the service may hide the blocks. Then a
		// position assessment without them may still be the one that was sent.
		lacks := c.Metadata.Configured() && !pa.Metadata.Configured() && !e.metadata.shown.Load()
		if lacks || !e.comparable(ctx, pa) {
			return nil, unresolved("the position has position assessment %q, and the service does not show how it is configured",
				pa.ID)
		}
		if pa.Metadata.Equal(c.Metadata) {
			matches = append(matches, pa)
		}
	}
	switch len(matches) {
	case 0:
		return nil, nil
	case 1:
		id := matches[0].ID
		if !e.notes.contains(c.note()) {
			return nil, unresolved("the position has position assessment %q. No plan on this machine recorded which "+
				"assessments the position had before. So the provider cannot tell whether this is the new one", id)
		}
		if !e.evidence.claim(Ref{c.Position, id}) {
			return nil, unresolved("position assessment %q belongs to another resource", id)
		}
		return &matches[0], nil
	}
	ids := make([]string, len(matches))
	for i, pa := range matches {
		ids[i] = pa.ID
	}
	return nil, unresolved("the position has the assessment more than once, as %s", strings.Join(ids, ", "))
}
