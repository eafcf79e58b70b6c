// SPDX-License-Identifier: MPL-2.0

package check

import (
	"context"
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
	rejected int                 // for how many assessments the service does not offer the list
	unclear  int                 // for how many assessments the check could not read the list
	partial  bool                // whether a list has more pages than the check has read
	example  string              // an assessment with such options, or ""
}

// readList lists the options of an assessment.
type readList func(c *check, assessment string) (watchedCall, error)

// dependsOnKind reports whether the service may reject the list for assessments of another kind (assumption A23).
func (l *optionList) dependsOnKind() bool { return l.assumption == "A23" }

// optionLists are the lists of options of assessments. The list of tests contains only enabled tests.
type optionLists struct{ packages, tests, benchmarks, profiles *optionList }

func (l optionLists) all() []*optionList {
	return []*optionList{l.packages, l.tests, l.benchmarks, l.profiles}
}

// newOptionLists returns the lists of options, before the check has read any of them.
func newOptionLists() optionLists {
	list := func(assumption, key string, read readList) *optionList {
		return &optionList{assumption: assumption, key: key, read: read, ids: map[string][]string{}}
	}
	return optionLists{
		packages:   list("A23", "packages", readItems(assessapi.Packages)),
		tests:      list("A23", "tests", readTests(enabled)),
		benchmarks: list("A8", "benchmark", readItems(assessapi.Benchmarks)),
		profiles:   list("A9", "profile", readItems(assessapi.Profiles)),
	}
}

// readItems returns a function that lists the items of a kind.
func readItems(kind assessapi.Kind) readList {
	return func(c *check, assessment string) (watchedCall, error) {
		_, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.Item], error) {
			return c.client.Items(ctx, kind, assessment)
		})
		return got, err
	}
}

const enabled, disabled = true, false

// readTests returns a function that lists the enabled or the disabled skills tests.
func readTests(active bool) readList {
	return func(c *check, assessment string) (watchedCall, error) {
		_, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.SkillsTest], error) {
			return c.client.SkillsTests(ctx, assessment, active)
		})
		return got, err
	}
}

// reservedForResults is the number of requests for the results of some positions. If no more are left, readOptions does
// not begin another list. The list before can have used some of them.
const reservedForResults = 4

// checkOptions checks the options of assessments. Even after an error, it checks the lists that it has read.
func (c *check) checkOptions() error {
	lists := newOptionLists()
	err := c.readOptions(lists)
	for _, list := range lists.all() {
		c.checkOffered(list)
		c.checkListed(list)
	}
	c.checkShown(lists)
	if err != nil {
		return err
	}
	if err := c.checkHidden(lists); err != nil {
		return err
	}
	return c.checkDisabledTests(lists.tests)
}

// readOptions reads the lists that can show something new, and adds what they contain to lists. It checks the format of
// each list, and how packages say that they are mandatory. When few requests are left, it reads no more lists, and
// records that it could not read the rest.
func (c *check) readOptions(lists optionLists) error {
	for _, assessment := range c.assessmentsToRead() {
		for _, list := range lists.all() {
			if !c.canShowMore(list, assessment) {
				continue
			}
			if c.watcher.left() <= reservedForResults {
				for _, id := range []string{"A8", "A9", "A10", "A19", "A22", "A23", "A29"} {
					c.found.unread(id) // unless what was read shows more
				}
				return nil
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
		l.ids[assessment] = idsOf(got.elements)
		l.partial = l.partial || got.partial
		if len(got.elements) > 0 {
			l.example = assessment
		}
	}
}

// assessmentsToRead returns each assessment ID once, in this order: attached assessments with options, other attached
// assessments, and the assessments of the organization.
func (c *check) assessmentsToRead() []string {
	var first, others []string
	for _, pa := range c.attached {
		if isConfigured(pa) || pa.Metadata.Profile.Value != nil {
			first = append(first, pa.AssessmentID.OrZero())
		} else {
			others = append(others, pa.AssessmentID.OrZero())
		}
	}
	return distinct(slices.Concat(first, others, c.assessments))
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
// stops looking for such an assessment after two lists that it could not read, and after two rejections that do not
// depend on the kind of the assessment.
func (c *check) canShowMore(list *optionList, assessment string) bool {
	if len(c.idsInUse(list, assessment)) > 0 {
		return true
	}
	isHopeless := list.unclear > 1 || list.rejected > 1 && !list.dependsOnKind()
	return list.example == "" && !isHopeless
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

// checkOffered checks for which assessments the service offers a list, if the check has requested the list.
func (c *check) checkOffered(list *optionList) {
	wasRead := len(list.ids) > 0
	wasRejected := list.rejected > 0
	switch {
	case wasRejected && !wasRead:
		c.found.differs(list.assumption, "none")
	case wasRejected && list.dependsOnKind():
		c.found.differs(list.assumption, "kind")
	case wasRead:
		c.found.meets(list.assumption)
	case list.unclear > 0:
		c.found.unread(list.assumption)
	}
}

// checkListed checks that each assessment's list contains the options that position assessments of this assessment use.
func (c *check) checkListed(list *optionList) {
	for assessment, listed := range list.ids {
		for _, id := range c.idsInUse(list, assessment) {
			switch {
			case slices.Contains(listed, id):
				c.found.meets("A29")
			case list.key == "tests", list.partial: // it may be disabled, or on a page that was not read
				c.found.unread("A29")
			default:
				c.found.differs("A29", "others")
			}
		}
	}
}

// checkShown records whether the service shows the options of position assessments. The service shows them if at least
// one position assessment has packages, a benchmark or tests. The service hides them if no position assessment has any,
// although the check has read at least one by ID that must have options.
func (c *check) checkShown(lists optionLists) {
	isHidden := func(pa assessapi.PositionAssessment) bool {
		return slices.Contains(c.fetched, pa.ID) && lists.mustHaveOptions(pa)
	}
	switch {
	case slices.ContainsFunc(c.attached, isConfigured):
		c.found.meets("A22")
	case slices.ContainsFunc(c.attached, isHidden):
		c.found.differs("A22", "hidden")
	}
}

// mustHaveOptions reports whether the assessment of a position assessment has packages or tests.
func (l optionLists) mustHaveOptions(pa assessapi.PositionAssessment) bool {
	id := pa.AssessmentID.OrZero()
	return len(l.packages.ids[id])+len(l.tests.ids[id]) > 0
}

// checkHidden finds out whether only lists hide the options of position assessments, or the service. If checkShown
// cannot tell, checkHidden reads by ID a position assessment that must have options and whose list showed metadata.
func (c *check) checkHidden(lists optionLists) error {
	i := slices.IndexFunc(c.attached, func(pa assessapi.PositionAssessment) bool {
		return pa.HasMetadata && lists.mustHaveOptions(pa)
	})
	if i < 0 || c.found.of("A22").Status != cannotTell {
		return nil
	}
	read, got, err := ask(c, c.byID(c.positionOf[c.attached[i].ID], c.attached[i].ID))
	if err != nil || !got.offered() {
		c.found.unread("A22")
		return err
	}
	if isConfigured(read) {
		c.found.differs("A7", "bare")
	}
	c.attached[i] = read
	c.fetched = append(c.fetched, read.ID)
	c.checkShown(lists)
	return nil
}

// checkDisabledTests checks the list of disabled tests: that the service offers it, its format, and that it contains no
// enabled test. It reads this list for one assessment that has enabled tests. Without such an assessment, it checks
// nothing.
func (c *check) checkDisabledTests(tests *optionList) error {
	assessment := tests.example
	if assessment == "" {
		return nil
	}
	got, err := readTests(disabled)(c, assessment)
	if err != nil {
		return err
	}
	c.checkList(got)
	if !got.offered() {
		c.recordRejection(got, "A19", "disabled")
		return nil
	}
	for _, test := range got.elements {
		isEnabled := strings.Trim(string(test["active"]), `"`) == "true" // also if it is written as a string
		isMixed := isEnabled || slices.Contains(tests.ids[assessment], test.text("id"))
		c.found.expect(!isMixed, "A19", "mixed")
	}
	c.found.meets("A19") // unless it differs
	return nil
}
