// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Ranked is a candidate with the suitability that is computed from the selected assessments.
type Ranked struct {
	*Candidate
	Suitability *float64 // nil if the candidate has no suitability
}

// order returns the suitability. Without a suitability, it returns -1, which is lower than every suitability.
func (r Ranked) order() float64 {
	if r.Suitability == nil {
		return -1
	}
	return *r.Suitability
}

// listResults implements the operation of this name: a page of candidates, the highest suitability first. The parameter
// "candidate" selects the candidates. The parameter "assessment" selects assessments of the position: only their
// results are shown, and the suitability is computed over them. An absent parameter selects all.
func listResults(c *incomingCall, position *Position) (response, error) {
	single, repeatable := []string{paramLimit, paramOffset}, []string{"candidate", "assessment"}
	query, err := c.parameters(single, repeatable)
	if err != nil {
		return response{}, err
	}
	assessments := position.selected(query)
	candidates := c.state.rank(position, assessments, query)
	p, err := c.pageOf(query, len(candidates))
	if err != nil {
		return response{}, err
	}
	entries := []Object{}
	for _, candidate := range candidates[p.start:p.end] {
		entries = append(entries, c.candidate(position, candidate, assessments))
	}
	links := append(selfLink(c.origin+c.URL.RequestURI()), p.links...)
	return reply(http.StatusOK, objectOf(nil, "_links", links, "candidates", entries)), nil
}

// selected returns the ids of the position's assessments that the query parameter "assessment" names, each id once.
// Without this parameter, it returns the ids of all assessments of the position.
func (p *Position) selected(query url.Values) []string {
	assessments := []string{}
	for _, attached := range p.Assessments {
		asked := !query.Has("assessment") || slices.Contains(query["assessment"], attached.Assessment)
		if asked && !slices.Contains(assessments, attached.Assessment) {
			assessments = append(assessments, attached.Assessment)
		}
	}
	return assessments
}

// Rank returns all candidates of a position, in the order in which listResults returns them without filters.
func (st *State) Rank(position *Position) []Ranked {
	return st.rank(position, position.selected(nil), nil)
}

// rank returns the candidates that the query selects, by their suitability over the assessments, highest first.
// Candidates without a suitability come last. Candidates with the same suitability keep their order in the state.
func (st *State) rank(position *Position, assessments []string, query url.Values) []Ranked {
	candidates := []Ranked{}
	for i := range position.Candidates {
		candidate := &position.Candidates[i]
		if !query.Has("candidate") || slices.Contains(query["candidate"], candidate.ID) {
			candidates = append(candidates, Ranked{candidate, st.suitability(candidate, assessments)})
		}
	}
	slices.SortStableFunc(candidates, func(a, b Ranked) int { return cmp.Compare(b.order(), a.order()) })
	return candidates
}

// suitability returns the mean of the candidate's percentiles in these assessments, weighted by kind and rounded to one
// decimal place. An assessment whose kind has no score must be completed, too, but does not count. suitability returns
// nil if the candidate has not completed all assessments, if a percentile that counts is missing, or if no assessment
// counts.
func (st *State) suitability(candidate *Candidate, assessments []string) *float64 {
	sum, weights := 0.0, 0.0
	for _, id := range assessments {
		result, weight := candidate.Result(id), st.rulesFor(id).weight
		switch {
		case result == nil || !result.completed():
			return nil
		case weight == 0: // no score
			continue
		case result.Percentile == nil:
			return nil
		}
		sum += weight * *result.Percentile
		weights += weight
	}
	if weights == 0 {
		return nil
	}
	score := math.Round(sum/weights*10) / 10
	return &score
}

// rulesFor returns the rules for the kind of an assessment. If the organization no
// longer has the assessment, its result has no score.
func (st *State) rulesFor(assessment string) rules {
	if found := st.Assessment(assessment); found != nil {
		return rulesOf[found.Kind]
	}
	return rules{result: ReportOnly}
}

// completed reports whether any sitting is completed, remote or supervised. The result of a remote sitting applies
// while a supervised sitting is open.
func (r *Result) completed() bool {
	return slices.ContainsFunc(r.Invitations, func(i Invitation) bool { return i.Status == TestedWithResults })
}

// candidate returns an entry of the results page (listResults).
func (c *incomingCall) candidate(position *Position, candidate Ranked, assessments []string) Object {
	results := []Object{}
	for i := range candidate.Results {
		if result := &candidate.Results[i]; slices.Contains(assessments, result.Assessment) {
			results = append(results, c.result(position, candidate.Candidate, result))
		}
	}
	return objectOf(candidate.Extra, "id", candidate.ID, "name", candidate.Name,
		"reportUrl", c.origin+JoinPath("report", position.ID, candidate.ID),
		"suitability", candidate.Suitability, "results", results)
}

// result returns an entry of a candidate's results (listResults). The percentile, the classification and the validity
// are null if the type of the result does not have them, or if no sitting is completed.
func (c *incomingCall) result(position *Position, candidate *Candidate, result *Result) Object {
	resultType := c.state.rulesFor(result.Assessment).result
	var percentile, classification, validity any
	if result.completed() && resultType != ReportOnly {
		percentile, classification = result.Percentile, result.Classification
	}
	if result.completed() && resultType == Validated {
		validity = result.Validity
	}
	invitations := []Object{}
	for _, invitation := range result.Invitations {
		invitations = append(invitations, c.invitation(invitation))
	}
	return objectOf(result.Extra, "assessment", result.Assessment, "type", resultType,
		"reportUrl", c.origin+JoinPath("report", position.ID, candidate.ID, result.Assessment),
		"percentile", percentile, "classification", classification, "validity", validity, "invitations", invitations)
}

func (c *incomingCall) invitation(invitation Invitation) Object {
	var completed any
	if invitation.Completed != nil {
		completed = timestamp(*invitation.Completed)
	}
	return objectOf(invitation.Extra, "id", invitation.ID, "expiry", invitation.Expiry,
		"candidateLoginUrl", c.origin+JoinPath("sit", invitation.ID), "type", invitation.Type,
		"status", invitation.StatusAt(time.Now()), "created", timestamp(invitation.Created), "completed", completed)
}

// timestamp formats a time in ISO 8601, in UTC.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
