// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

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

// Recent reads the list of a position again, and returns [assessapi.ErrCached] if the list may be out of date.
// It returns false if the service does not offer such lists.
func (p *PositionAssessments) Recent(
	ctx context.Context, position string,
) (all []assessapi.PositionAssessment, offered bool, err error) {
	p.Drop(position)
	list, offered, err := p.current(ctx, position)
	if err == nil {
		err = list.doubt
	}
	return list.all, offered, err
}

// Trusted is [PositionAssessments.List] for a decision that a list from a cache must not make. It reads a list
// that may be out of date again, as [PositionAssessments.Recent] does.
func (p *PositionAssessments) Trusted(
	ctx context.Context, position string,
) (all []assessapi.PositionAssessment, offered bool, err error) {
	list, offered, err := p.current(ctx, position)
	if err == nil && list.doubt != nil {
		return p.Recent(ctx, position)
	}
	return list.all, offered, err
}

// ConfirmGone decides whether the 404 to the read of a position assessment can be trusted. It returns [ErrGone]
// only if [Catalog.ConfirmGone] does, and if the list of the position, or the list of positions, has been read and
// does not show it. Without the first list, the service must show another position assessment after the 404, or have
// signed the 404 and answer another request about the position.
func (p *PositionAssessments) ConfirmGone(ctx context.Context, position, id, assessment string, said error) error {
	if err := p.catalog.ConfirmGone(ctx, assessment); !errors.Is(err, ErrGone) {
		return err
	}
	list, offered, err := p.get(ctx, position)
	if err == nil && offered && list.doubt == nil {
		if _, listed := list.byID[id]; listed {
			return &UnprovenError{Err: said, Remains: true}
		}
		return ErrGone
	}
	_, exists, err := p.catalog.FindPosition(ctx, position)
	switch {
	case err != nil:
		return &UnprovenError{Err: said}
	case !exists && p.catalog.positions.isCurrent(), p.showsAnother(ctx, position, id),
		p.isSigned(said) && p.hasResults(ctx, position):
		return ErrGone
	}
	return &UnprovenError{Err: said}
}

// maxOthers is how many other position assessments are read to find out who answers.
const maxOthers = 3

// showsAnother reports whether the service shows, now, a position assessment other than the given one. A gateway
// without the route answers 404 for all of them, and requests for anything else say nothing about this route.
func (p *PositionAssessments) showsAnother(ctx context.Context, position, id string) bool {
	others := slices.DeleteFunc(p.shownIDs.all(), func(o place) bool { return o == place{position, id} })
	for _, other := range others[:min(len(others), maxOthers)] {
		if _, err := p.Read(ctx, other.position, other.id); err == nil {
			return true
		}
	}
	return false
}

func (p *PositionAssessments) isSigned(said error) bool {
	return p.client.Signs() && assessapi.IsOwn(said)
}

// hasResults reports whether the service answers a request about a position.
func (p *PositionAssessments) hasResults(ctx context.Context, position string) bool {
	_, _, err := p.client.FirstResults(ctx, position)
	return err == nil
}

// Enable enables a test of the organization (see [assessapi.Client.EnableSkillsTest]). If the answer may not come
// from the service, the list of enabled tests must contain the test afterwards. If the lists do not show the whole
// test, nothing is sent, and the error is an [assessapi.IncompleteError].
func (t *SkillsTests) Enable(
	ctx context.Context, ref TestRef, test assessapi.SkillsTest,
) (assessapi.SkillsTest, error) {
	if err := t.checkComplete(ctx, ref, test); err != nil {
		return assessapi.SkillsTest{}, err
	}
	enabled, err := t.catalog.client.EnableSkillsTest(ctx, ref.Assessment, test)
	if errors.As(err, new(*assessapi.UnsureError)) {
		t.Drop(ref.Assessment)
		listed, found, reading := t.Find(ctx, ref)
		switch {
		case reading != nil || !found:
			err = &UnprovenError{Err: err}
		case listed.Active != nil && !*listed.Active:
			err = &UnprovenError{Err: err, Remains: true}
		default:
			err = nil
		}
	}
	if err != nil {
		t.Drop(ref.Assessment)
		return assessapi.SkillsTest{}, err
	}
	t.Enabled(ref, enabled)
	return enabled, nil
}

// checkComplete returns an [assessapi.IncompleteError] if the lists do not show all of a test.
func (t *SkillsTests) checkComplete(ctx context.Context, ref TestRef, test assessapi.SkillsTest) error {
	var others []assessapi.SkillsTest
	for _, active := range []bool{true, false} {
		tests, err := t.List(ctx, ref.Assessment, active)
		if err != nil {
			return err
		}
		others = append(others, tests...)
	}
	return test.CheckComplete(others)
}

// ConfirmGone decides whether a test that is in neither list has gone. A list that answered 404, or that comes from
// a cache, proves nothing.
func (t *SkillsTests) ConfirmGone(ctx context.Context, ref TestRef) error {
	err := t.catalog.ConfirmGone(ctx, ref.Assessment)
	if !errors.Is(err, ErrGone) {
		return err
	}
	for _, active := range []bool{true, false} {
		_, said := t.List(ctx, ref.Assessment, active)
		if said == nil {
			said = t.doubt(ref.Assessment, active)
		}
		if said != nil {
			return &UnprovenError{Err: said}
		}
	}
	return ErrGone
}
