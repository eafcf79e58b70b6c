// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
)

// resultsRoute is the route with separate rate limits (listResults).
const resultsRoute = "/positions/{position}/results"

// IsResults reports whether a request of a [Client] reads the results of a position. It
// also recognizes later pages, whose addresses the service chooses.
func IsResults(req *http.Request) bool { return attemptsOf(req.Context()).route == resultsRoute }

// Results are the candidates of a position, ordered by suitability, highest
// first (listResults).
type Results struct {
	Candidates []Candidate
	Raw        string // the candidates as a JSON array, exactly as the service returned them, without credentials
}

// Candidate is a candidate of a position with results.
type Candidate struct {
	ID          *string
	Name        *string
	ReportURL   *string
	Suitability *float64 // nil until every assessment is completed
	Results     []Result
}

// Result is a candidate's result of one assessment. Its type determines which members are
// set. Most are nil until the candidate has completed the assessment.
type Result struct {
	AssessmentID   *string
	Type           *string
	ReportURL      *string
	Percentile     *float64
	Classification *string
	Validity       *string
	Invitations    []Invitation
}

// Invitation is an invitation of a candidate to take an assessment. Dates are exactly as
// the service returned them: a date (YYYY-MM-DD), or an ISO 8601 timestamp in UTC.
type Invitation struct {
	ID        *string
	Type      *string
	Status    *string
	Expiry    *string
	Created   *string
	Completed *string
	LoginURL  *string // sensitive: anyone who has it can take the assessment
}

// Statuses of an invitation that is no longer open (listResults).
const (
	testedWithResults = "TESTED_WITH_RESULTS"
	expired           = "EXPIRED"
)

// IsCompleted reports whether the candidate has completed the assessment.
func (i Invitation) IsCompleted() bool {
	return i.Completed != nil || i.Status != nil && *i.Status == testedWithResults
}

// IsExpired reports whether the invitation has expired.
func (i Invitation) IsExpired() bool { return i.Status != nil && *i.Status == expired }

// Results reads the results of a position (listResults). Empty lists of candidates and
// assessments select all.
func (c *Client) Results(ctx context.Context, position string, candidateIDs, assessmentIDs []string) (Results, error) {
	query := url.Values{}
	if len(candidateIDs) > 0 {
		query["candidate"] = candidateIDs
	}
	if len(assessmentIDs) > 0 {
		query["assessment"] = assessmentIDs
	}
	type element struct {
		candidate Candidate
		text      []byte
	}
	elements, err := pages(c, resultsRoute, []string{position}, "", query, func(o *object) element {
		return element{text: o.text, candidate: readCandidate(o)}
	}).All(ctx)
	if err != nil {
		return Results{}, err
	}
	results := Results{Candidates: make([]Candidate, 0, len(elements))}
	raw := make([][]byte, 0, len(elements))
	for _, e := range elements {
		if id := e.candidate.ID; len(candidateIDs) > 0 && id != nil && !slices.Contains(candidateIDs, *id) {
			continue // the service, or a link to a later page, has lost the filter
		}
		if e.candidate.isOutside(assessmentIDs) {
			return Results{}, c.shapeError(http.MethodGet, newRoute(resultsRoute, position), "results of assessments that "+
				"were not asked for: the service ignores the filter, so each score counts other assessments")
		}
		results.Candidates, raw = append(results.Candidates, e.candidate), append(raw, e.text)
	}
	results.Raw = c.mask.JSON("[" + string(bytes.Join(raw, []byte(","))) + "]")
	return results, nil
}

// isOutside reports whether there is a result of an assessment that is not in a filter. Empty IDs
// select all.
func (c Candidate) isOutside(assessmentIDs []string) bool {
	return len(assessmentIDs) > 0 && slices.ContainsFunc(c.Results, func(r Result) bool {
		return r.AssessmentID != nil && !slices.Contains(assessmentIDs, *r.AssessmentID)
	})
}

// FirstResults reads the first page of the results of a position (listResults), with up
// to 1000 candidates. It returns false if there are more.
func (c *Client) FirstResults(ctx context.Context, position string) ([]Candidate, bool, error) {
	p := pages(c, resultsRoute, []string{position}, "", nil, readCandidate)
	candidates, err := p.Next(ctx)
	return candidates, p.Done(), err
}

func readCandidate(o *object) Candidate {
	candidate := Candidate{
		ID:          o.string(candidateIDNames...),
		Name:        candidateName(o),
		ReportURL:   o.string(candidateReportURLs...),
		Suitability: suitability(o),
		Results:     []Result{},
	}
	for _, r := range o.objects("results") {
		candidate.Results = append(candidate.Results, readResult(&r))
		o.join("results", &object{err: r.err})
	}
	return candidate
}

func readResult(o *object) Result {
	result := Result{
		AssessmentID:   o.string("assessment"),
		Type:           o.string("type"),
		ReportURL:      o.string("reportUrl"),
		Percentile:     o.float("percentile"),
		Classification: o.string("classification"),
		Validity:       o.string("validity"),
		Invitations:    []Invitation{},
	}
	for _, i := range o.objects("invitations") {
		result.Invitations = append(result.Invitations, Invitation{
			ID:        i.string("id"),
			Type:      i.string("type"),
			Status:    i.string("status"),
			Expiry:    i.string("expiry"),
			Created:   i.string("created"),
			Completed: i.string("completed"),
			LoginURL:  i.string("candidateLoginUrl"),
		})
		o.join("invitations", &object{err: i.err})
	}
	return result
}
