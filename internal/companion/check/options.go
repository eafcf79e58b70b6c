// SPDX-License-Identifier: MPL-2.0

package check

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// testPages are the pages of a list of skills tests.
type testPages = assessapi.Pages[assessapi.SkillsTest]

// option is one list of an assessment.
type option struct {
	missing string // the assumption that the service does not meet if it never offers the list
	read    func(ctx context.Context, assessment string) (ids []string, err error)
	used    func(assessapi.Metadata) []string // the IDs in a position assessment

	ids     map[string][]string   // by assessment, of the lists that were read
	later   map[string]*testPages // by assessment, the pages after the first one, if read returns only that one
	refused int
	filled  string // an assessment with such options
}

// newOptions returns the lists, packages and skills tests first.
func (c *check) newOptions() []*option {
	one := func(id *string) []string {
		if id == nil {
			return nil
		}
		return []string{*id}
	}
	benchmark := func(m assessapi.Metadata) []string { return one(m.Benchmark) }
	profile := func(m assessapi.Metadata) []string { return one(m.Profile) }
	listed := func(k assessapi.Kind) func(context.Context, string) ([]string, error) {
		return func(ctx context.Context, assessment string) ([]string, error) {
			list, err := c.client.List(ctx, k, assessment)
			for _, item := range list {
				c.checkLocale(item.Locale)
			}
			return ids(list), err
		}
	}
	later := map[string]*testPages{}
	tests := func(ctx context.Context, assessment string) ([]string, error) {
		later[assessment] = c.client.SkillsTests(assessment, true)
		list, err := later[assessment].Next(ctx)
		return ids(list), err
	}
	return []*option{
		{missing: "A23", read: listed(assessapi.Packages), used: func(m assessapi.Metadata) []string { return m.Packages }},
		{missing: "A23", read: tests, used: func(m assessapi.Metadata) []string { return m.Tests }, later: later},
		{missing: "A8", read: listed(assessapi.Benchmarks), used: benchmark},
		{missing: "A9", read: listed(assessapi.Profiles), used: profile},
	}
}

func ids[T assessapi.Listed](list []T) (ids []string) {
	for _, item := range list {
		ids = append(ids, item.Base().ID)
	}
	return ids
}

// checkOptions checks the lists of assessments. If the requests are used up, it judges what it has read.
func (c *check) checkOptions(listed []assessapi.Item) error {
	options, assessments := c.newOptions(), c.assessments(listed)
	err := c.readOptions(options, assessments)
	if err != nil && !errors.As(err, new(enough)) {
		return err
	}
	c.judgeOptions(options, assessments)
	for _, part := range []func(*option) error{c.checkDisabledTests, c.checkAttachedTests} {
		if err == nil {
			err = part(options[1])
		}
	}
	if err != nil {
		for _, id := range []string{"A10", "A19", "A29"} {
			c.found.unread(id)
		}
	}
	return err
}

// readOptions reads the lists of some assessments, until it has seen each kind of list
// with elements, or the requests are used up.
func (c *check) readOptions(options []*option, assessments []string) error {
	for _, assessment := range assessments {
		for _, o := range options {
			if !c.wants(o, assessment) {
				continue
			}
			read := func(ctx context.Context) ([]string, error) { return o.read(ctx, assessment) }
			ids, got, err := ask(c, read)
			if err != nil {
				return err
			}
			c.checkList(got)
			if !got.offered() {
				o.refused++
				continue
			}
			if o.ids == nil {
				o.ids = map[string][]string{}
			}
			o.ids[assessment] = ids
			if len(ids) > 0 {
				o.filled = assessment
			}
			if o == options[0] && len(ids) > 0 {
				c.checkMarks(listedObjects(got.body))
			}
		}
	}
	return nil
}

// assessments returns the IDs of assessments, first those that are attached and have
// options, then others that are attached.
func (c *check) assessments(listed []assessapi.Item) []string {
	var first, others []string
	for _, pa := range c.attached {
		if isConfigured(pa) || pa.Metadata.Profile != nil {
			first = append(first, pa.AssessmentID)
		} else {
			others = append(others, pa.AssessmentID)
		}
	}
	return distinct(slices.Concat(first, others, ids(listed)))
}

// distinct returns each ID once, without empty ones, which the service hides.
func distinct(ids []string) (all []string) {
	for _, id := range ids {
		if id != "" && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// wants reports whether a list of an assessment can say something new.
func (c *check) wants(o *option, assessment string) bool {
	uses := len(c.idsInUse(o, assessment)) > 0
	given := o.refused > 1 && o.missing != "A23" // another refusal would say the same
	return c.watcher.left() > reservedForEnd && (uses || o.filled == "" && !given)
}

// idsInUse returns the IDs that position assessments of an assessment contain.
func (c *check) idsInUse(o *option, assessment string) (ids []string) {
	for _, pa := range c.attached {
		if pa.AssessmentID == assessment {
			ids = append(ids, o.used(pa.Metadata)...)
		}
	}
	return ids
}

// judgeOptions compares the lists with each other, and with position assessments.
func (c *check) judgeOptions(options []*option, assessments []string) {
	for _, o := range options {
		switch {
		case len(o.ids) == 0 && o.refused > 0:
			c.found.differs(o.missing, "none")
		case o.refused > 0 && o.missing == "A23":
			c.found.differs("A23", "kind")
		case len(o.ids) > 0:
			c.found.meets(o.missing)
		case len(assessments) > 0:
			c.found.unread(o.missing)
		}
		for assessment, ids := range o.ids {
			for _, id := range c.idsInUse(o, assessment) {
				if slices.Contains(ids, id) {
					c.found.meets("A29")
				} else if o.later == nil {
					c.found.differs("A29", "others")
				}
			}
		}
	}
	requires := func(pa assessapi.PositionAssessment) bool { // packages or tests
		return len(options[0].ids[pa.AssessmentID])+len(options[1].ids[pa.AssessmentID]) > 0
	}
	switch {
	case slices.ContainsFunc(c.attached, isConfigured):
		c.found.meets("A22")
	case slices.ContainsFunc(c.attached, requires):
		c.found.differs("A22", "hidden")
	}
}

// checkDisabledTests compares the first pages of the lists of enabled and disabled skills tests.
func (c *check) checkDisabledTests(tests *option) error {
	if tests.filled == "" {
		return nil
	}
	disabled, got, err := ask(c, c.client.SkillsTests(tests.filled, false).Next)
	var refused *assessapi.Error
	switch {
	case err != nil:
		return err
	case errors.As(got.refusal, &refused) && refused.Status == http.StatusForbidden:
		c.found.unread("A19")
		return nil
	case !got.offered():
		c.found.differs("A19", "disabled")
		return nil
	}
	for _, test := range disabled {
		isEnabled := test.Active != nil && *test.Active
		c.found.expect(!isEnabled && !slices.Contains(tests.ids[tests.filled], test.ID), "A19", "mixed")
	}
	c.found.meets("A19")
	return nil
}

// checkAttachedTests looks for those skills tests of position assessments that the first page of the enabled ones does
// not show. This comes last, because it can use up the requests.
func (c *check) checkAttachedTests(tests *option) error {
	for _, assessment := range c.assessments(nil) {
		first, read := tests.ids[assessment]
		isListed := func(id string) bool { return slices.Contains(first, id) }
		missing := slices.DeleteFunc(c.idsInUse(tests, assessment), isListed)
		if !read || len(missing) == 0 {
			continue
		}
		if err := c.findTests(missing, tests.later[assessment], c.client.SkillsTests(assessment, false)); err != nil {
			return err
		}
	}
	return nil
}

// findTests looks for skills tests in both lists of their assessment. That a test is missing is a difference only if
// the check could read both lists to the end.
func (c *check) findTests(missing []string, lists ...*testPages) error {
	for _, pages := range lists {
		for len(missing) > 0 && !pages.Done() {
			page, got, err := ask(c, pages.Next)
			if err != nil || !got.offered() {
				return err
			}
			isListed := func(id string) bool { return slices.Contains(ids(page), id) }
			if slices.ContainsFunc(missing, isListed) {
				c.found.meets("A29")
			}
			missing = slices.DeleteFunc(missing, isListed)
		}
	}
	if len(missing) > 0 {
		c.found.differs("A29", "others")
	}
	return nil
}
