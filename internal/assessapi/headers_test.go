// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t-value"
	type headers = map[string]string
	for says, all := range map[string][]headers{
		"": { // accepted
			nil,
			{"X-Gateway-Token": value},
			{"a!#$%&'*+-.^_`|~0": "! \t~" + value},
			{"Cookie": "session=" + value},
		},
		"a value contains a line break": {
			{"X-A": value + "\r\nX-B: c"},
			{"X-A": value + "\r"},
			{"X-A": value + "\x7f"},
			{"X-A": value + "é"},
			{value: "X-Token\n"},
		},
		"a value begins or ends with white space": {{"X-A": " " + value}, {"X-A": value + "\t"}},
		"a name is empty":                         {{"": value}},
		"a name contains a character that HTTP does not": {
			{"Bearer " + value: "X-A"}, {"X-A:" + value: "b"}, {"X-A\r\n" + value: "b"}, {":authority": value}, {"X-Ä" + value: "b"},
		},
		"two names are the same": {
			{"X-Token": value, "a": "b", "x-token": value}, {value: "X-Token", "S" + value[1:]: "X-Token"},
		},
		`names that begin with "If-"`: {{"If-None-Match": value}},
		`"Cache-Control" is reserved`: {{"Cache-Control": value}}, // the client sets it itself
	} {
		for _, h := range all {
			err := CheckHeaders(h)
			if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) ||
				strings.Contains(fmt.Sprint(err), value) {
				t.Errorf("%v: %v, want %q", h, err, says)
			}
		}
	}
	guide, err := os.ReadFile("../../templates/guides/organizations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reserved := range reservedHeaders {
		if !strings.Contains(strings.ToLower(string(guide)), "`"+reserved+"`") {
			t.Errorf("the guide does not name %s", reserved)
		}
		for _, spelling := range []string{reserved, strings.ToUpper(reserved)} {
			err := CheckHeaders(headers{spelling: value})
			if err == nil || !strings.Contains(err.Error(), `"`+spelling+`" is reserved`) {
				t.Errorf("%s: %v", spelling, err)
			}
		}
	}
}

// The environment variable is a JSON object of strings, with the rules of [CheckHeaders].
func TestParseHeaders(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t-value"
	for text, says := range map[string]string{
		``: "", ` {"X-Token": "` + value + `", "X-Tenant": "b"} `: "",
		`{"X-Token": "` + value + `", "x-token": "b"}`: "two names are the same",
		`{"X-Token": null}`:                            "a value is null",
		`{"X-Token": 1}`:                               "must be a JSON object", `{"X-Token": {"` + value + `": "a"}}`: "must be a JSON object",
		`{"X-Token": "` + value + `"} {}`: "must be a JSON object", `null`: "must be a JSON object", value: "must be a JSON object",
	} {
		headers, err := ParseHeaders(text)
		if says == "" && (err != nil || len(headers) != strings.Count(text, ":")) {
			t.Errorf("%s: %v, %v", text, headers, err)
		}
		if says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), value)) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
