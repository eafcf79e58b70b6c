// SPDX-License-Identifier: MPL-2.0

package servicecheck

import (
	"context"
	"net/http"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// option is one list of an assessment.
type option struct {
	missing string // the assumption that the service does not meet if it never offers the list
	read    func(ctx context.Context, assessment string) (ids []string, err error)
	used    func(assessapi.Metadata) []string // the IDs in a position assessment

	ids     map[string][]string // by assessment, of the lists that were read
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
	return []*option{
		{
			missing: "A23", used: func(m assessapi.Metadata) []string { return m.Packages },
			read: ids(c.client.Packages), ids: map[string][]string{},
		},
		{
			missing: "A23", used: func(m assessapi.Metadata) []string { return m.Tests },
			read: ids(func(ctx context.Context, assessment string) ([]assessapi.SkillsTest, error) {
				return c.client.SkillsTestPages(assessment, true).Next(ctx)
			}), ids: map[string][]string{},
		},
		{
			missing: "A8", used: func(m assessapi.Metadata) []string { return one(m.Benchmark) },
			read: ids(func(ctx context.Context, assessment string) ([]assessapi.Benchmark, error) {
				list, err := c.client.Benchmarks(ctx, assessment)
				for _, b := range list {
					c.checkLocale(b.Locale)
				}
				return list, err
			}), ids: map[string][]string{},
		},
		{
			missing: "A9", used: func(m assessapi.Metadata) []string { return one(m.Profile) },
			read: ids(c.client.Profiles), ids: map[string][]string{},
		},
	}
}

// ids returns a function that reads only the IDs of a list.
func ids[T assessapi.Labeled](
	read func(context.Context, string) ([]T, error),
) func(context.Context, string) ([]string, error) {
	return func(ctx context.Context, assessment string) (ids []string, err error) {
		list, err := read(ctx, assessment)
		for _, label := range assessapi.Labels(list) {
			ids = append(ids, label.ID)
		}
		return ids, err
	}
}

// checkOptions reads the lists of some assessments, until it has seen each kind of list
// with elements, or the requests are used up.
func (c *check) checkOptions(listed []assessapi.Assessment) error {
	options := c.newOptions()
	for _, assessment := range c.assessments(listed) {
		for _, o := range options {
			if !c.wants(o, assessment) {
				continue
			}
			var ids []string
			got, err := c.ask(func() (err error) { ids, err = o.read(c.ctx, assessment); return err })
			if err != nil {
				return err
			}
			c.checkList(got)
			if !got.offered() {
				o.refused++
				continue
			}
			o.ids[assessment] = ids
			if len(ids) > 0 {
				o.filled = assessment
			}
			if o == options[0] && len(ids) > 0 {
				c.checkMarks(objects(got.last()))
			}
		}
	}
	c.judgeOptions(options)
	if err := c.checkUnasked(options[0].filled); err != nil {
		return err
	}
	return c.checkDisabledTests(options[1])
}

// assessments returns the IDs of assessments, first those that are attached and have
// options, then others that are attached.
func (c *check) assessments(listed []assessapi.Assessment) []string {
	var ids []string
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, pa := range c.attached {
		if pa.Metadata.Configured() || pa.Metadata.Profile != nil {
			add(pa.AssessmentID)
		}
	}
	for _, pa := range c.attached {
		add(pa.AssessmentID)
	}
	for _, a := range listed {
		add(a.ID)
	}
	return ids
}

// wants reports whether a list of an assessment can say something new.
func (c *check) wants(o *option, assessment string) bool {
	uses := slices.ContainsFunc(c.attached, func(pa assessapi.PositionAssessment) bool {
		return pa.AssessmentID == assessment && len(o.used(pa.Metadata)) > 0
	})
	given := o.refused > 1 && o.missing != "A23" // another refusal would say the same
	return c.watcher.left() > reservedForEnd && (uses || o.filled == "" && !given)
}

// judgeOptions compares the lists with each other, and with position assessments.
func (c *check) judgeOptions(options []*option) {
	for _, o := range options {
		switch {
		case len(o.ids) == 0 && o.refused > 0:
			c.found.differs(o.missing, "none")
		case o.refused > 0 && o.missing == "A23":
			c.found.differs("A23", "kind")
		case len(o.ids) > 0:
			c.found.meets(o.missing)
		}
	}
	for _, pa := range c.attached {
		if pa.Metadata.Configured() {
			c.found.meets("A22")
		}
	}
	for _, pa := range c.attached {
		required := len(options[0].ids[pa.AssessmentID])+len(options[1].ids[pa.AssessmentID]) > 0
		if required && !pa.Metadata.Configured() && c.found.of("A22").Status == cannotTell {
			c.found.differs("A22", "hidden")
		}
		for _, o := range options {
			ids, read := o.ids[pa.AssessmentID]
			for _, id := range o.used(pa.Metadata) {
				if read {
					c.found.expect(slices.Contains(ids, id), "A29", "others")
				}
			}
		}
	}
}

// checkUnasked reads packages without `fields`.
func (c *check) checkUnasked(assessment string) error {
	if assessment == "" {
		return nil
	}
	c.watcher.barely = true
	got, err := c.ask(func() error { _, err := c.client.Packages(c.ctx, assessment); return err })
	if err == nil && slices.ContainsFunc(objects(got.last()), func(m members) bool { return m.has("name") }) {
		c.found.differs("A10", "unasked")
	}
	return err
}

// checkDisabledTests compares the lists of enabled and disabled skills tests.
func (c *check) checkDisabledTests(tests *option) error {
	if tests.filled == "" {
		return nil
	}
	var disabled []assessapi.SkillsTest
	got, err := c.ask(func() (err error) {
		disabled, err = c.client.SkillsTestPages(tests.filled, false).Next(c.ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case got.status == http.StatusForbidden:
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
