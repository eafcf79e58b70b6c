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
// reads the position assessment by its ID (assumption A7). It returns errNoList if the service has no such list, and an
// [assessapi.ShapeError] if the service does not show the assessment of a position assessment.
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
		case pa.AssessmentID.OrZero() == "":
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
	assessment, m := element.AssessmentID.OrZero(), element.Metadata
	lacksProfile := m.ProfileStatus.OrZero() == assessapi.ProfileAttached && !m.Profile.Shown
	switch {
	case assessment == "" || !element.HasMetadata || lacksProfile:
		return service.Client.PositionAssessment(ctx, position, element.ID)
	case m.ProfileStatus.Shown:
		return element, nil
	}
	// One fetch in a run shows whether position assessments of this assessment have profiles.
	hasProfiles, err := service.Reads.HasProfiles(ctx, assessment, func(ctx context.Context) (bool, error) {
		fetched, err := service.Client.PositionAssessment(ctx, position, element.ID)
		_, has := fetched.Metadata.ProfileStatus.Get()
		return has, err
	})
	if err != nil || !hasProfiles {
		return element, err
	}
	return service.Client.PositionAssessment(ctx, position, element.ID)
}
