// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// errProfileCompleted means that a supervisor has completed the profile since the plan was made, so nothing was
// written.
var errProfileCompleted = errors.New("a supervisor has completed the profile since the plan was made")

// errStatusNotShown means that the service does not show the status of a profile, so nothing was written.
var errStatusNotShown = errors.New("the service does not show the status of the profile, so a supervisor may have " +
	"completed it")

// guard returns a check to call before a request that discards a supervisor's work, and before each repetition of this
// request. The check returns errProfileCompleted if a supervisor has completed the profile since the plan, and
// errStatusNotShown if the service no longer shows the status. known is the status of the profile in the plan.
func guard(r *run.Run, at ref, known string) func(context.Context) error {
	return func(ctx context.Context) error {
		pa, err := fetchNow(ctx, r, at)
		if err != nil {
			return err
		}
		switch status, shown := pa.Metadata.ProfileStatus.Get(); {
		case status == assessapi.SupervisorCompleted && status != known:
			return errProfileCompleted
		case !shown && known != "":
			return errStatusNotShown
		}
		return nil
	}
}

// notUpdatedError means that the service has accepted an update, and that reads still show other values.
type notUpdatedError struct {
	shown   assessapi.PositionAssessment
	differs string
}

func (e *notUpdatedError) Error() string {
	return "the service accepted the update, and still shows other values: " + e.differs
}

// unconfirmedError means that the outcome of an update is unknown, and that reads do not show it either.
type unconfirmedError struct{ lost error }

func (e *unconfirmedError) Error() string {
	return "reads do not show whether it was made: " + e.lost.Error()
}

// Unwrap returns the error of the request.
func (e *unconfirmedError) Unwrap() error { return e.lost }

// pendingUpdate is an update of a position assessment that is to be sent.
type pendingUpdate struct {
	key    run.Key
	id     string
	status string // of the profile, as the plan has shown it
	wanted assessapi.Configuration
	had    []string              // keys of metadata that the position assessment may have had before
	shows  func(key string) bool // whether reads show a key if it has a value
}

// update sends a configuration (assumption A5), and returns the updated position assessment. If the response is lost or
// shows other values, update fetches the position assessment. The error is a notUpdatedError if the service has
// accepted the update without making it, and an unconfirmedError if reads do not show whether it was made.
func update(ctx context.Context, r *run.Run, u pendingUpdate) (assessapi.PositionAssessment, error) {
	at := ref{u.key.Position, u.id}
	var check func(context.Context) error
	if u.wanted.Profile != nil {
		check = guard(r, at, u.status)
		if err := check(ctx); err != nil {
			return assessapi.PositionAssessment{}, err
		}
	}
	updated, err := r.Client.Update(ctx, at.Position, at.ID, u.key.Assessment, u.wanted, check)
	if err != nil && assessapi.OutcomeOf(err) != assessapi.Unknown {
		return updated, err
	}
	putWritten(r, u.key, at.ID)
	if err != nil { // the response was lost
		shown, unread := fetchNow(ctx, r, at)
		return shown, u.confirm(shown.Metadata, unread, err)
	}
	if !contradicts(updated.Metadata, u.wanted) {
		return updated, nil
	}
	shown, unread := fetchNow(ctx, r, at)
	switch {
	case unread != nil:
		return updated, nil //nolint:nilerr // the service has accepted it, and the next refresh reads it
	case contradicts(shown.Metadata, u.wanted):
		return updated, &notUpdatedError{shown, rules.Difference(rules.Shown(shown.Metadata), u.wanted, "")}
	}
	return shown, nil
}

// confirm decides whether an update with a lost response was made. It returns nil if the fetched metadata show that the
// update was made, the error lost if they show that it was not, and otherwise an unconfirmedError. unread is the error
// of the fetch, or nil.
func (u pendingUpdate) confirm(shown assessapi.Metadata, unread, lost error) error {
	switch {
	case unread != nil:
		return &unconfirmedError{lost}
	case contradicts(shown, u.wanted):
		return lost
	case !u.isShownIn(shown):
		return &unconfirmedError{lost}
	case !rules.Equal(rules.Shown(shown), u.wanted): // it still has a key that the update removes
		return lost
	}
	return nil
}

// isShownIn reports whether metadata show the effect of an update: each key that it sends, and each key that it
// removes. A removed key can be absent if reads would show its value.
func (u pendingUpdate) isShownIn(m assessapi.Metadata) bool {
	for _, key := range rules.Keys(u.wanted) {
		if !shows(m, key) {
			return false
		}
	}
	for _, key := range u.had {
		if !shows(m, key) && !u.shows(key) {
			return false
		}
	}
	return true
}

// contradicts reports whether metadata show another value for a key that was sent.
func contradicts(m assessapi.Metadata, sent assessapi.Configuration) bool {
	shown := rules.Shown(m)
	if !m.Packages.Shown || sent.Packages == nil {
		shown.Packages = sent.Packages
	}
	if !m.Tests.Shown || sent.Tests == nil {
		shown.Tests = sent.Tests
	}
	if !m.Benchmark.Shown || sent.Benchmark == nil {
		shown.Benchmark = sent.Benchmark
	}
	if !m.Profile.Shown || sent.Profile == nil {
		shown.Profile = sent.Profile
	}
	return !rules.Equal(shown, sent)
}

// notOfferedError means that the service offers no removal.
type notOfferedError struct{ err error }

func (e *notOfferedError) Error() string { return "the service offers no removal: " + e.err.Error() }

// Unwrap returns the response.
func (e *notOfferedError) Unwrap() error { return e.err }

// remove removes a position assessment (assumption A6). status is the status of the profile in the plan. The error
// satisfies [isRejection] if the service has rejected the removal. The caller holds the key's lock.
func remove(ctx context.Context, r *run.Run, key run.Key, id, status string) error {
	at := ref{key.Position, id}
	r.Attached.Record(key, run.RemovalSent, id) // so no creation of this apply adopts it, even if the removal fails
	var check func(context.Context) error
	if status != "" {
		check = guard(r, at, status)
		if err := check(ctx); err != nil && !assessapi.IsNotFound(err) { // after a 404, the removal decides
			return err
		}
	}
	answer, err := r.Client.Remove(ctx, key.Position, id, check)
	switch {
	case err == nil && answer == assessapi.Removed:
	case isRejection(err), assessapi.OutcomeOf(err) == assessapi.Stopped, errors.Is(err, errProfileCompleted):
		return err
	case assessapi.IsNotOffered(err) && assessapi.OutcomeOf(err) != assessapi.Unknown:
		return &notOfferedError{err}
	default:
		if err := confirmRemoval(ctx, r, at, key.Assessment, answer, err); err != nil {
			return err
		}
	}
	r.Attached.Remove(key.Position, id)
	return nil
}

// confirmRemoval returns nil if reads show that a position assessment is gone although the response to the removal does
// not show it: the service has only accepted the removal (202), a gateway may have answered, or the removal failed with
// err.
func confirmRemoval(
	ctx context.Context, r *run.Run, at ref, assessment string, answer assessapi.Removal, err error,
) error {
	patience := time.Duration(0) // one read
	if err == nil && answer == assessapi.Accepted {
		patience = r.RetryTimeout
	}
	gone, unclear := waitUntilGone(ctx, r, at, assessment, patience)
	switch {
	case gone:
		return nil
	case err == nil && errors.As(unclear, new(*unsignedError)): // the removal succeeded, and two fetches returned 404
		return nil
	case err == nil && unclear != nil:
		return unclear
	case err == nil:
		return errors.New("the response to the removal was a success, and the position assessment is still " +
			"there, so a gateway may have answered, or the service needs more time")
	case unclear == nil && assessapi.IsNotFound(err): // it still exists, so the 404 is about the method
		return &notOfferedError{err}
	}
	return err
}

// isRejection reports whether the service itself has rejected a removal (assumption A6).
func isRejection(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.Own && failed.Method == http.MethodDelete && slices.Contains(
		[]int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict}, failed.Status)
}
