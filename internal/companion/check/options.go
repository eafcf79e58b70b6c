// SPDX-License-Identifier: MPL-2.0

package check

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// option is one list of an assessment.
type option struct {
	missing string // the assumption that the service does not meet if it never offers the list
	read    func(c *check, assessment string) (watchedCall, error)
	used    func(assessapi.Metadata) []string // the IDs in a position assessment

	ids      map[string][]string // by assessment, of the lists that were read
	partial  map[string]bool     // by assessment, whether the list has more
	rejected int                 // how many assessments do not offer it
	filled   string              // an assessment with such options
}

// The first options of newOptions.
const (
	packagesOption = iota
	testsOption
)

// newOptions returns the lists.
func newOptions() []*option {
	one := func(member assessapi.Member[string]) []string {
		if id, ok := member.Get(); ok {
			return []string{id}
		}
		return nil
	}
	several := func(member assessapi.Member[[]string]) []string {
		ids, _ := member.Get()
		return ids
	}
	listed := func(k assessapi.Kind) func(*check, string) (watchedCall, error) {
		return func(c *check, assessment string) (watchedCall, error) {
			_, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.Item], error) {
				return c.client.Items(ctx, k, assessment)
			})
			for _, e := range got.elements {
				c.checkLocale(e)
			}
			return got, err
		}
	}
	tests := func(c *check, assessment string) (watchedCall, error) { return c.skillsTests(assessment, true) }
	all := []*option{
		{
			missing: "A23", read: listed(assessapi.Packages),
			used: func(m assessapi.Metadata) []string { return several(m.Packages) },
		},
		{missing: "A23", read: tests, used: func(m assessapi.Metadata) []string { return several(m.Tests) }},
		{
			missing: "A8", read: listed(assessapi.Benchmarks),
			used: func(m assessapi.Metadata) []string { return one(m.Benchmark) },
		},
		{
			missing: "A9", read: listed(assessapi.Profiles),
			used: func(m assessapi.Metadata) []string { return one(m.Profile) },
		},
	}
	for _, o := range all {
		o.ids, o.partial = map[string][]string{}, map[string]bool{}
	}
	return all
}

// skillsTests lists the tests of an assessment that are enabled, or those that are not.
func (c *check) skillsTests(assessment string, active bool) (watchedCall, error) {
	_, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.SkillsTest], error) {
		return c.client.SkillsTests(ctx, assessment, active)
	})
	return got, err
}

// reservedForResults are the requests that the check of options leaves. They suffice for the results of some positions.
const reservedForResults = 4

// checkOptions checks the lists of assessments, as far as the requests suffice.
func (c *check) checkOptions(listed []string) error {
	options, assessments := newOptions(), c.assessments(listed)
	err := c.readOptions(options, assessments)
	if err != nil && !errors.As(err, new(enough)) {
		return err
	}
	isCutShort := c.watcher.left() <= reservedForResults
	c.compareOptions(options, assessments)
	if err == nil {
		err = c.checkDisabledTests(options[testsOption])
	}
	if err != nil || isCutShort {
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
			got, err := o.read(c, assessment)
			if err != nil {
				return err
			}
			c.checkList(got)
			if !got.offered() {
				o.rejected++
				continue
			}
			ids := idsOf(got.elements)
			o.ids[assessment], o.partial[assessment] = ids, got.partial
			if len(ids) > 0 {
				o.filled = assessment
			}
			if o == options[packagesOption] && len(ids) > 0 {
				c.checkMarks(got.elements)
			}
		}
	}
	return nil
}

// assessments returns the IDs of assessments, first those that are attached and have
// options, then others that are attached.
func (c *check) assessments(listed []string) []string {
	var first, others []string
	for _, pa := range c.attached {
		if isConfigured(pa) || pa.Metadata.Profile.Value != nil {
			first = append(first, assessmentOf(pa))
		} else {
			others = append(others, assessmentOf(pa))
		}
	}
	return distinct(slices.Concat(first, others, listed))
}

// assessmentOf returns the ID of the assessment, or "" if it is not shown.
func assessmentOf(pa assessapi.PositionAssessment) string {
	id, _ := pa.AssessmentID.Get()
	return id
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
	given := o.rejected > 1 && o.missing != "A23" // another rejection would say the same
	return c.watcher.left() > reservedForResults && (uses || o.filled == "" && !given)
}

// idsInUse returns the IDs that position assessments of an assessment contain.
func (c *check) idsInUse(o *option, assessment string) (ids []string) {
	for _, pa := range c.attached {
		if assessmentOf(pa) == assessment {
			ids = append(ids, o.used(pa.Metadata)...)
		}
	}
	return ids
}

// compareOptions compares the lists with each other, and with position assessments.
func (c *check) compareOptions(options []*option, assessments []string) {
	for _, o := range options {
		switch {
		case len(o.ids) == 0 && o.rejected > 0:
			c.found.differs(o.missing, "none")
		case o.rejected > 0 && o.missing == "A23":
			c.found.differs("A23", "kind")
		case len(o.ids) > 0:
			c.found.meets(o.missing)
		case len(assessments) > 0:
			c.found.unread(o.missing)
		}
		for assessment, ids := range o.ids {
			for _, id := range c.idsInUse(o, assessment) {
				switch {
				case slices.Contains(ids, id):
					c.found.meets("A29")
				case o == options[testsOption] || o.partial[assessment]: // a disabled test is in the other list
					c.found.unread("A29")
				default:
					c.found.differs("A29", "others")
				}
			}
		}
	}
	requires := func(pa assessapi.PositionAssessment) bool { // packages or tests
		return len(options[packagesOption].ids[assessmentOf(pa)])+len(options[testsOption].ids[assessmentOf(pa)]) > 0
	}
	switch {
	case slices.ContainsFunc(c.attached, isConfigured):
		c.found.meets("A22")
	case slices.ContainsFunc(c.attached, requires):
		c.found.differs("A22", "hidden")
	}
}

// checkDisabledTests compares the lists of enabled and disabled skills tests.
func (c *check) checkDisabledTests(tests *option) error {
	if tests.filled == "" {
		return nil
	}
	got, err := c.skillsTests(tests.filled, false)
	var failed *assessapi.Error
	switch {
	case err != nil:
		return err
	case errors.As(got.rejection, &failed) && failed.Status == http.StatusForbidden:
		c.found.unread("A19")
		return nil
	case !got.offered():
		c.found.differs("A19", "disabled")
		return nil
	}
	for _, test := range got.elements {
		isEnabled := strings.Trim(string(test["active"]), `"`) == "true"
		c.found.expect(!isEnabled && !slices.Contains(tests.ids[tests.filled], test.text("id")), "A19", "mixed")
	}
	c.found.meets("A19")
	return nil
}
