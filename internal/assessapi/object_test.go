// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// reads returns a function that reads a value from the text of an object, and shows it.
func reads[T any](read func(*jsonObject) *T) func(t *testing.T, text string) string {
	return func(t *testing.T, text string) string {
		t.Helper()
		o, err := parseJSONObject([]byte(text))
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
}

// A service that writes "" instead of null shows no locale and no metadata, which would not fit to the configuration.
func TestEmptyTexts(t *testing.T) {
	t.Parallel()
	read := func(text string) *jsonObject {
		o, err := parseJSONObject([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if locale := Positions.read(read(`{"id":"p","locale":""}`)).Locale; locale != nil {
		t.Errorf("locale %q", *locale)
	}
	pa := readPositionAssessment(read(`{"id":"pas-1","organizationAssessment":"a","metadata":
		{"benchmark":"","profile":"","profileStatus":"","profileUrl":"","packages":[],"tests":[]}}`))
	if !reflect.ValueOf(pa.Metadata).IsZero() || pa.Extra != nil {
		t.Errorf("%+v", pa)
	}
}

// A text that is exactly a JSON number or boolean counts as one, and "" as null. A whole number is an id in digits,
// however a service writes it. A huge number is refused, and not rounded to infinity.
func TestScalars(t *testing.T) {
	t.Parallel()
	number := func(o *jsonObject) *string {
		if n := o.number("number"); n != nil {
			return new(n.String())
		}
		return nil
	}
	for _, row := range []struct {
		member string
		read   func(*testing.T, string) string
		values map[string]string
	}{
		{"suitability", reads(suitability), map[string]string{
			`"87.5"`: "87.5", `"1e0"`: "1", `"-3"`: "-3", `""`: "null", `12.0`: "12", `{"score":"-3"}`: "-3", `{"score":""}`: "null",
			`"high"`: "error", `" 87"`: "error", `"87,5"`: "error", `"087"`: "error", `"NaN"`: "error", `"0x1F"`: "error",
			`"true"`: "error", `"1 of 2"`: "error", `"[1]"`: "error", `"null"`: "error", `true`: "error", `[]`: "error",
			`1e999`: "error",
		}},
		{"mandatory", reads(mandatoryOf), map[string]string{
			`"true"`: "true", `"false"`: "false", `""`: "null", `"","type":"MANDATORY"`: "true", `"Optional"`: "false",
			`"yes"`: "error", `"True"`: "error", `"1"`: "error", `1`: "error", `null,"optional":"false"`: "true",
			`null,"optional":"true"`: "false", `null,"optional":"no"`: "error",
		}},
		{"id", reads(func(o *jsonObject) *string { return o.string("id") }), map[string]string{
			`"7001"`: "7001", "7001": "7001", "7001.0": "7001", "7.001e3": "7001", "7.001E+3": "7001",
			"12345678901234567890123": "12345678901234567890123", "1.2345678901234567890123e22": "12345678901234567890123",
			"7001.5": "7001.5", "1e400": "1e400", `"7001.0"`: "7001.0",
		}},
		{"number", reads(number), map[string]string{
			`"12"`: "12", `""`: "null", "1e999999999": "error", "-1e999999999": "error", "1e99999999999999999999": "error",
			strings.Repeat("9", 401): "error",
		}},
	} {
		for text, want := range row.values {
			if got := row.read(t, `{"`+row.member+`":`+text+`}`); got != want {
				t.Errorf("%s was read as %s, want %s", text, got, want)
			}
		}
	}
	tests, err := newClient(t, newStub(answers(200, `[{"id":"a","active":"true"},{"id":"b","active":""}]`))).
		SkillsTests("asm", false).All(t.Context())
	if err != nil || !*tests[0].Active || *tests[1].Active {
		t.Errorf("%+v %v", tests, err)
	}
}
