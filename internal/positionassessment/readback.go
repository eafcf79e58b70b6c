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

// readBack returns what the state needs after a write. It fetches the position assessment if the response does not show
// the status or the address of the profile (assumption A4), or to see whether reads show the keys that were sent
// (assumption A22). A fetch that fails is only a warning that begins with what.
func (r *Resource) readBack(
	ctx context.Context, at ref, plan model, response assessapi.PositionAssessment, what string, diags *diag.Diagnostics,
) assessapi.PositionAssessment {
	keys := sentKeys(plan)
	looksForKeys := r.Run.Reads.MayFetchBack(keys)
	if !looksForKeys && !r.lacksProfile(plan, response) {
		return response
	}
	if !looksForKeys && !tf.HasBlock(plan.Profile) { // perhaps the assessment has no profiles
		has, err := hasProfiles(ctx, r.Run.Run, at, plan.AssessmentID.ValueString())
		if err != nil {
			diags.Append(incompleteWarning(what, err))
		}
		if !has {
			return response
		}
	}
	fetched, err := fetch(ctx, r.Run.Run, at)
	if err != nil {
		diags.Append(incompleteWarning(what, err))
		return response
	}
	r.Run.Reads.RecordShown(keys, func(key string) bool { return shows(fetched.Metadata, key) })
	return fetched
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
	if got.adopted != "" {
		r.Run.Warn("adopted "+got.ID, "Existing position assessment adopted", fmt.Sprintf(
			"Because adopt_existing is set, this apply has added %s to the state: %s.",
			named(r.Run.Run, at, assessment), got.adopted))
		return
	}
	if got.lost != nil && !errors.Is(got.lost, errNoID) {
		diags.Append(recoveredWarning(r.Run.Run, at, assessment, got.lost))
	}
	r.checkAttached(ctx, at, assessment, got.PositionAssessment, wanted, diags)
}

// checkAttached warns if the response to a creation and a fetch both show other values than those that were sent
// (assumption A5). The creation was accepted, so this is no error, and the next refresh shows the difference as drift.
func (r *Resource) checkAttached(
	ctx context.Context, at ref, assessment string, response assessapi.PositionAssessment, sent assessapi.Configuration,
	diags *diag.Diagnostics,
) {
	if !contradicts(response.Metadata, sent) {
		return
	}
	shown, err := fetchNow(ctx, r.Run.Run, at)
	if err != nil || !contradicts(shown.Metadata, sent) {
		return
	}
	diags.Append(tf.Warning("Attached with other values", fmt.Sprintf("The service accepted the request, and shows other "+
		"values for %s: %s.\n\nOptions: if the service always adds a value, write it in the configuration. Otherwise, plan "+
		"again, and report this to the service operator.", named(r.Run.Run, at, assessment),
		rules.Difference(rules.Shown(shown.Metadata), sent, ""))))
}
