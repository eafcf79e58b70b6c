// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Writer attaches, changes and removes position assessments, and confirms each answer that may not come from
// the service.
type Writer struct {
	catalog *Catalog
	client  *assessapi.Client
	lists   *PositionAssessments
}

// NewWriter returns the writer of one run.
func NewWriter(c *Catalog) *Writer {
	return &Writer{catalog: c, client: c.client, lists: c.PositionAssessments}
}

// Add attaches an assessment (see [assessapi.Client.AddAssessment]).
func (w *Writer) Add(
	ctx context.Context, position, assessment string, m assessapi.Metadata,
) (assessapi.PositionAssessment, error) {
	defer w.lists.Drop(position)
	pa, err := w.client.AddAssessment(ctx, position, assessment, m)
	if err == nil {
		w.lists.written.set(position, pa.ID, true)
		w.lists.shownIDs.set(position, pa.ID, true)
	}
	return pa, err
}

// Update changes a position assessment (see [assessapi.Client.UpdatePositionAssessment]). If the
// answer may not come from the service, a read must show the change.
func (w *Writer) Update(
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
		return pa, &UnprovenError{Err: err}
	case read.Metadata.Equal(m):
		return read, nil
	case !w.client.Signs() && !w.lists.Shown() && !read.Metadata.Configured() && equal(read.Metadata.Profile, m.Profile):
		return pa, nil // the service does not show the rest (assumption A22)
	}
	return pa, &UnprovenError{Err: err, Remains: true}
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// Remove removes an assessment from a position (assumption A6). It returns nil only if the service itself
// has answered that it did, or if reads show that the position assessment is gone.
func (w *Writer) Remove(ctx context.Context, position, id, assessment string) error {
	defer w.lists.Drop(position)
	w.lists.written.forget(position, id)
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
	w.lists.written.set(position, id, false)
	w.lists.shownIDs.set(position, id, false)
	return nil
}

// confirmRemoval decides whether the answer to a removal can be trusted (assumption A6). A gateway may use the
// format of the service, or sign what it answers itself, so that only reads can tell.
//
// A service that never signs, and that does not list the assessments of a position, has no other way to report
// a removal than success, and 404 afterwards. Something in between that has no route would not report success.
func (w *Writer) confirmRemoval(ctx context.Context, position, id, assessment string, said error) error {
	w.lists.Drop(position) // a list from before the answer proves nothing
	_, read := w.lists.Read(ctx, position, id)
	switch {
	case read == nil:
		return &UnprovenError{Err: said, Remains: true}
	case !assessapi.SaysNotFound(read):
		return &UnprovenError{Err: said}
	}
	err := w.lists.ConfirmGone(ctx, position, id, assessment, read)
	var (
		unproven *UnprovenError
		isGone   = errors.Is(err, ErrGone)
		reported = errors.As(said, new(*assessapi.UnsureError)) && !w.client.Signs() && !w.lists.Offered()
	)
	if isGone || reported && errors.As(err, &unproven) && !unproven.Remains {
		return nil
	}
	return err
}
