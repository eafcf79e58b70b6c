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
		{"id":"cnd-1","name":"Ann","report_url":"","suitability":1,"results":[]},
		{"id":"cnd-2","name":"Bo","report_url":"","suitability":null,"results":[]}]`
	readWire(t, []wireCase{
		{"results-array.json", two},
		{"results-of-another-name.json", two},
		{"results-beside-another-array.json", two},
		{"results-object.json", `[
			{"id":"cnd-1","name":"Zoë O'Neill <b>","report_url":"https://assess.example.com/r/1","suitability":87.5,"results":[
				{"assessment_id":"asm-1","type":"SCORED","report_url":"https://assess.example.com/r/1/1","percentile":91.3,"classification":"FAR_ABOVE_AVERAGE","validity":"","invitations":[
					{"id":"inv-1","type":"REMOTE","status":"TESTED_WITH_RESULTS","expiry":"2026-04-01","created":"2026-03-02T09:00:00Z","completed":"2026-03-03T10:00:00Z"},
					{"id":"inv-2","type":"SUPERVISED","status":"INVITED","expiry":"2026-04-08","created":"2026-03-09T09:00:00Z","completed":""}]},
				{"assessment_id":"asm-2","type":"VALIDATED","report_url":"https://assess.example.com/r/1/2","percentile":0,"classification":"Something new","validity":"QUESTIONABLE","invitations":[]},
				{"assessment_id":"asm-3","type":"REPORT","report_url":"https://assess.example.com/r/1/3","percentile":null,"classification":"","validity":"","invitations":[]}]},
			{"id":"cnd-2","name":"李小龍","report_url":"https://assess.example.com/r/2","suitability":null,"results":[
				{"assessment_id":"asm-1","type":"SCORED","report_url":"","percentile":null,"classification":"","validity":"","invitations":[
					{"id":"inv-3","type":"REMOTE","status":"IN_PROGRESS","expiry":"","created":"","completed":""}]}]}]`},
		{"candidates-names.json", `[
			{"id":"1","name":"Ann Lee","report_url":"","suitability":null,"results":[]},
			{"id":"2","name":"Ann Lee","report_url":"","suitability":null,"results":[]},
			{"id":"3","name":"Ann Lee","report_url":"","suitability":null,"results":[]},
			{"id":"4","name":"Ann","report_url":"","suitability":null,"results":[]},
			{"id":"5","name":"Lee","report_url":"","suitability":null,"results":[]},
			{"id":"6","name":"Ann Lee","report_url":"","suitability":null,"results":[]},
			{"id":"7","name":"","report_url":"","suitability":null,"results":[]}]`},
		{"candidates-report-addresses.json", `[
			{"id":"1","name":"","report_url":"https://r.example/1","suitability":null,"results":[]},
			{"id":"2","name":"","report_url":"https://r.example/2","suitability":null,"results":[]},
			{"id":"3","name":"","report_url":"https://r.example/3","suitability":null,"results":[]},
			{"id":"4","name":"","report_url":"https://r.example/4","suitability":null,"results":[]},
			{"id":"5","name":"","report_url":"","suitability":null,"results":[]}]`},
		{"candidates-suitability.json", `[
			{"id":"1","name":"","report_url":"","suitability":87.5,"results":[]},
			{"id":"2","name":"","report_url":"","suitability":0.1,"results":[]},
			{"id":"3","name":"","report_url":"","suitability":1e-7,"results":[]},
			{"id":"4","name":"","report_url":"","suitability":100,"results":[]},
			{"id":"5","name":"","report_url":"","suitability":33.3,"results":[]},
			{"id":"6","name":"","report_url":"","suitability":null,"results":[]},
			{"id":"7","name":"","report_url":"","suitability":12345678.901234567,"results":[]},
			{"id":"8","name":"","report_url":"","suitability":null,"results":[]},
			{"id":"9","name":"","report_url":"","suitability":null,"results":[]},
			{"id":"10","name":"","report_url":"","suitability":null,"results":[]}]`},
		{"candidates-without-ids.json", `[
			{"id":"","name":"Ann","report_url":"","suitability":null,"results":[]},
			{"id":"","name":"Bo","report_url":"","suitability":null,"results":[]},
			{"id":"","name":"Cy","report_url":"","suitability":null,"results":[]},
			{"id":"4","name":"Di","report_url":"","suitability":null,"results":[]}]`},
	}, func(ctx context.Context, c *Client) (any, error) {
		results, err := c.Results(ctx, "p", nil, nil)
		return results.Candidates, err
	})
}

// No report shows the links at which candidates take assessments, so they are not part of the JSON.
func TestLoginURLs(t *testing.T) {
	t.Parallel()
	results, err := newClient(t, newStub(answers(http.StatusOK, wireFile(t, "results-object.json")))).Results(t.Context(), "p", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var links []string
	for _, c := range results.Candidates {
		for _, r := range c.Results {
			for _, i := range r.Invitations {
				links = append(links, i.ID+" "+i.LoginURL)
			}
		}
	}
	const want = "inv-1 https://assess.example.com/sit/1, inv-2 https://assess.example.com/sit/2, inv-3 "
	if got := strings.Join(links, ", "); got != want {
		t.Errorf("the links are %s, want %s", got, want)
	}
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
		`[{"results":{"id":"r"}}]`:                    `expected the member "results" to be an array of objects, got an object with "id"`,
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
	network := newStub(answers(http.StatusOK, `[{"id":"1"}]`, "Link", "<?cursor=77>; rel=next"),
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
	if _, err := c.PositionAssessments().Read(t.Context(), "p", "results"); err == nil {
		t.Fatal("a list for a position assessment was accepted")
	}
	if len(seen) != 3 || !seen[0] || !seen[1] || seen[2] {
		t.Errorf("reads of results: %v, want [true true false]", seen)
	}
}

// roundTripper is a function that implements [http.RoundTripper].
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
