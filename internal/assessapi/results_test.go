// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"strings"
	"testing"
)

// TestResultsRaw checks that the candidates of all pages are returned byte for byte.
func TestResultsRaw(t *testing.T) {
	t.Parallel()
	first, second := `{ "b":30.0, "id":"1","x":{"y" : null}}`, "{\"id\":\"2\",\n\"name\":\"\\u20ac <é>\"}"
	page := responds(200, `{"candidates":[`+first+` ],"_links":[{"rel":"next","href":"?page=2"}]}`)
	got, err := newClient(t, newStub(page, responds(200, `[ `+second+`]`), page)).Results(t.Context(), "p", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "[" + first + "," + second + "]"; got.Raw != want {
		t.Errorf("the candidates are\n%s\nwant\n%s", got.Raw, want)
	}
	got, err = newClient(t, newStub(responds(200, `[]`))).Results(t.Context(), "p", nil, nil)
	if err != nil || got.Raw != "[]" || got.Candidates == nil {
		t.Errorf("an empty list is %q, error %v", got.Raw, err)
	}
}

// TestPlaceholders checks that the status decides whether a result is finished (row 5), whatever the service sends
// before.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	const (
		year1, date      = "0001-01-01", "2026-03-01T10:00:00Z"
		none, asReceived = "<nil>   [%s] false", "0 NOT_AVAILABLE NONE [%s] true"
	)
	for name, row := range map[string]struct {
		statuses, completed []string // of the invitations
		want, dates         string
	}{
		"invited":                    {[]string{"INVITED"}, []string{year1}, none, ""},
		"in progress":                {[]string{"IN_PROGRESS"}, []string{"1970-01-01T00:00:00Z"}, none, ""},
		"expired":                    {[]string{"EXPIRED"}, []string{date}, none, ""},
		"tested":                     {[]string{"TESTED_WITH_RESULTS"}, []string{date}, asReceived, date},
		"tested, and invited again":  {[]string{"TESTED_WITH_RESULTS", "INVITED"}, []string{date, year1}, asReceived, date + " "},
		"a status that is not known": {[]string{"PAUSED"}, []string{""}, asReceived, ""},
		"no invitations":             {nil, nil, asReceived, ""},
	} {
		var invitations []string
		for i, status := range row.statuses {
			invitations = append(invitations, fmt.Sprintf(`{"id":"i","status":%q,"completed":%q}`, status, row.completed[i]))
		}
		body := fmt.Sprintf(`[{"id":"c","results":[{"assessment":"a","percentile":0,"classification":"NOT_AVAILABLE",`+
			`"validity":"NONE","invitations":[%s]}]}]`, strings.Join(invitations, ","))
		results, err := newClient(t, newStub(responds(200, body))).Results(t.Context(), "p", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := results.Candidates[0].Results[0]
		var percentile any
		if r.Percentile != nil {
			percentile = *r.Percentile
		}
		var dates []string
		for _, i := range r.Invitations {
			dates = append(dates, i.Completed)
		}
		got := fmt.Sprintf("%v %s %s %s %t", percentile, r.Classification, r.Validity, dates, r.IsCompleted())
		if want := fmt.Sprintf(row.want, row.dates); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if r := (Result{Invitations: []Invitation{{Status: "EXPIRED"}}}); !r.IsExpired() || r.IsCompleted() {
		t.Error("an expired result can be completed")
	}
	for body, unknown := range map[string]bool{`[{"id":"c"}]`: true, `[{"id":"c","results":null}]`: true, `[{"id":"c","results":[]}]`: false} {
		results, err := newClient(t, newStub(responds(200, body))).Results(t.Context(), "p", nil, nil)
		if err != nil || (results.Candidates[0].Results == nil) != unknown {
			t.Errorf("%s: %+v, %v", body, results.Candidates, err)
		}
	}
}

// The first page is complete only if nothing says that there are or may be more candidates.
func TestFirstResults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`[{"id":"c"}]`: true, `{"candidates":[]}`: true, `{"candidates":[],"total":0}`: true, `{"candidates":[{"id":"c"}],"total":2}`: false,
		elements(99): true, elements(100): false,
		`{"candidates":[{"id":"c"}],"hasMore":true}`:                               false,
		`{"candidates":[{"id":"c"}],"_links":[{"rel":"next","href":"?offset=1"}]}`: false,
	} {
		network := newStub(responds(200, body))
		candidates, complete, err := newClient(t, network).FirstResults(t.Context(), "p")
		if err != nil || complete != want || len(candidates) != strings.Count(body, `"id"`) || len(network.arrivals()) != 1 {
			t.Errorf("%s: complete %t after %d requests: %v", body, complete, len(network.arrivals()), err)
		}
	}
}

// A service that ignores a filter would show other candidates, and a suitability over other assessments.
func TestIgnoredFilters(t *testing.T) {
	t.Parallel()
	body := `[{"id":"c-1","suitability":1,"results":[{"assessment":"a-1"},{"assessment":"a-2"}]},{"id":"c-2","results":[]}]`
	for _, row := range []struct {
		candidates, assessments []string
		query, problem          string
	}{
		{nil, nil, "", ""},
		{[]string{"c-1", "c-2", "c&3"}, []string{"a-1", "a-2"}, "assessment=a-1&assessment=a-2&candidate=c-1&candidate=c-2&candidate=c%263&", ""},
		{[]string{"c-1"}, nil, "candidate=c-1&", "in element 2 of the page, the service ignores the filter `candidate`: got the candidate \"c-2\""},
		{nil, []string{"a-1"}, "assessment=a-1&", "in element 1 of the page, the service ignores the filter `assessment`: got a result of the assessment \"a-2\""},
		{nil, []string{"a-2", "A-1"}, "assessment=a-2&assessment=A-1&", "in element 1 of the page, the ID \"A-1\" in the filter `assessment` and the ID \"a-1\" in the response differ only in upper and lower case"},
	} {
		network := newStub(responds(200, body))
		results, err := newClient(t, network).Results(t.Context(), "p", row.candidates, row.assessments)
		if got := network.addresses()[0]; got != "/positions/p/results?"+row.query+"limit=1000" {
			t.Errorf("requested %s", got)
		}
		if row.problem != "" {
			wantProblem(t, err, row.problem)
		} else if err != nil || len(results.Candidates) != 2 {
			t.Error(err)
		}
	}
}
