// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// secondLook is the pause before the fetches that confirm a 404 without a Conversation-Id.
const secondLook = 2 * time.Second

// notGoneError means that a fetch returned 404 or 410, and that other reads do not confirm that the position assessment
// is gone.
type notGoneError struct {
	why string
	err error // the 404, or why another read failed
}

func (e *notGoneError) Error() string { return e.why + ": " + e.err.Error() }
func (e *notGoneError) Unwrap() error { return e.err }

// Reasons of a notGoneError.
const (
	listUnread   = "the list of the position could not be read"
	notSaidAgain = "the service did not say 404 to a second request for it"
	unsigned     = "nothing shows that the two 404s come from the service"
)

// confirmGone returns nil if other reads confirm notFound, a 404 or 410 to the fetch of a position assessment. If they
// do not, the error is a notGoneError or, if the run was interrupted, the cause. assessment is the assessment in the
// state.
func confirmGone(ctx context.Context, r *run.Run, at ref, assessment string, notFound error) error {
	list, failed := r.Attached.List(ctx, at.Position)
	if failed == nil {
		return confirmByList(ctx, r, at, list, notFound)
	}
	switch why := whyNoList(ctx, r, at.Position, failed); {
	case why == nil: // the service has no such lists
		return confirmByFetch(ctx, r, at, notFound)
	case errors.Is(why, errPositionMissing):
		return confirmWithPosition(ctx, r, at, assessment, notFound)
	case errors.Is(why, failed):
		return &notGoneError{listUnread, why}
	default:
		return &notGoneError{"the list of positions does not show whether the position exists", why}
	}
}

// confirmByList does what [confirmGone] does if the list of the position could be read. The list must lack the position
// assessment, and a second fetch must return 404. The list is then read again. It must still lack the position
// assessment, and must not come from a cache.
func confirmByList(
	ctx context.Context, r *run.Run, at ref, list assessapi.List[assessapi.PositionAssessment], notFound error,
) error {
	if !has(list, at.ID) {
		_, again := fetch(ctx, r, at)
		if !assessapi.IsNotFound(again) {
			return &notGoneError{notSaidAgain, cmp.Or(again, notFound)}
		}
		r.Attached.Drop(at.Position)
		var err error
		list, err = r.Attached.List(ctx, at.Position)
		if err != nil {
			return &notGoneError{listUnread, err}
		}
	}
	switch {
	case has(list, at.ID):
		return &notGoneError{"the list of the position still contains it", notFound}
	case list.Cached:
		return &notGoneError{"the list of the position comes from a cache (header Age)", notFound}
	}
	return nil
}

// confirmByFetch does what [confirmGone] does if the service does not list the assessments of a position. The 404 must
// come from the service, and a second fetch must return 404.
func confirmByFetch(ctx context.Context, r *run.Run, at ref, notFound error) error {
	fromService, err := isFromService(ctx, r, at, notFound)
	if err != nil {
		return err
	}
	_, again := fetch(ctx, r, at)
	switch {
	case !assessapi.IsNotFound(again):
		return &notGoneError{notSaidAgain, cmp.Or(again, notFound)}
	case !fromService:
		return &notGoneError{unsigned, notFound}
	}
	return nil
}

// isFromService reports whether a 404 to the fetch of a position assessment comes from the service. It does if the 404
// carries a Conversation-Id, or if, after a pause, a position assessment on another position can be fetched. It
// returns an error only if the run was interrupted.
func isFromService(ctx context.Context, r *run.Run, at ref, notFound error) (fromService bool, err error) {
	if failed, ok := errors.AsType[*assessapi.Error](notFound); ok && failed.ConversationID != "" {
		return true, nil
	}
	if err = sleep(ctx, secondLook); err != nil {
		return false, err
	}
	position, id, found := r.Reads.Elsewhere(at.Position)
	if !found {
		return false, nil
	}
	_, err = fetchNow(ctx, r, ref{position, id})
	return err == nil, nil
}

// confirmWithPosition does what [confirmGone] does if the list of positions lacks the position. It returns nil if one
// of two facts shows that the API key belongs to the organization of the state: this run has read a position assessment
// of the state on another position, or the organization has the assessment.
func confirmWithPosition(ctx context.Context, r *run.Run, at ref, assessment string, notFound error) error {
	if _, _, found := r.Reads.Elsewhere(at.Position); found {
		return nil
	}
	assessments, err := r.Lists.List(ctx, assessapi.Assessments, "")
	switch {
	case err != nil:
		return &notGoneError{"the list of assessments could not be read", err}
	case assessments.Cached:
		return &notGoneError{"the list of assessments comes from a cache (header Age)", notFound}
	case !hasItem(assessments.Elements, assessment):
		return &notGoneError{"the organization has neither its position nor its assessment, so base_url or the " +
			"credentials may belong to another organization", notFound}
	}
	return nil
}

// waitUntilGone reads whether a position assessment is gone, after a removal whose response does not show this. It
// reads at least once, and may repeat the reads after pauses that add up to at most patience. If gone is false and
// unclear is nil, the position assessment still exists. If unclear is not nil, it says why the reads do not show
// whether the position assessment exists, for example in the notGoneError of [confirmGone].
func waitUntilGone(
	ctx context.Context, r *run.Run, at ref, assessment string, patience time.Duration,
) (gone bool, unclear error) {
	var paused time.Duration
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		r.Attached.Drop(at.Position)
		_, err := fetchNow(ctx, r, at)
		if assessapi.IsNotFound(err) {
			err = confirmGone(ctx, r, at, assessment, err)
			gone = err == nil
		}
		hasEnded := r.Client.Ended() != nil // so another read would send nothing
		if gone || hasEnded || paused+pause > patience {
			return gone, err
		}
		if interrupted := sleep(ctx, pause); interrupted != nil {
			return false, interrupted
		}
		paused += pause
	}
}

// sleep waits, or returns the cause of the context's end.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// elementOf returns the element of a position's list that has the ID id, and whether there is one.
func elementOf(
	list assessapi.List[assessapi.PositionAssessment], id string,
) (element assessapi.PositionAssessment, found bool) {
	i := slices.IndexFunc(list.Elements, func(pa assessapi.PositionAssessment) bool { return pa.ID == id })
	if i < 0 {
		return element, false
	}
	return list.Elements[i], true
}

func has(list assessapi.List[assessapi.PositionAssessment], id string) bool {
	_, found := elementOf(list, id)
	return found
}

func hasItem(items []assessapi.Item, id string) bool {
	return slices.ContainsFunc(items, func(i assessapi.Item) bool { return i.ID == id })
}
