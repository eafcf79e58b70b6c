// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"io"
	"slices"
)

// Index is an overview of several positions. Each position has a page of its own, with its report.
type Index struct {
	// Report has a section for each position. The title of the report is the heading of the index.
	Report
	// Pages are the addresses of the sections' pages, in order. Table is the address of the CSV file with all results.
	Pages []string
	Table string
	// Empty are the names of the positions without candidates, which have no page.
	Empty []string
	// Missing are the positions that could not be read.
	Missing []Missing
}

// Missing is a position that could not be read.
type Missing struct {
	Name   string
	Reason Reason
}

// Reason is why a position could not be read.
type Reason string

// Reasons.
const (
	Unknown    Reason = "unknown"    // no position with this title or ID was found
	Gone       Reason = "gone"       // the service does not find the position
	Forbidden  Reason = "forbidden"  // the API key may not read the results
	Unreadable Reason = "unreadable" // the service sent no usable response
	NotTried   Reason = "notTried"   // earlier requests failed
)

// indexView is what the index shows. Its texts are formatted, but not escaped.
type indexView struct {
	frame

	Rows     []indexRow
	Caution  string // how to read several positions
	Table    string
	Since    string // what is new in all positions
	NoPeople string // heading of Empty
	Empty    []string
	Missing  []Missing
}

type indexRow struct {
	Title, Page          string
	Leaders              leaders
	Candidates, Finished string
	RankedOver, Since    string
}

// leaders are the candidates who share the first rank. If none of them is shown, all members are empty.
type leaders struct {
	Lead  string // text before the names
	Names []leader
	Tied  string // text instead of the names, if there are more than mostLeaders
	Score string
}

type leader struct{ Label, Warning string }

// HTML writes the index. It has the same properties as [Report.HTML].
func (x Index) HTML(w io.Writer) error { return htmlPage().ExecuteTemplate(w, "index", x.view()) }

// view returns what the index shows. x.Pages must contain the address of a page for each section. If there are several
// sections, the index also shows a warning not to compare their scores and, with an earlier report, a summary of the
// changes in all sections.
func (x Index) view() indexView {
	v, rankings := x.Options.viewer(), x.rankings()
	untitled := x.Report
	untitled.Sections = nil // otherwise, the title of a single section could become the heading of the index
	view := indexView{
		frame: untitled.frameOf(v.words, rankings), Table: x.Table, Empty: cleanAll(x.Empty),
		NoPeople: fmt.Sprintf(v.WithoutCandidates, v.count(len(x.Empty))),
	}
	if len(rankings) > 1 {
		view.Caution, view.Since = v.EachPosition, v.sinceEarlier(x.Earlier, rankings...)
	}
	for _, m := range x.Missing {
		view.Missing = append(view.Missing, Missing{clean(m.Name), m.Reason})
	}
	for i, r := range rankings {
		view.Rows = append(view.Rows, x.row(v, r, x.Pages[i]))
	}
	return view
}

// row returns the row of a position whose page has this address.
func (x Index) row(v viewer, r ranking, page string) indexRow {
	row := indexRow{
		Title: r.Title, Page: page, Leaders: v.leaders(r), Candidates: v.count(r.counts.total),
		RankedOver: v.rankedOver(r), Since: v.sinceEarlier(x.Earlier, r),
	}
	if r.counts.unknown == 0 {
		row.Finished = v.count(r.counts.finished)
	}
	return row
}

// mostLeaders is how many leaders an index names.
const mostLeaders = 3

// leaders returns which of the shown candidates share the first rank: their names or, if there are more than
// mostLeaders, only their number. A leader with a doubtful result has a warning sign. It returns the zero value if
// nobody has a rank, or if the options hide everybody with the first rank.
func (v viewer) leaders(r ranking) leaders {
	first := slices.DeleteFunc(slices.Clone(r.entries), func(e entry) bool { return e.rank != 1 })
	if len(first) == 0 {
		return leaders{}
	}
	view := leaders{Lead: v.Ahead, Score: r.scores.text(*first[0].Suitability, v.words)}
	if r.counts.groups[groupRanked] == 1 {
		view.Lead = v.OnlyRanked
	}
	if len(first) > mostLeaders {
		view.Tied = fmt.Sprintf(v.Tied, v.count(len(first)))
		return view
	}
	for _, e := range first {
		named := leader{Label: v.label(e.Candidate)}
		if e.doubtful() {
			named.Warning = " " + warningSign
		}
		view.Names = append(view.Names, named)
	}
	return view
}
