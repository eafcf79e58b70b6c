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

// adoption says why a creation has adopted an existing position assessment, and whether the creation has also updated
// it. A warning contains both texts.
type adoption struct{ because, how string }

// adopt takes an existing position assessment into the state if it is the only one. If this apply has removed it only
// from the state ([run.RemovalRejected]), adopt calls [takeBack]. Otherwise, it calls [adoptOne] if adopt_existing is
// set and this apply has not tried to remove it. In all other cases, it returns an existsError. The parameter existing
// must not be empty. The caller holds the key's lock.
func adopt(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration,
	existing []assessapi.PositionAssessment,
) (taken, error) {
	exists := &existsError{existing: idsOf(existing)}
	if len(existing) > 1 {
		return taken{}, exists
	}
	id := existing[0].ID
	switch last := r.Attached.LastWrite(key, id); {
	case last == run.RemovalRejected:
		return takeBack(ctx, r, key, wanted, id)
	case !r.AdoptExisting:
		return taken{}, exists
	case last == run.RemovalSent:
		exists.why = "This apply has tried to remove it."
		return taken{}, exists
	}
	return adoptOne(ctx, r, key, wanted, id)
}

// takeBack takes a position assessment into the state again, after the service has rejected its removal. It sends no
// update. If [compareNow] finds a difference or a hidden configuration, takeBack returns an existsError.
func takeBack(ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, id string) (taken, error) {
	found, err := compareNow(ctx, r, key, wanted, id)
	if err != nil {
		return taken{}, err
	}
	if found.differs != "" {
		return taken{}, &existsError{
			existing: []string{id}, stays: true,
			why: "The service has rejected its removal. " + messages.Sentence(found.differs),
		}
	}
	take(r, key, id)
	return taken{PositionAssessment: found.existing, adopted: &adoption{
		"the service has rejected its removal", "it has the same configuration as the new resource, so nothing was sent",
	}}, nil
}

// adoptOne takes an existing position assessment into the state. If [compareNow] finds a difference or a hidden
// configuration, adoptOne first sends one update. If there is a reason not to send the update ([reasonNotToUpdate]), it
// returns an existsError instead.
func adoptOne(ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, id string) (taken, error) {
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
	if why := reasonNotToUpdate(ctx, r, key, found.existing.Metadata, wanted); why != "" {
		return taken{}, &existsError{existing: []string{id}, why: messages.Upper(found.differs) + ", and " + why}
	}
	updated, err := update(ctx, r, pendingUpdate{
		key: key, id: id, status: found.existing.Metadata.ProfileStatus.OrZero(), wanted: wanted, had: found.keys,
		isReadable: func(name string) bool { return found.existing.Metadata.Shows(name) || r.Reads.IsReadable(name) },
	})
	if err != nil {
		return taken{}, fmt.Errorf("position assessment %q was to be adopted, and its update failed: %w", id, err)
	}
	take(r, key, id)
	how := &adoption{because, found.differs + ", " + messages.ConfigurationSent}
	return taken{PositionAssessment: updated, adopted: how}, nil
}

// comparison is the result of comparing an existing position assessment with a configuration.
type comparison struct {
	existing assessapi.PositionAssessment
	differs  string   // how it differs, such as "it differs (…)". Empty if the service shows no difference
	keys     []string // keys of metadata that it may have, except a profile that the service hides
}

// compareNow fetches a position assessment, and compares it with a configuration. If the service may hide how the
// position assessment is configured ([hidesConfiguration]), differs says so, and keys are [configurationKeys]. If a
// cache has answered the fetch, the error is [run.ErrCached].
func compareNow(
	ctx context.Context, r *run.Run, key run.Key, wanted assessapi.Configuration, id string,
) (comparison, error) {
	existing, err := fetchNow(ctx, r, ref{key.Position, id})
	if err != nil {
		return comparison{}, err
	}
	if hidesConfiguration(ctx, r, key.Assessment, existing) {
		return comparison{existing, "the service does not show how it is configured", configurationKeys}, nil
	}
	shown := rules.ConfigurationOf(existing.Metadata)
	found := comparison{existing: existing, keys: rules.Keys(shown)}
	if differs := rules.Difference(shown, wanted, existing.Metadata.ProfileStatus.OrZero()); differs != "" {
		found.differs = "it differs (" + differs + ")"
	}
	return found, nil
}

// reasonNotToUpdate returns why an existing position assessment must not be updated, or "" if the update may be sent.
// The text ends a sentence, and may contain more sentences. The reasons are that a supervisor has completed its
// profile, that candidates have been invited to it, or that the provider cannot find this out. A hidden status is a
// reason only if wanted has a profile: an update without a profile keeps a completed one (assumption A5).
func reasonNotToUpdate(
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

// hidesConfiguration reports whether a position assessment may have a configuration that the service does not show: the
// response has no metadata, it lacks the ID of an attached profile, or its metadata show nothing although the
// assessment may have something to configure.
func hidesConfiguration(ctx context.Context, r *run.Run, assessment string, pa assessapi.PositionAssessment) bool {
	m := pa.Metadata
	lacksProfile := m.ProfileStatus.OrZero() == assessapi.ProfileAttached && !m.Profile.Shown
	return !pa.HasMetadata || lacksProfile || showsNothing(m) && mayBeConfigurable(ctx, r, assessment)
}

// mayBeConfigurable reports whether an assessment has packages, benchmarks, profiles or skills tests. It also returns
// true if one of these lists could not be read or comes from a cache. A list of packages or skills tests counts as
// empty if the service answers that the assessment is of another kind.
func mayBeConfigurable(ctx context.Context, r *run.Run, assessment string) bool {
	for _, kind := range []assessapi.Kind{assessapi.Packages, assessapi.Benchmarks, assessapi.Profiles} {
		items, err := r.Lists.List(ctx, kind, assessment)
		isOtherKind := kind == assessapi.Packages && assessapi.IsOtherKind(err)
		if len(items.Elements) > 0 || items.Cached || err != nil && !isOtherKind {
			return true
		}
	}
	for _, active := range []bool{true, false} {
		tests, err := r.Lists.ListSkillsTests(ctx, assessment, active)
		if len(tests.Elements) > 0 || tests.Cached || err != nil && !assessapi.IsOtherKind(err) {
			return true
		}
	}
	return false
}
