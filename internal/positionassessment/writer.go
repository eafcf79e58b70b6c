// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// writer attaches, changes and removes position assessments, and confirms each answer that may not come from
// the service.
type writer struct {
	catalog *catalog.Catalog
	client  *assessapi.Client
	lists   *catalog.PositionAssessments
}

// newWriter returns the writer of one run.
func newWriter(c *catalog.Catalog, client *assessapi.Client) *writer {
	return &writer{catalog: c, client: client, lists: c.PositionAssessments}
}

// Add attaches an assessment (see [assessapi.Client.AddAssessment]).
func (w *writer) Add(
	ctx context.Context, position, assessment string, m assessapi.Metadata,
) (assessapi.PositionAssessment, error) {
	defer w.lists.Drop(position)
	pa, err := w.client.AddAssessment(ctx, position, assessment, m)
	if err == nil {
		w.lists.Wrote(position, pa.ID, true)
	}
	return pa, err
}

// Attach attaches an assessment like [writer.Add], but recovers a lost response. other reports whether a
// position assessment existed before, or belongs to another request. lost is the error that arrived instead of
// a response, if the position assessment was found afterwards.
func (w *writer) Attach(
	ctx context.Context, timeout time.Duration, position, assessment string, m assessapi.Metadata,
	other func(id string) bool,
) (created assessapi.PositionAssessment, lost *assessapi.LostError, err error) {
	return catalog.CreateOnce(ctx, timeout,
		func(ctx context.Context) (assessapi.PositionAssessment, error) {
			return w.Add(ctx, position, assessment, m)
		},
		func(ctx context.Context, lost *assessapi.LostError) (*assessapi.PositionAssessment, error) {
			return w.search(ctx, position, assessment, m, other, lost)
		})
}

// search reads the list of the position again, and returns the position assessment that
// matches the request.
func (w *writer) search(
	ctx context.Context, position, assessment string, m assessapi.Metadata, other func(id string) bool,
	lost *assessapi.LostError,
) (*assessapi.PositionAssessment, error) {
	unresolved := func(doubt catalog.Doubt, ids ...string) error {
		return &catalog.UnresolvedError{Lost: lost, Doubt: doubt, IDs: ids}
	}
	all, offered, err := w.lists.Recent(ctx, position)
	switch {
	case ctx.Err() != nil:
		return nil, unresolved(catalog.Interrupted)
	case err != nil:
		return nil, &catalog.UnresolvedError{Lost: lost, Doubt: catalog.ListFailed, Err: err}
	case !offered:
		return nil, unresolved(catalog.NotListed)
	}
	var matches []assessapi.PositionAssessment
	var ids []string
	for _, pa := range all {
		if pa.AssessmentID != assessment || other(pa.ID) {
			continue
		}
		// If no read has ever contained a block, the service may hide the blocks. Then a
		// position assessment without them may still be the one that was sent.
		lacks := m.Configured() && !pa.Metadata.Configured() && !w.lists.Shown()
		if lacks || !w.lists.Comparable(ctx, pa) {
			return nil, unresolved(catalog.NotShown, pa.ID)
		}
		if pa.Metadata.Equal(m) {
			matches, ids = append(matches, pa), append(ids, pa.ID)
		}
	}
	switch len(matches) {
	case 0:
		return nil, nil
	case 1:
		return &matches[0], nil
	}
	return nil, unresolved(catalog.Several, ids...)
}

// Update changes a position assessment (see [assessapi.Client.UpdatePositionAssessment]). If the
// answer may not come from the service, a read must show the change.
func (w *writer) Update(
	ctx context.Context, position, id, assessment string, m assessapi.Metadata,
) (assessapi.PositionAssessment, error) {
	defer w.lists.Drop(position)
	pa, err := w.client.UpdatePositionAssessment(ctx, position, id, assessment, m)
	if !errors.As(err, new(*assessapi.UnsureError)) {
		return pa, err
	}
	read, reading := w.lists.Read(ctx, position, id)
	switch {
	case reading != nil:
		return pa, &catalog.UnprovenError{Err: err}
	case read.Metadata.Equal(m):
		return read, nil
	case !w.client.Signs() && !w.lists.Shown() && !read.Metadata.Configured() && equal(read.Metadata.Profile, m.Profile):
		return pa, nil // the service does not show the rest (assumption A22)
	}
	return pa, &catalog.UnprovenError{Err: err, Remains: true}
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// Remove removes an assessment from a position (assumption A6). It returns nil only if the service itself
// has answered that it did, or if reads show that the position assessment is gone.
func (w *writer) Remove(ctx context.Context, position, id, assessment string) error {
	defer w.lists.Drop(position)
	w.lists.Removes(position, id)
	err := w.client.RemovePositionAssessment(ctx, position, id)
	switch {
	case err == nil:
	case errors.As(err, new(*assessapi.UnsureError)), assessapi.SaysNotFound(err):
		if err = w.confirmRemoval(ctx, position, id, assessment, err); err != nil {
			return err
		}
	default:
		return err
	}
	w.lists.Wrote(position, id, false)
	return nil
}

// confirmRemoval decides whether the answer to a removal can be trusted (assumption A6). A gateway may use the
// format of the service, or sign what it answers itself, so that only reads can tell.
//
// A service that never signs, and that does not list the assessments of a position, has no other way to report
// a removal than success, and 404 afterwards. Something in between that has no route would not report success.
func (w *writer) confirmRemoval(ctx context.Context, position, id, assessment string, said error) error {
	w.lists.Drop(position) // a list from before the answer proves nothing
	_, read := w.lists.Read(ctx, position, id)
	switch {
	case read == nil:
		return &catalog.UnprovenError{Err: said, Remains: true}
	case !assessapi.SaysNotFound(read):
		return &catalog.UnprovenError{Err: said}
	}
	err := w.lists.ConfirmGone(ctx, position, id, assessment, read)
	var (
		unproven *catalog.UnprovenError
		isGone   = errors.Is(err, catalog.ErrGone)
		reported = errors.As(said, new(*assessapi.UnsureError)) && !w.client.Signs() && !w.lists.Offered()
	)
	if isGone || reported && errors.As(err, &unproven) && !unproven.Remains {
		return nil
	}
	return err
}
