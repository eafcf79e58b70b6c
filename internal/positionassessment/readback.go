// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// The functions of this file complete a creation or an update after the service has accepted the request. So they add
// warnings instead of errors.

// readBack returns the position assessment after a write. If [Resource.needsFetch] reports true, readBack fetches the
// position assessment, records which of the sent keys the fetch shows, and returns it. Otherwise, or if the fetch
// fails, it returns the response. After an error of needsFetch or of the fetch, it warns if [Resource.lacksProfile]
// reports true. The parameter what is a sentence about the write.
func (r *Resource) readBack(
	ctx context.Context, at ref, plan model, response assessapi.PositionAssessment, what string, diags *diag.Diagnostics,
) assessapi.PositionAssessment {
	needed, err := r.needsFetch(ctx, at, plan, response)
	if needed {
		var fetched assessapi.PositionAssessment
		fetched, err = fetchNow(ctx, r.Run.Run, at)
		if err == nil {
			r.Run.Reads.RecordShown(sentKeys(plan), fetched.Metadata.Shows)
			return fetched
		}
	}
	if err != nil && r.lacksProfile(plan, response) {
		diags.Append(incompleteWarning(what, err))
	}
	return response
}

// needsFetch reports whether a position assessment must be fetched after a write. It must if this apply has not checked
// yet whether reads show the keys that were sent (assumption A22), or if the response lacks the status or the address
// of a profile (assumption A4). It records that the keys are now checked. To see whether there is a profile, it may
// send a request. If this request fails, it returns false and the error.
func (r *Resource) needsFetch(
	ctx context.Context, at ref, plan model, response assessapi.PositionAssessment,
) (bool, error) {
	switch {
	case r.Run.Reads.ReserveFetch(sentKeys(plan)):
		return true, nil
	case !r.lacksProfile(plan, response):
		return false, nil
	case tf.HasBlock(plan.Profile):
		return true, nil
	}
	return r.Run.HasProfiles(ctx, at.Position, at.ID, plan.AssessmentID.ValueString())
}

// readBackKeys returns the keys that a write of this plan sends and that a fetch of this apply has shown.
func (r *Resource) readBackKeys(plan model) []string {
	return slices.DeleteFunc(sentKeys(plan), func(key string) bool { return !r.Run.Reads.IsReadable(key) })
}

// sentKeys returns the keys of metadata that a write of this plan sends. It omits profile, because the status of the
// profile shows whether a profile is attached.
func sentKeys(plan model) []string {
	sent, _ := plan.configuration()
	return slices.DeleteFunc(rules.Keys(sent), func(key string) bool { return key == "profile" })
}

// lacksProfile reports whether the plan left the status or the address of the profile unknown, and the response omits
// it. The address is not needed in strict mode, or if the assessment has no profile.
func (r *Resource) lacksProfile(plan model, response assessapi.PositionAssessment) bool {
	status, url := response.Metadata.ProfileStatus.OrZero(), response.Metadata.ProfileURL.OrZero()
	hasProfile := status != "" || !plan.ProfileStatus.IsNull()
	lacksStatus := plan.ProfileStatus.IsUnknown() && status == ""
	lacksURL := plan.ProfileURL.IsUnknown() && url == "" && hasProfile && r.Run.Privacy != tf.Strict
	return lacksStatus || lacksURL
}

// warnCreated warns if a creation has adopted an existing position assessment. If the creation has attached a new one,
// warnCreated warns if the response was lost, or if both got and a fetch show other values than wanted ([readValues]).
func (r *Resource) warnCreated(
	ctx context.Context, at ref, assessment string, got taken, wanted assessapi.Configuration, diags *diag.Diagnostics,
) {
	if got.adopted != nil { // [adopt] has compared the values
		r.Run.Warn("adopted "+got.ID, "Existing position assessment adopted", fmt.Sprintf(
			"Because %s, this apply has added %s to the state: %s.",
			got.adopted.because, named(r.Run.Run, at, assessment), got.adopted.how))
		return
	}
	if got.lost != nil {
		diags.Append(recoveredWarning(r.Run.Run, at, assessment, got.lost))
	}
	if _, differs := readValues(ctx, r.Run.Run, at, got.PositionAssessment, wanted); differs != "" {
		diags.Append(otherValuesWarning(r.Run.Run, at, assessment, differs))
	}
}
