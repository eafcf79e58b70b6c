// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// This file has what follows an accepted write. Nothing in it fails, because the service has accepted the write.

// readBack returns what the state needs after a write: the response, or what a fetch shows. A fetch that fails is only
// a warning that begins with what.
func (r *Resource) readBack(
	ctx context.Context, at ref, plan model, response assessapi.PositionAssessment, what string, diags *diag.Diagnostics,
) assessapi.PositionAssessment {
	fetched := response
	needed, err := r.needsFetch(ctx, at, plan, response)
	if err == nil && needed {
		fetched, err = fetch(ctx, r.Run.Run, at)
	}
	switch {
	case err != nil:
		diags.Append(incompleteWarning(what, err))
		return response
	case needed:
		r.Run.Reads.RecordShown(sentKeys(plan), func(key string) bool { return shows(fetched.Metadata, key) })
	}
	return fetched
}

// needsFetch reports whether a fetch must follow a write: to see whether reads show the keys that were sent (assumption
// A22), or because the response does not show the status or the address of the profile (assumption A4).
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
	return hasProfiles(ctx, r.Run.Run, at, plan.AssessmentID.ValueString())
}

// readBackKeys returns which of the sent keys reads have shown in this apply.
func (r *Resource) readBackKeys(plan model) []string {
	return slices.DeleteFunc(sentKeys(plan), func(key string) bool { return !r.Run.Reads.Shows(key) })
}

// sentKeys returns the keys of metadata that a write sends for a plan, without the profile, which has a status.
func sentKeys(plan model) []string {
	sent, _ := plan.configuration()
	return slices.DeleteFunc(rules.Keys(sent), func(key string) bool { return key == "profile" })
}

// lacksProfile reports whether a response does not show what the plan did not know about the profile.
func (r *Resource) lacksProfile(plan model, response assessapi.PositionAssessment) bool {
	status, hasStatus := response.Metadata.ProfileStatus.Get()
	_, hasURL := response.Metadata.ProfileURL.Get()
	noStatus := plan.ProfileStatus.IsUnknown() && !hasStatus
	noURL := plan.ProfileURL.IsUnknown() && !hasURL && r.Run.Privacy != tf.Strict &&
		(status != "" || !plan.ProfileStatus.IsNull())
	return noStatus || noURL
}

// warnCreated warns if a creation did not simply attach the assessment.
func (r *Resource) warnCreated(
	ctx context.Context, at ref, assessment string, got taken, wanted assessapi.Configuration, diags *diag.Diagnostics,
) {
	if got.adopted != nil {
		r.Run.Warn("adopted "+got.ID, "Existing position assessment adopted", fmt.Sprintf(
			"Because %s, this apply has added %s to the state: %s.",
			got.adopted.because, named(r.Run.Run, at, assessment), got.adopted.how))
		return
	}
	if got.lost != nil && !errors.Is(got.lost, errNoID) {
		diags.Append(recoveredWarning(r.Run.Run, at, assessment, got.lost))
	}
	if differs := r.stillDiffers(ctx, at, got.PositionAssessment, wanted); differs != "" {
		diags.Append(otherValuesWarning(r.Run.Run, at, assessment, differs))
	}
}

// stillDiffers says how the response to a creation and a fetch both differ from what was sent (assumption A5). It
// returns "" if they do not differ, or if the fetch fails, because the next refresh shows a difference as drift.
func (r *Resource) stillDiffers(
	ctx context.Context, at ref, response assessapi.PositionAssessment, sent assessapi.Configuration,
) string {
	if !contradicts(response.Metadata, sent) {
		return ""
	}
	shown, err := fetchNow(ctx, r.Run.Run, at)
	if err != nil || !contradicts(shown.Metadata, sent) {
		return ""
	}
	return rules.Difference(rules.Shown(shown.Metadata), sent, "")
}
