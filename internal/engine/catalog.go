// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// TestRef identifies a skills test of an assessment (listSkillsTests).
type TestRef struct{ Assessment, Test string }

// Catalog caches the lists of the organization that configurations refer to, and the names
// in them. It implements the facts that rules ask for.
type Catalog struct {
	run           *run
	assessments   listCache[[]assessapi.Assessment]
	packages      listCache[response[assessapi.Package]]
	benchmarks    listCache[response[assessapi.Benchmark]]
	profiles      listCache[response[assessapi.Profile]]
	tests         listCache[response[assessapi.SkillsTest]]
	titled        listCache[[]assessapi.Position]
	positions     *positionPages
	names         sync.Map // namedID to string: the names that this run has read
	confirming    sync.Mutex
	confirmations atomic.Int64 // number of reads of the list of assessments to confirm a 404
}

func newCatalog(r *run) *Catalog {
	c := &Catalog{run: r}
	c.positions = &positionPages{catalog: c, reading: newLock()}
	return c
}

func (c *Catalog) clear() {
	c.assessments.clear()
	c.packages.clear()
	c.benchmarks.clear()
	c.profiles.clear()
	c.tests.clear()
	c.titled.clear()
	c.positions.clear()
}

// response is a list, or the error that says that the service does not offer it
// (assumptions A8, A9 and A23). Both are cached.
type response[T any] struct {
	items   []T
	refused error
}

// listed returns a cached list, or reads it. It also caches errors that satisfy
// [assessapi.IsNoList].
func listed[T any](
	ctx context.Context, cache *listCache[response[T]], key string, read func(context.Context) ([]T, error),
) ([]T, error) {
	a, err := cache.get(ctx, key, func(ctx context.Context) (response[T], error) {
		items, err := read(ctx)
		if assessapi.IsNoList(err) {
			return response[T]{refused: err}, nil
		}
		return response[T]{items: items}, err
	})
	if err == nil {
		err = a.refused
	}
	return a.items, err
}

// namedID is an id with the list of the service that contains it.
type namedID struct{ list, id string }

// Lists that contain ids. The id of the assessment follows the last two.
const (
	assessmentNames = "assessments"
	positionNames   = "positions"
	profileNames    = "profiles "
	testNames       = "skills tests "
)

// learn stores the names of resources that were read.
func learn[T assessapi.Labeled](c *Catalog, list string, read []T) {
	for _, element := range read {
		if l := element.Label(); l.Name != "" {
			c.names.Store(namedID{list, l.ID}, l.Name)
		}
	}
}

// learning returns a function that reads a list and stores its names.
func learning[T assessapi.Labeled](
	c *Catalog, list string, read func(context.Context) ([]T, error),
) func(context.Context) ([]T, error) {
	return func(ctx context.Context) ([]T, error) {
		all, err := read(ctx)
		learn(c, list, all)
		return all, err
	}
}

func (c *Catalog) label(list, id string) assessapi.Label {
	l := assessapi.Label{ID: id}
	if name, ok := c.names.Load(namedID{list, id}); ok {
		l.Name, _ = name.(string)
	}
	return l
}

// AssessmentLabel returns the id of an assessment, with its name if this run has read it.
// This and the other labels send no requests.
func (c *Catalog) AssessmentLabel(id string) assessapi.Label { return c.label(assessmentNames, id) }

// PositionLabel returns the id of a position, with its title if this run has read it.
func (c *Catalog) PositionLabel(id string) assessapi.Label { return c.label(positionNames, id) }

// ProfileLabel returns the id of a profile, with its name if this run has read it.
func (c *Catalog) ProfileLabel(assessment, id string) assessapi.Label {
	return c.label(profileNames+assessment, id)
}

// SkillsTestLabel returns the id of a skills test, with its title if this run has read it.
func (c *Catalog) SkillsTestLabel(ref TestRef) assessapi.Label {
	return c.label(testNames+ref.Assessment, ref.Test)
}

// SkipList adds a notice, once in a run, that the service does not offer a list that plan
// checks require (assumption A8).
func (c *Catalog) SkipList(list string, err error) {
	c.run.notices.once("list "+list, Notice{Kind: ListNotShown, List: list, Err: err})
}

// Assessments lists the assessments of the organization (listAssessments).
func (c *Catalog) Assessments(ctx context.Context) ([]assessapi.Assessment, error) {
	return c.assessments.get(ctx, "", learning(c, assessmentNames, c.run.client.Assessments))
}

// AssessmentNames returns the names of all assessments of the organization by their ids.
func (c *Catalog) AssessmentNames(ctx context.Context) (map[string]string, error) {
	all, err := c.Assessments(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, assessment := range all {
		names[assessment.ID] = assessment.Label().Name
	}
	return names, nil
}

// Packages lists the packages of an assessment (listPackages). If the service does not
// offer the list, the error satisfies [assessapi.IsNoList].
func (c *Catalog) Packages(ctx context.Context, assessment string) ([]assessapi.Package, error) {
	return listed(ctx, &c.packages, assessment, func(ctx context.Context) ([]assessapi.Package, error) {
		return c.run.client.Packages(ctx, assessment)
	})
}

// Benchmarks lists the benchmarks of an assessment (assumption A8). Errors are the same
// as for Packages.
func (c *Catalog) Benchmarks(ctx context.Context, assessment string) ([]assessapi.Benchmark, error) {
	return listed(ctx, &c.benchmarks, assessment, func(ctx context.Context) ([]assessapi.Benchmark, error) {
		return c.run.client.Benchmarks(ctx, assessment)
	})
}

// Profiles lists the profiles of an assessment (assumption A9). Errors are the same as
// for Packages.
func (c *Catalog) Profiles(ctx context.Context, assessment string) ([]assessapi.Profile, error) {
	read := func(ctx context.Context) ([]assessapi.Profile, error) { return c.run.client.Profiles(ctx, assessment) }
	return listed(ctx, &c.profiles, assessment, learning(c, profileNames+assessment, read))
}

func testsKey(assessment string, active bool) string {
	return strconv.FormatBool(active) + " " + assessment
}

// SkillsTests lists the enabled tests of an assessment, or the others. The lists may lack
// tests that this run has enabled. [Activations.InOrder] includes them.
func (c *Catalog) SkillsTests(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	read := func(ctx context.Context) ([]assessapi.SkillsTest, error) {
		return c.run.client.SkillsTests(ctx, assessment, active)
	}
	return listed(ctx, &c.tests, testsKey(assessment, active), learning(c, testNames+assessment, read))
}

// PositionsTitled lists the positions that the service returns for a title. The result
// may contain other titles (assumption A25).
func (c *Catalog) PositionsTitled(ctx context.Context, title string) ([]assessapi.Position, error) {
	read := func(ctx context.Context) ([]assessapi.Position, error) {
		return c.run.client.Positions(&title).All(ctx)
	}
	return c.titled.get(ctx, title, learning(c, positionNames, read))
}

// Positions lists all positions of the organization (listPositions).
func (c *Catalog) Positions(ctx context.Context) ([]assessapi.Position, error) {
	return c.positions.all(ctx)
}

// FindPosition returns the position with an id, and false if the organization has none.
// It reads only as many pages of the list as necessary.
func (c *Catalog) FindPosition(ctx context.Context, id string) (assessapi.Position, bool, error) {
	return c.positions.find(ctx, id)
}

// EachPosition returns all positions one by one. It reads no more pages than the caller
// requires.
func (c *Catalog) EachPosition(ctx context.Context) iter.Seq2[assessapi.Position, error] {
	return func(yield func(assessapi.Position, error) bool) {
		for i := 0; ; i++ {
			position, ok, err := c.positions.at(ctx, i)
			if err == nil && !ok {
				return
			}
			if !yield(position, err) || err != nil {
				return
			}
		}
	}
}

// ErrGone means that a resource no longer exists in the right organization.
var ErrGone = errors.New("it no longer exists in the service")

// ErrNotInSnapshot means that a snapshot does not contain a resource. The service from
// which the snapshot was taken may have it.
var ErrNotInSnapshot = errors.New("the snapshot does not have it")

// UnconfirmedError means that the service answered 404, but this may be wrong: the list
// of assessments could not be read (Err), or it does not contain the resource's own
// assessment (Err is nil).
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string { return "the list of assessments does not confirm the 404" }

// Unwrap returns why the list could not be read. It may be nil.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// confirmGone decides whether a 404 can be trusted. A wrong address, the key of another
// organization, or a broken gateway answers 404 to everything. So confirmGone reads the
// list of assessments after the 404. It returns ErrGone only if the list contains the
// resource's own assessment. On a snapshot, it returns ErrNotInSnapshot.
func (c *Catalog) confirmGone(ctx context.Context, assessment string) error {
	if c.run.cfg.Snapshot {
		return ErrNotInSnapshot
	}
	all, err := c.assessmentsAfter(ctx, c.confirmations.Load())
	if err != nil {
		return &UnconfirmedError{Err: err}
	}
	if slices.ContainsFunc(all, func(a assessapi.Assessment) bool { return a.ID == assessment }) {
		return ErrGone
	}
	return &UnconfirmedError{}
}

// assessmentsAfter reads the list of assessments again, unless another read has started
// since the counter had the given value.
func (c *Catalog) assessmentsAfter(ctx context.Context, confirmations int64) ([]assessapi.Assessment, error) {
	c.confirming.Lock()
	if c.confirmations.CompareAndSwap(confirmations, confirmations+1) {
		c.assessments.drop("")
	}
	c.confirming.Unlock()
	return c.Assessments(ctx)
}

// positionPages reads the list of positions page by page, only as far as necessary.
type positionPages struct {
	catalog *Catalog
	reading lock // held while a page is requested
	pages   *assessapi.Pages[assessapi.Position]
	read    []assessapi.Position
	byID    map[string]assessapi.Position
}

func (p *positionPages) find(ctx context.Context, id string) (assessapi.Position, bool, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		position, found := p.byID[id]
		if found {
			return position, true, nil
		}
		if more, err := p.more(ctx); !more || err != nil {
			return position, false, err
		}
	}
}

func (p *positionPages) all(ctx context.Context) ([]assessapi.Position, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		if more, err := p.more(ctx); !more || err != nil {
			return p.read, err
		}
	}
}

// at returns the position with an index, and false if there are fewer positions.
func (p *positionPages) at(ctx context.Context, i int) (assessapi.Position, bool, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for len(p.read) <= i {
		if more, err := p.more(ctx); !more || err != nil {
			return assessapi.Position{}, false, err
		}
	}
	return p.read[i], true, nil
}

// more reads the next page. It returns false if there is none.
func (p *positionPages) more(ctx context.Context) (bool, error) {
	if p.pages == nil {
		p.pages = p.catalog.run.client.Positions(nil)
		p.byID = map[string]assessapi.Position{}
	}
	if p.pages.Done() {
		return false, nil
	}
	page, err := p.pages.Next(ctx)
	p.read = append(p.read, page...)
	for _, position := range page {
		p.byID[position.ID] = position
	}
	learn(p.catalog, positionNames, page)
	return true, err
}

func (p *positionPages) clear() {
	p.reading.Lock()
	defer p.reading.Unlock()
	p.pages, p.read, p.byID = nil, nil, nil
}
