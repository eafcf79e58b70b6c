// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ErrGone means that a resource no longer exists in the right organization.
var ErrGone = errors.New("it no longer exists in the service")

// UnconfirmedError means that the service answered 404, but this may be wrong: the list
// of assessments could not be read (Err), or it does not contain the resource's own
// assessment (Err is nil).
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string { return "the list of assessments does not confirm the 404" }

// Unwrap returns why the list could not be read. It may be nil.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// IsMissing reports whether the service answered that something does not exist, even if that is
// not confirmed.
func IsMissing(err error) bool {
	return errors.Is(err, ErrGone) || errors.As(err, new(*UnconfirmedError))
}

// ConfirmGone decides whether a 404 can be trusted. A wrong address, the key of another
// organization, or a broken gateway answers 404 to everything. So ConfirmGone reads the
// list of assessments after the 404. It returns ErrGone only if the list contains the
// resource's own assessment.
func (c *Catalog) ConfirmGone(ctx context.Context, assessment string) error {
	all, err := c.assessmentsAfter(ctx, c.confirmations.Load())
	if err != nil {
		return &UnconfirmedError{Err: err}
	}
	if slices.ContainsFunc(all, func(a assessapi.Item) bool { return a.ID == assessment }) {
		return ErrGone
	}
	return &UnconfirmedError{}
}

// assessmentsAfter reads the list of assessments again, unless another read has started
// since the counter had the given value.
func (c *Catalog) assessmentsAfter(ctx context.Context, confirmations int64) ([]assessapi.Item, error) {
	c.confirming.Lock()
	if c.confirmations.CompareAndSwap(confirmations, confirmations+1) {
		c.lists.Drop(listKey(assessapi.Assessments, ""))
	}
	c.confirming.Unlock()
	return c.List(ctx, assessapi.Assessments, "")
}
