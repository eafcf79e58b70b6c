// SPDX-License-Identifier: MPL-2.0

package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// parallel is how many assessments are copied at the same time. With fewer requests, a
// response time of half a second would keep a snapshot below the rate limits.
const parallel = 10

// copier reads the lists of an organization, each once.
type copier struct {
	source *assessapi.Client
	notes  []note // lists that the service does not offer, in the order of the assessments

	// What was read so far, to show progress.
	assessments, copied, positions atomic.Int64
}

// note is a list that the service does not offer for an assessment.
type note struct {
	list       string
	assessment string
	err        error // the answer of the service
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
	st.Assessments = make([]sandbox.Assessment, len(listed))
	notes := make([][]note, len(listed))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, assessment := range listed {
		copied := &assessmentCopier{copier: c, to: &st.Assessments[i]}
		*copied.to = sandbox.Assessment{
			ID: assessment.ID, Kind: sandbox.Observed, Code: text(assessment.Code), Name: text(assessment.Name),
		}
		group.Go(func() error {
			err := copied.copyLists(ctx)
			notes[i] = copied.notes
			c.copied.Add(1)
			return err
		})
	}
	err = group.Wait()
	c.notes = slices.Concat(notes...)
	return st, err
}

// assessmentCopier copies the lists of one assessment.
type assessmentCopier struct {
	*copier
	to    *sandbox.Assessment
	notes []note
}

// copyLists reads the packages, benchmarks, profiles and skills tests of an assessment.
func (c *assessmentCopier) copyLists(ctx context.Context) error {
	packages, err := optional(ctx, c, sandbox.Packages, c.source.Packages)
	if err != nil {
		return err
	}
	for _, p := range packages {
		c.to.Packages = append(c.to.Packages, sandbox.Package{
			ID: p.ID, Name: text(p.Name), Mandatory: p.IsMandatory(), Unmarked: p.Mandatory == nil,
		})
	}
	benchmarks, err := optional(ctx, c, sandbox.Benchmarks, c.source.Benchmarks)
	if err != nil {
		return err
	}
	for _, b := range benchmarks {
		c.to.Benchmarks = append(c.to.Benchmarks, sandbox.Benchmark{ID: b.ID, Name: text(b.Name), Locale: text(b.Locale)})
	}
	profiles, err := optional(ctx, c, sandbox.Profiles, c.source.Profiles)
	if err != nil {
		return err
	}
	for _, p := range profiles {
		c.to.Profiles = append(c.to.Profiles, sandbox.Profile{ID: p.ID, Name: text(p.Name)})
	}
	return c.copySkillsTests(ctx)
}

// copySkillsTests reads the enabled tests, then the others. If a test is disabled between
// the two requests, both lists contain it. Then the first one counts.
func (c *assessmentCopier) copySkillsTests(ctx context.Context) error {
	seen := map[string]bool{}
	for _, active := range []bool{true, false} {
		for pages := c.source.SkillsTestPages(c.to.ID, active); !pages.Done(); {
			page, err := next(ctx, pages)
			if _, refused := refusal(err); refused && !active {
				c.notes = append(c.notes, note{"disabled skills tests", c.to.ID, err})
				return nil
			}
			if refused, err := c.refuses(sandbox.SkillsTests, err); refused || err != nil {
				return err
			}
			for _, test := range page {
				if !seen[test.ID] {
					c.to.SkillsTests = append(c.to.SkillsTests, skillsTest(test))
				}
				seen[test.ID] = true
			}
		}
	}
	return nil
}

// optional reads a list that the service may not offer for this assessment.
func optional[T any](
	ctx context.Context, c *assessmentCopier, list sandbox.List,
	read func(context.Context, string) ([]T, error),
) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	items, err := read(ctx, c.to.ID)
	_, err = c.refuses(list, err)
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
func (c *assessmentCopier) refuses(list sandbox.List, err error) (bool, error) {
	status, refused := refusal(err)
	if !refused {
		return false, err
	}
	c.to.Refused = append(c.to.Refused, sandbox.Refusal{List: list, Status: status})
	c.notes = append(c.notes, note{wordOf[list], c.to.ID, err})
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
