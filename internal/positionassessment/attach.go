// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// duplicateError means that a position has the assessment, and that this run has not removed it. Nothing was sent.
type duplicateError struct {
	IDs []string // of position assessments
	// Other is whether they are configured differently. Own is whether this run has attached one, or has taken it over.
	Other, Own bool
	Differs    string // how the only one that is configured differently differs
	// Again is whether this run has refused another creation because of exactly one that is equal, with the same advice.
	Again bool
}

func (e *duplicateError) Error() string {
	return fmt.Sprintf("the position already has it, as position assessment %q", e.IDs)
}

// Errors after which nothing was sent.
var (
	errPositionGone     = errors.New("the position no longer exists")
	errProfileCompleted = errors.New("a supervisor has completed the profile since the plan was made")
	errTaken            = errors.New("another resource of this run has taken it over or removed it")
)

// Creation is an assessment that a position is going to have.
type Creation struct {
	Position, Assessment string
	Metadata             assessapi.Metadata
}

func (c Creation) content() content { return content{c.Assessment, c.Metadata.Key()} }

// Attach attaches an assessment to a position (attachAssessment). It never attaches a duplicate: if the position has an
// equal one, Attach waits until this run has removed that one. If a response is lost, it finds out whether the request
// had an effect before it sends the request again.
//
// If the response does not contain what needs requires, Attach reads it (assumption A4).
func (a *positionAssessments) Attach(ctx context.Context, creation Creation, needs profileNeeds) (written, error) {
	var taken []ManagedObject
	a.adoptions.creating.Add(1)
	defer func() { a.warnAdopted(a.adoptions.end(taken)) }()
	c := &creator{positionAssessments: a, Creation: creation}
	pa, lost, err := c.attach(ctx)
	refused, ok := errors.AsType[*duplicateError](err)
	if ok && !refused.Own && !refused.Other && len(refused.IDs) == 1 {
		refused.Again = a.refused.Swap(true)
	}
	if err != nil {
		return written{}, err
	}
	if c.adopted {
		taken = []ManagedObject{{Ref: Ref{c.Position, pa.ID}, Assessment: c.Assessment}}
	}
	memory := catalog.Memory{Created: time.Now().UTC()}
	done := a.complete(ctx, creation, pa, needs, memory)
	done.Recovered = lost
	return done, nil
}

// creator attaches one position assessment.
type creator struct {
	*positionAssessments
	Creation
	hidden    map[string]bool        // by id: what cannot be compared with the creation (assumption A22)
	existed   map[string]*siteObject // by id: what the position had when the creation was admitted
	adopted   bool                   // the creation has taken over an object because of adopt_existing
	inherited *siteObject            // what a removal of this run has handed over
}

// attach attaches the assessment, or takes one over. lost is the error before it was found, if a response was lost.
func (c *creator) attach(ctx context.Context) (pa assessapi.PositionAssessment, lost *assessapi.LostError, err error) {
	limit := time.Now().Add(run.LongestWait)
	if err := c.activations.Await(ctx, limit, c.Assessment, c.Metadata.Tests); err != nil {
		return pa, nil, err
	}
	existing, err := c.admit(ctx, limit)
	if existing != nil {
		return *existing, nil, nil
	}
	if err != nil {
		return pa, nil, err
	}
	defer c.run.Changed()
	wanted := assessapi.PositionAssessment{AssessmentID: c.Assessment, Metadata: c.Metadata}
	pa, lost, err = c.lists.Create(ctx, c.run.RetryTimeout, c.Position, wanted, c.isOther)
	c.drop(c.Position)
	s := c.sites.lock(c.Position)
	defer c.sites.Unlock()
	delete(s.sending, c.content())
	switch {
	case err == nil:
		o := s.object(pa.ID)
		o.PositionAssessment, o.AssessmentID, o.Metadata = pa, c.Assessment, c.Metadata
		s.wrote(o, attachedHere)
	case errors.As(err, new(*catalog.UnresolvedError)):
		s.unclear[c.content()] = err // the position may have it by now
	}
	return pa, lost, err
}

// admit waits until the creation may be sent. If it takes over a position assessment instead, admit returns that.
func (c *creator) admit(ctx context.Context, limit time.Time) (existing *assessapi.PositionAssessment, err error) {
	if err := c.look(ctx, false); err != nil {
		return nil, err
	}
	s := c.sites.lock(c.Position)
	s.waiting = append(s.waiting, c)
	c.sites.Unlock()
	defer func() {
		s := c.sites.lock(c.Position)
		defer c.sites.Unlock()
		s.waiting = slices.DeleteFunc(s.waiting, func(other *creator) bool { return other == c })
		if c.inherited != nil {
			existing, err = c.inherited.copied(), nil // its removal has ended, so that no error may lose it
		}
	}()
	for p := hopeful; ; {
		existing, wait, err := c.decide(p)
		if !wait {
			if p == waited && (existing != nil || err != nil) {
				c.run.InVain()
			}
			return existing, err
		}
		over := c.run.Await(ctx, limit, c.isFree)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p = hopeful; over {
			if err := c.look(ctx, true); err != nil {
				return nil, err
			}
			p = waited
		}
		if !time.Now().Before(limit) {
			p = exhausted
		}
	}
}

// patience is what a creation still waits for.
type patience int

const (
	hopeful   patience = iota // this run may free the place
	waited                    // core was silent, and the list has been read again
	exhausted                 // the wait has lasted for [run.LongestWait]
)

// look reads the list of the position once. If again is set, it reads a known list again, to see what others have
// removed.
func (c *creator) look(ctx context.Context, again bool) error {
	s := c.sites.lock(c.Position)
	again = again || c.run.Reused // the process has also made the plan
	known, writes := s.known && !again, s.writes
	c.sites.Unlock()
	if !known {
		list := c.lists.Trusted
		if again {
			list = c.lists.Recent
		}
		all, err := list(ctx, c.Position)
		if assessapi.IsNotFound(err) { // once may be an accident
			all, err = c.lists.Recent(ctx, c.Position)
		}
		if assessapi.IsNotFound(err) {
			err = c.explainMissing(ctx, err)
		}
		listed := !errors.Is(err, catalog.ErrNotListed)
		if listed && err != nil {
			return err
		}
		if !listed {
			c.warnUnlisted(c.Position)
		}
		s := c.sites.lock(c.Position)
		if s.known = true; listed {
			s.merge(all, writes)
		}
		c.sites.Unlock()
	}
	hidden := map[string]bool{}
	for _, pa := range c.present() {
		isShown, err := c.lists.Comparable(ctx, pa)
		if err != nil {
			return err
		}
		hidden[pa.ID] = !isShown
	}
	c.sites.Lock()
	defer c.sites.Unlock()
	c.hidden = hidden
	return nil
}

// explainMissing decides what a 404 to the list of a position means. It returns [catalog.ErrNotListed] if the position
// exists, and no such list could be read before. Then the service may not offer the list of this position.
func (c *creator) explainMissing(ctx context.Context, missing error) error {
	_, found, err := c.catalog.FindPosition(ctx, c.Position)
	switch {
	case err == nil && !found:
		return errPositionGone
	case err != nil || c.lists.Offered():
		return missing
	}
	return catalog.ErrNotListed
}

// present copies what the position has of the same assessment.
func (c *creator) present() (all []assessapi.PositionAssessment) {
	s := c.sites.lock(c.Position)
	defer c.sites.Unlock()
	for _, o := range s.of(c.Assessment) {
		all = append(all, o.PositionAssessment)
	}
	return all
}

// beside returns what the position has of the same assessment: with the same configuration, and with another one.
func (c *creator) beside(s *site) (equal, others []*siteObject) {
	for _, o := range s.of(c.Assessment) {
		switch {
		case c.hidden[o.ID]:
		case o.Metadata.Equal(c.Metadata):
			equal = append(equal, o)
		default:
			others = append(others, o)
		}
	}
	return equal, others
}

// isFree reports whether a decision without a further wait is possible.
func (c *creator) isFree() bool {
	s := c.sites.lock(c.Position)
	defer c.sites.Unlock()
	_, wait, _ := c.judge(s, hopeful)
	return !wait
}

// decide admits the creation, refuses it, lets it take over an object, or lets it wait.
func (c *creator) decide(p patience) (existing *assessapi.PositionAssessment, wait bool, err error) {
	s := c.sites.lock(c.Position)
	defer c.sites.Unlock()
	o, wait, err := c.judge(s, p)
	switch {
	case wait, err != nil:
		return nil, wait, err
	case o == nil:
		s.sending[c.content()], c.existed = true, maps.Clone(s.objects)
		return nil, false, nil
	case c.inherited == nil:
		c.adopted, o.adopted = true, true
		s.wrote(o, takenOver)
	}
	return o.copied(), false, nil
}

// judge says what decide does. With adopt_existing, a position assessment with another configuration also blocks the
// creation, unless this run has attached it, or has handed it over.
func (c *creator) judge(s *site, p patience) (existing *siteObject, wait bool, err error) {
	adopts, sending := c.run.AdoptExisting, s.sending[c.content()]
	equal, others := c.beside(s)
	others = slices.DeleteFunc(others, func(o *siteObject) bool { return !adopts || o.isOwn() && !o.adopted })
	all := slices.Concat(equal, others)
	own := slices.ContainsFunc(equal, (*siteObject).isOwn)
	changes := slices.ContainsFunc(all, func(o *siteObject) bool { return o.status == changing })
	switch {
	case c.inherited != nil:
		return c.inherited, false, nil
	case p != exhausted && (sending || changes), p == hopeful && !own && len(all) > 0:
		return nil, true, nil
	case len(all) == 0 && !sending:
		return nil, false, s.unclear[c.content()]
	case adopts && len(equal) == 1 && equal[0].status == unclaimed && !equal[0].kept:
		return equal[0], false, nil
	}
	refused := &duplicateError{Own: sending || own, Other: len(equal) == 0 && !sending}
	if refused.Other {
		equal = others
		if len(others) == 1 {
			refused.Differs = rules.Difference(others[0].Metadata, c.Metadata)
		}
	}
	for _, o := range equal {
		refused.IDs = append(refused.IDs, o.ID)
	}
	return nil, false, refused
}

// isOther reports whether a position assessment existed before the creation, or belongs to another one of this run.
func (c *creator) isOther(id string) bool {
	s := c.sites.lock(c.Position)
	defer c.sites.Unlock()
	return c.existed[id] != nil || s.objects[id] != nil && s.objects[id].isOwn()
}
