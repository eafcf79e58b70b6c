// SPDX-License-Identifier: MPL-2.0

package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// copier reads the lists of an organization one after the other, each once.
type copier struct {
	source *assessapi.Client
	notes  []note // lists that the service does not offer

	// What was read so far, to show progress.
	assessments, copied, positions atomic.Int64
}

// note is a list that the service does not offer for an assessment.
type note struct {
	list       string
	assessment string
	err        error // the answer of the service
	unchecked  bool  // whether plans on the snapshot cannot check this list
}

func (c *copier) copy(ctx context.Context) (*sandbox.State, error) {
	listed, err := c.source.Assessments(ctx)
	if err != nil {
		return nil, err
	}
	c.assessments.Store(int64(len(listed)))
	st := &sandbox.State{}
	for positions := c.source.Positions(nil); !positions.Done(); {
		page, err := next(ctx, positions)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			st.Positions = append(st.Positions, sandbox.Position{ID: p.ID, Title: text(p.Title), Locale: text(p.Locale)})
		}
		c.positions.Add(int64(len(page)))
	}
	for _, assessment := range listed {
		copied := sandbox.Assessment{
			ID: assessment.ID, Kind: sandbox.Observed, Code: text(assessment.Code), Name: text(assessment.Name),
		}
		if err := c.copyLists(ctx, &copied); err != nil {
			return nil, err
		}
		st.Assessments = append(st.Assessments, copied)
		c.copied.Add(1)
	}
	return st, nil
}

// copyLists reads the packages, benchmarks, profiles and skills tests of an assessment.
func (c *copier) copyLists(ctx context.Context, to *sandbox.Assessment) error {
	packages, err := optional(ctx, c, to, sandbox.Packages, c.source.Packages)
	if err != nil {
		return err
	}
	for _, p := range packages {
		to.Packages = append(to.Packages, sandbox.Package{
			ID: p.ID, Name: text(p.Name), Mandatory: p.IsMandatory(), Unmarked: p.Mandatory == nil,
		})
	}
	benchmarks, err := optional(ctx, c, to, sandbox.Benchmarks, c.source.Benchmarks)
	if err != nil {
		return err
	}
	for _, b := range benchmarks {
		to.Benchmarks = append(to.Benchmarks, sandbox.Benchmark{ID: b.ID, Name: text(b.Name), Locale: text(b.Locale)})
	}
	profiles, err := optional(ctx, c, to, sandbox.Profiles, c.source.Profiles)
	if err != nil {
		return err
	}
	for _, p := range profiles {
		to.Profiles = append(to.Profiles, sandbox.Profile{ID: p.ID, Name: text(p.Name)})
	}
	return c.copySkillsTests(ctx, to)
}

// copySkillsTests reads the enabled tests, then the others. If a test is disabled between
// the two requests, both lists contain it. Then the first one counts.
func (c *copier) copySkillsTests(ctx context.Context, to *sandbox.Assessment) error {
	seen := map[string]bool{}
	for _, active := range []bool{true, false} {
		for pages := c.source.SkillsTestPages(to.ID, active); !pages.Done(); {
			page, err := next(ctx, pages)
			if _, refused := refusal(err); refused && !active {
				c.notes = append(c.notes, note{"disabled skills tests", to.ID, err, false})
				return nil
			}
			if refused, err := c.refuses(to, sandbox.SkillsTests, err); refused || err != nil {
				return err
			}
			for _, test := range page {
				if !seen[test.ID] {
					to.SkillsTests = append(to.SkillsTests, skillsTest(test))
				}
				seen[test.ID] = true
			}
		}
	}
	return nil
}

// optional reads a list that the service may not offer for this assessment.
func optional[T any](
	ctx context.Context, c *copier, to *sandbox.Assessment, list sandbox.List,
	read func(context.Context, string) ([]T, error),
) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	items, err := read(ctx, to.ID)
	_, err = c.refuses(to, list, err)
	return items, err
}

// next reads a page. It returns immediately if the run has been interrupted, which the
// client may notice later.
func next[T any](ctx context.Context, pages *assessapi.Pages[T]) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return pages.Next(ctx)
}

// refuses reports whether an error says that the service does not offer a list. Then the
// snapshot does not offer it either. refuses returns any other error.
func (c *copier) refuses(to *sandbox.Assessment, list sandbox.List, err error) (bool, error) {
	status, refused := refusal(err)
	if !refused {
		return false, err
	}
	to.Refused = append(to.Refused, sandbox.Refusal{List: list, Status: status})
	// Assessments of another kind have no packages and tests, so nothing is missing.
	unchecked := list == sandbox.Benchmarks || list == sandbox.Profiles
	c.notes = append(c.notes, note{wordOf[list], to.ID, err, unchecked})
	return true, nil
}

// refusal reports whether an error says that the service does not offer a list
// (assumptions A8, A9 and A23). It also returns the status with which the snapshot
// answers. If the key lacks a permission, or the list is unreadable, that is 404.
func refusal(err error) (status int, refused bool) {
	var answered *assessapi.Error
	var shape *assessapi.ShapeError
	switch {
	case assessapi.IsNoList(err) && errors.As(err, &answered):
		return answered.Status, true
	case errors.As(err, &answered):
		return http.StatusNotFound, answered.Status == http.StatusForbidden
	case errors.As(err, &shape):
		return http.StatusNotFound, !shape.Changed
	default:
		return 0, false
	}
}

// skillsTest copies only members that the provider models, because others may contain
// personal data.
func skillsTest(test assessapi.SkillsTest) sandbox.SkillsTest {
	var o sandbox.Object
	o.Set("id", test.ID)
	for _, member := range []struct {
		name  string
		value *string
	}{
		{"title", test.Title},
		{"description", test.Description},
		{"category", test.Category},
		{"timeToComplete", test.TimeToComplete},
	} {
		if member.value != nil {
			o.Set(member.name, *member.value)
		}
	}
	if test.NumberOfQuestions != nil {
		o.Set("numberOfQuestions", json.RawMessage(test.NumberOfQuestions.Text('g', -1)))
	}
	o.Set("active", test.Active != nil && *test.Active)
	return sandbox.SkillsTest{Object: o}
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
