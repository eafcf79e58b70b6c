// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// resultsRoute is the route with separate rate limits (listResults).
const resultsRoute = "/positions/{position}/results"

// Results are the candidates of a position, ordered by suitability, highest first (listResults).
type Results struct {
	Candidates []Candidate
	Raw        string // the candidates as a JSON array, as the service returned them, with secrets hidden
	Cached     bool   // as in [List]
}

// Candidate is a candidate of a position with results (listResults). Everything that reads, stores or shows results
// uses this record: the client, the data source, the ephemeral resource, the functions, the action and the reports. In
// JSON, its members have the names of the attributes of assess_position_results. A text that is not known is empty.
type Candidate struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	ReportURL   string   `json:"report_url"`
	Suitability *float64 `json:"suitability"` // nil until every assessment is completed
	Results     []Result `json:"results"`     // nil if not known, empty if not invited
}

// Result is a candidate's result of one assessment. Its type determines which members are
// set. Most are not known until the candidate has completed the assessment.
type Result struct {
	AssessmentID   string       `json:"assessment_id"`
	Type           string       `json:"type"`
	ReportURL      string       `json:"report_url"`
	Percentile     *float64     `json:"percentile"` // 0 to 100
	Classification string       `json:"classification"`
	Validity       string       `json:"validity"`
	Invitations    []Invitation `json:"invitations"`
}

// Invitation is an invitation of a candidate to take an assessment. Dates are exactly as
// the service returned them: a date (YYYY-MM-DD), or an ISO 8601 timestamp in UTC.
type Invitation struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Expiry    string `json:"expiry"`
	Created   string `json:"created"`
	Completed string `json:"completed"`
	LoginURL  string `json:"-"` // sensitive, so no report shows it: anyone who has it can take the assessment
}

// Statuses of an invitation (listResults).
const (
	invited           = "INVITED"
	inProgress        = "IN_PROGRESS"
	testedWithResults = "TESTED_WITH_RESULTS"
	expired           = "EXPIRED"
)

// isUnfinished reports whether the status says that the candidate has not completed the sitting.
func (i Invitation) isUnfinished() bool {
	return i.Status == invited || i.Status == inProgress || i.Status == expired
}

// IsCompleted reports whether the candidate has completed the sitting. The status decides. A date counts only if the
// status is unknown.
func (i Invitation) IsCompleted() bool {
	return i.Status == testedWithResults || i.Completed != "" && !i.isUnfinished()
}

// IsExpired reports whether the invitation has expired.
func (i Invitation) IsExpired() bool { return i.Status == expired }

// isUnfinished reports whether there are invitations, and the statuses of all of them say that there is no result yet.
func (r Result) isUnfinished() bool {
	isOther := func(i Invitation) bool { return !i.isUnfinished() }
	return len(r.Invitations) > 0 && !slices.ContainsFunc(r.Invitations, isOther)
}

// IsCompleted reports whether the candidate has completed the assessment: an invitation is completed, or the result has
// a percentile or a classification. If there are invitations and all are unfinished, the percentile and the
// classification do not count.
func (r Result) IsCompleted() bool {
	return slices.ContainsFunc(r.Invitations, Invitation.IsCompleted) ||
		!r.isUnfinished() && (r.Percentile != nil || r.Classification != "")
}

// IsExpired reports whether there are invitations, and all have expired, so that the result cannot be completed.
func (r Result) IsExpired() bool {
	isOpen := func(i Invitation) bool { return !i.IsExpired() }
	return len(r.Invitations) > 0 && !slices.ContainsFunc(r.Invitations, isOpen)
}

// Results reads the results of a position (listResults). An empty list selects all candidates or all assessments. If
// the response shows another candidate or another assessment than the lists select, Results returns an error.
func (c *Client) Results(ctx context.Context, position string, candidateIDs, assessmentIDs []string) (Results, error) {
	l := listing{route: newRoute(resultsRoute, position), filters: url.Values{}, limits: ForResults}
	if len(candidateIDs) > 0 {
		l.filters["candidate"] = candidateIDs
	}
	if len(assessmentIDs) > 0 {
		l.filters["assessment"] = assessmentIDs
	}
	all, err := list(ctx, c, l, func(o *jsonObject) listedCandidate {
		candidate := readCandidate(o)
		checkFilters(o, candidate, candidateIDs, assessmentIDs) // its error is in o.err
		return listedCandidate{candidate, o.raw}
	})
	if err != nil {
		return Results{}, err
	}
	return c.results(all), nil
}

// listedCandidate is a candidate, and the candidate's JSON.
type listedCandidate struct {
	candidate Candidate
	raw       []byte
}

func (c *Client) results(listed List[listedCandidate]) Results {
	candidates := make([]Candidate, len(listed.Elements))
	raw := make([][]byte, len(listed.Elements))
	for i, l := range listed.Elements {
		candidates[i], raw[i] = l.candidate, l.raw
	}
	array := "[" + string(bytes.Join(raw, []byte(","))) + "]"
	return Results{Candidates: candidates, Raw: c.secrets.hideIn(array), Cached: listed.Cached}
}

// checkFilters sets o.err if a candidate shows IDs that the filters do not contain. If the service ignores the filter
// `assessment`, the suitability includes assessments that were not requested.
func checkFilters(o *jsonObject, candidate Candidate, candidateIDs, assessmentIDs []string) {
	checkFilter(o, "candidate", candidateIDs, candidate.ID, "the candidate")
	for _, r := range candidate.Results {
		checkFilter(o, "assessment", assessmentIDs, r.AssessmentID, "a result of the assessment")
	}
}

// checkFilter sets o.err if the response shows an ID that the filter does not select. An empty filter selects all.
func checkFilter(o *jsonObject, filter string, selected []string, id, what string) {
	if len(selected) == 0 || id == "" || slices.Contains(selected, id) {
		return
	}
	for _, other := range selected {
		if strings.EqualFold(other, id) {
			o.fail(fmt.Errorf("the ID %q in the filter `%s` and the ID %q in the response differ only in upper and "+
				"lower case", other, filter, id))
			return
		}
	}
	o.fail(fmt.Errorf("the service ignores the filter `%s`: got %s %q", filter, what, id))
}

// FirstResults reads the first page of the results of a position (listResults), with up to 1000 candidates. complete is
// false if there may be more candidates, or if a cache has answered.
func (c *Client) FirstResults(ctx context.Context, position string) (candidates []Candidate, complete bool, err error) {
	l := listing{route: newRoute(resultsRoute, position), limits: ForResults}
	p, err := c.fetchPage(ctx, l, "")
	if err != nil {
		return nil, false, c.listError(l, err)
	}
	r := newReading(readCandidate)
	count, err := r.add(p)
	if err != nil {
		return nil, false, c.listError(l, err)
	}
	complete = p.next == "" && p.checkEnd(count, 1) == nil && !p.isFull(count) && !p.isCached
	return r.all.Elements, complete, nil
}

// readCandidate reads a candidate. If `results` is absent or null, Results is nil. If a member has an unexpected type,
// the error is in o.err.
func readCandidate(o *jsonObject) Candidate {
	candidate := Candidate{
		ID:          o.text("id"),
		Name:        candidateName(o),
		ReportURL:   o.text(candidateReportURLs...),
		Suitability: suitability(o),
	}
	if text := o.members["results"]; text != nil && string(text) != "null" {
		candidate.Results = []Result{}
	}
	o.objects("results", func(r *jsonObject) { candidate.Results = append(candidate.Results, readResult(r)) })
	return candidate
}

// readResult reads a result. If there are invitations and all are unfinished, it omits the percentile, the
// classification and the validity, which may be placeholders. If a member has an unexpected type, the error is in
// o.err.
func readResult(o *jsonObject) Result {
	result := Result{
		AssessmentID:   o.text("assessment"),
		Type:           o.text("type"),
		ReportURL:      o.text("reportUrl"),
		Percentile:     o.floatOf(o.take("percentile")),
		Classification: o.text("classification"),
		Validity:       o.text("validity"),
		Invitations:    []Invitation{},
	}
	o.objects("invitations", func(i *jsonObject) { result.Invitations = append(result.Invitations, readInvitation(i)) })
	if result.isUnfinished() {
		result.Percentile, result.Classification, result.Validity = nil, "", ""
	}
	return result
}

// readInvitation reads an invitation. If the invitation is unfinished, it omits the completion date, which may be a
// placeholder. If a member has an unexpected type, the error is in o.err.
func readInvitation(o *jsonObject) Invitation {
	invitation := Invitation{
		ID:        o.text("id"),
		Type:      o.text("type"),
		Status:    o.text("status"),
		Expiry:    o.text("expiry"),
		Created:   o.text("created"),
		Completed: o.text("completed"),
		LoginURL:  o.text("candidateLoginUrl"),
	}
	if invitation.isUnfinished() {
		invitation.Completed = ""
	}
	return invitation
}
