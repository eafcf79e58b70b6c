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

// TestInvalidJSON checks that an error names the byte and the line of an invalid token, and repeats no more than one
// character of the body.
func TestInvalidJSON(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`[{"id":"a","x":NaN}]`:           "the response is not JSON: invalid character 'N' looking for beginning of value (byte 16, line 1)",
		"[\n{\"id\":\"a\",\n\"x\":087}]": "the response is not JSON: invalid character '8' after object key:value pair (byte 19, line 3)",
		"[{\"id\":\"a\tb\"}]":            `the response is not JSON: invalid character '\t' in string literal (byte 10, line 1)`,
		`[{"id":"Somebody"`:              "the response is not JSON: unexpected end of JSON input (byte 17, line 1)",
		`[]]`:                            "the response is not JSON: invalid character ']' after top-level value (byte 3, line 1)",
		" \n":                            "the response is empty instead of JSON",
		"<html>Hello Somebody</html>":    "the response is a web page instead of JSON, probably of a gateway or a firewall",
		strings.Repeat("[", 20_000):      "the response is not JSON: invalid character '[' exceeded max depth (byte 10001, line 1)",
	} {
		if _, problem := asJSON([]byte(body), http.Header{}); fmt.Sprint(problem) != want {
			t.Errorf("%v, want %s", problem, want)
		}
	}
}

// TestInvalidJSONOnceMore checks that a 200 that is not JSON is asked for once more (row 12), whether the service signs
// its responses or not.
func TestInvalidJSONOnceMore(t *testing.T) {
	t.Parallel()
	for name, network := range map[string]*stub{
		"signed":      newStub(responds(200, `[{"x":NaN}]`)),
		"unsigned":    newStub(unsigned(200, `[{"x":NaN}]`)),
		"then valid ": newStub(responds(200, `[{"x":NaN}]`), responds(200, `[{"id":"a"}]`)),
	} {
		virtual(t, name, func(t *testing.T) {
			list, err := newClient(t, network).Assessments(t.Context())
			if len(network.steps) == 2 {
				if err != nil || len(list.Elements) != 1 {
					t.Errorf("%v %v", list, err)
				}
				return
			}
			shape := as[*ShapeError](t, err)
			if !strings.HasSuffix(shape.Problem, "(byte 7, line 1)") || shape.Address != baseURL+"/assessments" || shape.Route != "/assessments" {
				t.Errorf("%+v", shape)
			}
			if n := len(network.arrivals()); n != 2 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestCharsets checks that a response is UTF-8, or windows-1252. Another charset is an error that names it.
func TestCharsets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ contentType, body, want, otherCharset string }{
		{"", "\xc3\xa9", "é", ""},
		{"application/json; charset=ISO-8859-1", "Jos\xc3\xa9", "José", ""},
		{`text/plain; charset="iso-8859-1"`, "\xef\xbb\xbf\xc3\xa9", "é", ""}, // with a byte order mark
		{"application/json", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081", ""},
		{"application/json; charset=utf-8", "O\x92Brien", "O’Brien", ""},
		{"application/json; charset=latin1", "O\x92Brien", "O’Brien", ""},
		{"application/json; charset=koi8-r", "\xc3\xa9", "é", "koi8-r"}, // valid UTF-8 is hardly ever anything else
		{"application/json; charset=ISO-8859-2", "\xb3", "", "ISO-8859-2"},
		{"application/json; charset=utf-16", "\x00\xe9", "", "utf-16"},
	} {
		text, other := asUTF8([]byte(row.body), row.contentType)
		if string(text) != row.want || other != row.otherCharset {
			t.Errorf("%s: %q, %q, want %q, %q", row.contentType, text, other, row.want, row.otherCharset)
		}
	}
	for body, want := range map[string]string{
		`["é"]`: "<nil>", "[\"\x81\"]": `the response is in the charset "Shift_JIS", which the provider cannot read`,
	} {
		header := http.Header{"Content-Type": {"application/json; charset=Shift_JIS"}}
		if _, problem := asJSON([]byte(body), header); fmt.Sprint(problem) != want {
			t.Errorf("%q: %v, want %s", body, problem, want)
		}
	}
	// The charset of an error is read, too.
	_, err := newClient(t, newStub(responds(400, "{\"message\":\"\xe9\"}"))).Assessments(t.Context())
	if e := as[*Error](t, err); e.Message != "é" {
		t.Errorf("the message is %q", e.Message)
	}
}

// Compression that was not asked for is an error that names it.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	_ = gzip.NewWriter(&zipped).Close()
	for _, row := range []struct{ encoding, body, want string }{
		{"br", "\x0b\x02\x80[]\x03", "the response is compressed (br), although the provider did not ask for that"},
		{"", zipped.String(), "the response is compressed (gzip), but no header says so. A gateway may have dropped the header Content-Encoding"},
		{"identity", "[]", "<nil>"},
	} {
		_, problem := asJSON([]byte(row.body), http.Header{"Content-Encoding": {row.encoding}})
		if fmt.Sprint(problem) != row.want {
			t.Errorf("%v, want %s", problem, row.want)
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

// TestHugeLists checks F4: a list of more than 100,000 elements is an error before the others need memory.
func TestHugeLists(t *testing.T) {
	t.Parallel()
	const problem = "the list has more than 100000 elements"
	// The rest is not decoded: the text after the last accepted element is no JSON.
	list := "[{}" + strings.Repeat(",{}", 99_999)
	for text, want := range map[string]string{list + "]": "<nil>", list + ",{}, no JSON": problem} {
		err := eachElement([]byte(text), func(int, json.RawMessage) error { return nil })
		if fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// Pages count together.
	service := &pagedService{size: 60_000, ids: make([]string, 120_000)}
	for i := range service.ids {
		service.ids[i] = fmt.Sprint(i)
	}
	_, err := newClient(t, service).Positions(t.Context(), nil)
	wantProblem(t, err, problem)
}

// TestDeepValues checks F7: an element that is nested deeper than 100 levels is an error, because the CLIs would not end
// if they showed it.
func TestDeepValues(t *testing.T) {
	t.Parallel()
	nested := func(n int, open, closing string) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(closing, n)
	}
	for text, tooDeep := range map[string]bool{
		nested(100, "[", "]"): false, nested(101, "[", "]"): true, nested(9000, `{"a":`, "}"): true,
		`{"x":"\"` + strings.Repeat("[", 500) + `"}`: false, // brackets in a text
	} {
		if err := checkDepth([]byte(text)); (err != nil) != tooDeep {
			t.Errorf("%d characters: %v", len(text), err)
		}
	}
	deep := nested(101, "[", "]")
	_, list := newClient(t, newStub(responds(200, `[{"id":"a"},{"id":"b","x":`+deep+`}]`))).Assessments(t.Context())
	_, fetch := newClient(t, newStub(responds(200, `{"id":"a","metadata":`+deep+`}`))).PositionAssessment(t.Context(), "p", "a")
	for want, err := range map[string]error{
		"in element 2 of the page, it is nested deeper than 100 levels": list, "it is nested deeper than 100 levels": fetch,
	} {
		wantProblem(t, err, want)
	}
	// A write is done, whatever its response contains.
	body := `{"id":"pas-1","x":` + nested(9000, `{"a":`, "}") + "}"
	pa, err := newClient(t, newStub(responds(201, body, "Location", "/v1/x/pas-2"))).Attach(t.Context(), "p", "asm", Configuration{})
	if err != nil || pa.ID != "pas-2" || pa.Extra != nil {
		t.Errorf("%+v %v", pa, err)
	}
}
