// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// ref identifies a position assessment (section 4.3 of the specification).
type ref struct{ Position, ID string }

// prior is what a state contains about a position assessment before a read. After an import, Assessment is "".
type prior struct {
	Assessment string
	run.Needs
}

// errGone means that several reads together show that a position assessment no longer exists.
var errGone = errors.New("the position assessment is gone")

// read returns a position assessment of a state from the list of its position. If there is no list, or it lacks
// something that the state needs, read fetches the position assessment (section 4.3, assumption A7). It returns errGone
// if several reads together show that the position assessment no longer exists, and an error if the service spells the
// assessment differently. Except after an import, it records a successful read.
func read(ctx context.Context, r *run.Run, at ref, before prior) (assessapi.PositionAssessment, error) {
	pa, err := readFromListOrFetch(ctx, r, at, before)
	if err == nil {
		err = checkSpelling(before.Assessment, pa)
	}
	if err == nil && before.Assessment != "" {
		r.Reads.RecordRead(at.Position, at.ID)
	}
	return pa, err
}

// readFromListOrFetch does what [read] does, but does not check the spelling and does not record a successful read. It
// records what it finds out about the lists of the service, so that later reads can skip them ([run.Reads.SkipsLists]).
func readFromListOrFetch(ctx context.Context, r *run.Run, at ref, before prior) (assessapi.PositionAssessment, error) {
	if r.Reads.SkipsLists() {
		return fetchOrGone(ctx, r, at, before.Assessment)
	}
	list, err := r.Attached.List(ctx, at.Position)
	lacksList := assessapi.IsNoList(err)
	if err != nil && !lacksList {
		return assessapi.PositionAssessment{}, err
	}
	element, listed := elementOf(list, at.ID)
	if listed {
		if enough, err := r.Suffices(ctx, at.Position, element, before.Needs); err != nil || enough {
			return element, err
		}
	}
	fetched, err := fetchOrGone(ctx, r, at, before.Assessment)
	if err != nil {
		return fetched, err
	}
	isOnlyInFetch := func(key string) bool { return fetched.Metadata.Shows(key) && !element.Metadata.Shows(key) }
	if listed && (fetched.HasMetadata && !element.HasMetadata || slices.ContainsFunc(configurationKeys, isOnlyInFetch)) {
		r.Reads.RecordPoorLists()
	}
	if lacksList && !fetched.Cached && !r.Reads.OffersLists() { // the position exists, so the service has no such list
		r.Reads.RecordNoLists()
	}
	return fetched, nil
}

// fetchOrGone fetches a position assessment of a state. After a 404, it returns errGone if [confirmGone] confirms this,
// and otherwise its error. After an import, assessment is "", and fetchOrGone returns the 404.
func fetchOrGone(ctx context.Context, r *run.Run, at ref, assessment string) (assessapi.PositionAssessment, error) {
	fetched, err := fetch(ctx, r, at)
	if assessment == "" || !assessapi.IsNotFound(err) {
		return fetched, err
	}
	if unclear := confirmGone(ctx, r, at, assessment, err); unclear != nil {
		return fetched, unclear
	}
	return fetched, errGone
}

// fetch reads one position assessment (section 4.3).
func fetch(ctx context.Context, r *run.Run, at ref) (assessapi.PositionAssessment, error) {
	return r.Client.PositionAssessment(ctx, at.Position, at.ID)
}

// fetchNow calls [fetch] for callers that need a current response, such as before a write. It returns [run.ErrCached]
// if a cache has answered.
func fetchNow(ctx context.Context, r *run.Run, at ref) (assessapi.PositionAssessment, error) {
	pa, err := fetch(ctx, r, at)
	if err == nil && pa.Cached {
		err = run.ErrCached
	}
	return pa, err
}

// checkSpelling returns an error if the service spells the assessment of a position assessment with other upper and
// lower case than known, which a user has written. Comparing such IDs would replace the resource in each run.
func checkSpelling(known string, pa assessapi.PositionAssessment) error {
	shown, ok := pa.AssessmentID.Get()
	if !ok || known == "" || shown == known || !strings.EqualFold(shown, known) {
		return nil
	}
	return fmt.Errorf("position assessment %q has the assessment %q, and the configuration, the state or the import ID "+
		"spells it %q. Use one spelling", pa.ID, shown, known)
}

// countCandidates counts the candidates who have been invited to an assessment of a position, which means that their
// results include it (assumption A28), and those who have completed it. It reads what [run.Lists.FirstResults] reads.
// AtLeast is set if there may be more: the position may have more candidates, a cache has answered, or the response may
// omit results of a candidate who is not counted ([mayHideResults]).
func countCandidates(ctx context.Context, r *run.Run, key run.Key) (counted rules.Candidates, err error) {
	candidates, complete, err := r.Lists.FirstResults(ctx, key.Position)
	if err != nil {
		return counted, err
	}
	counted.AtLeast = !complete
	for _, candidate := range candidates {
		i := slices.IndexFunc(candidate.Results, func(result assessapi.Result) bool {
			return strings.EqualFold(result.AssessmentID, key.Assessment) // a service may spell one ID in two ways
		})
		switch {
		case i < 0:
			counted.AtLeast = counted.AtLeast || mayHideResults(candidate)
		case candidate.Results[i].IsCompleted():
			counted.Invited++
			counted.Completed++
		default:
			counted.Invited++
		}
	}
	return counted, nil
}

// mayHideResults reports whether a response may omit an assessment to which a candidate was invited. It may if it has
// no results for the candidate, or a result without the ID of its assessment.
func mayHideResults(candidate assessapi.Candidate) bool {
	return candidate.Results == nil || slices.ContainsFunc(candidate.Results, func(result assessapi.Result) bool {
		return result.AssessmentID == ""
	})
}
