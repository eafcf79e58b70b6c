// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"testing"
)

// valueIn reads a value from the text of an object, and shows it.
func valueIn[T any](t *testing.T, read func(*object) *T, text string) string {
	t.Helper()
	o, err := parseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	switch value := read(o); {
	case o.err != nil:
		return "error"
	case value == nil:
		return "null"
	default:
		return fmt.Sprint(*value)
	}
}

// A text that is exactly a JSON number or boolean counts as one, and "" as null.
func TestScalarsAsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"87.5"`: "87.5", `"1e0"`: "1", `"-3"`: "-3", `""`: "null", `12.0`: "12", `{"score":"-3"}`: "-3", `{"score":""}`: "null",
		`"high"`: "error", `" 87"`: "error", `"87,5"`: "error", `"087"`: "error", `"NaN"`: "error", `"0x1F"`: "error",
		`"true"`: "error", `"1 of 2"`: "error", `"[1]"`: "error", `"null"`: "error", `true`: "error", `[]`: "error",
	} {
		if got := valueIn(t, suitability, `{"suitability":`+text+`}`); got != want {
			t.Errorf("%s was read as %s, want %s", text, got, want)
		}
	}
	for mark, want := range map[string]string{
		`"mandatory":"true"`: "true", `"mandatory":"false"`: "false", `"optional":"false"`: "true", `"optional":"true"`: "false",
		`"mandatory":""`: "null", `"mandatory":"","type":"MANDATORY"`: "true", `"mandatory":"Optional"`: "false",
		`"mandatory":"yes"`: "error", `"mandatory":"True"`: "error", `"mandatory":"1"`: "error", `"optional":"no"`: "error",
		`"mandatory":1`: "error",
	} {
		if got := valueIn(t, mandatoryOf, `{`+mark+`}`); got != want {
			t.Errorf("%s was read as %s, want %s", mark, got, want)
		}
	}
	tests, err := newClient(t, newStub(answers(200, `[{"id":"a","active":"true","numberOfQuestions":"12"},`+
		`{"id":"b","active":"","numberOfQuestions":""}]`))).SkillsTests(t.Context(), "asm", false)
	if err != nil || !*tests[0].Active || tests[0].NumberOfQuestions.String() != "12" || *tests[1].Active ||
		tests[1].NumberOfQuestions != nil {
		t.Errorf("%+v %v", tests, err)
	}
}

// A whole number is an id in digits, however a service writes it.
func TestNumbersAsIDs(t *testing.T) {
	t.Parallel()
	id := func(o *object) *string { return o.string("id") }
	for written, want := range map[string]string{
		`"7001"`: "7001", "7001": "7001", "7001.0": "7001", "7.001e3": "7001", "7.001E+3": "7001",
		"12345678901234567890123": "12345678901234567890123", "1.2345678901234567890123e22": "12345678901234567890123",
		"7001.5": "7001.5", "1e400": "1e400", `"7001.0"`: "7001.0",
	} {
		if got := valueIn(t, id, `{"id":`+written+`}`); got != want {
			t.Errorf("%s was read as %s, want %s", written, got, want)
		}
	}
}
