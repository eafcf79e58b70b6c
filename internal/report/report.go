// SPDX-License-Identifier: MPL-2.0

package report

import "strings"

// Report is what [Report.HTML], [Report.CSV], [Report.Markdown] and [Report.JSON] render.
type Report struct {
	// Title is the heading. If it is empty, the report uses the title of its only
	// section, or a general title. CSV has no title.
	Title string
	// Sections hold one position each. Scores of different positions never
	// share a ranking.
	Sections []Section
	Options  Options
}

// Options change how a report looks and what it shows. The zero value shows
// everything, in English, as confidential.
type Options struct {
	// Language is one of [Languages]. Any other value means English.
	Language string
	// Source says where the results come from, such as the host of the service.
	Source string
	// Date says when the results were read. A date (2006-01-02) or an RFC 3339
	// timestamp is written in the form of the language. Other text is not changed.
	Date string
	// AssessmentNames maps ids of assessments to names. Assessments without a name keep
	// their id.
	AssessmentNames map[string]string
	// Top limits a section to its first candidates with a rank. 0 means no limit.
	Top int
	// FinishedOnly hides candidates who have not completed every assessment to which
	// they were invited.
	FinishedOnly bool
	// Anonymous replaces names and ids of candidates with pseudonyms, and leaves out
	// addresses and ids of invitations.
	Anonymous bool
	// PseudonymLength is the smallest length of the code in a pseudonym. [Report.Parts] sets it.
	PseudonymLength int
	// Public leaves out the note that the report is confidential.
	Public bool
	// Excel writes CSV in the form that Excel reads in that language: with a byte order
	// mark, and with the separators of the language.
	Excel bool
	// Wide writes CSV with one row for each candidate, and a group of columns for each
	// assessment.
	Wide bool
}

// Section holds the candidates of one position.
type Section struct {
	// PositionID is the id of the position. Only JSON shows it.
	PositionID string
	// Title names the position. If a section has a title, a CSV file has a column for
	// it.
	Title string
	// Assessments are ids of assessments that have columns in a wide table, even if no candidate was
	// invited to them.
	Assessments []string
	// Candidates in any order.
	Candidates []Candidate
	// Benchmarks maps ids of assessments to the names of their benchmarks.
	Benchmarks map[string]string
	// Undescribed is whether some of the assessments or the benchmarks could not be read.
	Undescribed bool
}

// Candidate is a person with the results on a position (listResults). An empty string
// means that the value is not known.
type Candidate struct {
	ID          string
	Name        string
	ReportURL   string   // becomes a link only if its scheme is http or https
	Suitability *float64 // nil if there is no score
	Results     []Result // nil if not known, empty if not invited
}

// Result is a candidate's result of one assessment.
type Result struct {
	AssessmentID   string
	Type           string
	ReportURL      string
	Percentile     *float64 // 0 to 100, or nil
	Classification string
	Validity       string
	Invitations    []Invitation
}

// Invitation asks a candidate to take an assessment once. Expiry is a date
// (2006-01-02). Created and Completed are ISO 8601 timestamps in UTC.
type Invitation struct {
	ID        string
	Type      string
	Status    string
	Expiry    string
	Created   string
	Completed string
}

// The values that reports distinguish (listResults).
const (
	valid             = "VALID"
	supervised        = "SUPERVISED"
	testedWithResults = "TESTED_WITH_RESULTS"
	expired           = "EXPIRED"
	remote            = "REMOTE"
)

// completed reports whether the result exists. One of several fields is enough, because
// the caller may have left out the others.
func (r Result) completed() bool {
	if r.Percentile != nil || r.Classification != "" {
		return true
	}
	for _, invitation := range r.Invitations {
		if invitation.completed() {
			return true
		}
	}
	return false
}

// expired reports whether all invitations have expired, so that the result cannot be
// completed.
func (r Result) expired() bool {
	for _, invitation := range r.Invitations {
		if invitation.Status != expired {
			return false
		}
	}
	return len(r.Invitations) > 0
}

func (i Invitation) completed() bool { return i.Completed != "" || i.Status == testedWithResults }

// title returns the heading. The section's title is not repeated below it if
// the report has only that section.
func (r Report) title(w *words) string {
	if title := strings.TrimSpace(r.Title); title != "" {
		return title
	}
	if len(r.Sections) == 1 {
		if title := strings.TrimSpace(r.Sections[0].Title); title != "" {
			return title
		}
	}
	return w.title
}
