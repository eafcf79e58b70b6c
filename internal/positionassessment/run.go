// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/skillstest"
)

// Ref identifies a position assessment (attachAssessment).
type Ref struct{ Position, ID string }

// ManagedObject is a position assessment of a state.
type ManagedObject struct {
	Ref
	Assessment string
	Forget     bool      // on_refused_removal is "forget"
	Status     string    // of the profile, or empty
	Unread     bool      `json:",omitempty"` // Status may be empty because the service has not been asked
	Created    time.Time `json:"-"`          // set only for changes: when the provider attached it or took it over
}

// Supervised reports whether a supervisor has completed the profile, as far as the state knows.
func (o ManagedObject) Supervised() bool { return o.Status == assessapi.SupervisorCompleted }

// positionAssessments reads, plans, attaches, changes and removes position assessments.
type positionAssessments struct {
	run         *run.Run
	catalog     *catalog.Catalog
	activations *skillstest.Activations
	lists       *catalog.PositionAssessments
	invitations invitations
	intents     intents // what this run has planned
	sites       sites   // what this run has seen and changed in an apply
	adoptions   adoptions
	refused     atomic.Bool // whether this run has refused an equal one
}

// of returns the position assessments of a run.
func of(r *run.Run) *positionAssessments {
	return run.Of(r, func(r *run.Run) *positionAssessments {
		c := r.Catalog()
		return &positionAssessments{
			run: r, catalog: c, activations: skillstest.Of(r), lists: c.PositionAssessments,
			invitations: invitations{client: r.Client},
			intents:     intents{byPosition: map[string]*intended{}}, sites: sites{byPosition: map[string]*site{}},
		}
	})
}

// prior is what a state contains about a position assessment.
type prior struct {
	Assessment string // empty after an import
	Metadata   assessapi.Metadata
	Memory     catalog.Memory
}

// readAssessment is the result of a read.
type readAssessment struct {
	assessapi.PositionAssessment
	Memory catalog.Memory
	// Hidden is whether the service hides packages, benchmark and tests, so that the state keeps its own (assumption A22).
	Hidden bool
	// Unclear is whether this was an import, and it is unknown whether there are packages, a benchmark or tests.
	Unclear bool
}

// Read reads a position assessment (getPositionAssessment). After a 404, it returns [catalog.ErrGone] or
// a [catalog.UnconfirmedError]. For an import, it returns the 404 itself. If the position assessment was only just
// attached, Read first waits, because the service may not show it yet, and a new one would be a duplicate.
func (a *positionAssessments) Read(ctx context.Context, ref Ref, prior prior) (readAssessment, error) {
	a.intents.read(ref)
	imported := prior.Assessment == ""
	pa, err := a.lists.Current(ctx, ref.Position, ref.ID, prior.Assessment)
	if appears := prior.Memory.Appears(); errors.Is(err, catalog.ErrGone) && appears > 0 {
		if err = assessapi.Wait(ctx, appears); err == nil {
			a.lists.Drop(ref.Position)
			pa, err = a.lists.Current(ctx, ref.Position, ref.ID, prior.Assessment)
		}
	}
	if err != nil {
		if errors.Is(err, catalog.ErrGone) {
			a.intents.reportGone(ref, Creation{ref.Position, prior.Assessment, prior.Metadata})
		}
		return readAssessment{}, err
	}
	a.saw(ref.Position, pa)
	o := readAssessment{PositionAssessment: pa, Hidden: a.lists.Hides(pa, prior.Metadata, prior.Memory)}
	o.Memory = prior.Memory.Remember(pa, pa.Metadata.Configured())
	if imported {
		if o.Unclear = a.lists.ProvenHidden(); !o.Unclear && a.run.PlanChecks {
			isShown, _ := a.lists.Comparable(ctx, pa)
			o.Unclear = !isShown
		}
	}
	return o, nil
}

// saw records what a read or a list has shown of a position assessment.
func (a *positionAssessments) saw(position string, pa assessapi.PositionAssessment) planned {
	return a.intents.object(Ref{position, pa.ID}, func(o *planned) {
		if o.object.Assessment = pa.AssessmentID; pa.Metadata.ProfileStatus != nil {
			o.object.Status = *pa.Metadata.ProfileStatus
		}
	})
}
