// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// The error of a 200 that is not JSON names the byte and the line of the invalid token, and repeats no more than one
// character of the body. The request is sent once more (row 12), even if no time is left, and not again.
func TestInvalidJSON(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"[\n{\"id\":\"a\",\n\"x\":087}]": "the response is not JSON: invalid character '8' after object key:value pair (byte 19, line 3)",
		`[{"id":"Somebody"`:              "the response is not JSON: unexpected end of JSON input (byte 17, line 1)",
		"{\"a\":\"x\n\"}":                "the response is not JSON: invalid character '\\n' in string literal (byte 8, line 1)",
		`[]]`:                            "the response is not JSON: invalid character ']' after top-level value (byte 3, line 1)",
		" \n":                            "the response is empty instead of JSON",
		"<html>Hello Somebody</html>":    "the response is a web page instead of JSON, probably of a gateway or a firewall",
	} {
		virtual(t, want, func(t *testing.T) {
			network := newStub(responds(200, body))
			_, err := newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = 0 }).Assessments(t.Context())
			wantProblem(t, err, want)
			if n := len(network.arrivals()); n != 2 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// A response is UTF-8, or windows-1252. Another charset, and compression that was not asked for, are errors that name it.
func TestCharsets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ contentType, body, want string }{
		{"", "\"\xc3\xa9\"", `"é"`},
		{"application/json; charset=ISO-8859-1", "\"Jos\xc3\xa9\"", `"José"`},
		{`text/plain; charset="iso-8859-1"`, "\xef\xbb\xbf\"\xc3\xa9\"", `"é"`}, // with a byte order mark
		{"application/json", "\"O\x92Brien \x80 \x96 \xe9\x81\"", "\"O’Brien € – é\u0081\""},
		{"application/json; charset=koi8-r", "\"\xc3\xa9\"", `"é"`}, // valid UTF-8 is hardly ever anything else
	} {
		text, problem := asJSON([]byte(row.body), http.Header{"Content-Type": {row.contentType}})
		if string(text) != row.want || problem != nil {
			t.Errorf("%s: %q, want %q: %v", row.contentType, text, row.want, problem)
		}
	}
	var zipped bytes.Buffer
	_ = gzip.NewWriter(&zipped).Close()
	for _, row := range []struct{ header, value, body, want string }{
		{"Content-Type", "application/json; charset=Shift_JIS", "[\"\x81\"]", `in the charset "Shift_JIS", which the provider cannot read`},
		{"Content-Type", "text/html; charset=utf-16", "[\x00]\x00", `in the charset "utf-16", which the provider cannot read`},
		{"Content-Encoding", "br", "\x0b\x02\x80[]\x03", "compressed (br), although the provider did not ask for that"},
		{"Content-Encoding", "", zipped.String(), "compressed (gzip), but no header says so. A gateway may have dropped the header Content-Encoding"},
	} {
		_, problem := asJSON([]byte(row.body), http.Header{row.header: {row.value}})
		if want := "the response is " + row.want; fmt.Sprint(problem) != want {
			t.Errorf("%v, want %s", problem, want)
		}
	}
}

// A body of more than 64 MiB is an error.
func TestEndlessBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		endless := newStub(func(req *http.Request) (*http.Response, error) {
			resp, err := responds(200, "")(req)
			resp.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) { return len(p), nil }))
			return resp, err
		})
		_, err := newClient(t, endless).Assessments(t.Context())
		wantProblem(t, err, "the response is larger than 64 MiB")
	})
}

// A list of more than 100,000 elements is an error before the others need memory (F4). Pages count together.
func TestHugeLists(t *testing.T) {
	t.Parallel()
	const problem = "the list has more than 100000 elements"
	text := "[{}" + strings.Repeat(",{}", 99_999) + ",{}, the rest is not decoded"
	if err := eachElement([]byte(text), func(int, json.RawMessage) error { return nil }); fmt.Sprint(err) != problem {
		t.Errorf("%v, want %s", err, problem)
	}
	service := &pagedService{size: 60_000, ids: make([]string, 120_000)}
	for i := range service.ids {
		service.ids[i] = fmt.Sprint(i)
	}
	_, err := newClient(t, service).Positions(t.Context(), nil)
	wantProblem(t, err, problem)
}

// An element that is nested deeper than 100 levels is an error (F7), because the CLIs need very long to show deeply
// nested values, such as 1,000 levels. A write is done, whatever its response contains.
func TestDeepValues(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + "1" + strings.Repeat("]", n) }
	for text, tooDeep := range map[string]bool{
		nested(100): false, nested(101): true, `{"x":"\"` + strings.Repeat("[", 500) + `"}`: false,
	} {
		if err := checkDepth([]byte(text)); (err != nil) != tooDeep {
			t.Errorf("%d characters: %v", len(text), err)
		}
	}
	deep := responds(200, `[{"id":"a"},{"id":"b","x":`+nested(101)+`}]`)
	_, err := newClient(t, newStub(deep)).Assessments(t.Context())
	wantProblem(t, err, "in element 2 of the page, it is nested deeper than 100 levels")
	deep = responds(200, `{"id":"a","metadata":`+nested(101)+`}`)
	_, err = newClient(t, newStub(deep)).PositionAssessment(t.Context(), "p", "a")
	wantProblem(t, err, "it is nested deeper than 100 levels")
	deep = responds(201, `{"id":"pas-1","x":`+nested(9000)+`}`, "Location", "/v1/x/pas-2")
	pa, err := newClient(t, newStub(deep)).Attach(t.Context(), "p", "asm", Configuration{})
	if err != nil || pa.ID != "pas-2" || pa.Extra != nil {
		t.Errorf("%+v %v", pa, err)
	}
}
