// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// readAttached returns the assessments of a position, as [run.Run.ReadWhole] reads them. It returns errNoList if the
// service probably has no such lists, and an [assessapi.ShapeError] if the service does not show the assessment of a
// position assessment.
func readAttached(ctx context.Context, service *run.Run, position string) ([]assessapi.PositionAssessment, error) {
	list, err := service.Attached.List(ctx, position)
	if assessapi.IsNoList(err) && !service.Reads.OffersLists() { // if it does, only this position has none
		return nil, fmt.Errorf("%w: %w", errNoList, err)
	}
	if err != nil {
		return nil, err
	}
	attached, err := service.ReadWhole(ctx, position, list.Elements, run.Needs{})
	if err != nil {
		return nil, err
	}
	for _, pa := range attached {
		if pa.AssessmentID.OrZero() == "" {
			return nil, service.Client.NoAssessment(position, pa.ID)
		}
	}
	return attached, nil
}
