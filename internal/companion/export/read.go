// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// readAttached lists the assessments of a position. If an element lacks something that the configuration needs, it
// reads the position assessment by its ID (assumption A7).
func readAttached(ctx context.Context, service *run.Run, position string) ([]assessapi.PositionAssessment, error) {
	list, err := service.Attached.List(ctx, position)
	if assessapi.IsNoList(err) { // the position exists, because the service lists it
		return nil, fmt.Errorf("%w: %w", errNoList, err)
	}
	if err != nil {
		return nil, err
	}
	attached := slices.Clone(list.Elements)
	for i, element := range attached {
		pa, err := readWhole(ctx, service, position, element)
		switch {
		case err != nil:
			return nil, err
		case assessmentOf(pa) == "":
			return nil, &assessapi.ShapeError{
				Method: http.MethodGet, Address: fmt.Sprintf("/positions/%s/assessments/%s", position, pa.ID),
				Problem: `it has no "organizationAssessment"`,
			}
		}
		attached[i] = pa
	}
	return attached, nil
}

// readWhole returns a position assessment with all that the service shows of its configuration. It fetches the position
// assessment only if the element of the list may lack something.
func readWhole(
	ctx context.Context, service *run.Run, position string, element assessapi.PositionAssessment,
) (assessapi.PositionAssessment, error) {
	m := element.Metadata
	status, _ := m.ProfileStatus.Get()
	lacksProfile := status == assessapi.ProfileAttached && !m.Profile.Shown
	switch {
	case assessmentOf(element) == "" || !element.HasMetadata || lacksProfile:
		return service.Client.PositionAssessment(ctx, position, element.ID)
	case m.ProfileStatus.Shown:
		return element, nil
	}
	// One fetch in a run shows whether position assessments of this assessment have profiles.
	hasProfiles, err := service.Reads.HasProfiles(ctx, assessmentOf(element), func(ctx context.Context) (bool, error) {
		fetched, err := service.Client.PositionAssessment(ctx, position, element.ID)
		_, has := fetched.Metadata.ProfileStatus.Get()
		return has, err
	})
	if err != nil || !hasProfiles {
		return element, err
	}
	return service.Client.PositionAssessment(ctx, position, element.ID)
}

// assessmentOf returns the ID of the assessment, or "" if it is not shown.
func assessmentOf(pa assessapi.PositionAssessment) string {
	id, _ := pa.AssessmentID.Get()
	return id
}
