// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"
)

// csvHeader names the columns; "position" comes before them where a section has
// a title. The names are stable: spreadsheets and scripts refer to them.
var csvHeader = []string{
	"candidate_id", "candidate_name", "suitability", "comparable", "candidate_report_url",
	"assessment_id", "type", "percentile", "classification", "validity", "report_url",
	"invitation_id", "invitation_type", "invitation_status", "invitation_expiry", "invitation_created", "invitation_completed",
}

// CSV writes a table for a spreadsheet (RFC 4180, UTF-8 without a byte order
// mark): a row for each candidate and result, and one for a candidate without
// results. What belongs to the candidate stands in each of the rows. Several
// invitations of a result share its row, in the same order in each cell,
// separated by a semicolon and a space.
//
// The column comparable says "yes" where the score rests on the same assessments
// as most, "no" where it does not, "no score" where there is none, and nothing
// where the results are not known.
//
// Text that a spreadsheet would run as a formula has an apostrophe before it;
// numbers are left alone. An error is the writer's.
func (r Report) CSV(w io.Writer) error {
	titled := slices.ContainsFunc(r.Sections, func(s Section) bool { return s.Title != "" })
	out := csv.NewWriter(w)
	out.UseCRLF = true
	write := func(position string, cells []string) {
		if titled {
			cells = append([]string{position}, cells...)
		}
		_ = out.Write(cells) // kept by the writer until Error is asked for
	}
	write("position", csvHeader)
	for _, section := range r.Sections {
		for _, candidate := range standingsOf(section.Candidates).all() {
			results := candidate.Results
			if len(results) == 0 {
				results = []Result{{}}
			}
			for _, result := range results {
				write(harmless(section.Title), append(candidate.csv(), result.csv()...))
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (s standing) csv() []string {
	return []string{
		harmless(s.ID), harmless(s.Name), number(s.Suitability), s.comparable(), harmless(s.ReportURL),
	}
}

func (s standing) comparable() string {
	switch {
	case s.Suitability == nil:
		return "no score"
	case !s.known:
		return ""
	case s.differs():
		return "no"
	default:
		return "yes"
	}
}

func (r Result) csv() []string {
	each := func(member func(Invitation) string) string {
		values := make([]string, len(r.Invitations))
		for i, invitation := range r.Invitations {
			values[i] = member(invitation)
		}
		return harmless(strings.Join(values, "; "))
	}
	return []string{
		harmless(r.AssessmentID), harmless(r.Type), number(r.Percentile), harmless(r.Classification), harmless(r.Validity), harmless(r.ReportURL),
		each(func(i Invitation) string { return i.ID }),
		each(func(i Invitation) string { return i.Type }),
		each(func(i Invitation) string { return i.Status }),
		each(func(i Invitation) string { return i.Expiry }),
		each(func(i Invitation) string { return i.Created }),
		each(func(i Invitation) string { return i.Completed }),
	}
}

// What starts a formula, also in its full-width form, and what importers skip on
// their way to it.
const (
	formulaStart = `[=+\-@＝＋－＠]`
	blank        = `[\s\pZ\pC]*`
)

var (
	runs = regexp.MustCompile(`^(` + blank + formulaStart + `|[\t\r\n])`)
	// A spreadsheet may split at semicolons, tabs or line breaks instead: a part
	// that begins a cell there must not run either.
	runsElsewhere = regexp.MustCompile(`([;\t\n]` + blank + `)(` + formulaStart + `)`)
)

// harmless makes text that a spreadsheet would run into text that it shows. Line
// breaks become line feeds, because a cell's own carriage returns do not survive.
func harmless(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = runsElsewhere.ReplaceAllString(text, "$1'$2")
	if runs.MatchString(text) {
		return "'" + text
	}
	return text
}
