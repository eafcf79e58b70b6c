// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// taken is the position assessment that a creation has attached or adopted.
type taken struct {
	assessapi.PositionAssessment
	lost    error     // why the response to the request was lost, or nil if it was not lost
	adopted *adoption // nil if the creation has attached it
}

// existsError means that the position already has the assessment, and that the creation has neither attached nor
// adopted it.
type existsError struct {
	existing []string // IDs, at least one
	own      bool     // this apply has attached or adopted it for another resource
	stays    bool     // the service has rejected its removal by this apply, so another apply would find it again
	why      string   // why it was not adopted, or empty
}

func (e *existsError) Error() string {
	return "the position has the assessment already, as " + strings.Join(e.existing, ", ")
}

// unknownError means that the provider has sent a request, and does not know whether the request has attached the
// assessment.
type unknownError struct {
	why  string
	lost error // the error of the request
}

func (e *unknownError) Error() string { return e.why + ": " + e.lost.Error() }
func (e *unknownError) Unwrap() error { return e.lost }

// errNoID means that the service has accepted a request, but that only the list of the position can show the ID of the
// new position assessment.
var errNoID = errors.New("the response has no ID of the new position assessment")

// errSentBefore means that this apply has sent the same request for another resource, and that the outcome of that
// request is unknown.
var errSentBefore = errors.New("it was sent for another resource with the same IDs, and its outcome is unknown")

// errPositionMissing means that the organization has no such position.
var errPositionMissing = errors.New("the organization has no such position")

// attach attaches an assessment to a position, or adopts the position assessment that exists already (see [adopt]). It
// returns an existsError if this apply has attached or adopted it before. If the service does not list the assessments
// of a position (assumption A7), attach cannot look for an existing one: it warns after it has attached the assessment.
// If the outcome of an earlier request of this apply for the key is then unknown, it sends nothing and returns an
// unknownError. The caller holds the key's lock.
func attach(ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration) (taken, error) {
	if id := r.Attached.TakenID(key); id != "" {
		return taken{}, &existsError{existing: []string{id}, own: true}
	}
	existing, hasList, err := look(ctx, r, key)
	if err == nil && len(existing) > 0 {
		r.Attached.Drop(key.Position) // somebody may have removed it since
		existing, hasList, err = look(ctx, r, key)
	}
	switch {
	case err != nil:
		return taken{}, err
	case len(existing) > 0:
		return adopt(ctx, r, key, wanted, existing)
	case !hasList && r.Attached.LastWrite(key, "") == run.Unconfirmed:
		return taken{}, &unknownError{noList, errSentBefore}
	}
	attached, err := post(ctx, r, key, wanted)
	_, isUnknown := errors.AsType[*unknownError](err)
	switch {
	case err == nil && !hasList:
		warnUnlisted(r, key.Position)
	case isUnknown && r.Reads.LacksLists():
		r.Attached.Record(key, "", run.Unconfirmed)
	}
	return attached, err
}

// look returns the elements of the position's list that have the key's assessment. If an element does not show its
// assessment, see [withAssessment]. It is an error if an element spells the key's assessment differently. Without an
// error, hasList says whether the service has such lists (assumption A7). If the list comes from a cache, the error is
// [run.ErrCached]. If it could not be read, see [whyNoList].
func look(
	ctx context.Context, r *run.Run, key run.Key,
) (existing []assessapi.PositionAssessment, hasList bool, err error) {
	if r.Reads.LacksLists() {
		return nil, false, nil
	}
	list, err := r.Attached.List(ctx, key.Position)
	switch {
	case err != nil:
		return nil, false, whyNoList(ctx, r, key.Position, err)
	case list.Cached:
		return nil, true, run.ErrCached
	}
	for _, element := range list.Elements {
		pa, err := withAssessment(ctx, r, key.Position, element)
		if err == nil {
			err = checkSpelling(key.Assessment, pa)
		}
		if err != nil {
			return nil, true, err
		}
		if pa.AssessmentID.OrZero() == key.Assessment {
			existing = append(existing, pa)
		}
	}
	return existing, true, nil
}

// withAssessment returns an element of a list, with the ID of its assessment. If the list does not show the assessment,
// withAssessment fetches the position assessment, and updates the list with the response. It is an error if the fetch
// fails or does not show the assessment either. But after a 404, withAssessment requests the list again. If the list
// then lacks the position assessment, and does not come from a cache, withAssessment returns the element without the
// ID, and no error.
func withAssessment(
	ctx context.Context, r *run.Run, position string, element assessapi.PositionAssessment,
) (assessapi.PositionAssessment, error) {
	if element.AssessmentID.OrZero() != "" {
		return element, nil
	}
	fetched, err := fetchNow(ctx, r, ref{position, element.ID})
	if assessapi.IsNotFound(err) {
		r.Attached.Drop(position)
		list, failed := r.Attached.List(ctx, position)
		if failed == nil && !list.Cached && !has(list, element.ID) {
			return element, nil
		}
		err = cmp.Or(failed, err)
	}
	switch {
	case err != nil:
		return element, err
	case fetched.AssessmentID.OrZero() == "":
		return element, r.Client.NoAssessment(position, element.ID)
	}
	r.Attached.Put(position, fetched)
	return fetched, nil
}

// whyNoList says why the list of a position's assessments could not be read. failed is the error of the request. The
// result nil means that the service has no such lists (assumption A7), which whyNoList records. errPositionMissing
// means that the organization has no such position. If this is unclear, because the list of positions cannot be read or
// comes from a cache, the result is the error of that list or [run.ErrCached]. Otherwise, it is failed.
func whyNoList(ctx context.Context, r *run.Run, position string, failed error) error {
	if !assessapi.IsNoList(failed) {
		return failed
	}
	if r.Reads.OffersLists() || !assessapi.IsNotOffered(failed) {
		positions, err := r.Lists.PositionsAgain(ctx)
		exists := hasItem(positions.Elements, position)
		switch {
		case err != nil:
			return err
		case exists && r.Reads.LacksLists():
			return nil
		case positions.Cached:
			return run.ErrCached
		case !exists:
			return errPositionMissing
		case r.Reads.OffersLists():
			return failed
		}
	}
	r.Reads.RecordNoLists()
	return nil
}

// post sends the request that attaches the assessment, and returns the new position assessment. If the response is
// lost, post begins again only after the list of the position has shown that the earlier request had no effect, and
// only within retry_timeout. If the service answers the first request with 409, post returns what [conflict] returns.
// The error is an unknownError if one of the requests may have attached the assessment.
func post(ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration) (taken, error) {
	var (
		lost  error         // why the outcome of the last request was unknown
		spent time.Duration // what counts for retry_timeout: the POST requests and the pauses
	)
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		pa, err := r.Client.Attach(ctx, key.Position, key.Assessment, wanted)
		switch {
		case err == nil:
			return takeAccepted(ctx, r, key, pa)
		case isConflict(err) && lost != nil: // the lost request has probably attached it
			return takeExpected(ctx, r, key, lost)
		case isConflict(err):
			return conflict(ctx, r, key, wanted, err)
		case assessapi.OutcomeOf(err) != assessapi.Unknown:
			return taken{}, err
		}
		lost = err
		recovered, found, err := recoverLost(ctx, r, key, lost)
		if err != nil || found {
			return recovered, err
		}
		spent += timeOf(r, lost)
		left := r.RetryTimeout - spent
		if left <= 0 {
			return taken{}, &unknownError{"retry_timeout is over, and " + notInList, lost}
		}
		pause = min(pause, left)
		if err = sleep(ctx, pause); err != nil {
			return taken{}, err // interrupted: the list has shown that nothing was attached
		}
		spent += pause
	}
}

// takeAccepted records and returns the position assessment that an accepted request has attached. If the response has
// no ID, takeAccepted looks in the list of the position.
func takeAccepted(ctx context.Context, r *run.Run, key run.Key, pa assessapi.PositionAssessment) (taken, error) {
	if pa.ID != "" {
		pa = confirmID(ctx, r, key, pa)
		take(r, key, pa.ID)
		return taken{PositionAssessment: pa}, nil
	}
	listed, err := takeExpected(ctx, r, key, errNoID)
	listed.lost = nil // the response only has no ID
	return listed, err
}

// takeExpected does what [takeListed] does, for a position that has the assessment according to the service. If the
// list does not contain the assessment, the error is also an unknownError.
func takeExpected(ctx context.Context, r *run.Run, key run.Key, lost error) (taken, error) {
	listed, found, err := takeListed(ctx, r, key, lost)
	if err == nil && !found {
		err = &unknownError{"the service says that the position has the assessment, and " + notInList, lost}
	}
	return listed, err
}

// Reasons of an unknownError, or parts of reasons.
const (
	noList    = "this service does not list the assessments of a position"
	notInList = "the list of the position does not contain it"
)

// timeOf returns how much of retry_timeout a lost request has used, including the wait in [recoverLost].
func timeOf(r *run.Run, lost error) (spent time.Duration) {
	if failed, ok := errors.AsType[*assessapi.Error](lost); ok {
		spent = failed.Spent
	}
	if mayStillArrive(lost) {
		spent += r.RequestTimeout
	}
	return spent
}

// confirmID returns the position assessment that a creation has attached. pa is the response. If pa does not show the
// assessment, its ID may belong to something else, such as a job. If a fetch of this ID then returns 404, and exactly
// one element of the position's list has the assessment, confirmID returns this element (assumption A4). Otherwise, it
// returns pa.
func confirmID(
	ctx context.Context, r *run.Run, key run.Key, pa assessapi.PositionAssessment,
) assessapi.PositionAssessment {
	if pa.AssessmentID.OrZero() != "" || r.Reads.LacksLists() {
		return pa
	}
	if _, err := fetch(ctx, r, ref{key.Position, pa.ID}); !assessapi.IsNotFound(err) {
		return pa
	}
	r.Attached.Drop(key.Position)
	existing, _, err := look(ctx, r, key)
	if err != nil || len(existing) != 1 {
		return pa
	}
	return existing[0]
}

// conflict handles a 409, which means that the position already has the assessment. It calls [adopt] with what the list
// of the position contains. If the list does not show the assessment, or cannot be read, conflict returns rejected,
// which is the error of the 409.
func conflict(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, rejected error,
) (taken, error) {
	r.Attached.Drop(key.Position)
	existing, _, err := look(ctx, r, key)
	if err != nil || len(existing) == 0 {
		return taken{}, rejected
	}
	return adopt(ctx, r, key, wanted, existing)
}

// take records that a position assessment belongs to a resource of this apply.
func take(r *run.Run, key run.Key, id string) {
	putWritten(r, key, id)
	r.Attached.Record(key, id, run.Taken)
}

// putWritten updates the list of a position after a write. The response to a write may differ from what reads show
// (assumption A27). So the element contains only the ID and the assessment, and callers that need more fetch the
// position assessment.
func putWritten(r *run.Run, key run.Key, id string) {
	r.Attached.Put(key.Position, assessapi.PositionAssessment{ID: id, AssessmentID: assessapi.Set(key.Assessment)})
}

// recoverLost does what [takeListed] does, for a request with a lost response. It first waits until the request can no
// longer have an effect.
func recoverLost(ctx context.Context, r *run.Run, key run.Key, lost error) (recovered taken, found bool, err error) {
	if mayStillArrive(lost) && !r.Reads.LacksLists() && sleep(ctx, r.RequestTimeout) != nil {
		return taken{}, false, &unknownError{"the run was interrupted", lost}
	}
	return takeListed(ctx, r, key, lost)
}

// takeListed reads the list of the position again, after a request whose response does not show what it has attached.
// If the list has the assessment once, takeListed records and returns this position assessment, together with lost,
// which is what was wrong with the response. If the list lacks the assessment, found is false, without an error. If
// there is no such list, if [look] fails, or if the list has the assessment more than once, the error is an
// unknownError that contains lost.
func takeListed(ctx context.Context, r *run.Run, key run.Key, lost error) (listed taken, found bool, err error) {
	r.Attached.Drop(key.Position)
	existing, hasList, err := look(ctx, r, key)
	switch {
	case err != nil:
		return taken{}, false, &unknownError{"the list of the position does not show the outcome (" + err.Error() + ")", lost}
	case !hasList:
		return taken{}, false, &unknownError{noList, lost}
	case len(existing) > 1:
		return taken{}, false, &unknownError{"the position has the assessment more than once, as " +
			strings.Join(idsOf(existing), ", "), lost}
	case len(existing) == 0:
		return taken{}, false, nil
	}
	take(r, key, existing[0].ID)
	return taken{PositionAssessment: existing[0], lost: lost}, true, nil
}

// mayStillArrive reports whether a request may have an effect after its response was lost. It returns false after a 2xx
// and after a 500 of the service, because the request is then finished.
func mayStillArrive(lost error) bool {
	failed, ok := errors.AsType[*assessapi.Error](lost)
	return ok && failed.Status/100 != 2 && (failed.Status != http.StatusInternalServerError || !failed.Own)
}

// isConflict reports whether the service itself has answered 409.
func isConflict(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.Own && failed.Status == http.StatusConflict
}

func idsOf(all []assessapi.PositionAssessment) []string {
	ids := make([]string, len(all))
	for i, pa := range all {
		ids[i] = pa.ID
	}
	return ids
}
