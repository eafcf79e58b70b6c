// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// csvHeader contains the names of the columns. If any section has a title, or if there are no sections, the column
// "position" comes first. The names are the same in every language, and new columns are added at the end, because
// spreadsheets and scripts refer to the columns.
//
// The column comparable is "yes" if the score is based on the same assessments as the ranking, "no" if it is based on
// other assessments, "no score" if there is no score, and empty if it is not known which assessments the score is based
// on. A score with "no" has no rank. The column finished is "yes" if the candidate has completed all assessments in the
// invitations, or has a score but no results. It is empty if neither results nor a score are known, and otherwise "no".
// The column doubtful is "yes" if any result of the candidate is in doubt, "no" if none is in doubt, and empty if no
// results are known. The column ranked_over contains the names of the ranking's assessments if [Section.RankedOver] or
// [Section.Filtered] is set. The column since says what is new since an earlier report: "new", "finished", "ranked" or
// "moved from 5".
var csvHeader = strings.Fields("candidate_id candidate_name suitability comparable candidate_report_url " +
	"assessment_id type percentile classification validity report_url " +
	"invitation_id invitation_type invitation_status invitation_expiry invitation_created invitation_completed " +
	"rank finished assessment_name benchmark doubtful ranked_over since")

// byteOrderMark tells Excel that a file is UTF-8.
const byteOrderMark = "\ufeff"

// CSV writes a table (RFC 4180, UTF-8) with the columns of csvHeader or, with [Options.Wide], the columns of a wide
// table. An apostrophe comes before text that a spreadsheet would run as a formula. CSV returns only errors of w.
//
// With [Options.Excel], the file begins with a byte order mark. Separators, decimals and times have the form that Excel
// expects in the report's language. Plain IDs are formulas such as ="00123".
func (r Report) CSV(w io.Writer) error {
	table := csvTable{viewer: r.Options.viewer(), excel: r.Options.Excel, wide: r.Options.Wide}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if table.excel {
		out.Comma = rune(table.CellSeparator[0])
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return err
		}
	}
	return out.WriteAll(table.rows(r.rankings()))
}

// csvTable writes cells in the form that the options require.
type csvTable struct {
	viewer
	excel, wide bool
}

// rows returns the header and the rows. The first column is the position. If there are rankings, but none of them has a
// title, rows leaves out this column, and [ReadEarlier] rejects the table. Without rankings, the table has the column,
// because "assess report" may compare a later report with it.
func (t csvTable) rows(rankings []ranking) [][]string {
	rowsOf := t.longRows
	if t.wide {
		rowsOf = t.wideRows
	}
	rows := rowsOf(rankings)
	isTitled := func(r ranking) bool { return r.Title != "" }
	if len(rankings) == 0 || slices.ContainsFunc(rankings, isTitled) {
		return rows
	}
	for i, row := range rows {
		rows[i] = row[1:]
	}
	return rows
}

// longRows returns the header, and a row for each result of a candidate, or one row for a candidate without results.
// The first cell is the position.
func (t csvTable) longRows(rankings []ranking) [][]string {
	rows := [][]string{append([]string{"position"}, csvHeader...)}
	for _, r := range rankings {
		for _, e := range r.entries {
			results := e.Results
			if len(results) == 0 {
				results = []assessapi.Result{{}}
			}
			for _, result := range results {
				cells := t.row(csvHeader, t.cells(e, result, r))
				rows = append(rows, append([]string{escapeFormula(r.Title)}, cells...))
			}
		}
	}
	return rows
}

// row returns the cells of the given columns, and escapes formulas in them. It does not escape scores and percentiles,
// because a negative number would become text. With [Options.Excel], it writes plain IDs as formulas (plainID).
func (t csvTable) row(columns []string, cells map[string]string) []string {
	row := make([]string, len(columns))
	for i, column := range columns {
		text := cells[column]
		switch {
		case column == "suitability" || column == "percentile":
			row[i] = text
		case t.excel && strings.HasSuffix(column, "_id") && plainID.MatchString(text):
			row[i] = `="` + text + `"`
		default:
			row[i] = escapeFormula(text)
		}
	}
	return row
}

// plainID matches an ID that can be part of a formula without escapes. If such an ID were not in a formula, Excel could
// read it as a number or a date, and change it.
var plainID = regexp.MustCompile(`^[\w.:/-]+$`)

// cells returns the texts about a candidate in a ranking and one of the candidate's results, by column name. With the
// zero result, they are only about the candidate. The values of several invitations share a cell, in the order of the
// invitations, separated by a semicolon and a space. A column that is not in the map is empty. The texts are not
// escaped.
func (t csvTable) cells(e entry, result assessapi.Result, r ranking) map[string]string {
	cells := map[string]string{
		"candidate_id": e.ID, "candidate_name": e.Name, "candidate_report_url": e.ReportURL,
		"suitability": t.number(e.Suitability), "comparable": comparableCell(e),
		"finished": yesNoOrUnknown(e.finished || e.Results != nil, e.finished),
		"doubtful": yesNoOrUnknown(len(e.Results) > 0, e.doubtful()), "since": e.change.csv(),

		"assessment_id": result.AssessmentID, "type": result.Type, "percentile": t.number(result.Percentile),
		"classification": result.Classification, "validity": result.Validity, "report_url": result.ReportURL,
		"benchmark": r.Benchmarks[result.AssessmentID], "ranked_over": t.names(r.RankedOver),
	}
	for i, invitation := range result.Invitations {
		for column, text := range t.invitationCells(invitation) {
			if i > 0 {
				text = "; " + text
			}
			cells[column] += text
		}
	}
	if e.rank > 0 {
		cells["rank"] = strconv.Itoa(e.rank)
	}
	if result.AssessmentID != "" {
		cells["assessment_name"] = t.name(result.AssessmentID)
	}
	return cells
}

// invitationCells returns the texts about one invitation, by column name.
func (t csvTable) invitationCells(i assessapi.Invitation) map[string]string {
	return map[string]string{
		"invitation_id": i.ID, "invitation_type": i.Type, "invitation_status": i.Status, "invitation_expiry": i.Expiry,
		"invitation_created": t.time(i.Created), "invitation_completed": t.time(i.Completed),
	}
}

// comparableCell returns the cell of the column "comparable".
func comparableCell(e entry) string {
	if e.Suitability == nil {
		return "no score"
	}
	return yesNoOrUnknown(e.known, !e.differs())
}

func (t csvTable) number(n *float64) string {
	if t.excel {
		return strings.Replace(exact(n), ".", t.Decimal, 1)
	}
	return exact(n)
}

// time returns a timestamp. With [Options.Excel], the timestamp has a form that Excel reads in every language.
func (t csvTable) time(timestamp string) string {
	if at, ok := timeOf(timestamp); ok && t.excel && len(timestamp) > len("2006-01-02") {
		return at.Format("2006-01-02 15:04:05")
	}
	return timestamp
}

// yesNoOrUnknown returns "yes" or "no", or "" if the answer is not known.
func yesNoOrUnknown(known, yes bool) string {
	switch {
	case !known:
		return ""
	case yes:
		return "yes"
	}
	return "no"
}
