// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t-value"
	for name, row := range map[string]struct {
		headers map[string]string
		says    string // "" if the headers are accepted
	}{
		"the last of four":       {map[string]string{"c": value, "B": value, "a-" + value: value, "d": value + "\n"}, "header 4"},
		"a condition":            {map[string]string{"If-None-Match": value}, `begin with "If-"`},
		"none":                   {nil, ""},
		"one":                    {map[string]string{"X-Gateway-Token": value}, ""},
		"all characters":         {map[string]string{"a!#$%&'*+-.^_`|~0": "! \t~" + value}, ""},
		"an empty value":         {map[string]string{"X-Gateway-Token": ""}, ""},
		"a cookie":               {map[string]string{"Cookie": "session=" + value}, ""},
		"a line break":           {map[string]string{"X-A": value + "\r\nX-B: c"}, "the value contains a line break"},
		"a final line break":     {map[string]string{"X-A": value + "\n"}, "the value contains a line break"},
		"a carriage return":      {map[string]string{"X-A": value + "\r"}, "the value contains a line break"},
		"a NUL":                  {map[string]string{"X-A": value + "\x00"}, "the value contains a line break"},
		"a DEL":                  {map[string]string{"X-A": value + "\x7f"}, "the value contains a line break"},
		"a letter outside ASCII": {map[string]string{"X-A": value + "é"}, "the value contains a line break"},
		"a space before":         {map[string]string{"X-A": " " + value}, "the value begins or ends with white space"},
		"a tab after":            {map[string]string{"X-A": value + "\t"}, "the value begins or ends with white space"},
		"an empty name":          {map[string]string{"": value}, "a name is empty"},
		"a space in a name":      {map[string]string{"Bearer " + value: "X-A"}, "a name contains a character"},
		"a colon in a name":      {map[string]string{"X-A:" + value: "b"}, "a name contains a character"},
		"a line break in a name": {map[string]string{"X-A\r\n" + value: "b"}, "a name contains a character"},
		"an HTTP/2 name":         {map[string]string{":authority": value}, "a name contains a character"},
		"a name outside ASCII":   {map[string]string{"X-Ä" + value: "b"}, "a name contains a character"},
		"twice":                  {map[string]string{"X-Token": value, "a": "b", "x-token": value}, "two names are the same"},
		"a value as a name":      {map[string]string{value: "X-Token\n"}, "the value contains a line break"},
		"a value as two names":   {map[string]string{value: "X-Token", "S" + value[1:]: "X-Token"}, "two names are the same"},
	} {
		err := CheckHeaders(row.headers)
		switch {
		case row.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v, want %q", name, err, row.says)
		case err != nil && strings.Contains(err.Error(), value):
			t.Errorf("%s: the error contains the value: %v", name, err)
		}
	}
	// With one of these two, net/http takes a POST as repeatable, and sends it twice by itself.
	for _, name := range append(documentedHeaders(t), "Idempotency-Key", "X-Idempotency-Key") {
		for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			err := CheckHeaders(map[string]string{spelling: value})
			if err == nil || !strings.Contains(err.Error(), `"`+spelling+`" is reserved`) {
				t.Errorf("%s: %v", spelling, err)
			}
		}
	}
}

// documentedHeaders returns the reserved headers that the guide about gateways names.
func documentedHeaders(t *testing.T) []string {
	t.Helper()
	guide, err := os.ReadFile("../../templates/guides/organizations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(guide), "The provider refuses the following headers")
	list, _, _ = strings.Cut(list, ", and all that begin with `If-`")
	var names []string
	for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		names = append(names, match[1])
	}
	if len(names) != len(reservedHeaders) {
		t.Errorf("the guide names %q, but %d headers are reserved", names, len(reservedHeaders))
	}
	return names
}

// TestParseHeaders checks the text of the environment variable.
func TestParseHeaders(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t-value"
	for text, says := range map[string]string{
		``:                                      "",
		`{}`:                                    "",
		` {"X-Token": "` + value + `"} `:        "",
		`{"X-Token": "a", "X-Tenant": "b"}`:     "",
		`{"X-Token": "a", "X-Token": "b"}`:      "two names are the same",
		`{"X-Token": "a", "X-T\u006fken": "b"}`: "two names are the same",
		`{"X-Token": "a", "x-token": "b"}`:      "two names are the same",
		`{"X-Token": null}`:                     "a value is null",
		`{"X-Token": 1}`:                        "must be a JSON object",
		`{"X-Token": ["` + value + `"]}`:        "must be a JSON object",
		`{"X-Token": {"` + value + `": "a"}}`:   "must be a JSON object",
		`{"X-Token": "` + value + `"`:           "must be a JSON object",
		`{"X-Token": "` + value + `"} {}`:       "must be a JSON object",
		`["` + value + `"]`:                     "must be a JSON object",
		`null`:                                  "must be a JSON object",
		value:                                   "must be a JSON object",
		`{"Host": "` + value + `"}`:             `"Host" is reserved`,
	} {
		headers, err := ParseHeaders(text)
		switch {
		case says == "" && (err != nil || len(headers) != strings.Count(text, ":")):
			t.Errorf("%s: %v, %v", text, headers, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), value)):
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
