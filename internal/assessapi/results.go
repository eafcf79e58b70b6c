// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// resultsRoute is the route with separate rate limits (listResults).
const resultsRoute = "/positions/{position}/results"

// IsResults reports whether a request of a [Client] reads the results of a position. It
// also recognizes later pages, whose addresses the service chooses.
func IsResults(req *http.Request) bool {
	c := callOf(req.Context())
	return c != nil && c.route.template == resultsRoute
}

// Results are the candidates of a position, ordered by suitability, highest
// first (listResults).
type Results struct {
	Candidates []Candidate
	Raw        string // the candidates as a JSON array, exactly as the service returned them, without credentials
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

// Statuses of an invitation that is no longer open (listResults).
const (
	testedWithResults = "TESTED_WITH_RESULTS"
	expired           = "EXPIRED"
)

// IsCompleted reports whether the candidate has completed the assessment.
func (i Invitation) IsCompleted() bool { return i.Completed != "" || i.Status == testedWithResults }

// IsExpired reports whether the invitation has expired.
func (i Invitation) IsExpired() bool { return i.Status == expired }

// IsCompleted reports whether the result exists. One of several members is enough, because the others may be unknown.
func (r Result) IsCompleted() bool {
	return r.Percentile != nil || r.Classification != "" || slices.ContainsFunc(r.Invitations, Invitation.IsCompleted)
}

// IsExpired reports whether all invitations have expired, so that the result cannot be
// completed.
func (r Result) IsExpired() bool {
	isOpen := func(i Invitation) bool { return !i.IsExpired() }
	return len(r.Invitations) > 0 && !slices.ContainsFunc(r.Invitations, isOpen)
}

// Results reads the results of a position (listResults). Empty lists of candidates and
// assessments select all.
func (c *Client) Results(ctx context.Context, position string, candidateIDs, assessmentIDs []string) (Results, error) {
	query := url.Values{"candidate": candidateIDs, "assessment": assessmentIDs}
	maps.DeleteFunc(query, func(_ string, ids []string) bool { return len(ids) == 0 })
	type element struct {
		candidate Candidate
		text      []byte
	}
	p := pages(c, resultsRoute, []string{position}, "", query, func(o *jsonObject) element {
		return element{text: o.raw, candidate: readCandidate(o)}
	})
	p.envelope = resultsEnvelopeMember
	shown := map[string]bool{}               // which candidates and assessments occur
	p.keep = func(e element) (bool, error) { // a service, or a link to a later page, may have lost the filter
		shown[e.candidate.ID] = true
		for _, r := range e.candidate.Results {
			shown[r.AssessmentID] = true
		}
		if e.candidate.ID == "" && p.applies("candidate") {
			return false, p.hidden("candidate", "the ID of each candidate")
		}
		isHidden := func(r Result) bool { return r.AssessmentID == "" }
		if p.applies("assessment") && slices.ContainsFunc(e.candidate.Results, isHidden) {
			return false, p.hidden("assessment", "the assessment of each result")
		}
		return len(candidateIDs) == 0 || e.candidate.ID == "" || slices.Contains(candidateIDs, e.candidate.ID), nil
	}
	elements, err := p.All(ctx)
	if err != nil {
		return Results{}, err
	}
	results := Results{Candidates: make([]Candidate, 0, len(elements))}
	raw := make([][]byte, 0, len(elements))
	var ignored bool
	isOther := func(r Result) bool { return r.AssessmentID != "" && !slices.Contains(assessmentIDs, r.AssessmentID) }
	for _, e := range elements {
		if len(assessmentIDs) > 0 && slices.ContainsFunc(e.candidate.Results, isOther) {
			ignored = true
			e.candidate.Results = slices.DeleteFunc(e.candidate.Results, isOther)
			e.candidate.Suitability = nil
			e.text = narrowText(e.text, assessmentIDs)
		}
		results.Candidates, raw = append(results.Candidates, e.candidate), append(raw, e.text)
	}
	// A 400 to a filter that selects nothing may be about its values.
	for filter, ids := range query {
		isMissing := slices.ContainsFunc(ids, func(id string) bool { return !shown[id] })
		if isMissing && p.refused != nil && p.applies(filter) {
			return Results{}, p.refused
		}
	}
	if ignored && p.sent.Has("assessment") {
		c.notify(url.Values{"assessment": nil}, nil, ErrIgnored)
	}
	results.Raw = c.mask.JSON("[" + string(bytes.Join(raw, []byte(","))) + "]")
	return results, nil
}

// narrowText leaves out results of other assessments, which the service returns if it does not apply the filter. Then
// the suitability counts them, too, so that the one that was asked for is not known.
func narrowText(text []byte, assessmentIDs []string) []byte {
	o, _ := parseJSONObject(text) // readCandidate has read it
	for _, name := range candidateSuitability {
		if _, found := o.members[name]; found {
			o.members[name] = json.RawMessage("null")
		}
	}
	o.members["results"] = marshal(slices.DeleteFunc(o.array("results", "objects"), func(text json.RawMessage) bool {
		result, _ := parseJSONObject(text)
		id := result.text("assessment")
		return id != "" && !slices.Contains(assessmentIDs, id)
	}))
	return marshal(o.members)
}

// FirstResults reads the first page of the results of a position (listResults), with up
// to 1000 candidates. It returns false if there are more.
func (c *Client) FirstResults(ctx context.Context, position string) ([]Candidate, bool, error) {
	p := pages(c, resultsRoute, []string{position}, "", nil, readCandidate)
	p.envelope = resultsEnvelopeMember
	candidates, err := p.Next(ctx)
	return candidates, p.Done(), err
}

func readCandidate(o *jsonObject) Candidate {
	candidate := Candidate{
		ID:          o.text(candidateIDNames...),
		Name:        candidateName(o),
		ReportURL:   o.text(candidateReportURLs...),
		Suitability: suitability(o),
		Results:     []Result{},
	}
	o.each("results", func(r *jsonObject) { candidate.Results = append(candidate.Results, readResult(r)) })
	return candidate
}

func readResult(o *jsonObject) Result {
	result := Result{
		AssessmentID:   o.text("assessment"),
		Type:           o.text("type"),
		ReportURL:      o.text("reportUrl"),
		Percentile:     o.float("percentile"),
		Classification: o.text("classification"),
		Validity:       o.text("validity"),
		Invitations:    []Invitation{},
	}
	o.each("invitations", func(i *jsonObject) {
		result.Invitations = append(result.Invitations, Invitation{
			ID:        i.text("id"),
			Type:      i.text("type"),
			Status:    i.text("status"),
			Expiry:    i.text("expiry"),
			Created:   i.text("created"),
			Completed: i.text("completed"),
			LoginURL:  i.text("candidateLoginUrl"),
		})
	})
	return result
}
