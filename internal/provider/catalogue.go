// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// catalogue reads each list of the service once per walk.
type catalogue struct {
	client *assessapi.Client

	assessmentLists shelf[[]assessapi.Assessment]
	packageLists    shelf[listing[assessapi.Package]]
	benchmarkLists  shelf[listing[assessapi.Benchmark]]
	profileLists    shelf[listing[assessapi.Profile]]
	skillsLists     shelf[listing[assessapi.SkillsTest]]
	skillsEnabled   sync.Map   // tests that this walk has enabled, by activation
	skillsStale     sync.Map   // assessments whose kept lists do not show that yet
	skillsRereading sync.Mutex // held to decide whether to read the lists again
	titledPositions shelf[[]assessapi.Position]
	positions       positionBook
	attached        attachedLists
	resultLists     resultLists
}

// listing is a list of the service, or its answer that it shows none here
// (assumptions A8, A9 and A23). Both are kept.
type listing[T any] struct {
	items   []T
	refused error
}

func list[T any](items []T, err error) (listing[T], error) {
	if assessapi.IsNoList(err) {
		return listing[T]{refused: err}, nil
	}
	return listing[T]{items: items}, err
}

func listed[T any](l listing[T], err error) ([]T, error) {
	if err == nil {
		err = l.refused
	}
	return l.items, err
}

func newCatalogue(client *assessapi.Client) *catalogue {
	return &catalogue{
		client:    client,
		positions: positionBook{pages: client.Positions(nil), byID: map[string]assessapi.Position{}},
		attached:  attachedLists{client: client, first: make(chan struct{}, 1)},
	}
}

func (c *catalogue) assessments(ctx context.Context) ([]assessapi.Assessment, error) {
	return c.assessmentLists.get(ctx, "", c.client.Assessments)
}

func (c *catalogue) packages(ctx context.Context, assessment string) ([]assessapi.Package, error) {
	return listed(c.packageLists.get(ctx, assessment, func(ctx context.Context) (listing[assessapi.Package], error) {
		return list(c.client.Packages(ctx, assessment))
	}))
}

func (c *catalogue) benchmarks(ctx context.Context, assessment string) ([]assessapi.Benchmark, error) {
	return listed(c.benchmarkLists.get(ctx, assessment, func(ctx context.Context) (listing[assessapi.Benchmark], error) {
		return list(c.client.Benchmarks(ctx, assessment))
	}))
}

func (c *catalogue) profiles(ctx context.Context, assessment string) ([]assessapi.Profile, error) {
	return listed(c.profileLists.get(ctx, assessment, func(ctx context.Context) (listing[assessapi.Profile], error) {
		return list(c.client.Profiles(ctx, assessment))
	}))
}

// skills lists the enabled tests of an assessment, or those that are not.
func (c *catalogue) skills(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	return listed(c.skillsLists.get(ctx, skillsKey(assessment, active), func(ctx context.Context) (listing[assessapi.SkillsTest], error) {
		return list(c.client.SkillsTests(ctx, assessment, active))
	}))
}

func skillsKey(assessment string, active bool) string {
	return strconv.FormatBool(active) + " " + assessment
}

// findSkillsTest looks for a test among the enabled ones, then among the others.
func (c *catalogue) findSkillsTest(ctx context.Context, assessment, id string) (assessapi.SkillsTest, bool, error) {
	if test, ok := c.skillsEnabled.Load(activation{assessment, id}); ok {
		enabled, ok := test.(assessapi.SkillsTest)
		return enabled, ok, nil
	}
	for _, active := range []bool{true, false} {
		tests, err := c.skills(ctx, assessment, active)
		if err != nil {
			return assessapi.SkillsTest{}, false, err
		}
		if i := slices.IndexFunc(tests, func(t assessapi.SkillsTest) bool { return t.ID == id }); i >= 0 {
			return tests[i], true, nil
		}
	}
	return assessapi.SkillsTest{}, false, nil
}

// enableSkillsTest enables a test, and remembers it beside the lists: which
// place the service gives it among the enabled ones is not known.
func (c *catalogue) enableSkillsTest(ctx context.Context, assessment string, test assessapi.SkillsTest) (assessapi.SkillsTest, error) {
	enabled, err := c.client.EnableSkillsTest(ctx, assessment, test)
	if err != nil {
		c.forgetSkills(assessment)
		return assessapi.SkillsTest{}, err
	}
	c.skillsEnabled.Store(activation{assessment, test.ID}, enabled)
	c.skillsStale.Store(assessment, true)
	return enabled, nil
}

// skillsInOrder lists the tests as the service does, also after this walk has
// enabled some of them.
func (c *catalogue) skillsInOrder(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	if _, stale := c.skillsStale.LoadAndDelete(assessment); stale {
		c.forgetSkills(assessment)
	}
	return c.skills(ctx, assessment, active)
}

// skillsReading numbers the readings of an assessment's lists.
func (c *catalogue) skillsReading(assessment string) int {
	return c.skillsLists.versionOf(skillsKey(assessment, false))
}

// rereadSkills makes the next to ask read both lists afresh, unless somebody
// has done so since a reading: only two readings without a test prove that it is
// gone (assumption A19).
func (c *catalogue) rereadSkills(assessment string, since int) {
	c.skillsRereading.Lock()
	defer c.skillsRereading.Unlock()
	if c.skillsReading(assessment) == since {
		c.forgetSkills(assessment)
	}
}

func (c *catalogue) forgetSkills(assessment string) {
	c.skillsLists.drop(skillsKey(assessment, true))
	c.skillsLists.drop(skillsKey(assessment, false))
}

// changed forgets what was read of a position: something was written there.
func (c *catalogue) changed(position string) {
	c.attached.lists.drop(position)
	c.resultLists.drop(position)
}

// positionsTitled lists the positions that the service finds under a title.
func (c *catalogue) positionsTitled(ctx context.Context, title string) ([]assessapi.Position, error) {
	return c.titledPositions.get(ctx, title, func(ctx context.Context) ([]assessapi.Position, error) {
		return c.client.Positions(&title).All(ctx)
	})
}

// positionBook reads the list of positions only as far as somebody needs it.
type positionBook struct {
	mu    sync.Mutex
	pages *assessapi.Pages[assessapi.Position]
	read  []assessapi.Position
	byID  map[string]assessapi.Position
}

// find returns the position with the id; false where there is none.
func (b *positionBook) find(ctx context.Context, id string) (assessapi.Position, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if position, ok := b.byID[id]; ok || b.pages.Done() {
			return position, ok, nil
		}
		if err := b.more(ctx); err != nil {
			return assessapi.Position{}, false, err
		}
	}
}

// all returns every position.
func (b *positionBook) all(ctx context.Context) ([]assessapi.Position, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.pages.Done() {
		if err := b.more(ctx); err != nil {
			return nil, err
		}
	}
	return b.read, nil
}

func (b *positionBook) more(ctx context.Context) error {
	page, err := b.pages.Next(ctx)
	b.read = append(b.read, page...)
	for _, position := range page {
		b.byID[position.ID] = position
	}
	return err
}
