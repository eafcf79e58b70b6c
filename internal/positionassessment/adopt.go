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

// adoption is why and how a creation took an existing position assessment into the state, for the warning about it.
type adoption struct{ because, how string }

// adopt takes what a position has of an assessment into the state, if adopt_existing is set, or if this apply has just
// removed it from the state only. Otherwise, it fails with an existsError, and nothing was sent.
func adopt(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration,
	existing []assessapi.PositionAssessment,
) (taken, error) {
	id, exists := existing[0].ID, &existsError{existing: idsOf(existing)}
	switch last := r.Attached.LastWrite(key); {
	case len(existing) > 1:
		return taken{}, exists
	case last == run.Write{ID: id, Kind: run.RemovalRejected}:
		return takeBack(ctx, r, key, wanted, id)
	case !r.AdoptExisting:
		return taken{}, exists
	case last == run.Write{ID: id, Kind: run.RemovalSent}:
		exists.why = "This apply is removing it."
		return taken{}, exists
	}
	return adoptOne(ctx, r, key, wanted, id)
}

// takeBack takes a position assessment into the state again that this apply has removed from the state only, because
// the service has rejected its removal. It never changes the position assessment.
func takeBack(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, id string,
) (taken, error) {
	found, err := compareNow(ctx, r, key, wanted, id)
	if err != nil {
		return taken{}, err
	}
	if found.differs != "" {
		return taken{}, &existsError{
			existing: []string{id}, why: "The service has rejected its removal. " + found.differs + ".",
		}
	}
	take(r, key, id)
	return taken{PositionAssessment: found.existing, adopted: &adoption{
		"the service has rejected its removal", "it has the same configuration as the new resource, so nothing was sent",
	}}, nil
}

// adoptOne takes an existing position assessment into the state. If it may differ, adoptOne sends one update, unless
// [mayNotUpdate] says why not.
func adoptOne(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, id string,
) (taken, error) {
	const because = "adopt_existing is set"
	found, err := compareNow(ctx, r, key, wanted, id)
	if err != nil {
		return taken{}, err
	}
	if found.differs == "" {
		take(r, key, id)
		how := &adoption{because, "it had the same configuration, so nothing was sent"}
		return taken{PositionAssessment: found.existing, adopted: how}, nil
	}
	if why := mayNotUpdate(ctx, r, key, found.existing.Metadata, wanted); why != "" {
		return taken{}, &existsError{existing: []string{id}, why: found.differs + ", and " + why}
	}
	status, _ := found.existing.Metadata.ProfileStatus.Get()
	updated, err := update(ctx, r, pendingUpdate{
		key: key, id: id, status: status, wanted: wanted, had: found.keys, shows: r.Reads.Shows,
	})
	if err != nil {
		return taken{}, fmt.Errorf("position assessment %q was to be adopted, and its update failed: %w", id, err)
	}
	updated.ID = id // which the response may omit
	take(r, key, id)
	how := &adoption{because, "it differed, " + messages.ConfigurationSent}
	return taken{PositionAssessment: updated, adopted: how}, nil
}

// comparison is how an existing position assessment differs from a configuration.
type comparison struct {
	existing assessapi.PositionAssessment
	differs  string   // the beginning of a sentence, or empty if both are certainly equal
	keys     []string // of metadata that the existing one may have
}

// compareNow fetches a position assessment, and compares it with a configuration.
func compareNow(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, id string,
) (c comparison, err error) {
	if c.existing, err = fetchNow(ctx, r, ref{key.Position, id}); err != nil {
		return c, err
	}
	if hidesConfiguration(ctx, r, key.Assessment, c.existing) {
		c.differs, c.keys = "The service does not show how it is configured", configurationKeys
		return c, nil
	}
	shown := rules.Shown(c.existing.Metadata)
	status, _ := c.existing.Metadata.ProfileStatus.Get()
	if differs := rules.Difference(shown, wanted, status); differs != "" {
		c.differs = "It differs (" + differs + ")"
	}
	c.keys = rules.Keys(shown)
	return c, nil
}

// mayNotUpdate says why an existing position assessment that may differ is not adopted: a supervisor has completed its
// profile, candidates have been invited to it, or the service does not show that. It returns "" if an update discards
// nothing.
func mayNotUpdate(
	ctx context.Context, r *run.Run, key run.Key, existing assessapi.Metadata, wanted assessapi.Configuration,
) string {
	status, isShown := existing.ProfileStatus.Get()
	switch {
	case status == assessapi.SupervisorCompleted:
		return "a supervisor has completed its profile. To keep that work, omit the block \"profile\"."
	case wanted.Profile != nil && !isShown:
		return "the service does not show whether a supervisor has completed its profile."
	}
	counted, err := countCandidates(ctx, r, key)
	switch {
	case err != nil:
		return "the provider could not see whether candidates have been invited to it. " + run.Response(err)
	case counted.Invited > 0:
		return "candidates have been invited to it."
	case counted.AtLeast:
		return "the results of the position do not show whether a candidate has been invited to it."
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
