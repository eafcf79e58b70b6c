// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// update is an update of a position assessment.
type update struct {
	Object ManagedObject
	// Metadata replaces Before, the metadata of the state (assumption A5).
	Before, Metadata assessapi.Metadata
	Needs            profileNeeds
	Memory           catalog.Memory
}

// Update changes a position assessment. If it attaches a profile, and a supervisor has completed the profile since the
// plan, it sends nothing and returns [errProfileCompleted].
func (a *positionAssessments) Update(ctx context.Context, c update) (written, error) {
	ref := c.Object.Ref
	o, before, err := a.claim(ctx, c.Object)
	if err == nil && before != unclaimed {
		err = errTaken
	}
	if err != nil {
		return written{}, err
	}
	added := slices.DeleteFunc(slices.Clone(c.Metadata.Tests), func(id string) bool {
		return slices.Contains(c.Before.Tests, id)
	})
	err = a.activations.Await(ctx, time.Now().Add(run.LongestWait), c.Object.Assessment, added)
	sending := ctx
	if err == nil && c.Metadata.Profile != nil {
		sending, err = a.guard(ctx, c.Object)
	}
	var pa assessapi.PositionAssessment
	if err == nil {
		pa, err = a.sendUpdate(sending, ref.Position, ref.ID, c.Object.Assessment, c.Metadata)
	}
	a.release(ref, o, func(s *site) {
		if o.kept = true; err == nil {
			o.AssessmentID, o.Metadata = c.Object.Assessment, c.Metadata
			s.wrote(o, unclaimed)
		}
	})
	if err != nil {
		return written{}, err
	}
	pa.ID = ref.ID // an answer that only a read has confirmed may have none
	return a.complete(ctx, Creation{ref.Position, c.Object.Assessment, c.Metadata}, pa, c.Needs, c.Memory), nil
}

// guard returns [errProfileCompleted] if a supervisor has completed the profile since the plan. Otherwise, it returns a
// context with which a write asks that again before each repetition.
func (a *positionAssessments) guard(ctx context.Context, o ManagedObject) (context.Context, error) {
	return assessapi.WithRepeatCheck(ctx, func(ctx context.Context) error {
		err := a.unsupervised(ctx, o)
		if assessapi.IsNotFound(err) {
			return nil // perhaps because of the write, which finds that out
		}
		return err
	}), a.unsupervised(ctx, o)
}

// unsupervised returns [errProfileCompleted] if a supervisor has completed the profile since the plan.
func (a *positionAssessments) unsupervised(ctx context.Context, o ManagedObject) error {
	current, err := a.lists.ReadOrList(ctx, o.Position, o.ID)
	if err == nil && current.Metadata.IsCompleted() && o.Status != assessapi.SupervisorCompleted {
		err = errProfileCompleted
	}
	return err
}

// Remove removes a position assessment (assumption A6). It also succeeds if it no longer exists. If the service
// refuses, and the object may be forgotten, it returns the refusal as forgotten instead of an error.
//
// It sends nothing if a creation that waits for the position assessment takes it over, or has already done so. state is
// the metadata of the object in the state.
func (a *positionAssessments) Remove(
	ctx context.Context, o ManagedObject, state assessapi.Metadata,
) (forgotten, err error) {
	object, before, err := a.claim(ctx, o)
	if err != nil || before != unclaimed || a.handOver(o.Ref, object, state) {
		return nil, err
	}
	forgotten, err = a.remove(ctx, o)
	a.release(o.Ref, object, func(s *site) {
		if object.kept = err != nil; err == nil && forgotten == nil {
			s.wrote(object, removedHere)
		}
	})
	return forgotten, err
}

func (a *positionAssessments) remove(ctx context.Context, o ManagedObject) (forgotten, err error) {
	sending := ctx
	if o.Status != "" || o.Unread {
		if sending, err = a.guard(ctx, o); err != nil && !assessapi.IsNotFound(err) {
			return nil, err
		}
	}
	err = a.lists.Remove(sending, o.Position, o.ID, o.Assessment)
	if o.Forget && a.refusesRemoval(ctx, o, err) {
		forgotten, err = err, nil
	}
	return forgotten, err
}

// handOver gives an object that is about to be removed to the creation that waits for it.
func (a *positionAssessments) handOver(ref Ref, o *siteObject, state assessapi.Metadata) bool {
	defer a.run.Changed()
	s := a.sites.lock(ref.Position)
	defer a.sites.Unlock()
	heir := s.heir(o, state)
	if heir != nil {
		heir.inherited, o.adopted = o, false
		s.wrote(o, takenOver)
	}
	return heir != nil
}

// claim claims an object for a removal or an update before anything is sent. If before is not
// unclaimed, nothing is claimed, because a creation has taken the object over, or this run has removed it.
func (a *positionAssessments) claim(
	ctx context.Context, of ManagedObject,
) (o *siteObject, before objectStatus, err error) {
	try := func() bool {
		s := a.sites.lock(of.Position)
		defer a.sites.Unlock()
		o = s.object(of.ID)
		before = o.status
		// An earlier apply of this process may have attached it, or have taken it over for this address.
		own := before == attachedHere || before == takenOver && a.run.Reused && !of.Created.Before(o.written)
		if before == unclaimed || before == unlisted || own {
			before, o.status = unclaimed, changing
		}
		return before != changing
	}
	for claimed := try(); !claimed; { // the state has the object at two addresses
		claimed = !a.run.Await(ctx, time.Now().Add(run.LongestWait), try)
		if err := ctx.Err(); err != nil && !claimed {
			return nil, changing, err
		}
	}
	return o, before, nil
}

// release ends a claim. record records what the removal or update has done.
func (a *positionAssessments) release(ref Ref, o *siteObject, record func(*site)) {
	a.drop(ref.Position)
	s := a.sites.lock(ref.Position)
	o.status = unclaimed
	record(s)
	a.sites.Unlock()
	a.run.Changed()
}

// drop drops the cached lists of a position after a write.
func (a *positionAssessments) drop(position string) {
	a.lists.Drop(position)
	a.catalog.Results.Drop(position)
	a.invitations.Drop(position)
}

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
