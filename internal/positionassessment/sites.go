// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// sites is what an apply knows about positions: the list before its first creation, updated with its own writes.
type sites struct {
	sync.Mutex
	byPosition map[string]*site
}

// site is one position.
type site struct {
	known   bool // the list of the position has been read, or the service has no such list (assumption A7)
	writes  int  // counts the writes of this run, to find out which of them a list cannot show yet
	objects map[string]*siteObject
	sending map[content]bool  // creations that were admitted and are not over yet
	unclear map[content]error // creations of which it is unknown whether they had an effect
	waiting []*creator        // creations that wait until the place is free
}

// content is what two position assessments of one position have in common if they are duplicates.
type content struct{ assessment, metadata string }

// siteObject is a position assessment that a list has shown, or that this run has written.
type siteObject struct {
	assessapi.PositionAssessment
	status  objectStatus
	kept    bool      // the state keeps it: this run has updated it, or failed to remove it
	adopted bool      // because of adopt_existing
	write   int       // the last write of this run to it, by the counter of the site
	written time.Time // when that was
}

// copied returns a copy, because a later list may change the object. The caller holds the lock.
func (o *siteObject) copied() *assessapi.PositionAssessment {
	pa := o.PositionAssessment
	return &pa
}

// objectStatus says what this run knows of an object, or is doing with it. It is set before anything is sent, so that
// only one thing happens at a time.
type objectStatus int

const (
	unclaimed    objectStatus = iota
	changing                  // a removal or an update is in progress
	attachedHere              // a creation of this run has attached it
	takenOver                 // a creation of this run has taken it over
	removedHere               // this run has removed it
	unlisted                  // the last list does not show it
)

// lock returns the site of a position. The caller calls Unlock.
func (s *sites) lock(position string) *site {
	s.Lock()
	if s.byPosition[position] == nil {
		s.byPosition[position] = &site{
			objects: map[string]*siteObject{}, sending: map[content]bool{}, unclear: map[content]error{},
		}
	}
	return s.byPosition[position]
}

func (s *site) object(id string) *siteObject {
	if s.objects[id] == nil {
		s.objects[id] = &siteObject{PositionAssessment: assessapi.PositionAssessment{ID: id}}
	}
	return s.objects[id]
}

// merge updates the site from a list. writes is the counter when the list was requested, because the list does not
// replace later writes.
func (s *site) merge(list []assessapi.PositionAssessment, writes int) {
	shown := map[string]bool{}
	for _, pa := range list {
		shown[pa.ID] = true
		if o := s.object(pa.ID); o.write <= writes {
			o.PositionAssessment = pa
			if o.status == unlisted {
				o.status = unclaimed
			}
		}
	}
	for id, o := range s.objects {
		if !shown[id] && o.status == unclaimed && o.write <= writes {
			o.status = unlisted
		}
	}
}

// wrote records a write of this run to an object.
func (s *site) wrote(o *siteObject, status objectStatus) {
	s.writes++
	o.write, o.status, o.written = s.writes, status, time.Now()
}

// of returns the present objects of an assessment, in the order of their ids.
func (s *site) of(assessment string) (all []*siteObject) {
	for _, o := range s.objects {
		if o.AssessmentID == assessment && o.status != removedHere && o.status != unlisted {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *siteObject) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// heir returns the creation that waits only for the removal of an object, or nil. The state must know the object as the
// creation does, because a service may hide how it is configured (assumption A22).
func (s *site) heir(o *siteObject, state assessapi.Metadata) *creator {
	for _, c := range s.waiting {
		equal, _ := c.beside(s)
		if len(equal) == 1 && equal[0] == o && c.inherited == nil && state.Equal(c.Metadata) {
			return c
		}
	}
	return nil
}

// isOwn reports whether an object belongs to a creation of this run.
func (o *siteObject) isOwn() bool { return o.status == attachedHere || o.status == takenOver }
