// SPDX-License-Identifier: MPL-2.0

package check

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// How much of a service a check reads at most.
const (
	mostPositions = 6 // whose assessments it lists
	mostAttached  = 4 // position assessments that it reads by ID
	fewCandidates = "5"
	unknownID     = "terraform-provider-assess-check"
	outsideLatin1 = "\u0416" // a Cyrillic letter
	oneElement    = "1"
)

// checkPositions reads one position and the page after it, and then all positions.
func (c *check) checkPositions() error {
	list := func(ctx context.Context) (assessapi.List[assessapi.Item], error) { return c.client.Positions(ctx, nil) }
	c.watcher.limit, c.watcher.most = oneElement, 2
	_, first, err := ask(c, list)
	if err != nil {
		return err
	}
	c.checkList(first)
	if !first.offered() {
		c.found.differs("A11", "list")
		return nil
	}
	_, whole, err := ask(c, list)
	if err != nil {
		return err
	}
	c.checkList(whole)
	c.positions = whole.elements
	if len(first.elements) == 1 && len(c.positions) > 1 {
		c.found.differs("A1", "paging")
	}
	if len(c.positions) == 0 {
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(c.positions, func(p members) bool { return p.text(name) != "" })
	}
	c.found.expect(has("title"), "A11", "title")
	c.found.expect(has("locale"), "A11", "locale")
	for _, p := range c.positions {
		c.checkLocale(p)
	}
	return nil
}

// checkTitles looks for positions by title.
func (c *check) checkTitles() error {
	titled := map[string]members{} // a position for each assumption that its title checks
	titles := map[string]bool{}    // of all positions
	for _, p := range c.positions {
		title := p.text("title")
		if len(title) < 2 {
			continue
		}
		titles[title] = true
		switch last := slices.Max([]rune(title)); {
		case last <= '~':
			titled["A25"] = p
		case last <= unicode.MaxLatin1: // the service rejects others (A16)
			titled["A17"] = p
		}
	}
	for _, id := range []string{"A25", "A17"} {
		p, ok := titled[id]
		if !ok {
			continue
		}
		found, err := c.titled(p.text("title"))
		if err != nil {
			return err
		}
		c.found.expect(slices.Contains(idsOf(found.elements), p.text("id")), id, "missing")
		// A part of the title is the title of no position.
		runes := []rune(p.text("title"))
		if part := strings.TrimSpace(string(runes[:len(runes)-1])); id == "A25" && !titles[part] {
			if found, err = c.titled(part); err != nil {
				return err
			}
			c.found.expect(len(found.elements) == 0, "A25", "others")
		}
	}
	if c.found.of("A25").Status != met {
		return nil // a service that ignores titles also ignores their characters
	}
	got, err := c.titled(outsideLatin1)
	if err == nil {
		c.found.expect(!got.offered(), "A16", "accepted")
	}
	return err
}

// titled lists the positions that the service returns for a title.
func (c *check) titled(title string) (watchedCall, error) {
	_, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.Item], error) {
		return c.client.Positions(ctx, &title)
	})
	return got, err
}

// sample returns the IDs of positions. It starts at both ends of the list, because either end may have the newest
// positions.
func (c *check) sample() (ids []string) {
	for i := range len(c.positions) {
		n := i / 2
		if i%2 == 0 {
			n = len(c.positions) - 1 - n
		}
		ids = append(ids, c.positions[n].text("id"))
	}
	return ids
}

// checkAttached looks for a position whose assessments have packages, a benchmark or tests, and reads them.
func (c *check) checkAttached() error {
	sample := c.sample()
	for _, position := range sample[:min(len(sample), mostPositions)] {
		read, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.PositionAssessment], error) {
			return c.client.PositionAssessments(ctx, position)
		})
		if err != nil {
			return err
		}
		c.position = cmp.Or(c.position, position)
		c.checkList(got)
		if !got.offered() {
			c.found.differs("A7", "none")
			break
		}
		list := read.Elements
		if len(list) == 0 {
			continue
		}
		c.used = append(c.used, position)
		c.checkElements(got.elements)
		configured := slices.ContainsFunc(list, isConfigured)
		if configured || len(c.attached) == 0 {
			c.position, c.attached, c.own = position, nil, len(list)
		}
		c.attached = append(c.attached, list...)
		if configured || !list[0].AssessmentID.Shown { // otherwise, the list never shows what is configured
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
	_, got, err := c.readOne(unknownID)
	switch {
	case err != nil:
		return err
	case assessapi.IsNotOffered(got.rejection):
		c.found.differs("A7", "single")
	default:
		c.found.expect(assessapi.IsNotFound(got.rejection), "A3", "unknown")
	}
	return nil
}

// isConfigured reports whether packages, a benchmark or tests are shown.
func isConfigured(pa assessapi.PositionAssessment) bool {
	m := pa.Metadata
	return m.Packages.Value != nil || m.Benchmark.Value != nil || m.Tests.Value != nil
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
		if i > 0 && pa.AssessmentID.Shown {
			break
		}
		read, got, err := c.readOne(pa.ID)
		if err != nil {
			return false, err
		}
		if !got.offered() {
			c.found.differs("A7", "single")
			return false, nil
		}
		c.attached[i] = read
	}
	return true, nil
}

// readOne reads a position assessment by ID.
func (c *check) readOne(id string) (assessapi.PositionAssessment, watchedCall, error) {
	return ask(c, func(ctx context.Context) (assessapi.PositionAssessment, error) {
		return c.client.PositionAssessment(ctx, c.position, id)
	})
}

// checkResults reads a few candidates of one position after the other, until one has candidates with results. The first
// position is the one whose assessments the check has read.
func (c *check) checkResults() error {
	positions := slices.Concat(c.used, c.sample())
	if len(c.used) > 0 {
		positions = append([]string{c.position}, positions...)
	}
	var all []members
	var understood []assessapi.Candidate
	for _, position := range distinct(positions) {
		if c.watcher.left() == 0 {
			break
		}
		c.watcher.limit = fewCandidates
		some, got, err := ask(c, func(ctx context.Context) ([]assessapi.Candidate, error) {
			candidates, _, err := c.client.FirstResults(ctx, position)
			return candidates, err
		})
		if err != nil {
			return err
		}
		if !got.offered() { // for no position
			c.found.differs("A2", "none")
			break
		}
		c.found.expect(read[members](got.body).has("candidates"), "A2", "envelope")
		all, understood = append(all, listedObjects(got.body)...), append(understood, some...)
		if slices.ContainsFunc(some, func(one assessapi.Candidate) bool { return len(one.Results) > 0 }) {
			break
		}
	}
	if len(all) > 0 {
		c.checkCandidates(all, understood)
	}
	return nil
}
