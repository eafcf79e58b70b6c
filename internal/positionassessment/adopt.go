// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// adopt takes an existing position assessment into the state, if adopt_existing is set or if this apply has just
// removed it from the state only. If it differs, adopt sends one update, unless [mayNotUpdate] says why not.
func adopt(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration,
	existing []assessapi.PositionAssessment,
) (taken, error) {
	exists := &existsError{}
	for _, pa := range existing {
		exists.existing = append(exists.existing, pa.ID)
	}
	id, last := existing[0].ID, r.Attached.LastWrite(key)
	takesBack := last == run.Write{ID: id, Kind: run.RemovalRejected}
	switch {
	case len(existing) > 1, !takesBack && !r.AdoptExisting:
		return taken{}, exists
	case last == run.Write{ID: id, Kind: run.RemovalSent}:
		exists.why = "This apply is removing it."
		return taken{}, exists
	}
	pa, err := fetchNow(ctx, r, ref{key.Position, id})
	if err != nil {
		return taken{}, err
	}
	shown, hidden := rules.Shown(pa.Metadata), hidesConfiguration(ctx, r, key.Assessment, pa)
	status, _ := pa.Metadata.ProfileStatus.Get()
	differs := rules.Difference(shown, wanted, status)
	if differs == "" && !hidden {
		take(r, key, id)
		return taken{PositionAssessment: pa, adopted: "it had the same configuration, so nothing was sent"}, nil
	}
	how, had := "It differs ("+differs+")", rules.Keys(shown)
	if hidden {
		how, had = "The service does not show how it is configured", configurationKeys
	}
	if takesBack {
		exists.why = "The service has rejected its removal. " + how + "."
		return taken{}, exists
	}
	exists.why = mayNotUpdate(ctx, r, key, pa.Metadata, wanted, how)
	if exists.why != "" {
		return taken{}, exists
	}
	updated, err := update(ctx, r, pendingUpdate{
		key: key, id: id, status: status, wanted: wanted, had: had, shows: r.Reads.Shows,
	})
	if err != nil {
		return taken{}, fmt.Errorf("position assessment %q was to be adopted, and its update failed: %w", id, err)
	}
	updated.ID = id // which the response may omit
	take(r, key, id)
	return taken{PositionAssessment: updated, adopted: "it differed, " + messages.ConfigurationSent}, nil
}

// mayNotUpdate says why an existing position assessment that may differ is not adopted: a supervisor has completed its
// profile, candidates have been invited to it, or the service does not show that. It returns "" if an update discards
// nothing. how says how it differs.
func mayNotUpdate(
	ctx context.Context, r *run.Run, key run.Key, existing assessapi.Metadata, wanted assessapi.Configuration, how string,
) string {
	status, isShown := existing.ProfileStatus.Get()
	switch {
	case status == assessapi.SupervisorCompleted:
		return how + ", and a supervisor has completed its profile. To keep that work, omit the block \"profile\"."
	case wanted.Profile != nil && !isShown:
		return how + ", and the service does not show whether a supervisor has completed its profile."
	}
	counted, err := countCandidates(ctx, r, key)
	switch {
	case err != nil:
		return how + ", and the provider could not see whether candidates have been invited to it. " + run.Answer(err)
	case counted.Invited > 0:
		return how + ", and candidates have been invited to it."
	case counted.AtLeast:
		return how + ", and the results of the position do not show whether a candidate has been invited to it."
	}
	return ""
}

// hidesConfiguration reports whether the service may not show how a position assessment is configured: it shows
// nothing, and the assessment can have packages, a benchmark, a profile or tests, or no list shows that it has none.
// What a response omits is never taken as "there is none".
func hidesConfiguration(
	ctx context.Context, r *run.Run, assessment string, pa assessapi.PositionAssessment,
) bool {
	if !pa.HasMetadata {
		return true
	}
	if !showsNothing(pa.Metadata) {
		return false
	}
	for _, kind := range []assessapi.Kind{assessapi.Packages, assessapi.Benchmarks, assessapi.Profiles} {
		items, err := r.Lists.Items(ctx, kind, assessment)
		isOtherKind := kind == assessapi.Packages && assessapi.IsOtherKind(err)
		if len(items) > 0 || err != nil && !isOtherKind {
			return true
		}
	}
	for _, active := range []bool{true, false} {
		tests, err := r.Lists.SkillsTests(ctx, assessment, active)
		if len(tests) > 0 || err != nil && !assessapi.IsOtherKind(err) {
			return true
		}
	}
	return false
}
