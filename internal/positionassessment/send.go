// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// send attaches an assessment, and recovers a lost response. other reports whether a position assessment existed
// before, or belongs to another request. lost is the error that arrived instead of a response, if the position
// assessment was found afterwards.
func (a *positionAssessments) send(
	ctx context.Context, position, assessment string, m assessapi.Metadata,
	other func(id string) bool,
) (created assessapi.PositionAssessment, lost *assessapi.LostError, err error) {
	return a.lists.Create(ctx, a.run.RetryTimeout, position,
		func(ctx context.Context) (assessapi.PositionAssessment, error) {
			return a.run.Client.AddAssessment(ctx, position, assessment, m)
		},
		func(ctx context.Context, pa assessapi.PositionAssessment) assessapi.Likeness {
			// If no read has ever contained a block, the service may hide the blocks. Then a
			// position assessment without them may still be the one that was sent.
			lacks := m.Configured() && !pa.Metadata.Configured() && !a.lists.Shown()
			switch {
			case pa.AssessmentID != assessment || other(pa.ID):
				return assessapi.Unlike
			case lacks || !a.lists.Comparable(ctx, pa):
				return assessapi.Unclear
			case pa.Metadata.Equal(m):
				return assessapi.Alike
			}
			return assessapi.Unlike
		})
}

// sendUpdate changes a position assessment (see [assessapi.Client.UpdatePositionAssessment]). If the
// answer may not come from the service, a read must show the change.
func (a *positionAssessments) sendUpdate(
	ctx context.Context, position, id, assessment string, m assessapi.Metadata,
) (pa assessapi.PositionAssessment, err error) {
	defer a.lists.Drop(position)
	pa, err = a.run.Client.UpdatePositionAssessment(ctx, position, id, assessment, m)
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
