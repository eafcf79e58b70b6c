// SPDX-License-Identifier: MPL-2.0

package check

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// members are the members of a JSON object.
type members map[string]json.RawMessage

func (m members) has(name string) bool { return m[name] != nil }

// text returns a member that is a string.
func (m members) text(name string) string { return readJSON[string](m[name]) }

// readJSON reads JSON. The result is empty if the JSON is of another type.
func readJSON[T any](text []byte) (value T) {
	_ = json.Unmarshal(text, &value)
	return value
}

// listedObjects returns the objects of a page of a list, whatever its envelope, or nil if an element is not an object.
func listedObjects(body []byte) (list []members) {
	elements, _ := assessapi.ReadPage(nil, body)
	for _, text := range elements {
		var element members
		if json.Unmarshal(text, &element) != nil {
			return nil
		}
		list = append(list, element)
	}
	return list
}

// eachOnce returns the elements without repetitions of an ID. There are repetitions because the client reads some pages
// again.
func eachOnce(elements []members) (all []members) {
	seen := map[string]bool{}
	for _, e := range elements {
		if id := e.text("id"); id == "" || !seen[id] {
			seen[id] = true
			all = append(all, e)
		}
	}
	return all
}

// idsOf returns the IDs of elements.
func idsOf(elements []members) (ids []string) {
	for _, e := range elements {
		ids = append(ids, e.text("id"))
	}
	return ids
}

// checkResponses checks the responses to a call of the client.
func (c *check) checkResponses(exchanges []exchange) {
	if areParametersRejected(exchanges) {
		c.found.differs("A24", "rejected")
	}
	for _, x := range exchanges {
		c.checkResponse(x)
	}
}

// checkResponse checks the headers and the format of a response. A gateway may have sent a 429, so only its header
// Retry-After is checked. A gateway may also have sent a redirect or a 5xx, of which nothing is checked.
func (c *check) checkResponse(x exchange) {
	switch {
	case x.status == http.StatusTooManyRequests:
		c.checkRetryAfter(x.header.Get("Retry-After"))
		return
	case x.status >= http.StatusInternalServerError, x.status/100 == 3:
		return
	}
	if x.header.Get("Conversation-Id") == "" {
		c.found.differs("A3", "number")
	}
	if x.succeeded() {
		c.checkSuccess(x)
		return
	}
	body := readJSON[members](x.body)
	c.found.expect(body.text("code") != "" && body.text("message") != "", "A3", "body")
}

// textScalar matches a number, a boolean or null that is written as a string (null as ""). It never matches inside a
// string, because the quotes there are escaped.
var textScalar = regexp.MustCompile(
	`"(suitability|candidateSuitability|suitabilityScore|candidateSuitabilityScore|score|percentile|numberOfQuestions|` +
		`active|mandatory|optional)"\s*:\s*"(true|false|-?[0-9]+(\.[0-9]+)?)?"`)

// checkSuccess checks the format of a successful response: compression, character set, numbers and booleans, page size
// and the link to the next page. If the body is compressed, or in a charset that the client cannot read, checkSuccess
// checks nothing else.
func (c *check) checkSuccess(x exchange) {
	if assessapi.CheckEncoding(x.header, x.body) != nil {
		c.found.differs("A1", "compressed")
		return
	}
	if !utf8.Valid(x.body) {
		c.found.differs("A1", "charset")
	}
	if textScalar.Match(x.body) {
		c.found.differs("A12", "text")
	}
	_, nextLink := assessapi.ReadPage(x.header, x.body)
	if !hasPageSize(x, nextLink) {
		c.found.differs("A24", "page")
	}
	if nextLink != "" {
		c.checkLink(x, nextLink)
	}
}

// hasPageSize reports whether a page has as many elements as were requested. The last page, which has no link to a next
// page, may have fewer.
func hasPageSize(x exchange, nextLink string) bool {
	limit, err := strconv.Atoi(x.address.Query().Get("limit"))
	if err != nil {
		return true // the request has no limit
	}
	elements := len(listedObjects(x.body))
	return elements == limit || elements < limit && nextLink == ""
}

// checkLink checks that the link to the next page leads to the service, and has each parameter of the request, with any
// value. It checks nothing of a link that cannot be parsed.
func (c *check) checkLink(x exchange, link string) {
	next, err := x.address.Parse(link)
	if err != nil {
		return
	}
	for name := range x.address.Query() {
		if !next.Query().Has(name) {
			c.found.differs("A1", "links")
		}
	}
	isBelowBase := strings.HasPrefix(next.EscapedPath(), c.base.EscapedPath()+"/")
	if !isBelowBase || assessapi.Origin(next) != assessapi.Origin(c.base) {
		c.found.differs("A1", "host")
	}
}

// checkRetryAfter checks that the header Retry-After of a 429 is a number of seconds, and at most three minutes.
func (c *check) checkRetryAfter(header string) {
	seconds, notSeconds := strconv.ParseFloat(header, 64)
	_, notDate := http.ParseTime(header)
	switch {
	case notSeconds == nil:
		c.found.expect(seconds <= 180, "A14", "long")
	case notDate == nil:
		c.found.differs("A14", "date")
	default:
		c.found.differs("A14", "none")
	}
}

// checkList checks the envelope of a list, and how its elements spell locales.
func (c *check) checkList(got watchedCall) {
	switch {
	case isUnreadable(got.rejection):
		c.found.differs("A1", "format")
	case got.offered():
		c.found.expect(bytes.HasPrefix(bytes.TrimSpace(got.body), []byte("[")), "A1", "object")
	}
	for _, element := range got.elements {
		if text := element.text("locale"); text != "" {
			c.found.expect(locale.MatchString(text), "A26", "spelling")
		}
	}
}

// locale matches a locale in the expected spelling, such as en-GB.
var locale = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)

// checkMarks checks how packages say that they are mandatory.
func (c *check) checkMarks(packages []members) {
	hasMandatory := func(p members) bool { return readJSON[any](p["mandatory"]) != nil }
	switch {
	case slices.ContainsFunc(packages, hasMandatory):
		c.found.meets("A10")
	case slices.ContainsFunc(packages, hasOtherMark):
		c.found.differs("A10", "mark")
	default:
		c.found.differs("A10", "none")
	}
}

// hasOtherMark reports whether a package is marked as mandatory or optional, but not as the contract describes.
func hasOtherMark(p members) bool {
	for name := range p {
		word := p.text(name)
		if strings.EqualFold(word, "MANDATORY") || strings.EqualFold(word, "OPTIONAL") {
			return true
		}
	}
	return readJSON[any](p["optional"]) != nil
}

// candidateFields are the expected names of the members of a candidate. isRead reports whether the client has read a
// value for the member, possibly under another name.
var candidateFields = []struct {
	name   string
	isRead func(assessapi.Candidate) bool
}{
	{"id", func(c assessapi.Candidate) bool { return c.ID != "" }},
	{"name", func(c assessapi.Candidate) bool { return c.Name != "" }},
	{"reportUrl", func(c assessapi.Candidate) bool { return c.ReportURL != "" }},
	{"suitability", func(c assessapi.Candidate) bool { return c.Suitability != nil }},
}

// checkCandidateMembers checks that at least one candidate has each member under its expected name. sent contains the
// candidates as the service returned them, and read contains the same candidates as the client read them.
func (c *check) checkCandidateMembers(sent []members, read []assessapi.Candidate) {
	c.found.meets("A12")
	for _, field := range candidateFields {
		hasName := func(m members) bool { return m.has(field.name) }
		switch {
		case slices.ContainsFunc(sent, hasName): // as expected
		case slices.ContainsFunc(read, field.isRead):
			c.found.differs("A12", "names")
		default:
			c.found.differs("A12", "missing")
		}
	}
}

// checkCandidate checks that no member is an object with a member "score", because scores must be numbers. It also
// checks the results of the candidate.
func (c *check) checkCandidate(candidate members) {
	for _, member := range candidate {
		if readJSON[members](member).has("score") {
			c.found.differs("A12", "score")
		}
	}
	for _, result := range readJSON[[]members](candidate["results"]) {
		c.checkResult(result)
	}
}

// checkResult checks that the types, statuses and other fixed values in a result and its invitations are in the
// contract.
func (c *check) checkResult(result members) {
	c.checkWords(result, map[string]string{
		"type": "REPORT_ONLY SCORED VALIDATED", "validity": "VALID INVALID INTERPRET_WITH_CAUTION",
		"classification": "FAR_ABOVE_AVERAGE ABOVE_AVERAGE AVERAGE BELOW_AVERAGE FAR_BELOW_AVERAGE",
	})
	for _, invitation := range readJSON[[]members](result["invitations"]) {
		c.checkWords(invitation, map[string]string{
			"type": "REMOTE SUPERVISED", "status": "INVITED IN_PROGRESS TESTED_WITH_RESULTS EXPIRED",
		})
	}
}

// checkWords checks that the values of members are in the contract. known contains, for each name of a member, the
// allowed values, separated by spaces.
func (c *check) checkWords(m members, known map[string]string) {
	for name, words := range known {
		if word := m.text(name); word != "" {
			c.found.expect(slices.Contains(strings.Fields(words), word), "A13", "words")
		}
	}
}
