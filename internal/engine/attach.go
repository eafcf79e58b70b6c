// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// DuplicateError means that a position has the assessment already, and that this run has not freed the
// place. Nothing was sent.
type DuplicateError struct {
	IDs []string // of position assessments
	// Other is whether they are configured differently, and refused because of adopt_existing.
	// Own is whether another resource of this run has attached it, or has taken it over.
	Other, Own bool
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the position already has it, as position assessment %q", e.IDs)
}

// PositionGoneError means that the organization no longer has a position. Nothing was sent.
type PositionGoneError struct{ Position string }

func (e *PositionGoneError) Error() string {
	return fmt.Sprintf("position %q no longer exists", e.Position)
}

// Creation is an assessment that is going to be attached to a position.
type Creation struct {
	Position, Assessment string
	Metadata             assessapi.Metadata
}

func (c Creation) content() content { return content{c.Assessment, c.Metadata.Key()} }

// Attached is a position assessment that [Attachments.Attach] has attached.
type Attached struct {
	assessapi.PositionAssessment
	Memory catalog.Memory
	// Recovered is the error that arrived instead of a response, if the position assessment
	// was found afterwards.
	Recovered error
	// Adopted is whether it existed before, and was taken over because of adopt_existing. Inherited is
	// whether this run was about to remove it at another address. Nothing was sent in both cases.
	Adopted, Inherited bool
	// Incomplete is why the status and the address of the profile are not known.
	Incomplete error
}

// Attach attaches an assessment to a position (attachAssessment). It never attaches a duplicate: if the
// position has an equal one, Attach waits until this run has freed the place. If a response is lost,
// it finds out whether the request had an effect before it sends the request again.
//
// needs says which attributes of the profile the caller requires. If the response does
// not contain them, Attach reads them (assumption A4).
func (a *Attachments) Attach(ctx context.Context, c Creation, needs ProfileNeeds) (Attached, error) {
	if err := a.run.beginApply(); err != nil {
		return Attached{}, err
	}
	t := &attempt{Attachments: a, Creation: c}
	taken, err := t.admit(ctx)
	if err != nil {
		return Attached{}, err
	}
	attached := Attached{Adopted: taken != nil && t.inherited == nil, Inherited: t.inherited != nil}
	if taken != nil {
		attached.PositionAssessment = *taken
	} else if attached.PositionAssessment, attached.Recovered, err = t.attach(ctx); err != nil {
		return Attached{}, err
	}
	// The assessment is attached now. Later failures are not errors.
	ref := Ref{c.Position, attached.ID}
	attached.PositionAssessment, attached.Incomplete = a.withProfile(ctx, ref, c, attached.PositionAssessment, needs)
	a.lists.Probe(ctx, ref.Position, ref.ID, c.Metadata)
	attached.Memory = catalog.Remember(attached.PositionAssessment, a.lists.Shown())
	return attached, nil
}

// withProfile reads a position assessment if the response to a write lacks required
// attributes of its profile, and if it can have a profile.
func (a *Attachments) withProfile(
	ctx context.Context, ref Ref, c Creation, response assessapi.PositionAssessment, needs ProfileNeeds,
) (assessapi.PositionAssessment, error) {
	lacks := needs.Status && response.Metadata.ProfileStatus == nil || needs.URL && response.Metadata.ProfileURL == nil
	if !lacks {
		return response, nil
	}
	if c.Metadata.Profile == nil {
		if profiles, err := a.catalog.Profiles(ctx, c.Assessment); err == nil && len(profiles) == 0 {
			return response, nil
		}
	}
	whole, err := a.lists.Read(ctx, ref.Position, ref.ID)
	if err != nil {
		return response, err
	}
	return whole, nil
}

// ProfileNeeds says which attributes of a profile a caller requires after a write.
type ProfileNeeds struct{ Status, URL bool }

// attempt is one creation.
type attempt struct {
	*Attachments
	Creation
	comparable map[string]bool // by id: position assessments of the same assessment that can be compared
	inherited  *object         // what a removal of this run has handed over
	existed    map[string]bool // what the position had when the creation was admitted
}

// admit waits until the creation may be sent. If it takes over a position assessment instead, admit
// returns that.
func (t *attempt) admit(ctx context.Context) (taken *assessapi.PositionAssessment, err error) {
	limit := time.Now().Add(longestWait)
	if err := t.look(ctx, false); err != nil {
		return nil, err
	}
	defer func() {
		if inherited := t.leave(); inherited != nil {
			taken, err = inherited, nil // its removal has ended, so that no error may lose it
		}
	}()
	for patience := hopeful; ; {
		taken, wait, err := t.decide(patience)
		if !wait {
			return taken, err
		}
		over := t.run.activity.await(ctx, limit, t.isFree)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if patience = hopeful; over {
			if err := t.look(ctx, true); err != nil {
				return nil, err
			}
			patience = waited
		}
		if !time.Now().Before(limit) {
			patience = exhausted
		}
	}
}

// patience is what a creation still waits for.
type patience int

const (
	hopeful   patience = iota // this run may free the place
	waited                    // core was silent, and the list has been read once more
	exhausted                 // the wait has lasted for [longestWait]
)

// look reads the list of the position, unless this run has read it before. again is whether it is read
// in any case: that also shows what others have removed.
func (t *attempt) look(ctx context.Context, again bool) error {
	var known bool
	var writes int
	t.sites.locked(t.Position, func(s *site) { known, writes = s.listed || s.unlisted, s.writes })
	if !known || again {
		list := t.lists.Trusted
		if again {
			list = t.lists.Recent
		}
		all, offered, err := list(ctx, t.Position)
		if assessapi.IsNotFound(err) {
			offered, err = false, t.explainMissing(ctx, err)
		}
		if err != nil {
			return err
		}
		if !offered {
			t.run.notices.once("unlisted", Notice{Kind: AttachedWithoutLook, Ref: Ref{Position: t.Position}})
		}
		t.sites.locked(t.Position, func(s *site) {
			if s.unlisted = !offered; offered {
				s.merge(all, writes)
			}
		})
	}
	t.compare(ctx)
	return nil
}

// explainMissing decides what a 404 to the list of a position means. It returns nil if the position
// exists, so that the service offers no such lists.
func (t *attempt) explainMissing(ctx context.Context, missing error) error {
	_, found, err := t.catalog.FindPosition(ctx, t.Position)
	switch {
	case err != nil:
		return missing
	case !found:
		return &PositionGoneError{t.Position}
	case !t.lists.GiveUp():
		return missing
	}
	return nil
}

// compare finds out which position assessments of the same assessment can be compared with the
// creation (assumption A22).
func (t *attempt) compare(ctx context.Context) {
	var all []assessapi.PositionAssessment
	t.sites.locked(t.Position, func(s *site) {
		for _, o := range s.of(t.Assessment) {
			all = append(all, o.PositionAssessment)
		}
	})
	comparable := map[string]bool{}
	for _, pa := range all {
		comparable[pa.ID] = t.lists.Comparable(ctx, pa)
	}
	t.sites.locked(t.Position, func(*site) { t.comparable = comparable })
}

// beside returns what the position has of the same assessment: with the same configuration, and with
// another one.
func (t *attempt) beside(s *site) (equal, others []*object) {
	for _, o := range s.of(t.Assessment) {
		switch comparable, compared := t.comparable[o.ID]; {
		case compared && !comparable:
		case o.Metadata.Equal(t.Metadata):
			equal = append(equal, o)
		default:
			others = append(others, o)
		}
	}
	return equal, others
}

// inTheWay returns what the creation must not be attached beside. Beside others, it is only refused
// with adopt_existing, and if they are not of this run.
func (t *attempt) inTheWay(s *site) (equal, others []*object) {
	equal, others = t.beside(s)
	if !t.run.cfg.AdoptExisting {
		return equal, nil
	}
	return equal, slices.DeleteFunc(others, func(o *object) bool { return o.hold == taken })
}

// isFree reports whether a decision without a further wait is possible.
func (t *attempt) isFree() (free bool) {
	t.sites.locked(t.Position, func(s *site) {
		equal, others := t.inTheWay(s)
		free = t.inherited != nil || !s.sending[t.content()] && len(equal)+len(others) == 0 ||
			slices.ContainsFunc(equal, func(o *object) bool { return o.hold == taken })
	})
	return free
}

// decide admits the creation, refuses it, lets it take over a position assessment, or lets it wait.
func (t *attempt) decide(p patience) (taken *assessapi.PositionAssessment, wait bool, err error) {
	t.sites.locked(t.Position, func(s *site) {
		equal, others := t.inTheWay(s)
		if wait = t.mustWait(s, equal, others, p); !wait {
			taken, err = t.take(s, equal, others)
		} else if !slices.Contains(s.waiting, t) {
			s.waiting = append(s.waiting, t)
		}
	})
	return taken, wait, err
}

func (t *attempt) mustWait(s *site, equal, others []*object, p patience) bool {
	held := func(h hold) bool {
		return slices.ContainsFunc(slices.Concat(equal, others), func(o *object) bool { return o.hold == h })
	}
	switch {
	case t.inherited != nil, p == exhausted:
		return false
	case s.sending[t.content()], held(changing):
		return true
	}
	return p == hopeful && !held(taken) && len(equal)+len(others) > 0
}

// take makes the decision when there is nothing more to wait for.
func (t *attempt) take(s *site, equal, others []*object) (*assessapi.PositionAssessment, error) {
	refuse := func(e *DuplicateError, objects []*object) error {
		for _, o := range objects {
			e.IDs = append(e.IDs, o.ID)
			e.Own = e.Own || o.hold == taken
		}
		return e
	}
	switch {
	case t.inherited != nil:
		return &t.inherited.PositionAssessment, nil
	case len(equal) == 1 && equal[0].hold == free && !equal[0].kept && t.run.cfg.AdoptExisting:
		s.wrote(equal[0], taken)
		return &equal[0].PositionAssessment, nil
	case len(equal) > 0, s.sending[t.content()]:
		return nil, refuse(&DuplicateError{Own: s.sending[t.content()]}, equal)
	case len(others) > 0:
		return nil, refuse(&DuplicateError{Other: true}, others)
	}
	s.sending[t.content()], t.existed = true, map[string]bool{}
	for id := range s.objects {
		t.existed[id] = true
	}
	return nil, nil
}

// leave ends the wait of a creation. It returns what a removal has handed over, or nil.
func (t *attempt) leave() (inherited *assessapi.PositionAssessment) {
	t.sites.locked(t.Position, func(s *site) {
		s.waiting = slices.DeleteFunc(s.waiting, func(other *attempt) bool { return other == t })
		if t.inherited != nil {
			inherited = &t.inherited.PositionAssessment
		}
	})
	return inherited
}

// attach sends a creation that was admitted. lost is the error that arrived instead of a response, if
// the position assessment was found afterwards.
func (t *attempt) attach(ctx context.Context) (created assessapi.PositionAssessment, lost, err error) {
	defer t.run.activity.changed()
	defer func() {
		t.sites.locked(t.Position, func(s *site) {
			delete(s.sending, t.content())
			if errors.As(err, new(*UnresolvedError)) {
				s.listed = false // the position may have it by now
			}
		})
	}()
	if err := t.activations.await(ctx, t.Assessment, t.Metadata.Tests); err != nil {
		return created, nil, err
	}
	created, response, err := createOnce(ctx, t.run, t.send, t.search)
	if err != nil {
		return created, nil, err
	}
	if response != nil {
		lost = response
	}
	t.sites.locked(t.Position, func(s *site) { t.own(s, created) })
	return created, lost, nil
}

// own records that this run has attached a position assessment, configured as the creation.
func (t *attempt) own(s *site, created assessapi.PositionAssessment) {
	o := s.object(created.ID)
	o.PositionAssessment, o.AssessmentID, o.Metadata = created, t.Assessment, t.Metadata
	s.wrote(o, taken)
}

func (t *attempt) send(ctx context.Context) (assessapi.PositionAssessment, error) {
	defer t.changed(t.Position)
	return t.writer.Add(ctx, t.Position, t.Assessment, t.Metadata)
}

// search reads the list of the position again, and returns the position assessment that
// matches the request.
func (t *attempt) search(ctx context.Context, lost *assessapi.LostError) (*assessapi.PositionAssessment, error) {
	unresolved := func(doubt Doubt, ids ...string) error { return &UnresolvedError{Lost: lost, Doubt: doubt, IDs: ids} }
	all, offered, err := t.lists.Recent(ctx, t.Position)
	switch {
	case ctx.Err() != nil:
		return nil, unresolved(Interrupted)
	case err != nil:
		return nil, &UnresolvedError{Lost: lost, Doubt: ListFailed, Err: err}
	case !offered:
		return nil, unresolved(NotListed)
	}
	var matches []assessapi.PositionAssessment
	for _, pa := range all {
		if pa.AssessmentID != t.Assessment || t.existed[pa.ID] || t.isTaken(pa.ID) {
			continue
		}
		// If no read has ever contained a block, the service may hide the blocks. Then a
		// position assessment without them may still be the one that was sent.
		lacks := t.Metadata.Configured() && !pa.Metadata.Configured() && !t.lists.Shown()
		if lacks || !t.lists.Comparable(ctx, pa) {
			return nil, unresolved(NotShown, pa.ID)
		}
		if pa.Metadata.Equal(t.Metadata) {
			matches = append(matches, pa)
		}
	}
	switch len(matches) {
	case 0:
		return nil, nil
	case 1:
		return &matches[0], nil
	}
	ids := make([]string, len(matches))
	for i, pa := range matches {
		ids[i] = pa.ID
	}
	return nil, unresolved(Several, ids...)
}

// isTaken reports whether a position assessment belongs to another creation of this run.
func (t *attempt) isTaken(id string) (is bool) {
	t.sites.locked(t.Position, func(s *site) { is = s.objects[id] != nil && s.objects[id].hold == taken })
	return is
}
