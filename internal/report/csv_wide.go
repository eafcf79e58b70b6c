// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Columns of a wide table, in their order: wideHeader, wideColumns for each assessment with its name as a prefix,
// wideEnd, and the addresses of the results. Columns that people read come first. All names are also in [csvHeader].
var (
	wideHeader  = strings.Fields("candidate_name rank suitability comparable finished doubtful")
	wideColumns = strings.Fields("percentile classification validity benchmark " +
		"invitation_status invitation_completed invitation_expiry")
	wideEnd = strings.Fields("since ranked_over candidate_id candidate_report_url")
)

// assessmentsIn returns the IDs of all assessments of some rankings. They are sorted by name, so that their order
// depends neither on the order of the results nor on what the options hide.
func (t csvTable) assessmentsIn(rankings []ranking) []string {
	var ids []string
	for _, r := range rankings {
		ids = slices.Concat(ids, r.Assessments, r.columns)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(t.name(a)), strings.ToLower(t.name(b))), cmp.Compare(a, b))
	})
	return slices.Compact(ids)
}

// longestHeading is the largest number of characters of an assessment's name in a heading. Excel accepts table headings
// of at most 255 characters, and a heading also contains escapes and the name of a column.
const longestHeading = 150

// wideHeadings returns the headings of a wide table for the assessments with these ids.
func (t csvTable) wideHeadings(ids []string) []string {
	headings := slices.Clone(wideHeader)
	var addresses []string
	for _, name := range t.distinctNames(ids) {
		for _, column := range wideColumns {
			headings = append(headings, name+": "+column)
		}
		addresses = append(addresses, name+": report_url")
	}
	return slices.Concat(headings, wideEnd, addresses)
}

// distinctNames returns the names of assessments for headings. Each name is one line, is cut after longestHeading
// characters, and is not a formula. Names differ in more than case, because spreadsheets ignore case and reject equal
// headings in one table.
func (t csvTable) distinctNames(ids []string) []string {
	names := make([]string, len(ids))
	used := map[string]bool{}
	for i, id := range ids {
		name := escapeFormula(shortened(strings.Join(strings.Fields(t.name(id)), " "), longestHeading))
		names[i] = name
		for n := 2; used[strings.ToLower(names[i])]; n++ {
			names[i] = fmt.Sprintf("%s (%d)", name, n)
		}
		used[strings.ToLower(names[i])] = true
	}
	return names
}

// wideRows returns the header, and a row for each candidate, with a group of columns for each assessment. The first
// cell is the position.
func (t csvTable) wideRows(rankings []ranking) [][]string {
	ids := t.assessmentsIn(rankings)
	rows := [][]string{append([]string{"position"}, t.wideHeadings(ids)...)}
	for _, r := range rankings {
		for _, e := range r.entries {
			rows = append(rows, append([]string{escapeFormula(r.Title)}, t.wideRow(e, ids, r)...))
		}
	}
	return rows
}

// wideRow returns the cells of a candidate, with a group for each of the assessments with these IDs.
func (t csvTable) wideRow(e entry, ids []string, r ranking) []string {
	candidate := t.cells(e, assessapi.Result{}, r)
	cells := t.row(wideHeader, candidate)
	var addresses []string
	for _, id := range ids {
		group, address := t.wideGroup(e, id, r)
		cells, addresses = append(cells, group...), append(addresses, address)
	}
	return slices.Concat(cells, t.row(wideEnd, candidate), addresses)
}

// wideGroup returns a candidate's cells for one assessment (wideColumns), and the address of the result. Several
// results for the assessment share each cell and the address. Without such a result, the cells and the address are
// empty.
func (t csvTable) wideGroup(e entry, assessment string, r ranking) (group []string, address string) {
	shared := map[string]string{}
	for _, result := range e.Results {
		if result.AssessmentID != assessment {
			continue
		}
		cells := t.cells(e, result, r)
		for _, column := range slices.Concat(wideColumns, []string{"report_url"}) {
			shared[column] = joinedBy("; ", shared[column], cells[column])
		}
	}
	if strings.Contains(shared["percentile"], ";") { // a list of percentiles is text, which t.row would not escape
		shared["percentile"] = escapeFormula(shared["percentile"])
	}
	return t.row(wideColumns, shared), escapeFormula(shared["report_url"])
}
