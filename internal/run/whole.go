// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Needs says which metadata a caller needs. Every caller needs the ID of an attached profile.
type Needs struct {
	Keys   []string // "packages", "benchmark" or "tests": the state has the block, and an earlier read has shown the key
	Status bool     // the status of the profile, because the state has one
	URL    bool     // the address of the profile, if there is a profile
}

// ReadWhole returns the elements of a position's list. If an element does not suffice ([Run.Suffices]), ReadWhole
// returns the fetched position assessment instead. If a request fails, ReadWhole returns nil and the error.
func (r *Run) ReadWhole(
	ctx context.Context, position string, elements []assessapi.PositionAssessment, needs Needs,
) ([]assessapi.PositionAssessment, error) {
	whole := slices.Clone(elements)
	for i, element := range elements {
		enough, err := r.Suffices(ctx, position, element, needs)
		if err == nil && !enough {
			whole[i], err = r.Client.PositionAssessment(ctx, position, element.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// Suffices reports whether the caller need not fetch a position assessment, because the element of the list shows its
// assessment, metadata, and what the caller needs (assumption A7). If only the profile status is missing, and the
// caller does not need one, Suffices calls [Run.HasProfiles], which may send a request. If the service then says that
// the position assessment does not exist, Suffices returns false and no error, because the caller's fetch shows whether
// this is true.
func (r *Run) Suffices(
	ctx context.Context, position string, element assessapi.PositionAssessment, needs Needs,
) (bool, error) {
	assessment, m := element.AssessmentID.OrZero(), element.Metadata
	status := m.ProfileStatus.OrZero()
	lacksID := status == assessapi.ProfileAttached && !m.Profile.Shown
	lacksURL := status != "" && !m.ProfileURL.Shown && needs.URL
	lacksKey := slices.ContainsFunc(needs.Keys, func(key string) bool { return !m.Shows(key) })
	switch {
	case assessment == "", !element.HasMetadata, lacksKey, lacksID, lacksURL:
		return false, nil
	case m.ProfileStatus.Shown:
		return true, nil
	case needs.Status:
		return false, nil
	}
	has, err := r.HasProfiles(ctx, position, element.ID, assessment)
	if assessapi.IsNotFound(err) {
		return false, nil
	}
	return err == nil && !has, err
}

// HasProfiles reports whether position assessments of an assessment have profiles. To see whether this position
// assessment has a profile status, it sends a request, unless such a request for the assessment has succeeded in this
// run. The caller may fetch the same position assessment again.
func (r *Run) HasProfiles(ctx context.Context, position, id, assessment string) (bool, error) {
	isOwn := false // whether this call has sent the request
	has, err := r.Reads.profiled.get(ctx, assessment, func(ctx context.Context) (bool, error) {
		isOwn = true
		fetched, err := r.Client.PositionAssessment(ctx, position, id)
		return fetched.Metadata.ProfileStatus.OrZero() != "", err
	})
	outcome := assessapi.OutcomeOf(err)
	if !isOwn && (outcome == assessapi.Rejected || outcome == assessapi.NotFound) { // of another position assessment
		return r.HasProfiles(ctx, position, id, assessment)
	}
	return has, err
}
