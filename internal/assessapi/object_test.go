// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"strings"
	"testing"
)

// reads returns a function that reads a value from the text of an object, and shows it.
func reads[T any](read func(*jsonObject) *T) func(t *testing.T, text string) string {
	return func(t *testing.T, text string) string {
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
}

// A string that is exactly a JSON number or boolean counts as one, and "" as null. A huge number is rejected, and not
// rounded to infinity.
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
			`{"score":null}`: "null", `{}`: "error", `{"value":87}`: "error", `{"Score":87}`: "error",
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
			`"7001"`: "7001", `"7001.0"`: "7001.0", `""`: "", "null": "null", "7001": "error", "true": "error",
		}},
		{"number", reads(number), map[string]string{
			`"12"`: "12", `""`: "null", "1e999999999": "error", "-1e999999999": "error", "1e99999999999999999999": "error",
			strings.Repeat("9", 401): "error",
		}},
	} {
		for text, want := range row.values {
			if got := row.read(t, `{"`+row.member+`":`+text+`}`); got != want {
				t.Errorf("%s %s was read as %s, want %s", row.member, text, got, want)
			}
		}
	}
}
