// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// taken is the position assessment that a creation has attached or adopted.
type taken struct {
	assessapi.PositionAssessment
	lost    error     // why the response did not show it (or errNoID), if the list of the position has shown it since
	adopted *adoption // nil if the creation has attached it
}

// existsError means that the position has the assessment already, so that nothing was sent.
type existsError struct {
	existing []string // IDs
	own      bool     // this apply has attached or adopted it for another resource
	why      string   // why it was not adopted, or empty
}

func (e *existsError) Error() string {
	return "the position has the assessment already, as " + strings.Join(e.existing, ", ")
}

// unknownError means that a request was sent, and that it is unknown whether it has attached the assessment.
type unknownError struct {
	why  string
	lost error // what arrived instead of a response
}

func (e *unknownError) Error() string { return e.why + ": " + e.lost.Error() }

// Unwrap returns what arrived instead of a response.
func (e *unknownError) Unwrap() error { return e.lost }

// errNoID means that a request was accepted, and that only the list of the position shows what it has attached.
var errNoID = errors.New("the response has no ID of the new position assessment")

// errPositionMissing means that the organization has no such position.
var errPositionMissing = errors.New("the organization has no such position")

// attach attaches an assessment to a position. The position and the assessment are the natural key, because results
// count for each assessment (section 2.8). So attach first looks whether the position has the assessment already. Then
// it fails with an existsError, or adopts it. The caller holds the key's lock.
func attach(ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration) (taken, error) {
	if last := r.Attached.LastWrite(key); last.Kind == run.Taken {
		return taken{}, &existsError{existing: []string{last.ID}, own: true}
	}
	existing, err := look(ctx, r, key)
	if err == nil && len(existing) > 0 {
		r.Attached.Drop(key.Position) // somebody may have removed it since
		existing, err = look(ctx, r, key)
	}
	switch {
	case err != nil:
		return taken{}, err
	case len(existing) > 0:
		return adopt(ctx, r, key, wanted, existing)
	case r.Reads.LacksLists():
		warnUnlisted(r, key.Position)
	}
	return post(ctx, r, key, wanted)
}

// look returns what the position has of the key's assessment, from its list, which is read once in an apply and kept
// current by its own writes. If the service has no such list (assumption A7), look returns nothing, and
// [run.Reads.LacksLists] reports that from then on.
func look(ctx context.Context, r *run.Run, key run.Key) (existing []assessapi.PositionAssessment, err error) {
	if r.Reads.LacksLists() {
		return nil, nil
	}
	list, err := r.Attached.List(ctx, key.Position)
	switch {
	case assessapi.IsNoList(err):
		return nil, checkPosition(ctx, r, key.Position, err)
	case err != nil:
		return nil, err
	case list.Cached:
		return nil, errors.New("the list of the position's assessments comes from a cache in front of the service " +
			"(header Age), so it may be out of date")
	}
	for _, pa := range list.Elements {
		if _, shown := pa.AssessmentID.Get(); !shown { // the list shows only IDs
			if pa, err = fetchListed(ctx, r, ref{key.Position, pa.ID}); err != nil {
				return nil, err
			}
		}
		assessment, _ := pa.AssessmentID.Get()
		if err := checkSpelling(key.Assessment, pa); err != nil {
			return nil, err
		}
		if assessment == key.Assessment {
			existing = append(existing, pa)
		}
	}
	return existing, nil
}

// fetchListed fetches an element of a list that shows only its ID. If another call of this apply has removed it
// meanwhile, it returns nothing.
func fetchListed(ctx context.Context, r *run.Run, at ref) (pa assessapi.PositionAssessment, err error) {
	fetched, err := fetchNow(ctx, r, at)
	if assessapi.IsNotFound(err) {
		r.Attached.Drop(at.Position)
		list, again := r.Attached.List(ctx, at.Position)
		if again == nil && !list.Cached && !has(list, at.ID) {
			return pa, nil
		}
	}
	if err != nil {
		return pa, err
	}
	if _, shown := fetched.AssessmentID.Get(); !shown {
		return pa, fmt.Errorf("the service does not show which assessment position assessment %q is of", at.ID)
	}
	r.Attached.Put(at.Position, fetched)
	return fetched, nil
}

// checkPosition decides what it means that the list of a position's assessments does not exist. If the organization
// has the position, the service has no such list: checkPosition records that, and returns nil.
func checkPosition(ctx context.Context, r *run.Run, position string, noList error) error {
	if assessapi.IsNotOffered(noList) {
		r.Reads.RecordNoLists()
		return nil
	}
	positions, err := r.Lists.PositionsAgain(ctx)
	switch {
	case err != nil:
		return errors.Join(noList, err)
	case hasItem(positions.Elements, position) && !r.Reads.OffersLists():
		r.Reads.RecordNoLists()
		return nil
	case hasItem(positions.Elements, position), positions.Cached:
		return noList
	}
	return errPositionMissing
}

// post sends the request that attaches the assessment. A request whose response was lost is never simply sent again:
// the list of the position shows whether it had an effect.
func post(ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration) (taken, error) {
	var (
		lost  error         // why the outcome of an earlier request was unknown
		spent time.Duration // of retry_timeout, for which the wait for a slot of the rate limits does not count
	)
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		pa, err := r.Client.Attach(ctx, key.Position, key.Assessment, wanted)
		switch {
		case err == nil && pa.ID != "":
			pa = confirmID(ctx, r, key, pa)
			take(r, key, pa.ID)
			return taken{PositionAssessment: pa}, nil
		case err == nil:
			err = errNoID
		case isConflict(err) && !r.Reads.LacksLists():
			return conflict(ctx, r, key, wanted, lost, err)
		case assessapi.OutcomeOf(err) != assessapi.Unknown:
			return taken{}, err
		}
		lost = err
		found, err := recoverLost(ctx, r, key, lost)
		switch {
		case err != nil:
			return taken{}, err
		case found != nil:
			take(r, key, found.ID)
			return taken{PositionAssessment: *found, lost: lost}, nil
		}
		spent += timeOf(r, lost)
		if errors.Is(lost, errNoID) || spent > r.RetryTimeout {
			return taken{}, &unknownError{"the list of the position does not contain it", lost}
		}
		if err := sleep(ctx, pause); err != nil {
			return taken{}, err // interrupted: the list has shown that nothing was attached
		}
		spent += pause
	}
}

// timeOf returns how much of retry_timeout a lost request has used, with the wait of [recoverLost].
func timeOf(r *run.Run, lost error) (spent time.Duration) {
	if failed, ok := errors.AsType[*assessapi.Error](lost); ok {
		spent = failed.Spent
	}
	if mayStillArrive(lost) {
		spent += r.RequestTimeout
	}
	return spent
}

// confirmID returns what a creation has attached. If its response does not show the assessment, its ID may belong to
// something else, such as a job. If the service has no position assessment with this ID, the list of the position shows
// the assessment (assumption A4). Nothing fails, because the service has accepted the creation.
func confirmID(
	ctx context.Context, r *run.Run, key run.Key, pa assessapi.PositionAssessment,
) assessapi.PositionAssessment {
	if _, shown := pa.AssessmentID.Get(); shown || r.Reads.LacksLists() {
		return pa
	}
	if _, err := fetch(ctx, r, ref{key.Position, pa.ID}); !assessapi.IsNotFound(err) {
		return pa
	}
	r.Attached.Drop(key.Position)
	existing, err := look(ctx, r, key)
	if err != nil || len(existing) != 1 {
		return pa
	}
	return existing[0]
}

// conflict decides what a 409 means: the position has the assessment. If an earlier request was lost, it is ours.
func conflict(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, lost, rejected error,
) (taken, error) {
	r.Attached.Drop(key.Position)
	existing, err := look(ctx, r, key)
	switch {
	case err != nil || len(existing) == 0:
		return taken{}, rejected
	case lost != nil && len(existing) == 1:
		take(r, key, existing[0].ID)
		return taken{PositionAssessment: existing[0], lost: lost}, nil
	}
	return adopt(ctx, r, key, wanted, existing)
}

// take records that a position assessment belongs to a resource of this apply.
func take(r *run.Run, key run.Key, id string) {
	putWritten(r, key, id)
	r.Attached.Record(key, run.Taken, id)
}

// putWritten updates the list of a position after a write. What a write has shown proves nothing about reads
// (assumption A27), so the element has only the ID and the assessment, and whoever needs more fetches it.
func putWritten(r *run.Run, key run.Key, id string) {
	r.Attached.Put(key.Position, assessapi.PositionAssessment{ID: id, AssessmentID: assessapi.Set(key.Assessment)})
}

// recoverLost looks in the list of the position for what a request with a lost response has attached. It first waits
// until the request can have no later effect. It returns nil if there is nothing.
func recoverLost(ctx context.Context, r *run.Run, key run.Key, lost error) (*assessapi.PositionAssessment, error) {
	if mayStillArrive(lost) && !r.Reads.LacksLists() {
		if err := sleep(ctx, r.RequestTimeout); err != nil {
			return nil, &unknownError{"the run was interrupted", lost}
		}
	}
	r.Attached.Drop(key.Position)
	existing, err := look(ctx, r, key)
	switch {
	case err != nil:
		return nil, &unknownError{"the list of the position could not be read (" + err.Error() + ")", lost}
	case r.Reads.LacksLists():
		return nil, &unknownError{"this service does not list the assessments of a position", lost}
	case len(existing) > 1:
		return nil, &unknownError{"the position has the assessment more than once, as " +
			strings.Join(idsOf(existing), ", "), lost}
	case len(existing) == 1:
		return &existing[0], nil
	}
	return nil, nil
}

// mayStillArrive reports whether a request may have an effect after its response was lost: nothing shows that the
// service has finished it. It has if it answered 2xx without an ID, or 500.
func mayStillArrive(lost error) bool {
	failed, ok := errors.AsType[*assessapi.Error](lost)
	return ok && failed.Status/100 != 2 && failed.Status != http.StatusInternalServerError
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
