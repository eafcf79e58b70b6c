// SPDX-License-Identifier: MPL-2.0

// Package report renders the results of positions for people: as an HTML page, a CSV file, Markdown or JSON. It sends
// no requests. The same [Report] always produces the same bytes.
//
// Three rules apply to every format:
//
//   - Text that a candidate could have chosen, such as a name, never becomes markup, a link or a formula.
//   - Only scores that are based on the same assessments share a ranking, because the specification allows no other
//     comparison (section 2.8). Other scores are marked and not ranked. Each position has its own ranking.
//   - An anonymous report contains no name, ID or address of a candidate.
package report

import (
	"cmp"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Report is what [Report.HTML], [Report.CSV], [Report.Markdown] and [Report.JSON] render.
type Report struct {
	// Title is the heading, by default the title of the only section, or a general title. CSV and JSON have no heading.
	Title string
	// Sections hold one position each. Scores of different positions never share a ranking.
	Sections []Section
	Options  Options
	// Earlier is the report with which this one is compared. Nil means none.
	Earlier *Earlier
	// Home is the address of a page about all positions, or empty.
	Home string

	before []Section // the sections before these in the whole report, because numbers of pseudonyms continue
}

// Options change how a report looks and what it shows. The zero value shows everything, in English, as confidential.
type Options struct {
	// Language is one of [Languages]. Any other value means English.
	Language string `json:"language"`
	// Source says where the results come from, such as the host of the service.
	Source string `json:"source"`
	// Date says when the results were read. A date (2006-01-02) or an RFC 3339
	// timestamp is written in the form of the language. Other text is not changed.
	Date string `json:"date"`
	// AssessmentNames maps ids of assessments to names. Assessments without a name keep their id.
	AssessmentNames map[string]string `json:"assessment_names"`
	// Top limits a section to its first candidates with a rank. 0 means no limit.
	Top int `json:"-"`
	// FinishedOnly shows only candidates who have completed every assessment to which they were invited.
	FinishedOnly bool `json:"finished_only"`
	// Anonymous replaces names with pseudonyms. It omits links, times of day, and the IDs of people and invitations.
	Anonymous bool `json:"anonymous"`
	// Public leaves out the note that the report is confidential.
	Public bool `json:"-"`
	// Excel writes CSV in the form that Excel expects in the language of the report ([Report.CSV]).
	Excel bool `json:"excel"`
	// Wide writes CSV with one row for each candidate, and a group of columns for each assessment.
	Wide bool `json:"wide"`
}

// Section holds the candidates of one position.
type Section struct {
	// PositionID is the id of the position. Only JSON shows it.
	PositionID string
	// Title names the position. If any section has a title, a CSV file has a column for the position.
	Title string
	// Assessments are ids of assessments that have columns in a wide table, even if no candidate was invited to them.
	Assessments []string
	// Candidates are the candidates of the position, in any order.
	Candidates []assessapi.Candidate
	// Benchmarks maps ids of assessments to the names of their benchmarks.
	Benchmarks map[string]string
	// RankedOver contains the IDs of the assessments that the scores are based on. Nil means all assessments of the
	// position or, with Filtered, the chosen assessments. Without contains the IDs of the position's other assessments,
	// if they are known.
	RankedOver, Without []string
	// Filtered is true if the user has chosen the assessments. The report then names those that the ranking is based on.
	Filtered bool
	// Undescribed is true if some assessments or benchmarks could not be read.
	Undescribed bool
}

// Values of results and invitations that this package treats differently from other values (listResults).
const (
	valid      = "VALID"
	supervised = "SUPERVISED"
	expired    = "EXPIRED"
	invited    = "INVITED"
	remote     = "REMOTE"
)

// title returns the heading: the title of the report, or else of its only section, or else a general title.
func (r Report) title(w *words) string {
	section := ""
	if len(r.Sections) == 1 {
		section = r.Sections[0].Title
	}
	return cmp.Or(strings.TrimSpace(clean(r.Title)), strings.TrimSpace(clean(section)), w.Title)
}

// Parts returns one report for each section. The heading of a part is the title of its section.
func (r Report) Parts() []Report {
	parts := make([]Report, len(r.Sections))
	for i := range r.Sections {
		parts[i] = Report{
			Sections: r.Sections[i : i+1], Options: r.Options, Earlier: r.Earlier, Home: r.Home, before: r.Sections[:i],
		}
	}
	return parts
}
