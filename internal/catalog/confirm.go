// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// assessmentsKey is the key of the list of assessments in a cache.
var assessmentsKey = listKey(assessapi.Assessments, "")

// ErrGone means that a resource no longer exists in the right organization.
var ErrGone = errors.New("it no longer exists in the service")

// UnconfirmedError means that the service answered 404, but this may be wrong: the list of assessments could not be
// read (Err), or it does not contain the resource's own assessment (Err is nil).
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string { return "the list of assessments does not confirm the 404" }

// Unwrap returns why the list could not be read. It may be nil.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// IsMissing reports whether the service answered that something does not exist, even if that is not confirmed.
func IsMissing(err error) bool {
	return errors.Is(err, ErrGone) || errors.As(err, new(*UnconfirmedError))
}

// ConfirmGone decides whether a 404 can be trusted. A wrong address, the key of another organization, or a broken
// gateway answers 404 to everything. So ConfirmGone reads the list of assessments after the 404. It returns ErrGone
// only if the list contains the resource's own assessment.
func (c *Catalog) ConfirmGone(ctx context.Context, assessment string) error {
	all, err := c.assessmentsAfter(ctx, c.lists.Version(assessmentsKey))
	if err != nil {
		return &UnconfirmedError{Err: err}
	}
	if slices.ContainsFunc(all, func(a assessapi.Item) bool { return a.ID == assessment }) {
		return ErrGone
	}
	return &UnconfirmedError{}
}

// assessmentsAfter returns a list of assessments that is newer than this version. Callers that wait during a read share
// the next read, also if it fails.
func (c *Catalog) assessmentsAfter(ctx context.Context, version int) ([]assessapi.Item, error) {
	c.confirming.Lock()
	defer c.confirming.Unlock()
	switch {
	case c.lists.Version(assessmentsKey) == version, errors.Is(c.unread, context.Canceled): // only its caller was
		c.lists.Drop(assessmentsKey)
	case c.unread != nil:
		return nil, assessapi.Repeated(c.unread)
	}
	var all []assessapi.Item
	all, c.unread = c.List(ctx, assessapi.Assessments, "")
	return all, c.unread
}

// UnprovenError means that an answer may come from a gateway or a firewall in front of the service, and that no other
// answer confirms it.
type UnprovenError struct {
	// Err is the answer: an [assessapi.Error], an [assessapi.UnsureError] or [assessapi.ErrCached].
	Err error
	// Remains is whether a read has shown that the object is still as it was before.
	Remains bool
}

func (e *UnprovenError) Error() string {
	if e.Remains {
		return fmt.Sprintf("nothing has changed in the service, although the answer was: %v", e.Err)
	}
	return fmt.Sprintf("the service does not confirm this answer: %v", e.Err)
}

// Unwrap returns the answer.
func (e *UnprovenError) Unwrap() error { return e.Err }

// Recent is [Objects.List], but reads the list again, and returns [assessapi.ErrCached] if it may be out of date.
func (p *Objects[T]) Recent(ctx context.Context, owner string) ([]T, error) {
	p.Drop(owner)
	list, err := p.current(ctx, owner)
	if err == nil {
		err = list.doubt
	}
	return list.all, err
}

// Trusted is [Objects.List] for a decision that a list from a cache must not make. It reads a list
// that may be out of date again, as [Objects.Recent] does.
func (p *Objects[T]) Trusted(ctx context.Context, owner string) ([]T, error) {
	list, err := p.current(ctx, owner)
	if err == nil && list.doubt != nil {
		return p.Recent(ctx, owner)
	}
	return list.all, err
}

// ConfirmGone decides whether the 404 to the read of an object can be trusted. It returns [ErrGone] only if
// [Catalog.ConfirmGone] does, and if the list of the owner, or the list of owners, has been read and does not show it.
// Without the first list, the service must show another object after the 404. A service that has listed the objects
// of no owner in this run may also sign the 404 and answer another request about the owner.
func (p *Objects[T]) ConfirmGone(ctx context.Context, owner, id, assessment string, said error) error {
	if err := p.catalog.ConfirmGone(ctx, assessment); !errors.Is(err, ErrGone) {
		return err
	}
	list, err := p.get(ctx, owner)
	if err == nil && list.doubt == nil {
		if _, listed := list.byID[id]; listed {
			return &UnprovenError{Err: said, Remains: true}
		}
		return ErrGone
	}
	gone, err := p.isOwnerGone(ctx, owner)
	switch {
	case err != nil:
		return &UnprovenError{Err: said}
	case gone, p.showsAnother(ctx, owner, id),
		!p.Offered() && p.client.Signs() && assessapi.IsOwn(said) && p.answers(ctx, owner):
		return ErrGone
	}
	return &UnprovenError{Err: said}
}

// Current returns an object of a state. If it has gone, the error is [ErrGone], or says why that is not certain (see
// [Objects.ConfirmGone]). The assessment is that of the state, and may be the owner itself. After an import, it is
// empty unless it is the owner, and the error may be the 404 itself.
func (p *Objects[T]) Current(ctx context.Context, owner, id, assessment string) (T, error) {
	object, err := p.Find(ctx, owner, id)
	if assessapi.IsNotFound(err) && assessment != "" {
		err = p.ConfirmGone(ctx, owner, id, assessment, err)
	}
	return object, err
}

// maxOthers is how many other objects are read to find out who answers.
const maxOthers = 3

// showsAnother reports whether the service shows, now, an object other than the given one. A gateway
// without the route answers 404 for all of them, and requests for anything else say nothing about this route.
func (p *Objects[T]) showsAnother(ctx context.Context, owner, id string) bool {
	others := slices.DeleteFunc(p.shownIDs.all(), func(o place) bool { return o == place{owner, id} })
	for _, other := range others[:min(len(others), maxOthers)] {
		if _, doubt, err := p.readNow(ctx, other.owner, other.id); err == nil && doubt == nil {
			return true
		}
	}
	return false
}

// ConfirmGone decides whether a test that is in neither list has gone. A list that answered 404, or that comes from
// a cache, proves nothing.
func (t *SkillsTests) ConfirmGone(ctx context.Context, ref TestRef) error {
	err := t.catalog.ConfirmGone(ctx, ref.Assessment)
	if !errors.Is(err, ErrGone) {
		return err
	}
	for _, active := range []bool{true, false} {
		list, said := t.list(ctx, ref.Assessment, active)
		if said = cmp.Or(said, list.doubt); said != nil {
			return &UnprovenError{Err: said}
		}
	}
	return ErrGone
}
