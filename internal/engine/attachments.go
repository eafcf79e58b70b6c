// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/notes"
)

// Attachments reads, attaches, changes and removes position assessments.
type Attachments struct {
	run         *run
	catalog     *catalog.Catalog
	activations *Activations
	results     *catalog.Results
	lists       *catalog.PositionAssessments
	writer      *catalog.Writer
	before      catalog.Cache[[]assessapi.PositionAssessment] // before the first creation of the run on a position
	invitations catalog.Invitations
	records     *records
	verdicts    verdicts
	notes       *notes.Notes
}

func newAttachments(
	r *run, lists *catalog.Catalog, activations *Activations, results *catalog.Results,
) *Attachments {
	a := &Attachments{
		run: r, catalog: lists, activations: activations, results: results, records: newRecords(),
		lists: catalog.NewPositionAssessments(lists), invitations: catalog.Invitations{Client: r.client},
	}
	a.writer = catalog.NewWriter(lists, a.lists)
	service := ""
	if r.client != nil {
		service = r.cfg.Budget.Key + "\x00" + r.cfg.BaseURL.String()
	}
	a.notes = notes.New(notes.Config{
		CacheDir: r.cfg.CacheDir, Place: r.cfg.Place, Service: service, Reused: r.cfg.Reused,
	})
	activations.noted = a.notePlanned
	return a
}

func (a *Attachments) clear() {
	a.lists.Clear()
	a.before.Clear()
	a.invitations.Clear()
	a.records.clear()
}

// List lists the assessments of a position. It returns false if the service does not offer
// such lists (assumption A7).
func (a *Attachments) List(ctx context.Context, position string) ([]assessapi.PositionAssessment, bool, error) {
	return a.lists.List(ctx, position)
}

// ListsOffered reports whether such a list could be read in this run.
func (a *Attachments) ListsOffered() bool { return a.lists.Offered() }

// Find reads a position assessment for a data source.
func (a *Attachments) Find(ctx context.Context, ref Ref) (assessapi.PositionAssessment, error) {
	return a.lists.Find(ctx, ref.Position, ref.ID)
}

// Load records that the CLI has loaded a position assessment from a state.
func (a *Attachments) Load(ref Ref) {
	a.record(ref, func(o *object) {
		o.inState, o.shared = true, o.loaded > 0
		if o.loaded == 0 {
			o.loaded = a.records.next()
		}
	})
}

// Prior is what a state contains about a position assessment.
type Prior struct {
	Assessment string // empty after an import
	Metadata   assessapi.Metadata
	Memory     catalog.Memory
}

// Observation is the result of a read.
type Observation struct {
	assessapi.PositionAssessment
	Memory catalog.Memory
	// Hidden is whether the service does not return packages, benchmark and tests. Then the
	// state keeps its values (assumption A22).
	Hidden bool
	// Unclear is whether this was an import, and it is unknown whether there are packages, a
	// benchmark or tests.
	Unclear bool
}

// Read reads a position assessment (getPositionAssessment). After a 404, it returns [catalog.ErrGone],
// [catalog.ErrNotInSnapshot] or an [catalog.UnconfirmedError]. For an import, it returns the 404 itself.
func (a *Attachments) Read(ctx context.Context, ref Ref, prior Prior) (Observation, error) {
	a.run.refreshes()
	a.record(ref, func(o *object) {
		o.inState = true
		if o.read == 0 {
			o.read = a.records.next()
		}
	})
	imported := prior.Assessment == ""
	pa, err := a.lists.Find(ctx, ref.Position, ref.ID)
	if assessapi.IsNotFound(err) && !imported {
		err = a.lists.ConfirmGone(ctx, ref.Position, ref.ID, prior.Assessment, err)
	}
	if err != nil {
		if errors.Is(err, catalog.ErrGone) {
			a.records.reportGone(Creation{ref.Position, prior.Assessment, prior.Metadata}.content())
			a.record(ref, func(o *object) { o.gone = true })
		}
		return Observation{}, err
	}
	o := Observation{PositionAssessment: pa, Hidden: a.lists.Hides(pa, prior.Metadata, prior.Memory)}
	o.Memory.Shown = prior.Memory.Shown || pa.Metadata.Configured()
	if imported {
		o.Unclear = a.lists.ProvenHidden() || a.run.cfg.PlanChecks && !a.lists.Comparable(ctx, pa)
	}
	return o, nil
}

// Updated is a position assessment that [Attachments.Update] has changed.
type Updated struct {
	assessapi.PositionAssessment
	Shown bool // as in [catalog.Memory]
	// Incomplete is why the status and the address of the profile are not known.
	Incomplete error
}

// Change is an update of a position assessment.
type Change struct {
	Ref        Ref
	Assessment string
	Metadata   assessapi.Metadata // replaces the current metadata (assumption A5)
	// WasCompleted is whether the plan has seen a profile that a supervisor had completed.
	WasCompleted bool
	Needs        ProfileNeeds
}

// ErrProfileCompleted means that a supervisor has completed the profile since the plan
// was made. Nothing was sent.
var ErrProfileCompleted = errors.New("a supervisor has completed the profile since the plan was made")

// Update changes a position assessment. If it attaches a profile, and a supervisor has
// completed the profile since the plan, it sends nothing and returns
// [ErrProfileCompleted].
func (a *Attachments) Update(ctx context.Context, c Change) (Updated, error) {
	if err := a.run.beginApply(); err != nil {
		return Updated{}, err
	}
	after := Creation{c.Ref.Position, c.Assessment, c.Metadata}
	enables := len(c.Metadata.Tests) > 0 && a.notes.Of(after.content()).Enables
	if err := a.activations.ensure(ctx, after, enables); err != nil {
		return Updated{}, err
	}
	if c.Metadata.Profile != nil {
		current, err := a.lists.Read(ctx, c.Ref.Position, c.Ref.ID)
		if err != nil {
			return Updated{}, err
		}
		status := current.Metadata.ProfileStatus
		if status != nil && *status == assessapi.SupervisorCompleted && !c.WasCompleted {
			a.changed(c.Ref.Position)
			return Updated{}, ErrProfileCompleted
		}
	}
	pa, err := a.writer.Update(ctx, c.Ref.Position, c.Ref.ID, c.Assessment, c.Metadata)
	a.changed(c.Ref.Position)
	if err != nil {
		return Updated{}, err
	}
	u := Updated{}
	a.record(c.Ref, func(o *object) { o.fate, o.keeps = keeps, after.content() })
	u.PositionAssessment, u.Incomplete = a.withProfile(ctx, c.Ref, after, pa, c.Needs)
	a.lists.Probe(ctx, c.Ref.Position, c.Ref.ID, c.Metadata)
	u.Shown = a.lists.Shown()
	return u, nil
}

// ErrKept means that another resource has adopted a position assessment in this run, or that the
// last plan on this machine imports or keeps it at another address. So it was not removed.
var ErrKept = errors.New("another resource has adopted, imported or kept it")

// Remove removes a position assessment (assumption A6). It also succeeds if the position
// assessment does not exist any more. If the service refuses, and the object may be forgotten,
// it returns the refusal as forgotten instead of an error.
func (a *Attachments) Remove(ctx context.Context, o Object) (forgotten, err error) {
	if err := a.run.beginApply(); err != nil {
		return nil, err
	}
	if a.records.get(o.Ref).adopted || a.notes.Of(notes.Protected.Of(o.Position, o.ID)).Compared {
		return nil, ErrKept
	}
	err = a.writer.Remove(ctx, o.Position, o.ID, o.Assessment)
	a.changed(o.Position)
	if o.Forget && a.refusesRemoval(ctx, err, o) {
		forgotten, err = err, nil
	}
	if err == nil {
		a.record(o.Ref, func(o *object) { o.fate = leaves })
	}
	return forgotten, err
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

// BenchmarkNames returns the names of the benchmarks of a position by the ids of their
// assessments. It omits benchmarks whose names cannot be read, because the callers do not
// depend on them.
func (a *Attachments) BenchmarkNames(ctx context.Context, position string) map[string]string {
	attached, _, err := a.List(ctx, position)
	if err != nil {
		return nil
	}
	names := map[string]string{}
	for _, pa := range attached {
		if pa.Metadata.Benchmark == nil {
			continue
		}
		benchmarks, _ := a.catalog.Benchmarks(ctx, pa.AssessmentID)
		for _, benchmark := range benchmarks {
			if benchmark.ID == *pa.Metadata.Benchmark {
				names[pa.AssessmentID] = benchmark.Label().Name
			}
		}
	}
	return names
}
