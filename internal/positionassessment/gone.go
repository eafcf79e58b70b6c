// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// secondLook is the time before a second request for something that is probably gone.
const secondLook = 2 * time.Second

// notGoneError means that a fetch said 404, and the other reads do not confirm that the position assessment is gone.
type notGoneError struct {
	why string
	err error // the 404, or why another read failed
}

func (e *notGoneError) Error() string { return e.why + ": " + e.err.Error() }

// Unwrap returns the reason.
func (e *notGoneError) Unwrap() error { return e.err }

// confirmGone decides what a 404 to the fetch of a position assessment means. It returns errGone only if other reads
// confirm it: what one response does not show is never taken as gone.
//
//   - The list of the position lacks it, before the fetch and after it.
//   - The service has no such list: a second fetch says 404, and the 404 carries a Conversation-Id, or the fetch of
//     another position assessment has succeeded since the first one.
//   - The list of positions lacks the position. Then the key may belong to another organization, so either the list of
//     assessments contains this one, or this run has read a position assessment on another position.
func confirmGone(ctx context.Context, r *run.Run, at ref, assessment string, notFound error) error {
	fetches := r.Reads.Fetches()
	list, err := r.Attached.List(ctx, at.Position)
	if err == nil && !has(list, at.ID) {
		list, err = r.Attached.ListAgain(ctx, at.Position)
	}
	switch {
	case err == nil && has(list, at.ID):
		return &notGoneError{"the list of the position still contains it", notFound}
	case err == nil && list.Cached:
		return &notGoneError{"the list of the position comes from a cache (header Age)", notFound}
	case err == nil:
		return errGone
	case !lacksList(err):
		return &notGoneError{"the list of the position could not be read", err}
	}
	positions, err := r.Lists.ListPositions(ctx)
	switch {
	case err != nil && !assessapi.IsNoList(err):
		return &notGoneError{"the list of positions could not be read", err}
	case err == nil && !hasItem(positions.Elements, at.Position):
		return confirmPositionGone(ctx, r, at, assessment, positions.Cached, notFound)
	}
	r.Reads.NoList()
	if !isSigned(notFound) { // then the fetch of another one must succeed in between
		if err := sleep(ctx, secondLook); err != nil {
			return err
		}
	}
	_, again := fetch(ctx, r, at)
	switch {
	case again == nil || !assessapi.IsNotFound(again):
		return &notGoneError{"a second request for it did not say 404", errors.Join(notFound, again)}
	case isSigned(again) || r.Reads.Fetches() > fetches:
		return errGone
	}
	return &notGoneError{"nothing shows that the 404 comes from the service", notFound}
}

func confirmPositionGone(
	ctx context.Context, r *run.Run, at ref, assessment string, cached bool, notFound error,
) error {
	if cached {
		return &notGoneError{"the list of positions comes from a cache (header Age)", notFound}
	}
	if r.Reads.ReadElsewhere(at.Position) {
		return errGone
	}
	assessments, err := r.Lists.Assessments(ctx)
	switch {
	case err != nil:
		return &notGoneError{"the list of assessments could not be read", err}
	case !hasItem(assessments, assessment):
		return &notGoneError{"the organization has neither its position nor its assessment, so base_url or the credentials " +
			"may belong to another organization", notFound}
	}
	return errGone
}

// confirmRemoved reads whether a position assessment is gone, after a removal whose response does not show that. It
// returns errGone if it is gone, and nil if it is still there. It looks until limit, but at least once. After a success
// of the removal, a fetch that says 404 suffices.
func confirmRemoved(
	ctx context.Context, r *run.Run, at ref, assessment string, success bool, limit time.Time,
) error {
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		r.Attached.Drop(at.Position)
		_, err := fetch(ctx, r, at)
		switch {
		case success && assessapi.IsNotFound(err):
			return errGone
		case assessapi.IsNotFound(err):
			err = confirmGone(ctx, r, at, assessment, err)
		}
		if errors.Is(err, errGone) || time.Now().Add(pause).After(limit) {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
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

func has(list assessapi.List[assessapi.PositionAssessment], id string) bool {
	return slices.ContainsFunc(list.Elements, func(pa assessapi.PositionAssessment) bool { return pa.ID == id })
}

func hasItem(items []assessapi.Item, id string) bool {
	return slices.ContainsFunc(items, func(i assessapi.Item) bool { return i.ID == id })
}

func isSigned(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.ConversationID != ""
}
