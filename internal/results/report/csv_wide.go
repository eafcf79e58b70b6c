// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// wideHeader names the columns about the candidate in a wide table. It has the same names as
// [csvHeader].
var wideHeader = []string{
	"candidate_id",
	"candidate_name",
	"suitability",
	"comparable",
	"candidate_report_url",
	"rank",
	"finished",
	"doubtful",
}

// wideColumns are the columns of each assessment. Their headings begin with the name of the
// assessment.
var wideColumns = []string{
	"percentile",
	"classification",
	"validity",
	"report_url",
	"invitation_status",
	"invitation_expiry",
	"invitation_completed",
	"benchmark",
}

// wideGroups returns the ids of the assessments of a report. They are sorted by name, so that their
// order depends neither on the order of the results nor on what the options hide.
func wideGroups(sections []Section, name func(id string) string) []string {
	var ids []string
	for _, section := range sections {
		ids = append(ids, section.Assessments...)
		ids = append(ids, assessmentsOf(section.Candidates)...)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(name(a)), strings.ToLower(name(b))), cmp.Compare(a, b))
	})
	return slices.Compact(ids)
}

// longestHeading is the largest number of characters of an assessment in a heading. Excel
// accepts 255 in the heading of a table.
const longestHeading = 200

// wideHeadings returns the headings of a wide table. Each of them is one line, and no two of
// them differ only in case, because spreadsheets do not accept such columns in one table.
func (t csvTable) wideHeadings(groups []string) []string {
	headings := slices.Clone(wideHeader)
	used := map[string]bool{}
	for _, id := range groups {
		name := shortened(strings.Join(strings.Fields(t.assessmentName(id)), " "), longestHeading)
		distinct := name
		for n := 2; used[strings.ToLower(distinct)]; n++ {
			distinct = fmt.Sprintf("%s (%d)", name, n)
		}
		used[strings.ToLower(distinct)] = true
		for _, column := range wideColumns {
			headings = append(headings, escapeFormula(distinct+": "+column))
		}
	}
	return headings
}

func (t csvTable) assessmentName(id string) string {
	if name := t.name(id); strings.TrimSpace(name) != "" {
		return name
	}
	return t.Assessment
}

// wideRow returns the only row of a candidate. If a candidate has several results for an
// assessment, their values share a cell.
func (t csvTable) wideRow(e entry, groups []string, benchmarks map[string]string) []string {
	row := []string{
		escapeFormula(e.ID), escapeFormula(e.Name), t.number(e.Suitability), e.comparable(), escapeFormula(e.ReportURL),
		e.rankText(), e.finished(), e.doubts(),
	}
	for _, id := range groups {
		row = append(row, t.wideGroup(e, id, benchmarks)...)
	}
	return row
}

// wideGroup returns the cells of one assessment. They are empty if the candidate was not invited to it.
func (t csvTable) wideGroup(e entry, assessment string, benchmarks map[string]string) []string {
	cells, count := make([]string, len(wideColumns)), 0
	for _, result := range e.Results {
		if result.AssessmentID != assessment {
			continue
		}
		count++
		for i, value := range t.wideCells(result, benchmarks) {
			cells[i] = joinedBy("; ", cells[i], value)
		}
	}
	for i, cell := range cells {
		if i > 0 || count > 1 { // the first one is a number
			cells[i] = escapeFormula(cell)
		}
	}
	return cells
}

// wideCells returns the values of a result, in the order of [wideColumns].
func (t csvTable) wideCells(r assessapi.Result, benchmarks map[string]string) []string {
	return []string{
		t.number(r.Percentile), r.Classification, r.Validity, r.ReportURL,
		each(r, func(i assessapi.Invitation) string { return i.Status }),
		each(r, func(i assessapi.Invitation) string { return i.Expiry }),
		each(r, func(i assessapi.Invitation) string { return t.time(i.Completed) }),
		benchmarks[r.AssessmentID],
	}
}
