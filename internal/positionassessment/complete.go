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

// complete completes the response to a write of m by what reads show. Because the write has succeeded, later
// failures are not errors.
func (a *positionAssessments) complete(
	ctx context.Context, position, assessment string, m assessapi.Metadata,
	response assessapi.PositionAssessment, needs profileNeeds, memory catalog.Memory,
) (done written) {
	done.PositionAssessment, done.Incomplete = a.withProfile(ctx, position, assessment, m, response, needs)
	a.lists.Probe(ctx, position, response.ID, m)
	done.Memory = memory.Remember(done.PositionAssessment, a.lists.Shown())
	done.Memory.Unread = done.Metadata.ProfileStatus == nil && !m.Configured()
	return done
}

// withProfile reads a position assessment if the response to a write lacks required
// attributes of its profile, and if it can have a profile (assumption A4).
func (a *positionAssessments) withProfile(
	ctx context.Context, position, assessment string, m assessapi.Metadata,
	response assessapi.PositionAssessment, needs profileNeeds,
) (assessapi.PositionAssessment, error) {
	lacks := needs.Status && response.Metadata.ProfileStatus == nil || needs.URL && response.Metadata.ProfileURL == nil
	if !lacks {
		return response, nil
	}
	if m.Profile == nil {
		if profiles, err := a.catalog.List(ctx, assessapi.Profiles, assessment); err == nil && len(profiles) == 0 {
			return response, nil
		}
	}
	whole, err := a.lists.Read(ctx, position, response.ID)
	if err != nil {
		return response, err
	}
	return whole, nil
}
