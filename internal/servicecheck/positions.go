// SPDX-License-Identifier: MPL-2.0

package servicecheck

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// How much of a service a check reads at most.
const (
	mostPositions  = 6 // whose assessments it lists
	mostAttached   = 4 // position assessments that it reads by ID
	mostResults    = 6 // positions whose results it reads
	fewCandidates  = "5"
	unknownID      = "terraform-provider-assess-check"
	outsideLatin1  = "\u0416" // a Cyrillic letter
	oneElement     = "1"
	reservedForEnd = 2 // requests that the check of options leaves
)

// checkPositions reads one position and the page after it, and then all positions.
func (c *check) checkPositions() error {
	c.watcher.limit = oneElement
	pages := c.client.Positions(nil)
	var first []assessapi.Item
	got, err := c.ask(func() (err error) { first, err = pages.Next(c.ctx); return err })
	if err != nil {
		return err
	}
	c.checkList(got)
	if !got.offered() {
		c.found.differs("A11", "list")
		return nil
	}
	hasNext := !pages.Done()
	if hasNext {
		c.watcher.limit = oneElement
		if got, err = c.ask(func() (err error) { _, err = pages.Next(c.ctx); return err }); err != nil {
			return err
		}
		c.checkList(got)
	}
	read := func() (err error) { c.positions, err = c.client.Positions(nil).Next(c.ctx); return err }
	if _, err = c.ask(read); err != nil {
		return err
	}
	if len(first) == 1 && len(c.positions) > 1 && !hasNext {
		c.found.differs("A1", "paging")
	}
	if len(c.positions) == 0 {
		return nil
	}
	has := func(value func(assessapi.Item) *string) bool {
		return slices.ContainsFunc(c.positions, func(p assessapi.Item) bool { return value(p) != nil })
	}
	c.found.expect(has(func(p assessapi.Item) *string { return p.Name }), "A11", "title")
	c.found.expect(has(func(p assessapi.Item) *string { return p.Locale }), "A11", "locale")
	for _, p := range c.positions {
		c.checkLocale(p.Locale)
	}
	return nil
}

// checkTitles looks for positions by title.
func (c *check) checkTitles() error {
	var plain, accented *assessapi.Item
	titles := map[string]bool{}
	for i, p := range c.positions {
		if p.Name == nil || len(*p.Name) < 2 {
			continue
		}
		titles[*p.Name] = true
		switch last := slices.Max([]rune(*p.Name)); {
		case last <= '~':
			plain = &c.positions[i]
		case last <= unicode.MaxLatin1: // the service refuses others (A16)
			accented = &c.positions[i]
		}
	}
	for _, p := range []*assessapi.Item{plain, accented} {
		if p == nil {
			continue
		}
		found, err := c.titled(*p.Name)
		if err != nil {
			return err
		}
		isIt := func(other assessapi.Item) bool { return other.ID == p.ID }
		ids := map[*assessapi.Item]string{plain: "A25", accented: "A17"}
		c.found.expect(slices.ContainsFunc(found, isIt), ids[p], "missing")
		// A part of the title is the title of no position.
		runes := []rune(*p.Name)
		if part := strings.TrimSpace(string(runes[:len(runes)-1])); p == plain && !titles[part] {
			if found, err = c.titled(part); err != nil {
				return err
			}
			c.found.expect(len(found) == 0, "A25", "others")
		}
	}
	if c.found.of("A25").Status != met {
		return nil // a service that ignores titles also ignores their characters
	}
	letter := outsideLatin1
	got, err := c.ask(func() error { _, err := c.client.Positions(&letter).Next(c.ctx); return err })
	if err == nil {
		c.found.expect(!got.offered(), "A16", "accepted")
	}
	return err
}

// titled returns the positions that the service finds by a title.
func (c *check) titled(title string) (found []assessapi.Item, err error) {
	_, err = c.ask(func() (err error) { found, err = c.client.Positions(&title).Next(c.ctx); return err })
	return found, err
}

// sample returns the IDs of some positions. It starts at both ends of the list, because
// either end may have the newest positions.
func (c *check) sample(most int) []string {
	var ids []string
	for i := range c.positions {
		n := i / 2
		if i%2 == 0 {
			n = len(c.positions) - 1 - n
		}
		if len(ids) < most {
			ids = append(ids, c.positions[n].ID)
		}
	}
	return ids
}

// checkAttached looks for a position whose assessments have packages, a benchmark or tests, and reads them.
func (c *check) checkAttached() error {
	for _, position := range c.sample(mostPositions) {
		var list []assessapi.PositionAssessment
		got, err := c.ask(func() (err error) { list, err = c.client.PositionAssessments().List(c.ctx, position); return err })
		if err != nil {
			return err
		}
		c.position = cmp.Or(c.position, position)
		c.checkList(got)
		if !got.offered() {
			c.found.differs("A7", "none")
			break
		}
		if len(list) == 0 {
			continue
		}
		c.used = append(c.used, position)
		c.checkElements(listedObjects(got.last()))
		shows := func(pa assessapi.PositionAssessment) bool { return pa.Metadata.Configured() }
		configured := slices.ContainsFunc(list, shows)
		if configured || len(c.attached) == 0 {
			c.position, c.attached, c.own = position, nil, len(list)
		}
		c.attached = append(c.attached, list...)
		if configured || list[0].AssessmentID == "" { // otherwise, the list never shows what is configured
			break
		}
	}
	if c.position == "" {
		return nil
	}
	single, err := c.readSingle()
	if err != nil || !single {
		return err
	}
	got, err := c.ask(func() error {
		_, err := c.client.PositionAssessments().Read(c.ctx, c.position, unknownID)
		return err
	})
	switch {
	case err != nil:
		return err
	case assessapi.IsNoRoute(got.refusal):
		c.found.differs("A7", "single")
	default:
		c.found.expect(assessapi.IsNotFound(got.refusal), "A3", "unknown")
	}
	return nil
}

// checkElements checks the list of a position's assessments.
func (c *check) checkElements(elements []members) {
	c.found.meets("A7")
	for _, e := range elements {
		switch {
		case !e.has("organizationAssessment"):
			c.found.differs("A7", "bare")
		case !e.has("metadata"):
			c.found.differs("A7", "metadata")
		}
	}
}

// readSingle reads position assessments by ID: one, or some if the list does not contain
// their assessments. It reports whether the service may offer this.
func (c *check) readSingle() (offered bool, err error) {
	for i, pa := range c.attached[:min(c.own, mostAttached)] {
		if i > 0 && pa.AssessmentID != "" {
			break
		}
		got, err := c.ask(func() error {
			read, err := c.client.PositionAssessments().Read(c.ctx, c.position, pa.ID)
			if err == nil {
				c.attached[i] = read
			}
			return err
		})
		if err != nil {
			return false, err
		}
		if !got.offered() {
			c.found.differs("A7", "single")
			return false, nil
		}
	}
	return true, nil
}

// checkResults reads a few candidates of a position, if possible with results.
func (c *check) checkResults() error {
	positions := slices.Concat(c.used, c.sample(mostPositions))
	if len(c.used) > 0 {
		positions = append([]string{c.position}, positions...)
	}
	var all []members
	var read []assessapi.Candidate
	asked := map[string]bool{}
	for _, position := range positions {
		if asked[position] || len(asked) == mostResults {
			continue
		}
		asked[position] = true
		c.watcher.limit = fewCandidates
		var some []assessapi.Candidate
		got, err := c.ask(func() (err error) { some, _, err = c.client.FirstResults(c.ctx, position); return err })
		if err != nil {
			return err
		}
		if !got.offered() {
			c.found.differs("A2", "none")
			break
		}
		var envelope members
		_ = json.Unmarshal(got.last(), &envelope) // then it has no members
		c.found.expect(envelope.has("candidates"), "A2", "envelope")
		all, read = append(all, listedObjects(got.last())...), append(read, some...)
		if slices.ContainsFunc(some, func(candidate assessapi.Candidate) bool { return len(candidate.Results) > 0 }) {
			break
		}
	}
	if len(all) > 0 {
		c.checkCandidates(all, read)
	}
	return nil
}
