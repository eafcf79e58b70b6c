// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// The columns of a wide table: about the candidate, and of each assessment, whose name is before theirs. They are
// those of [csvHeader].
var (
	wideHeader = strings.Fields("candidate_id candidate_name suitability comparable candidate_report_url " +
		"rank finished doubtful")
	wideColumns = strings.Fields("percentile classification validity report_url " +
		"invitation_status invitation_expiry invitation_completed benchmark")
)

// wideGroups returns the ids of the assessments of a report. They are sorted by name, so that their
// order depends neither on the order of the results nor on what the options hide.
func (t csvTable) wideGroups(rankings []ranking) []string {
	var ids []string
	for _, r := range rankings {
		ids = slices.Concat(ids, r.Assessments, r.columns)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(t.name(a)), strings.ToLower(t.name(b))), cmp.Compare(a, b))
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
		name := cmp.Or(strings.Join(strings.Fields(t.name(id)), " "), t.Assessment)
		name = shortened(name, longestHeading)
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

// wideRow returns the only row of a candidate. If a candidate has several results for an
// assessment, their values share a cell.
func (t csvTable) wideRow(e entry, groups []string, benchmarks map[string]string) []string {
	cells := csvRow(wideHeader, t.cells(e, assessapi.Result{}, nil))
	for _, id := range groups {
		cells = append(cells, t.wideGroup(e, id, benchmarks)...)
	}
	return cells
}

// wideGroup returns the cells of one assessment. They are empty if the candidate was not invited to it.
func (t csvTable) wideGroup(e entry, assessment string, benchmarks map[string]string) []string {
	shared, count := map[string]string{}, 0
	for _, result := range e.Results {
		if result.AssessmentID != assessment {
			continue
		}
		cells := t.cells(e, result, benchmarks)
		count++
		for _, column := range wideColumns {
			shared[column] = joinedBy("; ", shared[column], cells[column])
		}
	}
	group := csvRow(wideColumns, shared)
	if count > 1 { // then the percentile is a text
		group[0] = escapeFormula(group[0])
	}
	return group
}
