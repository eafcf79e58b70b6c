// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

func TestWireResults(t *testing.T) {
	t.Parallel()
	const two = `[
		{"ID":"cnd-1","Name":"Ann","ReportURL":null,"Suitability":1,"Results":[]},
		{"ID":"cnd-2","Name":"Bo","ReportURL":null,"Suitability":null,"Results":[]}]`
	readWire(t, []wireCase{
		{"results-array.json", two},
		{"results-of-another-name.json", two},
		{"results-beside-another-array.json", two},
		{"results-object.json", `[
			{"ID":"cnd-1","Name":"Zoë O'Neill <b>","ReportURL":"https://assess.example.com/r/1","Suitability":87.5,"Results":[
				{"AssessmentID":"asm-1","Type":"SCORED","ReportURL":"https://assess.example.com/r/1/1","Percentile":91.3,"Classification":"FAR_ABOVE_AVERAGE","Validity":null,"Invitations":[
					{"ID":"inv-1","Type":"REMOTE","Status":"TESTED_WITH_RESULTS","Expiry":"2026-04-01","Created":"2026-03-02T09:00:00Z","Completed":"2026-03-03T10:00:00Z","LoginURL":"https://assess.example.com/sit/1"},
					{"ID":"inv-2","Type":"SUPERVISED","Status":"INVITED","Expiry":"2026-04-08","Created":"2026-03-09T09:00:00Z","Completed":null,"LoginURL":"https://assess.example.com/sit/2"}]},
				{"AssessmentID":"asm-2","Type":"VALIDATED","ReportURL":"https://assess.example.com/r/1/2","Percentile":0,"Classification":"Something new","Validity":"QUESTIONABLE","Invitations":[]},
				{"AssessmentID":"asm-3","Type":"REPORT","ReportURL":"https://assess.example.com/r/1/3","Percentile":null,"Classification":null,"Validity":null,"Invitations":[]}]},
			{"ID":"cnd-2","Name":"李小龍","ReportURL":"https://assess.example.com/r/2","Suitability":null,"Results":[
				{"AssessmentID":"asm-1","Type":"SCORED","ReportURL":null,"Percentile":null,"Classification":null,"Validity":null,"Invitations":[
					{"ID":"inv-3","Type":"REMOTE","Status":"IN_PROGRESS","Expiry":null,"Created":null,"Completed":null,"LoginURL":null}]}]}]`},
		{"candidates-names.json", `[
			{"ID":"1","Name":"Ann Lee","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"2","Name":"Ann Lee","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"3","Name":"Ann Lee","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"4","Name":"Ann","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"5","Name":"Lee","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"6","Name":"Ann Lee","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"7","Name":null,"ReportURL":null,"Suitability":null,"Results":[]}]`},
		{"candidates-report-addresses.json", `[
			{"ID":"1","Name":null,"ReportURL":"https://r.example/1","Suitability":null,"Results":[]},
			{"ID":"2","Name":null,"ReportURL":"https://r.example/2","Suitability":null,"Results":[]},
			{"ID":"3","Name":null,"ReportURL":"https://r.example/3","Suitability":null,"Results":[]},
			{"ID":"4","Name":null,"ReportURL":"https://r.example/4","Suitability":null,"Results":[]},
			{"ID":"5","Name":null,"ReportURL":null,"Suitability":null,"Results":[]}]`},
		{"candidates-suitability.json", `[
			{"ID":"1","Name":null,"ReportURL":null,"Suitability":87.5,"Results":[]},
			{"ID":"2","Name":null,"ReportURL":null,"Suitability":0.1,"Results":[]},
			{"ID":"3","Name":null,"ReportURL":null,"Suitability":1e-7,"Results":[]},
			{"ID":"4","Name":null,"ReportURL":null,"Suitability":100,"Results":[]},
			{"ID":"5","Name":null,"ReportURL":null,"Suitability":33.3,"Results":[]},
			{"ID":"6","Name":null,"ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"7","Name":null,"ReportURL":null,"Suitability":12345678.901234567,"Results":[]},
			{"ID":"8","Name":null,"ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"9","Name":null,"ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"10","Name":null,"ReportURL":null,"Suitability":null,"Results":[]}]`},
		{"candidates-without-ids.json", `[
			{"ID":null,"Name":"Ann","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":null,"Name":"Bo","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":null,"Name":"Cy","ReportURL":null,"Suitability":null,"Results":[]},
			{"ID":"4","Name":"Di","ReportURL":null,"Suitability":null,"Results":[]}]`},
	}, func(ctx context.Context, c *Client) (any, error) {
		results, err := c.Results(ctx, "p", nil, nil)
		return results.Candidates, err
	})
}

// TestResultsRaw checks that the candidates of all pages are returned byte for byte.
func TestResultsRaw(t *testing.T) {
	t.Parallel()
	first, second := `{ "b":30.0, "id":"1","x":{"y" : null}}`, "{\"id\":\"2\",\n\"name\":\"\\u20ac <é>\"}"
	network := newStub(
		answers(http.StatusOK, `{"candidates":[`+first+` ],"_links":[{"rel":"next","href":"?page=2"}]}`),
		answers(http.StatusOK, `[ `+second+`]`),
	)
	got, err := newClient(t, network).Results(t.Context(), "p", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "[" + first + "," + second + "]"; got.Raw != want {
		t.Errorf("the candidates are\n%s\nwant\n%s", got.Raw, want)
	}
	got, err = newClient(t, newStub(answers(http.StatusOK, `[]`))).Results(t.Context(), "p", nil, nil)
	if err != nil || got.Raw != "[]" {
		t.Errorf("an empty list is %q, error %v", got.Raw, err)
	}
}

func TestInvalidResults(t *testing.T) {
	t.Parallel()
	for body, problem := range map[string]string{
		`[{"results":{}}]`:                            `expected the member "results" to be an array of objects, got an empty object`,
		`[{"results":[null]}]`:                        `expected an element of "results" to be an object, got null`,
		`[{"results":[{"percentile":"high"}]}]`:       `in the member "results": expected the member "percentile" to be a number of ordinary size, got a string`,
		`[{"results":[{"invitations":"none"}]}]`:      `in the member "results": expected the member "invitations" to be an array of objects, got a string`,
		`[{"results":[{"invitations":[[]]}]}]`:        `in the member "results": expected an element of "invitations" to be an object, got an array`,
		`[{"suitability":{"score":"high"}}]`:          `expected the member "suitability" to be a number of ordinary size, got a string`,
		`[{"suitabilityScore":[1]}]`:                  `expected the member "suitabilityScore" to be a number of ordinary size, got an array`,
		`[{"results":[{"invitations":[{"id":[]}]}]}]`: `in the member "results": in the member "invitations": expected the member "id" to be a string, got an array`,
	} {
		_, err := newClient(t, newStub(answers(http.StatusOK, body))).Results(t.Context(), "p", nil, nil)
		if shape := as[*ShapeError](t, err); shape.Problem != "in element 1 of the page, "+problem {
			t.Errorf("%s: %q, want %q", body, shape.Problem, problem)
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	network := newStub(answers(http.StatusOK, `[]`))
	c := newClient(t, network)
	for _, filters := range [][2][]string{{nil, nil}, {{"c1", "c 2&é"}, nil}, {{"c1"}, {"a1", "a2"}}} {
		if _, err := c.Results(t.Context(), "p", filters[0], filters[1]); err != nil {
			t.Fatal(err)
		}
	}
	title := "É & co"
	if _, err := c.Positions(&title).All(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, whole, err := c.FirstResults(t.Context(), "p"); err != nil || !whole {
		t.Errorf("the first results are all: %t, error %v", whole, err)
	}
	const want = "/positions/p/results?limit=1000\n" +
		"/positions/p/results?candidate=c1&candidate=c+2%26%C3%A9&limit=1000\n" +
		"/positions/p/results?assessment=a1&assessment=a2&candidate=c1&limit=1000\n" +
		"/positions?fields=title%2Clocale&limit=1000&title=%C3%89+%26+co\n/positions/p/results?limit=1000"
	if got := strings.Join(network.addresses(), "\n"); got != want {
		t.Errorf("requested\n%s\nwant\n%s", got, want)
	}
}

// TestIsResults checks that every page of the results, and nothing else, counts against
// the limits of the results.
func TestIsResults(t *testing.T) {
	t.Parallel()
	var seen []bool
	network := newStub(answers(http.StatusOK, `[{"id":"1"}]`, "Link", "</v1/cursor/77>; rel=next"),
		answers(http.StatusOK, `[]`))
	c := newClient(t, network, func(cfg *Config) {
		attempt := cfg.Transport
		cfg.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
			seen = append(seen, IsResults(req))
			return attempt.RoundTrip(req)
		})
	})
	if _, err := c.Results(t.Context(), "p", nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PositionAssessment(t.Context(), "p", "results"); err == nil {
		t.Fatal("a list for a position assessment was accepted")
	}
	if len(seen) != 3 || !seen[0] || !seen[1] || seen[2] {
		t.Errorf("reads of results: %v, want [true true false]", seen)
	}
}

// roundTripper is a function that implements [http.RoundTripper].
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
