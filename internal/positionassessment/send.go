// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// sendUpdate changes a position assessment. If the answer may not come from the service, a read must show the change.
func (a *positionAssessments) sendUpdate(
	ctx context.Context, position, id, assessment string, m assessapi.Metadata,
) (pa assessapi.PositionAssessment, err error) {
	defer a.lists.Drop(position)
	pa, err = a.run.Client.PositionAssessments().Update(ctx, position, id, assessapi.PositionAssessment{
		AssessmentID: assessment, Metadata: m,
	})
	err = catalog.ConfirmChange(err,
		func() (assessapi.PositionAssessment, error) { return a.lists.Read(ctx, position, id) },
		func(read assessapi.PositionAssessment) bool {
			if read.Metadata.Equal(m) {
				pa = read
				return true
			}
			return !a.run.Client.Signs() && !a.lists.Shown() && !read.Metadata.Configured() &&
				equal(read.Metadata.Profile, m.Profile) // the service does not show the rest (assumption A22)
		})
	return pa, err
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
