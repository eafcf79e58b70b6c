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
	one := func(of func(assessapi.Metadata) *string) func(assessapi.Metadata) []string {
		return func(m assessapi.Metadata) []string {
			if id := of(m); id != nil {
				return []string{*id}
			}
			return nil
		}
	}
	benchmark := one(func(m assessapi.Metadata) *string { return m.Benchmark })
	profile := one(func(m assessapi.Metadata) *string { return m.Profile })
	listed := func(k assessapi.Kind) func(context.Context, string) ([]string, error) {
		return func(ctx context.Context, assessment string) ([]string, error) {
			list, err := c.client.List(ctx, k, assessment)
			for _, item := range list {
				c.checkLocale(item.Locale)
			}
			return ids(list), err
		}
	}
	tests := func(ctx context.Context, assessment string) ([]string, error) {
		list, err := c.client.SkillsTests(ctx, assessment, true)
		return ids(list), err
	}
	return []*option{
		{missing: "A23", read: listed(assessapi.Packages), used: func(m assessapi.Metadata) []string { return m.Packages }},
		{missing: "A23", read: tests, used: func(m assessapi.Metadata) []string { return m.Tests }},
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

// checkOptions reads the lists of some assessments, until it has seen each kind of list
// with elements, or the requests are used up.
func (c *check) checkOptions(listed []assessapi.Item) error {
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
			if o.ids == nil {
				o.ids = map[string][]string{}
			}
			o.ids[assessment] = ids
			if len(ids) > 0 {
				o.filled = assessment
			}
			if o == options[0] && len(ids) > 0 {
				c.checkMarks(listedObjects(got.last()))
			}
		}
	}
	err := c.checkDisabledTests(options[1])
	c.judgeOptions(options)
	return err
}

// assessments returns the IDs of assessments, first those that are attached and have
// options, then others that are attached.
func (c *check) assessments(listed []assessapi.Item) []string {
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

// checkDisabledTests compares the lists of enabled and disabled skills tests, and adds the disabled ones, which a
// position assessment can still have.
func (c *check) checkDisabledTests(tests *option) error {
	if tests.filled == "" {
		return nil
	}
	var disabled []assessapi.SkillsTest
	got, err := c.ask(func() (err error) {
		disabled, err = c.client.SkillsTests(c.ctx, tests.filled, false)
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
	tests.ids[tests.filled] = append(tests.ids[tests.filled], ids(disabled)...)
	return nil
}
