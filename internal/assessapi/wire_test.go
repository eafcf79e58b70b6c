// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// readWire answers with each file of testdata/wire, which is an accepted shape, and compares what the client reads from
// it, as JSON.
func readWire(t *testing.T, read func(context.Context, *Client) (any, error), want map[string]string) {
	t.Helper()
	for file, want := range want {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			got, err := read(t.Context(), newClient(t, newStub(responds(200, wireFile(t, file)))))
			if err != nil {
				t.Fatal(err)
			}
			if text, want := known(t, marshal(got)), known(t, []byte(want)); text != want {
				t.Errorf("read\n%s\nwant\n%s", text, want)
			}
		})
	}
}

// known returns JSON without members that are null, false or empty. Empty arrays stay.
func known(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return string(marshal(withoutEmpty(value)))
}

func withoutEmpty(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = withoutEmpty(value[i])
		}
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, member any) bool { return withoutEmpty(member) == nil })
		if len(value) == 0 {
			return nil
		}
	}
	if value == false || value == "" {
		return nil
	}
	return value
}

// items returns the elements of a list.
func items[T any](list List[T], err error) (any, error) { return list.Elements, err }

func TestWireItems(t *testing.T) {
	t.Parallel()
	const two = `[
		{"ID":"pos-1","Name":"Backend Engineer","Locale":"en-GB"},
		{"ID":"pos-2","Name":"Ingénieure données","Locale":"fr-FR"}]`
	readWire(t, itemsOf(Positions), map[string]string{
		"positions-array.json":                  two,
		"positions-object.json":                 two,
		"positions-object-of-another-name.json": two,
		"positions-without-fields.json":         `[{"ID":"pos-1"},{"ID":"pos-2"}]`,
		"positions-in-latin1.json":              `[{"ID":"pos-1","Name":"Chargé de clientèle","Locale":"fr-FR"}]`,
		"positions-empty.json":                  `[]`,
		"positions-empty-object.json":           `[]`,
	})
	readWire(t, itemsOf(Assessments), map[string]string{
		"assessments-with-unknown-members.json": `[
			{"ID":"asm-1","Code":"LMN","Name":"Lumen",
			 "Extra":"{\"alpha\":\"é < > & €\",\"nothing\":null,\"zeta\":{\"a\":[1e2,12345678901234567890,null],\"b\":30.0}}"},
			{"ID":"asm-2"}]`,
	})
	readWire(t, itemsOf(Benchmarks), map[string]string{"benchmarks.json": `[
		{"ID":"bmk-1","Name":"Graduates","Locale":"en-GB"},
		{"ID":"bmk-2","Name":"Engineers","Extra":"{\"sample\":0.10}"}]`})
}

func itemsOf(k Kind) func(context.Context, *Client) (any, error) {
	return func(ctx context.Context, c *Client) (any, error) { return items(c.Items(ctx, k, "asm")) }
}

func TestWirePackages(t *testing.T) {
	t.Parallel()
	const marked = `[
		{"ID":"pkg-1","Name":"Problem solving","Mandatory":true},
		{"ID":"pkg-2","Name":"Verbal knowledge","Mandatory":false}]`
	readWire(t, itemsOf(Packages), map[string]string{
		"packages-mandatory.json": marked,
		"packages-optional.json":  marked,
		"packages-word.json": `[
			{"ID":"pkg-1","Name":"Problem solving","Mandatory":true,"Extra":"{\"weight\":1.50}"},
			{"ID":"pkg-2","Name":"Verbal knowledge","Mandatory":false},
			{"ID":"pkg-3","Name":"Optional","Mandatory":true}]`,
		"packages-both-marks.json": `[
			{"ID":"pkg-1","Mandatory":true,"Extra":"{\"note\":\"optional\"}"},
			{"ID":"pkg-2","Mandatory":false}]`,
		"packages-unmarked.json": `[
			{"ID":"pkg-1","Name":"Problem solving"},
			{"ID":"pkg-2","Name":"Verbal knowledge","Extra":"{\"kind\":\"extra\"}"}]`,
	})
}

// Among the tests that are not active, a test that shows the opposite is omitted.
func TestWireSkillsTests(t *testing.T) {
	t.Parallel()
	inactive := func(ctx context.Context, c *Client) (any, error) { return items(c.SkillsTests(ctx, "asm", false)) }
	readWire(t, inactive, map[string]string{"skills-tests.json": `[
		{"ID":"skt-1","Name":"Go","Description":"Goroutines","Category":"Software","TimeToComplete":"40 minutes",
		 "NumberOfQuestions":"24","SelfLink":"https://assess.example.com/v1/assessments/asm/skills/skt-1",
		 "Extra":"{\"level\":3.0}"},
		{"ID":"skt-2","NumberOfQuestions":"30"},
		{"ID":"skt-3","TimeToComplete":"45","NumberOfQuestions":"1.234567890123456789e+19"}]`})
}

func TestWirePositionAssessments(t *testing.T) {
	t.Parallel()
	all := func(ctx context.Context, c *Client) (any, error) { return items(c.PositionAssessments(ctx, "p")) }
	readWire(t, all, map[string]string{"position-assessments.json": `[
		{"ID":"pas-1","AssessmentID":{"Shown":true,"Value":"asm-1"},"HasMetadata":true,
		 "SelfLink":"https://assess.example.com/v1/positions/p/assessments/pas-1",
		 "Metadata":{"Packages":{"Shown":true,"Value":["pkg-1","pkg-2"]},"Benchmark":{"Shown":true,"Value":"bmk-1"}}},
		{"ID":"pas-2","AssessmentID":{"Shown":true,"Value":"asm-2"},"HasMetadata":true,
		 "Metadata":{"Tests":{"Shown":true,"Value":["skt-1"]}}},
		{"ID":"pas-3","AssessmentID":{"Shown":true,"Value":"asm-3"}},
		{"ID":"pas-4","AssessmentID":{"Shown":true,"Value":"asm-4"}},
		{"ID":"pas-5"}]`})
	one := func(ctx context.Context, c *Client) (any, error) { return c.PositionAssessment(ctx, "p", "pas-1") }
	const start = `{"ID":"pas-1","AssessmentID":{"Shown":true,"Value":"asm-1"},"HasMetadata":true,`
	readWire(t, one, map[string]string{
		"position-assessment-profile-attached.json": start +
			`"SelfLink":"https://assess.example.com/v1/positions/p/assessments/pas-1","Metadata":{
			"Profile":{"Shown":true,"Value":"prf-1"},"ProfileStatus":{"Shown":true,"Value":"PROFILE_ATTACHED"},
			"ProfileURL":{"Shown":true,"Value":"https://assess.example.com/profile/1?t=abc"}}}`,
		"position-assessment-unheard-of-status.json": start + `"Metadata":{
			"ProfileStatus":{"Shown":true,"Value":"Under review"},"Profile":{"Shown":true}}}`,
		"position-assessment-without-id.json": start + `"Metadata":{}}`,
		"position-assessment-with-unknown-members.json": start + `"Metadata":{
			"Benchmark":{"Shown":true,"Value":"bmk-1"},"Packages":{"Shown":true,"Value":[]}},
			"Extra":"{\"metadata\":{\"norm\":{\"size\":12345678901234567890}},\"weight\":30.0}"}`,
	})
}

// The JSON of a candidate has no links at which the candidate takes assessments, because no report shows them.
func TestWireResults(t *testing.T) {
	t.Parallel()
	candidates := func(ctx context.Context, c *Client) (any, error) {
		results, err := c.Results(ctx, "p", nil, nil)
		return results.Candidates, err
	}
	const two = `[
		{"id":"cnd-1","name":"Ann","suitability":1},
		{"id":"cnd-2","name":"Bo","suitability":null}]`
	readWire(t, candidates, map[string]string{
		"results-array.json":           two,
		"results-of-another-name.json": two,
		"results-object.json": `[
			{"id":"cnd-1","name":"Zoë O'Neill <b>","report_url":"https://assess.example.com/r/1","suitability":87.5,"results":[
				{"assessment_id":"asm-1","type":"SCORED","report_url":"https://assess.example.com/r/1/1","percentile":91.3,"classification":"FAR_ABOVE_AVERAGE","invitations":[
					{"id":"inv-1","type":"REMOTE","status":"TESTED_WITH_RESULTS","expiry":"2026-04-01","created":"2026-03-02T09:00:00Z","completed":"2026-03-03T10:00:00Z"},
					{"id":"inv-2","type":"SUPERVISED","status":"INVITED","expiry":"2026-04-08","created":"2026-03-09T09:00:00Z"}]},
				{"assessment_id":"asm-2","type":"VALIDATED","report_url":"https://assess.example.com/r/1/2","percentile":0,"classification":"Something new","validity":"QUESTIONABLE","invitations":[]},
				{"assessment_id":"asm-3","type":"REPORT","report_url":"https://assess.example.com/r/1/3","invitations":[]}]},
			{"id":"cnd-2","name":"李小龍","report_url":"https://assess.example.com/r/2","results":[
				{"assessment_id":"asm-1","type":"SCORED","invitations":[{"id":"inv-3","type":"REMOTE","status":"IN_PROGRESS"}]}]}]`,
		"candidates-names.json": `[
			{"id":"1","name":"Ann Lee"},{"id":"2","name":"Ann Lee"},
			{"id":"3","name":"Ann Lee"},{"id":"4","name":"Ann"},
			{"id":"5","name":"Lee"},{"id":"6","name":"Ann Lee"},{"id":"7"}]`,
		"candidates-report-addresses.json": `[
			{"id":"1","report_url":"https://r.example/1"},{"id":"2","report_url":"https://r.example/2"},
			{"id":"3","report_url":"https://r.example/3"},{"id":"4","report_url":"https://r.example/4"},
			{"id":"5"}]`,
		"candidates-suitability.json": `[
			{"id":"1","suitability":87.5},{"id":"2","suitability":0.1},
			{"id":"3","suitability":1e-7},{"id":"4","suitability":100},
			{"id":"5","suitability":33.3},{"id":"6"},
			{"id":"7","suitability":12345678.901234567},
			{"id":"9"},{"id":"10"}]`,
		"candidates-without-ids.json": `[{"name":"Ann"},{"name":"Bo"},{"name":"Cy"},{"name":"Di"}]`,
	})
}

// An error names the unexpected shape, and no value of the response.
func TestShapes(t *testing.T) {
	t.Parallel()
	list := func(c *Client) error { _, err := c.Positions(t.Context(), nil); return err }
	fetch := func(c *Client) error { _, err := c.PositionAssessment(t.Context(), "p", "pas-1"); return err }
	results := func(c *Client) error { _, err := c.Results(t.Context(), "p", nil, nil); return err }
	const first, start = "in element 1 of the page, ", `{"id":"pas-1","organizationAssessment":"a","metadata":`
	for _, row := range []struct {
		read          func(*Client) error
		body, problem string
	}{
		{list, `{"id":"p","title":"Somebody"}`, `expected a list, got an object with "id", "title", which has no array of elements`},
		{list, `{"id":"p","_links":[],"errors":[]}`, `expected a list, got an object with "_links", "errors", "id", which has no array of elements`},
		{list, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`, `expected a list, got an object with "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", which has no array of elements`},
		{list, `{"candidates":[],"b":[]}`, `expected a list, got an object with "b", "candidates", which has several arrays`},
		{list, `"Somebody"`, "expected a list, got a string"},
		{list, `[{"id":"a"},null]`, "in element 2 of the page, expected an object, got null"},
		{list, `[{"title":"Somebody"}]`, first + `got an object without "id"`},
		{list, `[{"id":7}]`, first + `expected the member "id" to be a string, got a number`},
		{list, `[{"id":"a","title":["Somebody"]}]`, first + `expected the member "title" to be a string, got an array`},
		{list, `[{"id":"asm-1"},{"id":"asm-1"}]`, `the list contains the ID "asm-1" twice`},
		{list, `[{"id":"Äb"},{"id":"äB"}]`, `the list contains the IDs "Äb" and "äB", which differ only in upper and lower case`},
		{list, `{"_links":{"next":2},"items":[]}`, `expected the member "_links" to be an array of links, got an object with "next"`},
		{fetch, `[]`, "expected an object, got an array"},
		{fetch, `{"id":"pas-2","organizationAssessment":"a"}`, `asked for the ID "pas-1", got "pas-2"`},
		{fetch, `{"id":"PAS-1"}`, `asked for the ID "pas-1", got "PAS-1"`},
		{fetch, `{}`, "expected a position assessment, got an empty object"},
		{fetch, start + `["x"]}`, `expected the member "metadata" to be an object, got an array`},
		{fetch, start + `{"packages":["x",null]}}`, `in the member "metadata": in the member "packages": expected element 2 of "packages" to be a string, got null`},
		{fetch, start + `{"tests":"x"}}`, `in the member "metadata": expected the member "tests" to be an array, got a string`},
		{results, `[{"id":"c","suitability":"high"}]`, first + `expected the member "suitability" to be a number of ordinary size, got a string`},
		{results, `[{"id":"c","results":{}}]`, first + `expected the member "results" to be an array, got an empty object`},
		{results, `[{"id":"c","results":[{"invitations":[{"status":7}]}]}]`, first + `in the member "results": element 1: in the member "invitations": element 1: expected the member "status" to be a string, got a number`},
	} {
		err := row.read(newClient(t, newStub(responds(200, row.body))))
		if wantProblem(t, err, row.problem); strings.Contains(err.Error(), "Somebody") {
			t.Error(err)
		}
	}
}
