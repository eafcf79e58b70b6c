// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Earlier is what an earlier report says about the candidates of each position.
type Earlier struct {
	Date      string // when its results were read, or empty
	positions map[string]map[string]standing
}

// standing is the rank of a candidate, or 0, and whether the candidate had finished.
type standing struct {
	rank      int
	finished  bool
	ambiguous bool // whether candidates with different standings have the same key
}

// ReadEarlier reads a table that [Report.CSV] has written with any options. It returns an error if the table is empty,
// is not CSV, or lacks a column that ReadEarlier uses, such as the position (CSV leaves it out if no position has a
// title). The caller sets the date.
func ReadEarlier(table io.Reader) (*Earlier, error) {
	rows, err := readTable(table)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("the table is empty")
	}
	for _, name := range []string{"position", "candidate_id", "candidate_name", "rank", "finished"} {
		if !slices.Contains(rows[0], name) {
			return nil, fmt.Errorf("the table has no column %q", name)
		}
	}
	e := &Earlier{positions: map[string]map[string]standing{}}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] { // readTable rejects a row of another length
			cells[name] = row[i]
		}
		e.add(cells)
	}
	return e, nil
}

// readTable reads a table, whether or not it was written for Excel. All rows have the same length.
func readTable(table io.Reader) ([][]string, error) {
	all, err := io.ReadAll(table)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(all), byteOrderMark)
	read := csv.NewReader(strings.NewReader(text))
	if strings.HasPrefix(text, "position;") {
		read.Comma = ';'
	}
	return read.ReadAll()
}

// add adds the candidate of a row. The parameter row maps column names to cells. If an earlier row says something else
// about this candidate, the standing becomes ambiguous.
func (e *Earlier) add(row map[string]string) {
	candidates := e.positions[row["position"]]
	if candidates == nil {
		candidates = map[string]standing{}
		e.positions[row["position"]] = candidates
	}
	rank, _ := strconv.Atoi(row["rank"]) // 0 without a rank
	key := person(idOf(row["candidate_id"]), row["candidate_name"])
	now := standing{rank: rank, finished: row["finished"] == "yes"}
	if was, found := candidates[key]; found { // usually another result of the candidate
		now.ambiguous = was.ambiguous || was != now
	}
	candidates[key] = now
}

// idOf returns the ID in a cell, without the formula for Excel around it or the apostrophe before it.
func idOf(cell string) string {
	if quoted, isFormula := strings.CutPrefix(cell, `="`); isFormula {
		return strings.TrimSuffix(quoted, `"`)
	}
	if id, found := strings.CutPrefix(cell, "'"); found && escapeFormula(id) == cell {
		return id
	}
	return cell
}

// person returns a key for a candidate, so that two reports can be compared. The key is the code that is derived from
// the ID. Without an ID, it is the code at the end of the pseudonym or, if there is no such code, the name. person
// returns "" if there is no name, or if the name ends with a number, because a numbered pseudonym is valid in one
// report only.
func person(id, name string) string {
	if id != "" {
		return pseudonymCode(id)
	}
	last := name[strings.LastIndex(name, " ")+1:]
	if isCode.MatchString(last) {
		return last
	}
	if _, err := strconv.Atoi(last); err == nil {
		return ""
	}
	return name
}

var isCode = regexp.MustCompile(`^[` + codeSymbols + `]{4}-[` + codeSymbols + `]{4}$`)

// change is what is new about a candidate since an earlier report.
type change struct {
	kind changeKind
	from int // the earlier rank, or 0
}

type changeKind string

const (
	isNew       changeKind = "new"
	hasFinished changeKind = "finished"
	hasMoved    changeKind = "moved"
	isUnclear   changeKind = "unclear" // the candidate cannot be recognized in the earlier report
)

// csv returns the cell of the column "since", or "" if nothing is known to be new.
func (c change) csv() string {
	switch {
	case c.kind == isUnclear:
		return ""
	case c.kind != hasMoved:
		return string(c.kind)
	case c.from == 0:
		return "ranked"
	}
	return fmt.Sprintf("moved from %d", c.from)
}

// of returns the candidates of a position. In one of the two reports, the title may be followed by the ID, because
// other positions in this report have the same title.
func (e *Earlier) of(s Section) map[string]standing {
	id := " (" + s.PositionID + ")"
	title := strings.TrimSuffix(s.Title, id)
	withID, found := e.positions[escapeFormula(title+id)] // escaped, as in the earlier CSV file
	if found {
		return withID
	}
	return e.positions[escapeFormula(title)]
}

// compareWith records what is new about each shown candidate since the earlier report, if there is one. For a candidate
// with several changes, it records only the first of: new (not in the earlier report), finished, another rank. If
// [person] does not say who is who, the change is unclear.
func (r *ranking) compareWith(earlier *Earlier) {
	if earlier == nil {
		return
	}
	keyOf := func(c assessapi.Candidate) string { return person(c.ID, escapeFormula(c.Name)) }
	count := map[string]int{}
	for _, candidate := range r.Candidates {
		count[keyOf(candidate)]++
	}
	before := earlier.of(r.Section)
	_, hasUnclear := before[""] // the key if person does not say who a candidate is
	for i := range r.entries {
		e := &r.entries[i]
		key := keyOf(e.Candidate)
		was, known := before[key]
		switch {
		case key == "", was.ambiguous, known && count[key] > 1:
			e.change.kind = isUnclear
		case !known && hasUnclear && !isCode.MatchString(key): // the name may belong to an unclear earlier candidate
			e.change.kind = isUnclear
		case !known:
			e.change.kind = isNew
		case e.finished && !was.finished:
			e.change.kind = hasFinished
		case e.rank != was.rank:
			e.change = change{hasMoved, was.rank}
		}
	}
}

// mostNamed is the largest number of candidates with one kind of change whom a summary names. If there are more, the
// summary gives only their number, because one new candidate at the top changes the ranks of all others.
const mostNamed = 8

// sinceEarlier summarizes the changes that compareWith has recorded in some rankings. It says how many of the shown
// candidates have each kind of change. For a single ranking, it also names these candidates if there are at most
// mostNamed. If there is no change of any kind, it says so. It returns "" if there is no earlier report.
func (v viewer) sinceEarlier(earlier *Earlier, rankings ...ranking) string {
	if earlier == nil {
		return ""
	}
	var parts []string
	for _, kind := range []changeKind{isNew, hasFinished, hasMoved, isUnclear} {
		labels := v.changed(kind, rankings)
		if len(labels) == 0 {
			continue
		}
		part := fmt.Sprintf(v.Changes[kind], v.count(len(labels)))
		if len(rankings) == 1 && len(labels) <= mostNamed { // the index names the candidates in its rows
			part += " (" + strings.Join(labels, v.Semicolon) + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = []string{v.NothingNew}
	}
	heading := v.SinceEarlier
	if earlier.Date != "" {
		heading = fmt.Sprintf(v.SinceDate, dated(earlier.Date, v.longDate))
	}
	return heading + v.Colon + strings.Join(parts, ", ") + "."
}

// changed returns the labels of the candidates with a change of this kind. Each label is between characters that
// prevent right-to-left text from changing the direction of the sentence around it.
func (v viewer) changed(kind changeKind, rankings []ranking) (labels []string) {
	for _, r := range rankings {
		for _, e := range r.entries {
			if e.change.kind == kind {
				labels = append(labels, "\u2068"+v.label(e.Candidate)+"\u2069")
			}
		}
	}
	return labels
}

// news says what is new about a candidate.
func (v viewer) news(e entry) string {
	switch e.change.kind {
	case isNew:
		return v.Newcomer
	case hasFinished:
		return v.NewlyFinished
	case hasMoved:
		return fmt.Sprintf(v.Moved, v.rank(e.change.from), v.rank(e.rank))
	case isUnclear: // only the summary says so
	}
	return ""
}

// rank writes a rank, or a dash for none.
func (v viewer) rank(n int) string {
	if n == 0 {
		return "–"
	}
	return v.count(n)
}

// rankedOver returns a sentence about the assessments that a ranking is based on, or "" if RankedOver is nil.
func (v viewer) rankedOver(r ranking) string {
	if r.RankedOver == nil {
		return ""
	}
	if len(r.Without) == 0 {
		return fmt.Sprintf(v.RankedOver, v.listed(r.RankedOver))
	}
	return fmt.Sprintf(v.RankedOverWithout, v.listed(r.RankedOver), v.listed(r.Without))
}

// listed names several assessments, with "and" before the last one.
func (v viewer) listed(ids []string) string {
	last := len(ids) - 1
	if last < 1 {
		return v.names(ids)
	}
	return v.names(ids[:last]) + v.And + v.name(ids[last])
}
