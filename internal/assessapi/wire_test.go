// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
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
			if n := len(network.arrivals()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			if text, want := known(t, marshal(got)), known(t, []byte(tc.want)); text != want {
				t.Errorf("read\n%s\nwant\n%s", text, want)
			}
		})
	}
}

// known returns JSON without members that are null.
func known(t *testing.T, text []byte) string {
	t.Helper()
	var drop func(any) any
	drop = func(value any) any {
		switch value := value.(type) {
		case []any:
			for i := range value {
				value[i] = drop(value[i])
			}
		case map[string]any:
			maps.DeleteFunc(value, func(_ string, member any) bool { return drop(member) == nil })
		}
		return value
	}
	return string(marshal(drop(decode(t, text))))
}

func TestWirePositions(t *testing.T) {
	t.Parallel()
	const two = `[
		{"ID":"pos-1","Name":"Backend Engineer","Locale":"en-GB"},
		{"ID":"pos-2","Name":"Ingénieure données","Locale":"fr-FR"}]`
	readWire(t, []wireCase{
		{"positions-array.json", two},
		{"positions-object.json", two},
		{"positions-object-of-another-name.json", two},
		{"positions-without-fields.json", `[{"ID":"pos-1"},{"ID":"pos-2"}]`},
		{"positions-in-latin1.json", `[{"ID":"pos-1","Name":"Chargé de clientèle","Locale":"fr-FR"}]`},
		{"positions-empty.json", `[]`},
		{"positions-empty-object.json", `[]`},
	}, func(ctx context.Context, c *Client) (any, error) { return c.Positions(nil).All(ctx) })
}

func TestWireAssessments(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{
		{"assessments-numbered.json", `[
			{"ID":"12345678901234567890","Code":"30","Name":"Lumen"},
			{"ID":"7","Code":"LMN","Name":"Lumen"}]`},
		{"assessments-with-unknown-members.json", `[
			{"ID":"asm-1","Code":"LMN","Name":"Lumen",
			 "Extra":"{\"alpha\":\"é < > & €\",\"nothing\":null,\"zeta\":{\"a\":[1e2,12345678901234567890,null],\"b\":30.0}}"},
			{"ID":"asm-2"}]`},
	}, func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Assessments, "") })
}

func TestWirePackages(t *testing.T) {
	t.Parallel()
	const marked = `[
		{"ID":"pkg-1","Name":"Problem solving","Mandatory":true},
		{"ID":"pkg-2","Name":"Verbal knowledge","Mandatory":false}]`
	readWire(t, []wireCase{
		{"packages-mandatory.json", marked},
		{"packages-optional.json", marked},
		{"packages-word.json", `[
			{"ID":"pkg-1","Name":"Problem solving","Mandatory":true,"Extra":"{\"weight\":1.50}"},
			{"ID":"pkg-2","Name":"Verbal knowledge","Mandatory":false},
			{"ID":"pkg-3","Name":"Optional","Mandatory":true}]`},
		{"packages-both-marks.json", `[
			{"ID":"pkg-1","Mandatory":true,"Extra":"{\"note\":\"optional\"}"},
			{"ID":"pkg-2","Mandatory":false}]`},
		{"packages-unmarked.json", `[
			{"ID":"pkg-1","Name":"Problem solving"},
			{"ID":"pkg-2","Name":"Verbal knowledge","Extra":"{\"kind\":\"extra\"}"}]`},
	}, func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Packages, "asm") })
}

func TestWireBenchmarksAndProfiles(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{{"benchmarks.json", `[
		{"ID":"bmk-1","Name":"Graduates","Locale":"en-GB"},
		{"ID":"bmk-2","Name":"Engineers","Extra":"{\"sample\":0.10}"}]`}},
		func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Benchmarks, "asm") })
	readWire(t, []wireCase{{"profiles.json", `[
		{"ID":"prf-1","Name":"Customer first"},
		{"ID":"prf-2","Extra":"{\"ranking\":[\"candour\",\"care\"]}"}]`}},
		func(ctx context.Context, c *Client) (any, error) { return c.List(ctx, Profiles, "asm") })
}

func TestWireSkillsTests(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{{"skills-tests.json", `[
		{"ID":"skt-1","Name":"Go","Description":"Goroutines","Category":"Software","TimeToComplete":"40 minutes","NumberOfQuestions":"24","Active":false,
		 "SelfLink":"https://assess.example.com/v1/assessments/asm/skills/skt-1","Extra":"{\"level\":3.0}"},
		{"ID":"skt-2","NumberOfQuestions":"30","Active":true},
		{"ID":"skt-3","TimeToComplete":"45","NumberOfQuestions":"1.234567890123456789e+19","Active":true}]`}},
		func(ctx context.Context, c *Client) (any, error) { return c.SkillsTests("asm", true).All(ctx) })
}

// TestWireInvalidShapes checks that errors name the unexpected shape but do not repeat
// values.
func TestWireInvalidShapes(t *testing.T) {
	t.Parallel()
	const first = "in element 1 of the page, "
	for body, problem := range map[string]string{
		`{"id":"p","title":"Somebody"}`:      `expected a list, got an object with "id", "title", none of them an array`,
		`{}`:                                 "expected a list, got an empty object, none of them an array",
		`{"_links":[]}`:                      `expected a list, got an object with "_links", none of them an array`,
		`{"a":[],"b":[]}`:                    `expected a list, got an object with "a", "b", several of them arrays`,
		`{"candidates":[],"b":[]}`:           `expected a list, got an object with "b", "candidates", several of them arrays`,
		`"Somebody"`:                         "expected a list, got a string",
		`1`:                                  "expected a list, got a number",
		`true`:                               "expected a list, got a boolean",
		`null`:                               "expected a list, got null",
		`[{"id":"a"},null]`:                  "in element 2 of the page, expected an object, got null",
		`["a"]`:                              first + "expected an object, got a string",
		`[[{"id":"a"}]]`:                     first + "expected an object, got an array",
		`[{"title":"Somebody"}]`:             first + `got an object without "id"`,
		`[{"id":""}]`:                        first + `got an object without "id"`,
		`[{"id":null}]`:                      first + `got an object without "id"`,
		`[{"id":{}}]`:                        first + `expected the member "id" to be a string, got an empty object`,
		`[{"id":"a","title":["Somebody"]}]`:  first + `expected the member "title" to be a string, got an array`,
		`[{"id":"a","title":true}]`:          first + `expected the member "title" to be a string, got a boolean`,
		`[{"id":"a"},{"id":"b"},{"id":"a"}]`: `the list contains the id "a" twice: the list changed while it was read, or the service repeats an element`,
		`{"_links":{"next":2},"items":[]}`:   `expected the member "_links" to be an array of links, got an object with "next"`,
	} {
		network := newStub(answers(http.StatusOK, body))
		_, err := newClient(t, network).Positions(nil).All(t.Context())
		shape := as[*ShapeError](t, err)
		if shape.Problem != problem || shape.Method != http.MethodGet || shape.Route != "/positions" {
			t.Errorf("%s %s: %q, want %q", shape.Method, shape.Route, shape.Problem, problem)
		}
		if n := len(network.arrivals()); n != 1 || strings.Contains(err.Error(), "Somebody") {
			t.Errorf("%d requests, want 1 and no value of the response: %v", n, err)
		}
	}
}
