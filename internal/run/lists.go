// SPDX-License-Identifier: MPL-2.0

package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Lists reads the lists of the service, each once in a run.
type Lists struct {
	client *assessapi.Client

	items   cache[assessapi.List[assessapi.Item]]
	titled  cache[assessapi.List[assessapi.Item]]
	tests   cache[assessapi.List[assessapi.SkillsTest]]
	results cache[results]
}

// results are the results of a position, or their first page.
type results struct {
	assessapi.Results
	complete bool
}

func (l *Lists) use(client *assessapi.Client) {
	l.client = client
	l.items.client, l.titled.client, l.tests.client, l.results.client = client, client, client, client
}

func (l *Lists) clear() {
	l.items.clear()
	l.titled.clear()
	l.tests.clear()
	l.results.clear()
}

// itemsKey is the key of a list in the cache. Lists of the organization have no assessment.
func itemsKey(kind assessapi.Kind, assessment string) string {
	if kind.OfOrganization() {
		return kind.Plural
	}
	return kind.Plural + "\x00" + assessment
}

// Items returns the items of a kind. assessment is the assessment that has the items, or "" for items of the
// organization.
func (l *Lists) Items(ctx context.Context, kind assessapi.Kind, assessment string) ([]assessapi.Item, error) {
	list, err := l.List(ctx, kind, assessment)
	return list.Elements, err
}

// List does what [Lists.Items] does, but also returns whether the list comes from a cache in front of the service.
func (l *Lists) List(
	ctx context.Context, kind assessapi.Kind, assessment string,
) (assessapi.List[assessapi.Item], error) {
	return l.items.get(ctx, itemsKey(kind, assessment), func(ctx context.Context) (assessapi.List[assessapi.Item], error) {
		return l.client.Items(ctx, kind, assessment)
	})
}

// Assessments lists the assessments of the organization.
func (l *Lists) Assessments(ctx context.Context) ([]assessapi.Item, error) {
	return l.Items(ctx, assessapi.Assessments, "")
}

// Positions lists the positions of the organization.
func (l *Lists) Positions(ctx context.Context) ([]assessapi.Item, error) {
	return l.Items(ctx, assessapi.Positions, "")
}

// PositionsAgain requests the list of positions again. It also returns whether the list comes from a cache in front of
// the service.
func (l *Lists) PositionsAgain(ctx context.Context) (assessapi.List[assessapi.Item], error) {
	l.items.drop(itemsKey(assessapi.Positions, ""))
	return l.List(ctx, assessapi.Positions, "")
}

// Position returns the position with an ID, and whether the organization has it.
func (l *Lists) Position(ctx context.Context, id string) (position assessapi.Item, found bool, err error) {
	all, err := l.Positions(ctx)
	i := indexOf(all, id)
	if err != nil || i < 0 {
		return position, false, err
	}
	return all[i], true, nil
}

// PositionsTitled lists the positions that the service shows with exactly this title. It compares the titles itself,
// because a service may ignore the filter (assumption A25).
//
// If the filter finds nothing and the title has accents, PositionsTitled reads the list of all positions, because the
// service may store a letter and its accent as two characters. No filter can match them, because the second character
// is outside Latin1 (assumption A16).
func (l *Lists) PositionsTitled(ctx context.Context, title string) ([]assessapi.Item, error) {
	list, err := l.titled.get(ctx, title, func(ctx context.Context) (assessapi.List[assessapi.Item], error) {
		return l.client.Positions(ctx, &title)
	})
	if err != nil {
		return nil, err
	}
	exact := withTitle(list.Elements, title)
	if len(exact) > 0 || norm.NFD.IsNormalString(title) {
		return exact, nil
	}
	all, err := l.Positions(ctx)
	return withTitle(all, title), err
}

func withTitle(all []assessapi.Item, title string) []assessapi.Item {
	return slices.DeleteFunc(slices.Clone(all), func(p assessapi.Item) bool { return p.Name == nil || *p.Name != title })
}

// SkillsTests lists the enabled tests of a skills assessment, or the tests that are not enabled.
func (l *Lists) SkillsTests(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	list, err := l.ListSkillsTests(ctx, assessment, active)
	return list.Elements, err
}

// ListSkillsTests does what [Lists.SkillsTests] does, but also returns whether the list comes from a cache in front of
// the service.
func (l *Lists) ListSkillsTests(
	ctx context.Context, assessment string, active bool,
) (assessapi.List[assessapi.SkillsTest], error) {
	read := func(ctx context.Context) (assessapi.List[assessapi.SkillsTest], error) {
		return l.client.SkillsTests(ctx, assessment, active)
	}
	return l.tests.get(ctx, testsKey(assessment, active), read)
}

func testsKey(assessment string, active bool) string {
	return strconv.FormatBool(active) + "\x00" + assessment
}

// TestEnabled moves a test that this run has enabled from the list of tests that are not enabled to the list of enabled
// tests. It changes only lists that the run has read.
func (l *Lists) TestEnabled(assessment string, enabled assessapi.SkillsTest) {
	type list = assessapi.List[assessapi.SkillsTest]
	without := func(all list) []assessapi.SkillsTest {
		isEnabled := func(t assessapi.SkillsTest) bool { return t.ID == enabled.ID }
		return slices.DeleteFunc(slices.Clone(all.Elements), isEnabled)
	}
	l.tests.change(testsKey(assessment, false), func(all list) list {
		return list{Elements: without(all), Cached: all.Cached}
	})
	l.tests.change(testsKey(assessment, true), func(all list) list {
		return list{Elements: append(without(all), enabled), Cached: all.Cached}
	})
}

// DropSkillsTests removes both lists of an assessment's tests from the cache, so the next read requests them again.
func (l *Lists) DropSkillsTests(assessment string) {
	l.tests.drop(testsKey(assessment, true))
	l.tests.drop(testsKey(assessment, false))
}

// ResultsFilter restricts the results of a position (section 4.6). A nil list selects everything. An empty list selects
// nothing.
type ResultsFilter struct {
	Position                string
	Candidates, Assessments []string // sorted
}

// SelectsNothing reports whether a filter has an empty list. Such a filter must not be sent, because the service treats
// it as no filter.
func (f ResultsFilter) SelectsNothing() bool {
	return f.Candidates != nil && len(f.Candidates) == 0 || f.Assessments != nil && len(f.Assessments) == 0
}

// Results reads the results of a position, which have the strictest rate limits. It sends nothing if f selects nothing.
func (l *Lists) Results(ctx context.Context, f ResultsFilter) (assessapi.Results, error) {
	if f.SelectsNothing() {
		return assessapi.Results{Raw: "[]"}, nil
	}
	read, err := l.results.get(ctx, fmt.Sprintf("%q", f), func(ctx context.Context) (results, error) {
		all, err := l.client.Results(ctx, f.Position, f.Candidates, f.Assessments)
		return results{all, !all.Cached}, err
	})
	return read.Results, err
}

// FirstResults reads the first page of a position's results, with up to 1000 candidates. complete is false if there may
// be more candidates, or if the response comes from a cache. If this run has read all results of the position with
// [Lists.Results], FirstResults returns all candidates, and sends nothing.
func (l *Lists) FirstResults(
	ctx context.Context, position string,
) (candidates []assessapi.Candidate, complete bool, err error) {
	if all, known := l.results.known(fmt.Sprintf("%q", ResultsFilter{Position: position})); known {
		return all.Candidates, all.complete, nil
	}
	page, err := l.results.get(ctx, "first\x00"+position, func(ctx context.Context) (results, error) {
		candidates, complete, err := l.client.FirstResults(ctx, position)
		return results{assessapi.Results{Candidates: candidates}, complete}, err
	})
	return page.Candidates, page.complete, err
}

// AssessmentLabel returns the ID of an assessment, and its name if this run has read the list of assessments.
func (l *Lists) AssessmentLabel(id string) assessapi.Label {
	return l.label(assessapi.Assessments, "", id)
}

// PositionLabel returns the ID of a position, and its title if this run has read the list of positions.
func (l *Lists) PositionLabel(id string) assessapi.Label { return l.label(assessapi.Positions, "", id) }

// ProfileLabel returns the ID of a profile, and its name if this run has read the list of the assessment's profiles.
func (l *Lists) ProfileLabel(assessment, id string) assessapi.Label {
	return l.label(assessapi.Profiles, assessment, id)
}

func (l *Lists) label(kind assessapi.Kind, assessment, id string) assessapi.Label {
	list, _ := l.items.known(itemsKey(kind, assessment))
	if i := indexOf(list.Elements, id); i >= 0 {
		return list.Elements[i].Label()
	}
	return assessapi.Label{ID: id}
}

// AssessmentName returns the name of an assessment, or its ID if it has none.
func (l *Lists) AssessmentName(ctx context.Context, id string) (string, error) {
	_, err := l.Assessments(ctx)
	return cmp.Or(l.AssessmentLabel(id).Name, id), err
}

func indexOf(all []assessapi.Item, id string) int {
	return slices.IndexFunc(all, func(i assessapi.Item) bool { return i.ID == id })
}
