// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"strings"
	"testing"
)

// A string that is exactly a JSON number or boolean counts as one, and "" as null. A huge number is rejected, and not
// rounded to infinity.
func TestScalars(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		member string
		read   func(o *jsonObject) any // a pointer
		values map[string]string
	}{
		{"suitability", func(o *jsonObject) any { return suitability(o) }, map[string]string{
			`"87.5"`: "87.5", `"1e0"`: "1", `"-3"`: "-3", `""`: "null", `12.0`: "12", `{"score":"-3"}`: "-3", `{"score":""}`: "null",
			`{}`: "error", `{"value":87}`: "error", `"high"`: "error", `" 87"`: "error", `"87,5"`: "error", `"NaN"`: "error",
			`"0x1F"`: "error", `"true"`: "error", `"[1]"`: "error", `"null"`: "error", `true`: "error", `1e999`: "error",
		}},
		{"mandatory", func(o *jsonObject) any { return mandatoryOf(o) }, map[string]string{
			`"true"`: "true", `"false"`: "false", `""`: "null", `"","type":"MANDATORY"`: "true", `"Optional"`: "false",
			`"yes"`: "error", `"True"`: "error", `1`: "error", `null,"optional":"false"`: "true", `null,"optional":"no"`: "error",
		}},
		{"id", func(o *jsonObject) any { return o.string("id") }, map[string]string{
			`"7001"`: `"7001"`, `"7001.0"`: `"7001.0"`, `""`: `""`, "null": "null", "7001": "error", "true": "error",
		}},
		{"number", func(o *jsonObject) any { return o.number("number") }, map[string]string{
			`"12"`: `"12"`, `""`: "null", "9007199254740993": `"9.007199254740993e+15"`, "1e-99999999": `"0"`,
			"1e99999999": "error", "-1e999999999": "error", "1e99999999999999999999": "error", strings.Repeat("9", 401): "error",
			"0." + strings.Repeat("3", 1000): `"0.3333333333333333"`,
		}},
	} {
		for text, want := range row.values {
			o, err := parseObject([]byte(`{"` + row.member + `":` + text + `}`))
			if err != nil {
				t.Fatal(err)
			}
			got := string(marshal(row.read(o)))
			if o.err != nil {
				got = "error"
			}
			if got != want {
				t.Errorf("%s %s was read as %s, want %s", row.member, text, got, want)
			}
		}
	}
}
