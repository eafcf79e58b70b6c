// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
			network := newStub(responds(http.StatusOK, wireFile(t, tc.file)))
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

// known returns JSON without members that are null, false or empty. Empty arrays stay.
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
			if len(value) == 0 {
				return nil
			}
		}
		if value == false || value == "" {
			return nil
		}
		return value
	}
	return string(marshal(drop(decode(t, text))))
}

// decode decodes JSON and keeps the spelling of numbers.
func decode(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// items returns the elements of a list.
func items[T any](list List[T], err error) (any, error) { return list.Elements, err }

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
	}, func(ctx context.Context, c *Client) (any, error) { return items(c.Positions(ctx, nil)) })
}

func TestWireAssessments(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{
		{"assessments-with-unknown-members.json", `[
			{"ID":"asm-1","Code":"LMN","Name":"Lumen",
			 "Extra":"{\"alpha\":\"é < > & €\",\"nothing\":null,\"zeta\":{\"a\":[1e2,12345678901234567890,null],\"b\":30.0}}"},
			{"ID":"asm-2"}]`},
	}, func(ctx context.Context, c *Client) (any, error) { return items(c.Assessments(ctx)) })
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
	}, func(ctx context.Context, c *Client) (any, error) { return items(c.Items(ctx, Packages, "asm")) })
}

func TestWireBenchmarksAndProfiles(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{{"benchmarks.json", `[
		{"ID":"bmk-1","Name":"Graduates","Locale":"en-GB"},
		{"ID":"bmk-2","Name":"Engineers","Extra":"{\"sample\":0.10}"}]`}},
		func(ctx context.Context, c *Client) (any, error) { return items(c.Items(ctx, Benchmarks, "asm")) })
	readWire(t, []wireCase{{"profiles.json", `[
		{"ID":"prf-1","Name":"Customer first"},
		{"ID":"prf-2","Extra":"{\"ranking\":[\"candour\",\"care\"]}"}]`}},
		func(ctx context.Context, c *Client) (any, error) { return items(c.Items(ctx, Profiles, "asm")) })
}

func TestWireSkillsTests(t *testing.T) {
	t.Parallel()
	const (
		golang = `{"ID":"skt-1","Name":"Go","Description":"Goroutines","Category":"Software","TimeToComplete":"40 minutes",
			"NumberOfQuestions":"24","Active":false,
			"SelfLink":"https://assess.example.com/v1/assessments/asm/skills/skt-1","Extra":"{\"level\":3.0}"}`
		others = `{"ID":"skt-2","NumberOfQuestions":"30","Active":%t},
			{"ID":"skt-3","TimeToComplete":"45","NumberOfQuestions":"1.234567890123456789e+19","Active":%t}`
	)
	for active, want := range map[bool]string{
		true:  "[" + fmt.Sprintf(others, true, true) + "]", // a test that shows the opposite is omitted
		false: "[" + golang + "," + fmt.Sprintf(others, false, false) + "]",
	} {
		readWire(t, []wireCase{{"skills-tests.json", want}},
			func(ctx context.Context, c *Client) (any, error) { return items(c.SkillsTests(ctx, "asm", active)) })
	}
}

func TestWirePositionAssessments(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{{"position-assessments.json", `[
		{"ID":"pas-1","AssessmentID":{"Shown":true,"Value":"asm-1"},"HasMetadata":true,
		 "SelfLink":"https://assess.example.com/v1/positions/p/assessments/pas-1",
		 "Metadata":{"Packages":{"Shown":true,"Value":["pkg-1","pkg-2"]},"Benchmark":{"Shown":true,"Value":"bmk-1"}}},
		{"ID":"pas-2","AssessmentID":{"Shown":true,"Value":"asm-2"},"HasMetadata":true,
		 "Metadata":{"Tests":{"Shown":true,"Value":["skt-1"]}}},
		{"ID":"pas-3","AssessmentID":{"Shown":true,"Value":"asm-3"}},
		{"ID":"pas-4","AssessmentID":{"Shown":true,"Value":"asm-4"}},
		{"ID":"pas-5"}]`}},
		func(ctx context.Context, c *Client) (any, error) { return items(c.PositionAssessments(ctx, "p")) })
	const start = `{"ID":"pas-1","AssessmentID":{"Shown":true,"Value":"asm-1"},"HasMetadata":true,`
	readWire(t, []wireCase{
		{"position-assessment-profile-attached.json", start +
			`"SelfLink":"https://assess.example.com/v1/positions/p/assessments/pas-1","Metadata":{
			"Profile":{"Shown":true,"Value":"prf-1"},"ProfileStatus":{"Shown":true,"Value":"PROFILE_ATTACHED"},
			"ProfileURL":{"Shown":true,"Value":"https://assess.example.com/profile/1?t=abc"}}}`},
		{"position-assessment-supervisor-completed.json", start + `"Metadata":{
			"ProfileStatus":{"Shown":true,"Value":"SUPERVISOR_COMPLETED"},
			"ProfileURL":{"Shown":true,"Value":"https://assess.example.com/profile/1"}}}`},
		{"position-assessment-unheard-of-status.json", start + `"Metadata":{
			"ProfileStatus":{"Shown":true,"Value":"Under review"},"Profile":{"Shown":true}}}`},
		{"position-assessment-without-id.json", start + `"Metadata":{}}`},
		{"position-assessment-with-unknown-members.json", start + `"Metadata":{
			"Benchmark":{"Shown":true,"Value":"bmk-1"},"Packages":{"Shown":true,"Value":[]}},
			"Extra":"{\"metadata\":{\"norm\":{\"size\":12345678901234567890}},\"weight\":30.0}"}`},
	}, func(ctx context.Context, c *Client) (any, error) { return c.PositionAssessment(ctx, "p", "pas-1") })
}

func TestWireResults(t *testing.T) {
	t.Parallel()
	const two = `[
		{"id":"cnd-1","name":"Ann","suitability":1},
		{"id":"cnd-2","name":"Bo","suitability":null}]`
	readWire(t, []wireCase{
		{"results-array.json", two},
		{"results-of-another-name.json", two},
		{"results-object.json", `[
			{"id":"cnd-1","name":"Zoë O'Neill <b>","report_url":"https://assess.example.com/r/1","suitability":87.5,"results":[
				{"assessment_id":"asm-1","type":"SCORED","report_url":"https://assess.example.com/r/1/1","percentile":91.3,"classification":"FAR_ABOVE_AVERAGE","invitations":[
					{"id":"inv-1","type":"REMOTE","status":"TESTED_WITH_RESULTS","expiry":"2026-04-01","created":"2026-03-02T09:00:00Z","completed":"2026-03-03T10:00:00Z"},
					{"id":"inv-2","type":"SUPERVISED","status":"INVITED","expiry":"2026-04-08","created":"2026-03-09T09:00:00Z"}]},
				{"assessment_id":"asm-2","type":"VALIDATED","report_url":"https://assess.example.com/r/1/2","percentile":0,"classification":"Something new","validity":"QUESTIONABLE","invitations":[]},
				{"assessment_id":"asm-3","type":"REPORT","report_url":"https://assess.example.com/r/1/3","invitations":[]}]},
			{"id":"cnd-2","name":"李小龍","report_url":"https://assess.example.com/r/2","results":[
				{"assessment_id":"asm-1","type":"SCORED","invitations":[{"id":"inv-3","type":"REMOTE","status":"IN_PROGRESS"}]}]}]`},
		{"candidates-names.json", `[
			{"id":"1","name":"Ann Lee"},{"id":"2","name":"Ann Lee"},
			{"id":"3","name":"Ann Lee"},{"id":"4","name":"Ann"},
			{"id":"5","name":"Lee"},{"id":"6","name":"Ann Lee"},{"id":"7"}]`},
		{"candidates-report-addresses.json", `[
			{"id":"1","report_url":"https://r.example/1"},{"id":"2","report_url":"https://r.example/2"},
			{"id":"3","report_url":"https://r.example/3"},{"id":"4","report_url":"https://r.example/4"},
			{"id":"5"}]`},
		{"candidates-suitability.json", `[
			{"id":"1","suitability":87.5},{"id":"2","suitability":0.1},
			{"id":"3","suitability":1e-7},{"id":"4","suitability":100},
			{"id":"5","suitability":33.3},{"id":"6"},
			{"id":"7","suitability":12345678.901234567},
			{"id":"9"},{"id":"10"}]`},
		{"candidates-without-ids.json", `[
			{"name":"Ann"},{"name":"Bo"},{"name":"Cy"},{"name":"Di"}]`},
	}, func(ctx context.Context, c *Client) (any, error) {
		results, err := c.Results(ctx, "p", nil, nil)
		return results.Candidates, err
	})
}

// TestShapesOfLists checks that errors name the unexpected shape but do not repeat values.
func TestShapesOfLists(t *testing.T) {
	t.Parallel()
	const first = "in element 1 of the page, "
	for body, problem := range map[string]string{
		`{"id":"p","title":"Somebody"}`:     `expected a list, got an object with "id", "title", none of them an array`,
		`{}`:                                "expected a list, got an empty object, none of them an array",
		`{"a":[],"b":[]}`:                   `expected a list, got an object with "a", "b", several of them arrays`,
		`{"candidates":[],"b":[]}`:          `expected a list, got an object with "b", "candidates", several of them arrays`,
		`"Somebody"`:                        "expected a list, got a string",
		`null`:                              "expected a list, got null",
		`[{"id":"a"},null]`:                 "in element 2 of the page, expected an object, got null",
		`["a"]`:                             first + "expected an object, got a string",
		`[{"title":"Somebody"}]`:            first + `got an object without "id"`,
		`[{"id":null}]`:                     first + `got an object without "id"`,
		`[{"id":7}]`:                        first + `expected the member "id" to be a string, got a number`,
		`[{"id":"a","title":["Somebody"]}]`: first + `expected the member "title" to be a string, got an array`,
		`{"_links":{"next":2},"items":[]}`:  `expected the member "_links" to be an array of links, got an object with "next"`,
	} {
		network := newStub(responds(200, body))
		_, err := newClient(t, network).Positions(t.Context(), nil)
		shape := as[*ShapeError](t, err)
		if shape.Problem != problem || shape.Method != http.MethodGet || shape.Route != "/positions" {
			t.Errorf("%s %s: %q, want %q", shape.Method, shape.Route, shape.Problem, problem)
		}
		if n := len(network.arrivals()); n != 1 || strings.Contains(err.Error(), "Somebody") {
			t.Errorf("%d requests, want 1 and no value of the response: %v", n, err)
		}
	}
}

// TestShapesOfObjects does the same for a fetch and for results.
func TestShapesOfObjects(t *testing.T) {
	t.Parallel()
	const start, candidate = `{"id":"pas-1","organizationAssessment":"a","metadata":`, "in element 1 of the page, "
	fetch := func(c *Client) error { _, err := c.PositionAssessment(t.Context(), "p", "pas-1"); return err }
	results := func(c *Client) error { _, err := c.Results(t.Context(), "p", nil, nil); return err }
	for _, row := range []struct {
		body    string
		read    func(*Client) error
		problem string
	}{
		{`[]`, fetch, "expected an object, got an array"},
		{`null`, fetch, "expected an object, got null"},
		{`{"id":"pas-2","organizationAssessment":"a"}`, fetch, `asked for the ID "pas-1", got "pas-2"`},
		{`{"id":"PAS-1"}`, fetch, `asked for the ID "pas-1", got "PAS-1", which differs only in upper and lower case`},
		{`{}`, fetch, "expected a position assessment, got an empty object"},
		{`{"data":{"id":"pas-1"}}`, fetch, `expected a position assessment, got an object with "data"`},
		{start + `["x"]}`, fetch, `expected the member "metadata" to be an object, got an array`},
		{start + `{"packages":["x",null]}}`, fetch, `in the member "metadata": in the member "packages": expected element 2 of "packages" to be a string, got null`},
		{start + `{"tests":"x"}}`, fetch, `in the member "metadata": expected the member "tests" to be an array, got a string`},
		{start + `{"benchmark":7}}`, fetch, `in the member "metadata": expected the member "benchmark" to be a string, got a number`},
		{`[{"id":"c","suitability":"high"}]`, results, candidate + `expected the member "suitability" to be a number of ordinary size, got a string`},
		{`[{"id":"c","suitability":{"value":87}}]`, results, candidate + `expected the member "suitability" to be a number or an object with "score", got an object with "value"`},
		{`[{"id":"c","results":{}}]`, results, candidate + `expected the member "results" to be an array, got an empty object`},
		{`[{"id":"c","results":[{"percentile":true}]}]`, results, candidate + `in the member "results": element 1: expected the member "percentile" to be a number of ordinary size, got a boolean`},
		{`[{"id":"c","results":[{"invitations":[{"status":7}]}]}]`, results, candidate + `in the member "results": element 1: in the member "invitations": element 1: expected the member "status" to be a string, got a number`},
	} {
		err := row.read(newClient(t, newStub(responds(200, row.body))))
		wantProblem(t, err, row.problem)
	}
}
