// SPDX-License-Identifier: MPL-2.0

package check

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// optionList is one kind of options, such as packages, with the lists that the check has read so far.
type optionList struct {
	assumption string // ID of the assumption about the list
	read       readList
	key        string // key of the metadata of a position assessment that contains the IDs

	ids      map[string][]string // by assessment
	partial  map[string]bool     // by assessment, whether the list has more elements than ids
	rejected int                 // for how many assessments the service does not offer the list
	unclear  int                 // for how many assessments the response was 403, or had another format
	example  string              // an assessment with such options, or ""
}

// readList lists the options of an assessment. Its error means that the check must end.
type readList func(c *check, assessment string) (watchedCall, error)

// mustExist reports whether the service must offer the list for each assessment, even if it is empty.
func (l *optionList) mustExist() bool { return l.assumption == "A23" }

// optionLists are the lists of options of assessments. The list of tests contains only enabled tests.
type optionLists struct{ packages, tests, benchmarks, profiles *optionList }

func (l optionLists) all() []*optionList {
	return []*optionList{l.packages, l.tests, l.benchmarks, l.profiles}
}

// newOptionLists returns the lists of options, before the check has read any of them.
func newOptionLists() optionLists {
	return optionLists{
		packages:   newOptionList("A23", readItems(assessapi.Packages), "packages"),
		tests:      newOptionList("A23", (*check).enabledTests, "tests"),
		benchmarks: newOptionList("A8", readItems(assessapi.Benchmarks), "benchmark"),
		profiles:   newOptionList("A9", readItems(assessapi.Profiles), "profile"),
	}
}

func newOptionList(assumption string, read readList, key string) *optionList {
	return &optionList{
		assumption: assumption, read: read, key: key,
		ids: map[string][]string{}, partial: map[string]bool{},
	}
}

// readItems returns a function that lists the items of a kind, and checks their locales.
func readItems(kind assessapi.Kind) readList {
	return func(c *check, assessment string) (watchedCall, error) {
		_, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.Item], error) {
			return c.client.Items(ctx, kind, assessment)
		})
		for _, item := range got.elements {
			c.checkLocale(item)
		}
		return got, err
	}
}

// enabledTests lists the enabled skills tests of an assessment.
func (c *check) enabledTests(assessment string) (watchedCall, error) {
	return c.skillsTests(assessment, true)
}

// disabledTests lists the skills tests of an assessment that are not enabled.
func (c *check) disabledTests(assessment string) (watchedCall, error) {
	return c.skillsTests(assessment, false)
}

func (c *check) skillsTests(assessment string, active bool) (watchedCall, error) {
	_, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.SkillsTest], error) {
		return c.client.SkillsTests(ctx, assessment, active)
	})
	return got, err
}

// reservedForResults is the number of requests that checkOptions leaves unused, so that checkResults can read the
// results of some positions.
const reservedForResults = 4

// checkOptions checks the options of assessments. listed are the IDs of all assessments of the organization. If few
// requests are left, it checks what it has read, and records that it could not read the rest. An error means that the
// check must end. It is errMaxRequests if no requests are left.
func (c *check) checkOptions(listed []string) error {
	lists, assessments := newOptionLists(), c.assessments(listed)
	err := c.readOptions(lists, assessments)
	if err != nil && !errors.Is(err, errMaxRequests) {
		return err
	}
	isCutShort := !c.canReadOptions()
	c.compareOptions(lists, assessments)
	if err == nil {
		err = c.checkDisabledTests(lists.tests)
	}
	if err != nil || isCutShort {
		for _, id := range []string{"A10", "A19", "A29"} { // about packages, disabled tests, and options in use
			c.found.unread(id)
		}
	}
	return err
}

// canReadOptions reports whether enough requests are left to read another list of options.
func (c *check) canReadOptions() bool { return c.watcher.left() > reservedForResults }

// readOptions reads the lists that can show something new, and adds what they contain to lists. It checks the format of
// each list, and how packages say that they are mandatory. When few requests are left, it reads no more lists, and
// returns nil. An error means that the check must end.
func (c *check) readOptions(lists optionLists, assessments []string) error {
	for _, assessment := range assessments {
		for _, list := range lists.all() {
			if !c.canReadOptions() || !c.canShowMore(list, assessment) {
				continue
			}
			got, err := list.read(c, assessment)
			if err != nil {
				return err
			}
			c.checkList(got)
			list.add(assessment, got)
			if list == lists.packages && len(got.elements) > 0 {
				c.checkMarks(got.elements)
			}
		}
	}
	return nil
}

// add adds what was read for an assessment, or counts the rejection.
func (l *optionList) add(assessment string, got watchedCall) {
	switch {
	case isForbidden(got.rejection), assessapi.OutcomeOf(got.rejection) == assessapi.Unknown: // a ShapeError
		l.unclear++
	case !got.offered():
		l.rejected++
	default:
		l.ids[assessment], l.partial[assessment] = idsOf(got.elements), got.partial
		if len(got.elements) > 0 {
			l.example = assessment
		}
	}
}

// assessments returns each assessment ID once, in this order: attached assessments with options, other attached
// assessments, and listed assessments.
func (c *check) assessments(listed []string) []string {
	var first, others []string
	for _, pa := range c.attached {
		if isConfigured(pa) || pa.Metadata.Profile.Value != nil {
			first = append(first, pa.AssessmentID.OrZero())
		} else {
			others = append(others, pa.AssessmentID.OrZero())
		}
	}
	return distinct(slices.Concat(first, others, listed))
}

// distinct returns each ID once. It leaves out empty IDs, which mean that the service hides the ID.
func distinct(ids []string) (all []string) {
	for _, id := range ids {
		if id != "" && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// canShowMore reports whether reading a list for an assessment can show something new. It can if position assessments
// of this assessment use options of this kind, or if the check has found no assessment with such options yet. The check
// stops looking for such an assessment after two responses that do not show whether the service offers the list. If the
// service need not offer the list, the check also stops after two rejections.
func (c *check) canShowMore(list *optionList, assessment string) bool {
	if len(c.idsInUse(list, assessment)) > 0 {
		return true
	}
	isKnownMissing := list.unclear > 1 || list.rejected > 1 && !list.mustExist()
	return list.example == "" && !isKnownMissing
}

// idsInUse returns the IDs of options in the metadata of an assessment's position assessments. The parameter list is
// the kind of options.
func (c *check) idsInUse(list *optionList, assessment string) (ids []string) {
	for _, pa := range c.attached {
		if pa.AssessmentID.OrZero() == assessment {
			ids = append(ids, pa.Metadata.IDs(list.key)...)
		}
	}
	return ids
}

// compareOptions checks which lists the service offers, and whether they agree with the position assessments.
func (c *check) compareOptions(lists optionLists, assessments []string) {
	if len(assessments) > 0 { // otherwise nothing was requested, and the findings say so
		for _, list := range lists.all() {
			c.checkOffered(list)
		}
	}
	for _, list := range lists.all() {
		for assessment := range list.ids {
			isComplete := list != lists.tests && !list.partial[assessment] // a test in use may be disabled
			c.checkListed(list, assessment, isComplete)
		}
	}
	c.checkShown(lists)
}

// checkOffered checks for which assessments the service offers a list.
func (c *check) checkOffered(list *optionList) {
	wasRead := len(list.ids) > 0
	wasRejected := list.rejected > 0
	switch {
	case wasRejected && !wasRead:
		c.found.differs(list.assumption, "none")
	case wasRejected && list.mustExist():
		c.found.differs(list.assumption, "kind")
	case wasRead:
		c.found.meets(list.assumption)
	default:
		c.found.unread(list.assumption)
	}
}

// checkListed checks that the list of an assessment contains the options of its position assessments. If the list is
// not complete, an option that is missing from it proves nothing.
func (c *check) checkListed(list *optionList, assessment string, isComplete bool) {
	for _, id := range c.idsInUse(list, assessment) {
		switch {
		case slices.Contains(list.ids[assessment], id):
			c.found.meets("A29")
		case isComplete:
			c.found.differs("A29", "others")
		default:
			c.found.unread("A29")
		}
	}
}

// checkShown records whether the service shows the options of position assessments. The service shows them if at least
// one position assessment has packages, a benchmark or tests. The service hides them if no position assessment has any,
// although the assessment of at least one has packages or tests. For this, a position assessment counts only if its
// list showed its metadata, or if the check has read it by ID.
func (c *check) checkShown(lists optionLists) {
	mustHaveOptions := func(pa assessapi.PositionAssessment) bool {
		id := pa.AssessmentID.OrZero()
		wasRead := pa.HasMetadata || slices.Contains(c.fetched, pa.ID)
		return wasRead && len(lists.packages.ids[id])+len(lists.tests.ids[id]) > 0
	}
	switch {
	case slices.ContainsFunc(c.attached, isConfigured):
		c.found.meets("A22")
	case slices.ContainsFunc(c.attached, mustHaveOptions):
		c.found.differs("A22", "hidden")
	}
}

// checkDisabledTests checks that the service offers the list of disabled tests, and that it contains no enabled test.
// It reads this list for one assessment that has enabled tests. Without such an assessment, it checks nothing. An error
// means that the check must end.
func (c *check) checkDisabledTests(enabled *optionList) error {
	assessment := enabled.example
	if assessment == "" {
		return nil
	}
	disabled, err := c.disabledTests(assessment)
	if err != nil {
		return err
	}
	if !disabled.offered() {
		c.recordRejection(disabled, "A19", "disabled")
		return nil
	}
	for _, test := range disabled.elements {
		isEnabled := strings.Trim(string(test["active"]), `"`) == "true" // also if it is written as a string
		isMixed := isEnabled || slices.Contains(enabled.ids[assessment], test.text("id"))
		c.found.expect(!isMixed, "A19", "mixed")
	}
	c.found.meets("A19") // unless it differs
	return nil
}
