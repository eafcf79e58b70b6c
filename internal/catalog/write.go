// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ConfirmChange decides whether the answer to a change can be trusted. If it may not come from the service, a read must
// show the change.
func ConfirmChange[T any](answer error, read func() (T, error), shows func(T) bool) error {
	if !errors.As(answer, new(*assessapi.UnsureError)) {
		return answer
	}
	switch object, err := read(); {
	case err != nil:
		return &UnprovenError{Err: answer}
	case !shows(object):
		return &UnprovenError{Err: answer, Remains: true}
	}
	return nil
}

// Remove removes an object (assumption A6). assessment is one that the organization has if the object existed, such
// as the owner. Remove returns nil only if the service itself has answered that it did, or if reads show that the
// object is gone.
func (p *Objects[T]) Remove(ctx context.Context, owner, id, assessment string) error {
	defer p.Drop(owner)
	p.written.forget(owner, id)
	err := p.api.Remove(ctx, owner, id)
	switch {
	case err == nil:
	case errors.As(err, new(*assessapi.UnsureError)), assessapi.SaysNotFound(err):
		if err = p.confirmRemoval(ctx, owner, id, assessment, err); err != nil {
			return err
		}
	default:
		return err
	}
	p.Wrote(owner, id, false)
	return nil
}

// confirmRemoval decides whether the answer to a removal can be trusted (assumption A6). A gateway may use the
// format of the service, or sign what it answers itself, so that only reads can tell.
//
// A service that never signs, and that does not list the objects of an owner, has no other way to report
// a removal than success, and 404 afterwards. Something in between that has no route would not report success.
func (p *Objects[T]) confirmRemoval(ctx context.Context, owner, id, assessment string, said error) error {
	p.Drop(owner) // a list from before the answer proves nothing
	_, read := p.Read(ctx, owner, id)
	switch {
	case read == nil:
		return &UnprovenError{Err: said, Remains: true}
	case !assessapi.SaysNotFound(read):
		return &UnprovenError{Err: said}
	}
	err := p.ConfirmGone(ctx, owner, id, assessment, read)
	unproven, isUnproven := errors.AsType[*UnprovenError](err)
	reported := errors.As(said, new(*assessapi.UnsureError)) && !p.client.Signs() && !p.Offered()
	if errors.Is(err, ErrGone) || reported && isUnproven && !unproven.Remains {
		return nil
	}
	return err
}
