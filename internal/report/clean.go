// SPDX-License-Identifier: MPL-2.0

package report

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// clean replaces control characters and line breaks in a text of the service with spaces, because a terminal or a
// spreadsheet could obey them. It removes characters that change the direction of text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		}
		return r
	}, text)
}

// cleaned returns a copy of a section with clean texts and IDs, and with the results that [cleanResult] returns. Each
// address is safe as a link or empty. A caller may change the elements of Candidates, Results and Invitations.
func (s Section) cleaned() Section {
	s.Title, s.PositionID = clean(s.Title), clean(s.PositionID)
	benchmarks := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(s.Benchmarks)) { // sorted, because cleaned IDs can be equal
		benchmarks[clean(id)] = clean(s.Benchmarks[id])
	}
	s.Benchmarks, s.Assessments = benchmarks, cleanAll(s.Assessments)
	s.RankedOver, s.Without = cleanAll(s.RankedOver), cleanAll(s.Without)
	s.Candidates = slices.Clone(s.Candidates)
	for i, c := range s.Candidates {
		c.ID, c.Name, c.ReportURL = clean(c.ID), clean(c.Name), safeLink(c.ReportURL)
		c.Results = slices.Clone(c.Results) // nil stays nil, which means "not known"
		for j, r := range c.Results {
			c.Results[j] = cleanResult(r)
		}
		s.Candidates[i] = c
	}
	return s
}

// cleanAll cleans each text. Nil stays nil.
func cleanAll(texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = clean(texts[i])
	}
	return texts
}

// cleanResult returns a copy of a result with clean texts, a safe report link or none, and without sign-in addresses.
// If there are invitations, but the result is not completed, the copy has no percentile, classification or validity,
// because they may be placeholders.
func cleanResult(r assessapi.Result) assessapi.Result {
	r.ReportURL = safeLink(r.ReportURL)
	if len(r.Invitations) > 0 && !r.IsCompleted() {
		r.Percentile, r.Classification, r.Validity = nil, "", ""
	}
	for _, text := range []*string{&r.AssessmentID, &r.Type, &r.Classification, &r.Validity} {
		*text = clean(*text)
	}
	r.Invitations = slices.Clone(r.Invitations)
	for i := range r.Invitations {
		v := &r.Invitations[i]
		for _, text := range []*string{&v.ID, &v.Type, &v.Status, &v.Expiry, &v.Created, &v.Completed} {
			*text = clean(*text)
		}
		v.LoginURL = ""
	}
	return r
}

// safeLink returns an address that may become a link. It returns "" unless the address is an absolute http or https
// address without characters that clean would change.
func safeLink(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	link := u.String()
	if clean(link) != link { // String escapes the path, but not the query
		return ""
	}
	return link
}
