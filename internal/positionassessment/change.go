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

// errProfileCompleted means that a supervisor has completed the profile since the plan was made, so a request was not
// sent. In an [assessapi.Error], it means that the request was not repeated, and an earlier attempt may have had an
// effect.
var errProfileCompleted = errors.New("a supervisor has completed the profile since the plan was made")

// errStatusNotShown means that the service no longer shows the status of a profile. Otherwise, it is like
// errProfileCompleted.
var errStatusNotShown = errors.New("the service does not show the status of the profile")

// guard returns a check for a request that may discard a supervisor's work. The check is called before the request, and
// before a repetition if an earlier attempt may have had an effect. known is the last known status of the profile, or
// "". The check fetches the position assessment. It returns errProfileCompleted if a supervisor has completed the
// profile since known was read, errStatusNotShown if the service no longer shows a status, or the error of [fetchNow].
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

// unconfirmedError means that the response to an update was lost, and that reads do not show whether the update was
// made.
type unconfirmedError struct{ lost error }

func (e *unconfirmedError) Error() string {
	return "reads do not show whether it was made: " + e.lost.Error()
}
func (e *unconfirmedError) Unwrap() error { return e.lost }

// pendingUpdate is an update of a position assessment that is to be sent.
type pendingUpdate struct {
	key        run.Key
	id         string
	status     string // of the profile, as last known
	wanted     assessapi.Configuration
	had        []string              // keys of metadata that the position assessment may have had before
	isReadable func(key string) bool // whether reads show a key if it has a value
}

func (u pendingUpdate) ref() ref { return ref{u.key.Position, u.id} }

// update sends a configuration (assumption A5), and returns the updated position assessment. If the configuration has a
// profile, update calls the check of [guard]. The error is a notUpdatedError if the service has accepted the update and
// still shows other values for the keys that were sent. If the response was lost, see [pendingUpdate.checkLost].
func update(ctx context.Context, r *run.Run, u pendingUpdate) (assessapi.PositionAssessment, error) {
	var check func(context.Context) error
	if u.wanted.Profile != nil { // a request without a profile does not discard a supervisor's work
		check = guard(r, u.ref(), u.status)
		if err := check(ctx); err != nil {
			return assessapi.PositionAssessment{}, err
		}
	}
	updated, err := r.Client.Update(ctx, u.key.Position, u.id, u.key.Assessment, u.wanted, check)
	switch {
	case err == nil:
		putWritten(r, u.key, u.id)
		shown, differs := readValues(ctx, r, u.ref(), updated, u.wanted)
		if differs != "" {
			return updated, &notUpdatedError{shown, differs}
		}
		return shown, nil
	case assessapi.OutcomeOf(err) == assessapi.Unknown:
		putWritten(r, u.key, u.id)
		return u.checkLost(ctx, r, err)
	}
	return updated, err
}

// readValues returns the position assessment after the service has accepted a write, and how it differs from the values
// that were sent. If the response shows other values, it fetches the position assessment. It returns a difference only
// if the fetch shows other values, too.
func readValues(
	ctx context.Context, r *run.Run, at ref, response assessapi.PositionAssessment, sent assessapi.Configuration,
) (shown assessapi.PositionAssessment, differs string) {
	if otherValues(response.Metadata, sent) == "" {
		return response, ""
	}
	shown, err := fetchNow(ctx, r, at)
	if err != nil { // the next refresh shows a difference as drift
		return response, ""
	}
	return shown, otherValues(shown.Metadata, sent)
}

// checkLost fetches the position assessment after an update with a lost response. It returns no error if the fetch
// shows the configuration that was sent, and the error lost if it shows another one. If the fetch does not show the
// whole configuration, or fails, it returns an unconfirmedError.
func (u pendingUpdate) checkLost(ctx context.Context, r *run.Run, lost error) (assessapi.PositionAssessment, error) {
	shown, err := fetchNow(ctx, r, u.ref())
	switch {
	case err != nil:
		return shown, &unconfirmedError{lost}
	case otherValues(shown.Metadata, u.wanted) != "":
		return shown, lost
	case !u.isShownIn(shown.Metadata):
		return shown, &unconfirmedError{lost}
	case !rules.Equal(rules.ConfigurationOf(shown.Metadata), u.wanted):
		return shown, lost // it has a key that the update removes, or a supervisor has completed the profile
	}
	return shown, nil
}

// isShownIn reports whether metadata show the effect of an update. They must show each key that the update sends. They
// must also show each key in u.had, except a key that u.isReadable accepts: if metadata omit such a key, it has no
// value.
func (u pendingUpdate) isShownIn(m assessapi.Metadata) bool {
	for _, key := range rules.Keys(u.wanted) {
		if !m.Shows(key) {
			return false
		}
	}
	for _, key := range u.had {
		if !m.Shows(key) && !u.isReadable(key) {
			return false
		}
	}
	return true
}

// otherValues returns how metadata differ from what was sent, or "". It ignores keys that were not sent or are not
// shown: before it compares, it replaces their values with the values in sent.
func otherValues(m assessapi.Metadata, sent assessapi.Configuration) string {
	shown := rules.ConfigurationOf(m)
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
	return rules.Difference(shown, sent, "")
}

// notOfferedError means that the service offers no removal.
type notOfferedError struct{ err error }

func (e *notOfferedError) Error() string { return "the service offers no removal: " + e.err.Error() }
func (e *notOfferedError) Unwrap() error { return e.err }

// remove removes a position assessment (assumption A6). It returns nil if the response or later reads show that it is
// gone. status is the status of the profile in the plan, or "" if it has none. If there is a status, remove calls the
// check of [guard]. The error satisfies [isRejection] if the service has rejected the removal. The caller holds the
// key's lock.
func remove(ctx context.Context, r *run.Run, key run.Key, id, status string) error {
	at := ref{key.Position, id}
	r.Attached.Record(key, id, run.RemovalSent) // so no creation of this apply adopts it, even if the removal fails
	var check func(context.Context) error
	if status != "" {
		check = guard(r, at, status)
		err := check(ctx)
		if assessapi.IsNotFound(err) { // one 404 does not show that there is no work to discard
			err = check(ctx)
		}
		if err != nil && !assessapi.IsNotFound(err) { // after a second 404, the DELETE request decides
			return err
		}
	}
	answer, err := r.Client.Remove(ctx, key.Position, id, check)
	switch {
	case err != nil:
		err = checkFailedRemoval(ctx, r, at, key.Assessment, err)
	case answer == assessapi.Accepted:
		err = confirmRemoval(ctx, r, at, key.Assessment, r.RetryTimeout)
	case answer == assessapi.Unconfirmed:
		err = confirmRemoval(ctx, r, at, key.Assessment, 0)
	}
	if err == nil {
		r.Attached.Remove(key.Position, id)
	}
	return err
}

// errStillThere means that reads show a position assessment after its removal.
var errStillThere = errors.New("the response to the removal was a success, and the position assessment is still there")

// confirmRemoval returns nil if reads show that a position assessment is gone. The response to the removal was a
// success, but does not show that the removal is complete: the service has only accepted the removal (202), or a
// gateway may have answered. confirmRemoval repeats the reads, with pauses that add up to at most patience. If the
// position assessment is still there, the error is errStillThere.
func confirmRemoval(ctx context.Context, r *run.Run, at ref, assessment string, patience time.Duration) error {
	gone, unclear := waitUntilGone(ctx, r, at, assessment, patience)
	notGone, ok := errors.AsType[*notGoneError](unclear)
	switch {
	case gone, ok && notGone.why == unsigned: // after a success, two unsigned 404s are enough
		return nil
	case unclear != nil:
		return unclear
	}
	return errStillThere
}

// checkFailedRemoval returns nil if, after a failed removal, reads show that the position assessment is gone, such as
// after a lost response or a 404. Otherwise, it returns the parameter failed, as a notOfferedError if the service
// offers no removal.
func checkFailedRemoval(ctx context.Context, r *run.Run, at ref, assessment string, failed error) error {
	outcome := assessapi.OutcomeOf(failed)
	switch {
	case isRejection(failed), outcome == assessapi.Stopped:
		return failed
	case assessapi.IsNotOffered(failed) && outcome != assessapi.Unknown:
		return &notOfferedError{failed}
	}
	gone, unclear := waitUntilGone(ctx, r, at, assessment, 0)
	switch {
	case gone:
		return nil
	case unclear == nil && (assessapi.IsNotFound(failed) || assessapi.IsNotOffered(failed)):
		return &notOfferedError{failed} // it still exists, so the response is about the method
	}
	return failed
}

// isRejection reports whether the service itself has rejected a removal (assumption A6).
func isRejection(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.Own && failed.Method == http.MethodDelete && slices.Contains(
		[]int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict}, failed.Status)
}
