// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// written is a position assessment after a write that has succeeded.
type written struct {
	assessapi.PositionAssessment
	Memory catalog.Memory
	// Incomplete is why the status and the address of the profile are not known.
	Incomplete error
	// Recovered is the error that arrived instead of a response, if the position assessment was found afterwards.
	Recovered *assessapi.LostError
}

// profileNeeds says which attributes of a profile a caller requires after a write.
type profileNeeds struct{ Status, URL bool }

// complete reads what the response to a write lacks (assumption A4). Because the write has succeeded, later failures
// are not errors.
func (a *positionAssessments) complete(
	ctx context.Context, sent Creation, response assessapi.PositionAssessment, needs profileNeeds, memory catalog.Memory,
) written {
	done := written{PositionAssessment: response}
	lacks := needs.Status && response.Metadata.ProfileStatus == nil || needs.URL && response.Metadata.ProfileURL == nil
	if lacks && (sent.Metadata.Profile != nil || a.mayHaveProfile(ctx, sent.Assessment)) {
		whole, err := a.lists.Read(ctx, sent.Position, response.ID)
		if done.Incomplete = err; err == nil {
			done.PositionAssessment = whole
		}
	}
	a.lists.Probe(ctx, sent.Position, response.ID, sent.Metadata)
	done.Memory = memory.Remember(done.PositionAssessment, a.lists.Shown())
	done.Memory.Unread = done.Metadata.ProfileStatus == nil && !sent.Metadata.Configured()
	return done
}

// mayHaveProfile reports whether a supervisor may be asked to complete a profile for an assessment.
func (a *positionAssessments) mayHaveProfile(ctx context.Context, assessment string) bool {
	profiles, err := a.catalog.List(ctx, assessapi.Profiles, assessment)
	return err != nil || len(profiles) > 0
}
