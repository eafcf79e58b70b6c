// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// ErrProfileCompleted means that a supervisor has completed the profile since the plan
// was made. Nothing was sent.
var ErrProfileCompleted = errors.New("a supervisor has completed the profile since the plan was made")

// ErrTaken means that another resource of this run has taken over a position assessment, so that this
// one cannot change it any more. Nothing was sent.
var ErrTaken = errors.New("another resource of this run has taken it over")

// Change is an update of a position assessment.
type Change struct {
	Object Object
	// Metadata replaces Before, the metadata of the state (assumption A5).
	Before, Metadata assessapi.Metadata
	Needs            ProfileNeeds
}

// Updated is a position assessment that [Attachments.Update] has changed.
type Updated struct {
	assessapi.PositionAssessment
	Memory catalog.Memory
	// Incomplete is why the status and the address of the profile are not known.
	Incomplete error
}

// Update changes a position assessment. If it attaches a profile, and a supervisor has
// completed the profile since the plan, it sends nothing and returns
// [ErrProfileCompleted].
func (a *Attachments) Update(ctx context.Context, c Change) (Updated, error) {
	if err := a.run.beginApply(); err != nil {
		return Updated{}, err
	}
	ref := c.Object.Ref
	o, hold, err := a.claim(ctx, ref)
	if err == nil && hold == taken {
		err = ErrTaken
	}
	if err != nil {
		return Updated{}, err
	}
	after := Creation{ref.Position, c.Object.Assessment, c.Metadata}
	pa, err := a.update(ctx, c)
	a.changed(ref.Position)
	a.release(ref, o, func(s *site) {
		if o.kept = true; err == nil {
			o.AssessmentID, o.Metadata = after.Assessment, after.Metadata
			s.wrote(o, free)
		}
	})
	if err != nil {
		return Updated{}, err
	}
	u := Updated{}
	u.PositionAssessment, u.Incomplete = a.withProfile(ctx, ref, after, pa, c.Needs)
	a.lists.Probe(ctx, ref.Position, ref.ID, c.Metadata)
	u.Memory = catalog.Remember(u.PositionAssessment, a.lists.Shown())
	return u, nil
}

func (a *Attachments) update(ctx context.Context, c Change) (assessapi.PositionAssessment, error) {
	var added []string
	for _, test := range c.Metadata.Tests {
		if !slices.Contains(c.Before.Tests, test) {
			added = append(added, test)
		}
	}
	err := a.activations.await(ctx, c.Object.Assessment, added)
	if err == nil && c.Metadata.Profile != nil {
		err = a.unsupervised(ctx, c.Object)
	}
	if err != nil {
		return assessapi.PositionAssessment{}, err
	}
	return a.writer.Update(ctx, c.Object.Position, c.Object.ID, c.Object.Assessment, c.Metadata)
}

// unsupervised reads a position assessment. It returns [ErrProfileCompleted] if a supervisor has
// completed its profile since the plan.
func (a *Attachments) unsupervised(ctx context.Context, o Object) error {
	current, err := a.lists.Read(ctx, o.Position, o.ID)
	if err == nil && current.Metadata.IsCompleted() && o.Status != assessapi.SupervisorCompleted {
		err = ErrProfileCompleted
	}
	return err
}

// Remove removes a position assessment (assumption A6). It also succeeds if the position
// assessment does not exist any more. If the service refuses, and the object may be forgotten,
// it returns the refusal as forgotten instead of an error.
//
// It sends nothing if a creation waits for the position assessment, which then takes it over, or if one
// has taken it over before.
func (a *Attachments) Remove(ctx context.Context, o Object) (forgotten, err error) {
	if err := a.run.beginApply(); err != nil {
		return nil, err
	}
	held, hold, err := a.claim(ctx, o.Ref)
	if err != nil || hold != free {
		return nil, err
	}
	if !a.handOver(o.Ref, held) {
		forgotten, err = a.remove(ctx, o)
		a.changed(o.Position)
		a.release(o.Ref, held, func(s *site) {
			if held.kept = err != nil; err == nil && forgotten == nil {
				s.wrote(held, removed)
			}
		})
	}
	return forgotten, err
}

func (a *Attachments) remove(ctx context.Context, o Object) (forgotten, err error) {
	if o.Status != "" {
		if err := a.unsupervised(ctx, o); err != nil && !assessapi.IsNotFound(err) {
			return nil, err
		}
	}
	err = a.writer.Remove(ctx, o.Position, o.ID, o.Assessment)
	if o.Forget && a.refusesRemoval(ctx, err, o) {
		forgotten, err = err, nil
	}
	return forgotten, err
}

// handOver gives an object that is about to be removed to the creation that waits for it.
func (a *Attachments) handOver(ref Ref, o *object) (done bool) {
	defer a.run.activity.changed()
	a.sites.locked(ref.Position, func(s *site) {
		if heir := s.heir(o); heir != nil {
			heir.inherited, done = o, true
			s.wrote(o, taken)
		}
	})
	return done
}

// claim holds an object for a removal or an update, before anything is sent. If it returns another
// hold than free, the object is not held: a creation has taken it over, or this run has removed it.
func (a *Attachments) claim(ctx context.Context, ref Ref) (o *object, before hold, err error) {
	for {
		a.sites.locked(ref.Position, func(s *site) {
			o = s.object(ref.ID)
			if before = o.hold; before == free || before == missing {
				before, o.hold = free, changing
			}
		})
		if before != changing {
			return o, before, nil
		}
		// The state has the object at two addresses.
		a.run.activity.await(ctx, time.Now().Add(longestWait), func() (over bool) {
			a.sites.locked(ref.Position, func(*site) { over = o.hold != changing })
			return over
		})
		if err := ctx.Err(); err != nil {
			return nil, changing, err
		}
	}
}

// release ends a claim. change records what the removal or update has done.
func (a *Attachments) release(ref Ref, o *object, change func(*site)) {
	a.sites.locked(ref.Position, func(s *site) {
		o.hold = free
		change(s)
	})
	a.run.activity.changed()
}

// refusesRemoval reports whether the service refuses to remove a position assessment
// (assumption A6). A firewall refuses, too, and a 403 may refuse the API key. So the refusal must be the
// service's own word, or candidates must have been invited.
func (a *Attachments) refusesRemoval(ctx context.Context, err error, o Object) bool {
	var refused *assessapi.Error
	if !errors.As(err, &refused) || errors.As(err, new(*catalog.UnprovenError)) {
		return false
	}
	switch refused.Class() {
	case assessapi.Conflict, assessapi.Foreign:
	case assessapi.Forbidden:
		if !errors.Is(a.catalog.ConfirmGone(ctx, o.Assessment), catalog.ErrGone) {
			return false // the credentials are wrong
		}
	default:
		return false
	}
	if refused.IsOwn() {
		return true
	}
	invited, err := a.invitations.Count(ctx, o.Position, o.Assessment)
	return err == nil && invited.Candidates > 0
}

// changed drops the cached lists of a position after a write.
func (a *Attachments) changed(position string) {
	a.lists.Drop(position)
	a.results.Drop(position)
	a.invitations.Drop(position)
}
