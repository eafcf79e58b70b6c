// SPDX-License-Identifier: MPL-2.0

package report

// Report is what [Report.HTML], [Report.CSV] and [Report.Markdown] render.
type Report struct {
	// Title heads the page; without one it is "Assessment results". CSV has none.
	Title string
	// Sections hold one position each: scores of different positions never meet
	// in one ranking.
	Sections []Section
}

// Section holds the candidates of one position.
type Section struct {
	// Title names the position. A CSV file has a column for it as soon as one
	// section has a title.
	Title string
	// Candidates are shown in this order, those without a score after the others.
	Candidates []Candidate
}

// Candidate is one person's outcome on a position (section 2.8). An empty string
// means that there is nothing to show.
type Candidate struct {
	ID          string
	Name        string
	ReportURL   string   // a link only where it is http or https
	Suitability *float64 // nil: no score
	Results     []Result // nil: not known, as opposed to none
}

// Result is a candidate's result of one assessment.
type Result struct {
	AssessmentID   string
	Type           string
	ReportURL      string
	Percentile     *float64 // 0 to 100; nil: none
	Classification string
	Validity       string
	Invitations    []Invitation
}

// Invitation is a sitting that a candidate was invited to. Expiry is a date
// (YYYY-MM-DD), Created and Completed are ISO 8601 timestamps in UTC.
type Invitation struct {
	ID        string
	Type      string
	Status    string
	Expiry    string
	Created   string
	Completed string
}

// testedWithResults is the status of a completed sitting (section 3.2).
const testedWithResults = "TESTED_WITH_RESULTS"

// completed reports whether a sitting has led to a result. Each sign is enough,
// because a caller may have left the others out.
func (r Result) completed() bool {
	if r.Percentile != nil || r.Classification != "" {
		return true
	}
	for _, invitation := range r.Invitations {
		if invitation.Completed != "" || invitation.Status == testedWithResults {
			return true
		}
	}
	return false
}
