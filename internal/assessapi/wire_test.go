// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// wireCase is one accepted shape: the file in testdata/wire and what the client reads
// from it, as JSON.
type wireCase struct {
	file string
	want string
}

// readWire answers with each file and compares what the client reads.
func readWire(t *testing.T, cases []wireCase, read func(context.Context, *Client) (any, error)) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			network := newStub(answers(http.StatusOK, wireFile(t, tc.file)))
			got, err := read(t.Context(), newClient(t, network))
			if err != nil {
				t.Fatal(err)
			}
			if text, want := withoutNulls(t, string(marshal(got))), withoutNulls(t, tc.want); text != want {
				t.Errorf("read\n%s\nwant\n%s", text, want)
			}
			if n := len(network.arrivals()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// withoutNulls removes members that are null, because items of a kind lack the members of other kinds.
func withoutNulls(t *testing.T, text string) string {
	t.Helper()
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		t.Fatal(err)
	}
	var clean func(any)
	clean = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, element := range v {
				clean(element)
			}
		case map[string]any:
			maps.DeleteFunc(v, func(_ string, member any) bool { return member == nil })
			for _, member := range v {
				clean(member)
			}
		}
	}
	clean(value)
	return string(marshal(value))
}

func TestWirePositions(t *testing.T) {
	t.Parallel()
	const two = `[
		{"ID":"pos-1","Name":"Backend Engineer","Locale":"en-GB","Extra":null},
		{"ID":"pos-2","Name":"Ingénieure données","Locale":"fr-FR","Extra":null}]`
	readWire(t, []wireCase{
		{"positions-array.json", two},
		{"positions-object.json", two},
		{"positions-object-of-another-name.json", two},
		{"positions-without-fields.json", `[
			{"ID":"pos-1","Name":null,"Locale":null,"Extra":null},
			{"ID":"pos-2","Name":null,"Locale":null,"Extra":null}]`},
		{"positions-in-latin1.json", `[{"ID":"pos-1","Name":"Chargé de clientèle","Locale":"fr-FR","Extra":null}]`},
		{"positions-empty.json", `[]`},
		{"positions-empty-object.json", `[]`},
	}, func(ctx context.Context, c *Client) (any, error) { return c.Positions(nil).All(ctx) })
}

func TestWireAssessments(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{
		{"assessments-numbered.json", `[
			{"ID":"12345678901234567890","Code":"30","Name":"Lumen","Extra":null},
			{"ID":"7","Code":"LMN","Name":"Lumen","Extra":null}]`},
		{"assessments-with-unknown-members.json", `[
			{"ID":"asm-1","Code":"LMN","Name":"Lumen",
			 "Extra":"{\"alpha\":\"é < > & €\",\"nothing\":null,\"zeta\":{\"a\":[1e2,12345678901234567890,null],\"b\":30.0}}"},
			{"ID":"asm-2","Code":null,"Name":null,"Extra":null}]`},
	}, func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Assessments, "") })
}

func TestWirePackages(t *testing.T) {
	t.Parallel()
	const marked = `[
		{"ID":"pkg-1","Name":"Problem solving","Mandatory":true,"Extra":null},
		{"ID":"pkg-2","Name":"Verbal knowledge","Mandatory":false,"Extra":null}]`
	readWire(t, []wireCase{
		{"packages-mandatory.json", marked},
		{"packages-optional.json", marked},
		{"packages-word.json", `[
			{"ID":"pkg-1","Name":"Problem solving","Mandatory":true,"Extra":"{\"weight\":1.50}"},
			{"ID":"pkg-2","Name":"Verbal knowledge","Mandatory":false,"Extra":null},
			{"ID":"pkg-3","Name":"Optional","Mandatory":true,"Extra":null}]`},
		{"packages-both-marks.json", `[
			{"ID":"pkg-1","Name":null,"Mandatory":true,"Extra":"{\"note\":\"optional\"}"},
			{"ID":"pkg-2","Name":null,"Mandatory":false,"Extra":null}]`},
		{"packages-unmarked.json", `[
			{"ID":"pkg-1","Name":"Problem solving","Mandatory":null,"Extra":null},
			{"ID":"pkg-2","Name":"Verbal knowledge","Mandatory":null,"Extra":"{\"kind\":\"extra\"}"}]`},
	}, func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Packages, "asm") })
}

func TestWireBenchmarksAndProfiles(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{{"benchmarks.json", `[
		{"ID":"bmk-1","Name":"Graduates","Locale":"en-GB","Extra":null},
		{"ID":"bmk-2","Name":"Engineers","Locale":null,"Extra":"{\"sample\":0.10}"}]`}},
		func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Benchmarks, "asm") })
	readWire(t, []wireCase{{"profiles.json", `[
		{"ID":"prf-1","Name":"Customer first","Extra":null},
		{"ID":"prf-2","Name":null,"Extra":"{\"ranking\":[\"candour\",\"care\"]}"}]`}},
		func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Profiles, "asm") })
}

func TestWireSkillsTests(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{{"skills-tests.json", `[
		{"ID":"skt-1","Name":"Go","Description":"Goroutines","Category":"Software","TimeToComplete":"40 minutes","NumberOfQuestions":"24","Active":false,
		 "SelfLink":"https://assess.example.com/v1/assessments/asm/skills/skt-1","Extra":"{\"level\":3.0}"},
		{"ID":"skt-2","Name":null,"Description":null,"Category":null,"TimeToComplete":null,"NumberOfQuestions":"30","Active":true,"SelfLink":null,"Extra":null},
		{"ID":"skt-3","Name":null,"Description":null,"Category":null,"TimeToComplete":"45","NumberOfQuestions":"1.234567890123456789e+19","Active":true,"SelfLink":null,"Extra":null}]`}},
		func(ctx context.Context, c *Client) (any, error) { return c.SkillsTests(ctx, "asm", true) })
}

// TestWireInvalidShapes checks that errors name the unexpected shape but do not repeat
// values.
func TestWireInvalidShapes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ body, problem string }{
		"an object":            {`{"id":"p","title":"Somebody"}`, `expected a list, got an object with "id", "title", none of them an array`},
		"an empty object":      {`{}`, "expected a list, got an empty object, none of them an array"},
		"an array left out":    {`{"_links":[]}`, `expected a list, got an object with "_links", none of them an array`},
		"several arrays":       {`{"a":[],"b":[]}`, `expected a list, got an object with "a", "b", several of them arrays`},
		"candidates elsewhere": {`{"candidates":[],"b":[]}`, `expected a list, got an object with "b", "candidates", several of them arrays`},
		"a string":             {`"Somebody"`, "expected a list, got a string"},
		"a number":             {`1`, "expected a list, got a number"},
		"a boolean":            {`true`, "expected a list, got a boolean"},
		"null":                 {`null`, "expected a list, got null"},
		"a null element":       {`[{"id":"a"},null]`, "in element 2 of the page, expected an object, got null"},
		"a string element":     {`["a"]`, "in element 1 of the page, expected an object, got a string"},
		"a nested array":       {`[[{"id":"a"}]]`, "in element 1 of the page, expected an object, got an array"},
		"no id":                {`[{"title":"Somebody"}]`, `in element 1 of the page, got an object without "id"`},
		"an empty id":          {`[{"id":""}]`, `in element 1 of the page, got an object without "id"`},
		"null for an id":       {`[{"id":null}]`, `in element 1 of the page, got an object without "id"`},
		"an object for an id":  {`[{"id":{}}]`, `in element 1 of the page, expected the member "id" to be a string, got an empty object`},
		"an array for a title": {`[{"id":"a","title":["Somebody"]}]`, `in element 1 of the page, expected the member "title" to be a string, got an array`},
		"a boolean title":      {`[{"id":"a","title":true}]`, `in element 1 of the page, expected the member "title" to be a string, got a boolean`},
		"one id twice":         {`[{"id":"a"},{"id":"b"},{"id":"a"}]`, `the list contains the id "a" twice: the list changed while it was read, or the service repeats an element`},
		"links as an object":   {`{"_links":{"next":{"href":"/2"}},"items":[]}`, `expected the member "_links" to be an array of links, got an object with "next"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := newStub(answers(http.StatusOK, tc.body))
			_, err := newClient(t, network).Positions(nil).All(t.Context())
			shape := as[*ShapeError](t, err)
			if shape.Problem != tc.problem || shape.Method != http.MethodGet || shape.Route != "/positions" {
				t.Errorf("%s %s: %q, want %q", shape.Method, shape.Route, shape.Problem, tc.problem)
			}
			if strings.Contains(err.Error(), "Somebody") {
				t.Errorf("the error contains a value of the response: %v", err)
			}
			if n := len(network.arrivals()); n != 1 {
				t.Errorf("%d requests, want 1: a repeated request would get the same response", n)
			}
		})
	}
}

// TestWireHugeNumbers checks that huge numbers are refused, not rounded to infinity.
func TestWireHugeNumbers(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"1e999999999", "-1e999999999", "1e99999999999999999999", strings.Repeat("9", 401)} {
		network := newStub(answers(http.StatusOK, `[{"id":"a","numberOfQuestions":`+number+`}]`))
		_, err := newClient(t, network).SkillsTests(t.Context(), "asm", true)
		_ = as[*ShapeError](t, err)
	}
	network := newStub(answers(http.StatusOK, `[{"id":"a","suitability":1e999}]`))
	_, err := newClient(t, network).Results(t.Context(), "p", nil, nil)
	_ = as[*ShapeError](t, err)
}
