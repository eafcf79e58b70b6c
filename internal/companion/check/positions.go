// SPDX-License-Identifier: MPL-2.0

package check

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Limits on what a check reads.
const (
	maxPositions      = 6   // positions whose assessments the check lists
	maxSingleReads    = 4   // position assessments that the check reads by ID
	positionsPageSize = "1" // positions on a page, to check paging
	resultsPageSize   = "5" // candidates of a position that the check reads
)

const (
	unknownID     = "terraform-provider-assess-check"
	outsideLatin1 = "\u0416" // a Cyrillic letter
)

// checkPositions reads the list of positions into c.positions, and checks the list and its members. If the service
// rejects a request for the list, checkPositions records this. Then, or if the list has more pages than [ask] reads,
// c.positions is incomplete. Before the list, it requests up to two pages of one position each, to find out whether
// pages have links.
func (c *check) checkPositions() error {
	list := func(ctx context.Context) (assessapi.List[assessapi.Item], error) { return c.client.Positions(ctx, nil) }
	_, small, err := askWithPageSize(c, positionsPageSize, list)
	if err != nil {
		return err
	}
	c.checkList(small)
	_, got, err := ask(c, list)
	if err != nil {
		return err
	}
	c.checkList(got)
	switch {
	case isUnreadable(got.rejection): // the list exists, and A1 says that what needs it fails
		c.found.unread("A11")
	case !got.offered():
		c.recordRejection(got, "A11", "list")
	}
	if !got.offered() {
		c.found.unread("A2") // without positions, there are no results
	}
	c.positions = got.elements // even if a later page was rejected
	hasReadOne := small.offered() && len(small.elements) == 1
	if hasReadOne && len(c.positions) > 1 { // with a link, the client would have read a second position
		c.found.differs("A1", "paging")
	}
	c.checkPositionMembers()
	return nil
}

// checkPositionMembers checks that at least one position has a title, and that at least one position has a locale.
func (c *check) checkPositionMembers() {
	if len(c.positions) == 0 {
		return
	}
	has := func(name string) bool {
		return slices.ContainsFunc(c.positions, func(p members) bool { return p.text(name) != "" })
	}
	c.found.expect(has("title"), "A11", "title")
	c.found.expect(has("locale"), "A11", "locale")
}

// checkTitles checks that the service finds a position by its title in ASCII and not by a part of it (assumption A25),
// and by its title in Latin1 (A17). If the service meets A25, checkTitles also checks that it rejects a title outside
// Latin1 (A16).
func (c *check) checkTitles() error {
	ascii, latin1 := c.positionsToFind()
	if err := c.checkTitle(ascii, "A25"); err != nil {
		return err
	}
	if err := c.checkPartOfTitle(ascii); err != nil {
		return err
	}
	if err := c.checkTitle(latin1, "A17"); err != nil {
		return err
	}
	if c.found.of("A25").Status != met {
		return nil // perhaps the service ignores titles, and then it accepts any character
	}
	got, err := c.positionsWithTitle(outsideLatin1)
	if err != nil {
		return err
	}
	c.found.expect(!got.offered(), "A16", "accepted")
	return nil
}

// positionsToFind returns the last position whose title is in ASCII, and the last position whose title is in Latin1 but
// not in ASCII. They are nil if there is no such position. It ignores titles that have fewer than two characters
// without the spaces at their ends, and titles with characters outside Latin1, which the service rejects (assumption
// A16).
func (c *check) positionsToFind() (ascii, latin1 members) {
	for _, p := range c.positions {
		title := []rune(p.text("title"))
		if len([]rune(strings.TrimSpace(string(title)))) < 2 {
			continue // a part of it could be blank (checkPartOfTitle)
		}
		switch highest := slices.Max(title); {
		case highest <= unicode.MaxASCII:
			ascii = p
		case highest <= unicode.MaxLatin1:
			latin1 = p
		}
	}
	return ascii, latin1
}

// checkTitle checks that the service finds a position by its title. If it does not, the service does not meet the given
// assumption. Without a position, it checks nothing.
func (c *check) checkTitle(position members, assumption string) error {
	if position == nil {
		return nil
	}
	got, err := c.positionsWithTitle(position.text("title"))
	if err != nil {
		return err
	}
	c.found.expect(slices.Contains(idsOf(got.elements), position.text("id")), assumption, "missing")
	return nil
}

// checkPartOfTitle checks that the service finds a position only by its whole title: it requests a title that lacks the
// last character. Without a position, it checks nothing.
func (c *check) checkPartOfTitle(position members) error {
	if position == nil {
		return nil
	}
	title := []rune(position.text("title"))
	part := strings.TrimSpace(string(title[:len(title)-1]))
	got, err := c.positionsWithTitle(part)
	if err != nil {
		return err
	}
	hasOthers := slices.ContainsFunc(got.elements, func(p members) bool { return p.text("title") != part })
	c.found.expect(!hasOthers, "A25", "others")
	return nil
}

// positionsWithTitle lists the positions that the service returns for a title ([probe]).
func (c *check) positionsWithTitle(title string) (watchedCall, error) {
	_, got, err := probe(c, func(ctx context.Context) (assessapi.List[assessapi.Item], error) {
		return c.client.Positions(ctx, &title)
	})
	return got, err
}

// sample returns the IDs of the positions, alternately from the end and from the beginning of the list, because the
// newest positions can be at either end.
func (c *check) sample() (ids []string) {
	for i := range len(c.positions) {
		n := i / 2
		if i%2 == 0 {
			n = len(c.positions) - 1 - n
		}
		ids = append(ids, c.positions[n].text("id"))
	}
	return distinct(ids)
}

// checkAttached looks for a position whose assessments have packages, a benchmark or tests, or at least for one with
// assessments, and reads some of these by ID. Then it checks the response to an unknown ID, unless the service has
// rejected a request by ID. Without positions, it checks nothing.
func (c *check) checkAttached() error {
	sample := c.sample()
	if len(sample) == 0 {
		return nil
	}
	c.position = sample[0] // unless another one has assessments
	if err := c.listAttached(sample[:min(len(sample), maxPositions)]); err != nil {
		return err
	}
	offered, err := c.readAttachedByID()
	if err != nil || !offered {
		return err
	}
	_, got, err := probe(c, c.byID(c.position, unknownID))
	switch {
	case err != nil:
		return err
	case assessapi.IsNotOffered(got.rejection): // 405 or 501, which is not about this ID
		c.found.differs("A7", "single")
	case !isForbidden(got.rejection): // a 403 does not show what an unknown ID gets
		c.found.expect(assessapi.IsNotFound(got.rejection), "A3", "unknown")
	}
	return nil
}

// readInTurn calls read for one position after the other, until enough is true, or the service rejects a request. It
// records a rejection as the difference "none" of the assumption (see recordRejection about a 403). A 404 or 410 counts
// only if the service finds none of the positions. After a position was read, only a 405, a 501 or an unreadable
// response counts.
func (c *check) readInTurn(
	positions []string, assumption string, read func(position string) (got watchedCall, enough bool, err error),
) error {
	isFound := false
	for _, position := range positions {
		got, enough, err := read(position)
		rejected := got.rejection
		isOther := isFound && !got.offered() && !assessapi.IsNotOffered(rejected) && !isUnreadable(rejected)
		switch {
		case err != nil:
			return err
		case assessapi.IsNotFound(rejected), isOther: // perhaps only this position, because it was closed
			continue
		case !got.offered():
			c.recordRejection(got, assumption, "none")
			return nil
		case enough:
			return nil
		}
		isFound = true
	}
	if len(positions) > 0 && !isFound {
		c.found.differs(assumption, "none")
	}
	return nil
}

// listAttached lists the assessments of positions in turn (readInTurn), and adds them to c (addAttached). It stops at
// the first list that shows packages, a benchmark or tests, or whose first element does not show its assessment. It
// skips lists that the client cannot read.
func (c *check) listAttached(positions []string) error {
	return c.readInTurn(positions, "A7", func(position string) (watchedCall, bool, error) {
		read, got, err := ask(c, func(ctx context.Context) (assessapi.List[assessapi.PositionAssessment], error) {
			return c.client.PositionAssessments(ctx, position)
		})
		if err != nil {
			return got, false, err
		}
		c.checkList(got)
		if isUnreadable(got.rejection) { // the list exists, and A1 says that what needs it fails
			c.found.unread("A7")
			return watchedCall{}, false, nil
		}
		if len(read.Elements) == 0 { // or the service has rejected the request
			return got, false, nil
		}
		c.checkElements(got.elements)
		c.addAttached(position, read.Elements)
		isBare := read.Elements[0].AssessmentID.OrZero() == "" // then other lists probably lack metadata, too
		return got, isBare || slices.ContainsFunc(read.Elements, isConfigured), nil
	})
}

// addAttached adds the assessments of a position to c.attached. If they are the first ones, or if they show packages, a
// benchmark or tests, they replace the assessments in c.attached, and the position becomes c.position.
func (c *check) addAttached(position string, list []assessapi.PositionAssessment) {
	c.positionsInUse = slices.Insert(c.positionsInUse, 0, position)
	if len(c.attached) == 0 || slices.ContainsFunc(list, isConfigured) {
		c.position, c.attached, c.attachedToPosition = position, nil, len(list)
	}
	c.attached = append(c.attached, list...)
	for _, pa := range list {
		c.positionOf[pa.ID] = position
	}
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
		isEmpty := func(name string) bool { return readJSON[any](e[name]) == nil } // absent or null
		switch {
		case isEmpty("organizationAssessment"):
			c.found.differs("A7", "bare")
		case isEmpty("metadata"):
			c.found.differs("A7", "metadata")
		}
	}
}

// readAttachedByID reads listed position assessments of c.position by ID: the first maxSingleReads, or only the first
// one if the list shows its assessment and its metadata. It replaces them in c.attached, and adds their IDs to
// c.fetched. It records a difference if the list hides options that a read shows. If the service rejects a request, it
// records this, and offered is false.
func (c *check) readAttachedByID() (offered bool, err error) {
	toRead := c.attached[:min(c.attachedToPosition, maxSingleReads)]
	if len(toRead) > 0 && toRead[0].AssessmentID.OrZero() != "" && toRead[0].HasMetadata {
		toRead = toRead[:1]
	}
	for i, listed := range toRead {
		read, got, err := ask(c, c.byID(c.position, listed.ID))
		switch {
		case err != nil:
			return false, err
		case !got.offered():
			c.found.differs("A7", "single") // also after a 403, because a refresh would fail, too
			return false, nil
		}
		toRead[i] = read // also in c.attached
		c.fetched = append(c.fetched, read.ID)
		if hides(listed.Metadata, read.Metadata) {
			c.found.differs("A7", "bare")
		}
	}
	return true, nil
}

// hides reports whether the metadata in a list lack packages, a benchmark, a profile or tests that a read by ID shows.
func hides(listed, read assessapi.Metadata) bool {
	isHidden := func(key string) bool { return len(listed.IDs(key)) == 0 && len(read.IDs(key)) > 0 }
	return slices.ContainsFunc([]string{"packages", "benchmark", "profile", "tests"}, isHidden)
}

// byID returns a function that reads the position assessment of a position with an ID.
func (c *check) byID(position, id string) func(context.Context) (assessapi.PositionAssessment, error) {
	return func(ctx context.Context) (assessapi.PositionAssessment, error) {
		return c.client.PositionAssessment(ctx, position, id)
	}
}

// checkResults reads a page of results of each position in turn (readInTurn), until a candidate has results. It checks
// the envelope of the pages, and all candidates on them. It tries at most as many positions as requests are left. It
// returns errMaxRequests if no request is left, or if these positions need more requests.
func (c *check) checkResults() error {
	if c.watcher.left() == 0 {
		return errMaxRequests
	}
	var sent []members // the candidates in read, as the service has sent them
	var read []assessapi.Candidate
	hasResults := func(candidate assessapi.Candidate) bool { return len(candidate.Results) > 0 }
	positions := distinct(slices.Concat(c.positionsInUse, c.sample()))
	positions = positions[:min(len(positions), c.watcher.left())] // a long list is no reason for errMaxRequests
	err := c.readInTurn(positions, "A2", func(position string) (watchedCall, bool, error) {
		candidates, got, err := c.readCandidates(position)
		if err != nil || !got.offered() {
			return got, false, err
		}
		c.found.expect(readJSON[members](got.body).has("candidates"), "A2", "envelope")
		sent = append(sent, listedObjects(got.body)...)
		read = append(read, candidates...)
		return got, slices.ContainsFunc(candidates, hasResults), nil
	})
	if len(sent) > 0 { // also with an error, such as errMaxRequests
		c.checkCandidateMembers(sent, read)
	}
	for _, candidate := range sent {
		c.checkCandidate(candidate)
	}
	return err
}

// readCandidates reads the first candidates of a position.
func (c *check) readCandidates(position string) ([]assessapi.Candidate, watchedCall, error) {
	return askWithPageSize(c, resultsPageSize, func(ctx context.Context) ([]assessapi.Candidate, error) {
		candidates, _, err := c.client.FirstResults(ctx, position)
		return candidates, err
	})
}
