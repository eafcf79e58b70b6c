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
)

// TestInvalidJSON checks that a 200 with an invalid token is asked for once more, and is then an error that names the
// byte and the line (row 12). It repeats no more than one character of the body.
func TestInvalidJSON(t *testing.T) {
	t.Parallel()
	for body, problem := range map[string]string{
		`[{"id":"a","x":NaN}]`:           "the response is not JSON: invalid character 'N' looking for beginning of value (byte 16, line 1)",
		"[\n{\"id\":\"a\",\n\"x\":087}]": "the response is not JSON: invalid character '8' after object key:value pair (byte 19, line 3)",
		"[{\"id\":\"a\tb\"}]":            `the response is not JSON: invalid character '\t' in string literal (byte 10, line 1)`,
		`[{"id":"Somebody"`:              "the response is not JSON: unexpected end of JSON input (byte 17, line 1)",
		`{"items":[1,]}`:                 "the response is not JSON: invalid character ']' looking for beginning of value (byte 13, line 1)",
		`[]]`:                            "the response is not JSON: invalid character ']' after top-level value (byte 3, line 1)",
		"OK":                             "the response is not JSON: invalid character 'O' looking for beginning of value (byte 1, line 1)",
		"":                               "the response is empty instead of JSON",
		" \n":                            "the response is empty instead of JSON",
		"<html>Hello Somebody</html>":    "the response is a web page instead of JSON, probably of a gateway or a firewall",
		strings.Repeat("[", 20_000):      "the response is not JSON: invalid character '[' exceeded max depth (byte 10001, line 1)",
	} {
		virtual(t, problem, func(t *testing.T) {
			network := newStub(responds(200, body))
			_, err := newClient(t, network).Assessments(t.Context())
			shape := as[*ShapeError](t, err)
			if shape.Problem != problem || len(network.arrivals()) != 2 || shape.Address != baseURL+"/assessments" || shape.Route != "/assessments" {
				t.Errorf("%q after %d requests, want %q", shape.Problem, len(network.arrivals()), problem)
			}
		})
	}
	virtual(t, "only once", func(t *testing.T) {
		network := newStub(responds(200, `[{"x":NaN}]`), responds(200, `[{"id":"a"}]`))
		if list, err := newClient(t, network).Assessments(t.Context()); err != nil || len(list.Elements) != 1 {
			t.Errorf("%v %v", list, err)
		}
	})
	// A service that does not sign its responses can write an invalid token, too.
	virtual(t, "unsigned", func(t *testing.T) {
		network := newStub(unsigned(200, `[{"x":NaN}]`))
		_, err := newClient(t, network).Assessments(t.Context())
		shape, n := as[*ShapeError](t, err), len(network.arrivals())
		if !strings.Contains(shape.Problem, "(byte 7, line 1)") || n != 2 {
			t.Errorf("%v after %d requests", err, n)
		}
	})
}

// TestCharsets checks that a response is UTF-8, or windows-1252. Another charset is an error that names it.
func TestCharsets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ charset, body, want string }{ // "" if it cannot be read
		{"", "\xc3\xa9", "é"},
		{"ISO-8859-1", "Jos\xc3\xa9", "José"},
		{`"iso-8859-1"`, "\xef\xbb\xbf\xc3\xa9", "é"}, // with a byte order mark
		{"", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081"},
		{"utf-8", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081"},
		{"latin1", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081"},
		{"x-unknown", "plain", "plain"},
		{"koi8-r", "\xc3\xa9", "é"}, // valid UTF-8 is hardly ever anything else
		{"ISO-8859-2", "\xb3", ""},
		{"Shift_JIS", "\x96k\x8aC", ""},
		{"utf-16", "\x00\xe9", ""},
	} {
		network := newStub(responds(200, `[{"id":"a","name":"`+row.body+`"}]`, "Content-Type", "application/json; charset="+row.charset))
		if strings.HasPrefix(row.body, "\xef\xbb\xbf") {
			network = newStub(responds(200, "\xef\xbb\xbf"+`[{"id":"a","name":"`+row.body[3:]+`"}]`, "Content-Type", "text/plain; charset="+row.charset))
		}
		virtual(t, row.charset+row.want, func(t *testing.T) {
			list, err := newClient(t, network).Assessments(t.Context())
			if row.want == "" {
				want := fmt.Sprintf("the response is in the charset %q, which the provider cannot read", row.charset)
				if shape := as[*ShapeError](t, err); shape.Problem != want {
					t.Errorf("%q, want %q", shape.Problem, want)
				}
				return
			}
			if err != nil || *list.Elements[0].Name != row.want {
				t.Errorf("%v %v", list, err)
			}
		})
	}
	// The charset of an error is read, too. A write is done, whatever its response is written in.
	_, err := newClient(t, newStub(responds(400, "{\"message\":\"\xe9\"}"))).Assessments(t.Context())
	if e := as[*Error](t, err); e.Message != "é" {
		t.Errorf("the message is %q", e.Message)
	}
	c := newClient(t, newStub(responds(200, "saved \xe9", "Content-Type", "text/plain; charset=x-unknown")))
	if _, err := c.Update(t.Context(), "p", "pas", "asm", Configuration{}, nil); err != nil {
		t.Error(err)
	}
}

// Compression that was not asked for is an error that names it.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	_ = gzip.NewWriter(&zipped).Close()
	for want, step := range map[string]step{
		"(br), although the provider did not ask for that": responds(200, "\x0b\x02\x80[]\x03", "Content-Encoding", "br"),
		"(gzip), but no header says so":                    responds(200, zipped.String()),
	} {
		virtual(t, want, func(t *testing.T) {
			_, err := newClient(t, newStub(step)).Assessments(t.Context())
			if shape := as[*ShapeError](t, err); !strings.HasPrefix(shape.Problem, "the response is compressed "+want) {
				t.Error(err)
			}
		})
	}
	if _, err := newClient(t, newStub(responds(200, "[]", "Content-Encoding", "identity"))).Assessments(t.Context()); err != nil {
		t.Error(err)
	}
}

// A body of more than 64 MiB is an error, and a write is done without it.
func TestEndlessBody(t *testing.T) {
	t.Parallel()
	endless := newStub(func(req *http.Request) (*http.Response, error) {
		resp, err := responds(200, "")(req)
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("["), readerFunc(func(p []byte) (int, error) {
			for i := range p {
				p[i] = ' '
			}
			return len(p), nil
		})))
		return resp, err
	})
	virtual(t, "read", func(t *testing.T) {
		_, err := newClient(t, endless).Assessments(t.Context())
		if shape := as[*ShapeError](t, err); shape.Problem != "the response is larger than 64 MiB" {
			t.Error(err)
		}
	})
}

// TestHugeLists checks F4: a list of 300,000 tiny elements is an error before they need memory, and so are lists inside
// of elements.
func TestHugeLists(t *testing.T) {
	t.Parallel()
	tiny := func(n int) string { return strings.TrimSuffix(strings.Repeat("{},", n), ",") }
	texts := strings.TrimSuffix(strings.Repeat(`"t",`, 300_000), ",")
	for name, row := range map[string]struct {
		body, want string
		read       func(*Client) error
	}{
		"candidates": {"[" + tiny(300_000) + "]", "the list has more than 100000 elements", func(c *Client) error {
			_, err := c.Results(t.Context(), "p", nil, nil)
			return err
		}},
		"results of a candidate": {`[{"results":[` + tiny(300_000) + `]}]`, `in element 1 of the page, in the member "results": the list has more than 100000 elements`, func(c *Client) error {
			_, err := c.Results(t.Context(), "p", nil, nil)
			return err
		}},
		"tests of a fetch": {`{"id":"pas-1","metadata":{"tests":[` + texts + `]}}`, `in the member "metadata": in the member "tests": the list has more than 100000 elements`, func(c *Client) error {
			_, err := c.PositionAssessment(t.Context(), "p", "pas-1")
			return err
		}},
	} {
		err := row.read(newClient(t, newStub(responds(200, row.body))))
		if shape := as[*ShapeError](t, err); shape.Problem != row.want {
			t.Errorf("%s: %q, want %q", name, shape.Problem, row.want)
		}
	}
	// Pages count together.
	service := &pagedService{size: 60_000, ids: make([]string, 120_000)}
	for i := range service.ids {
		service.ids[i] = fmt.Sprint(i)
	}
	_, err := newClient(t, service).Positions(t.Context(), nil)
	if shape := as[*ShapeError](t, err); shape.Problem != "the list has more than 100000 elements" {
		t.Error(err)
	}
	// The rest of a list is not decoded: the text after the last accepted element is no JSON.
	read := 0
	err = eachElement([]byte("["+tiny(100_000)+",{}, no JSON"), func(int, json.RawMessage) error { read++; return nil })
	if err == nil || err.Error() != "the list has more than 100000 elements" || read != 100_000 {
		t.Errorf("%d elements were decoded: %v", read, err)
	}
	if err := eachElement([]byte("["+tiny(100_000)+"]"), func(int, json.RawMessage) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestDeepValues checks F7: an element that is nested deeper than 100 levels is an error, because the CLIs would not end
// if they showed it.
func TestDeepValues(t *testing.T) {
	t.Parallel()
	nested := func(n int, open, closing string) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(closing, n)
	}
	list := func(c *Client) error { _, err := c.Assessments(t.Context()); return err }
	results := func(c *Client) error { _, err := c.Results(t.Context(), "p", nil, nil); return err }
	fetch := func(c *Client) error { _, err := c.PositionAssessment(t.Context(), "p", "a"); return err }
	for name, row := range map[string]struct {
		body string
		read func(*Client) error
		want string // "" if it is accepted
	}{
		"objects":           {`[{"id":"a","x":` + nested(9000, `{"a":`, "}") + "}]", list, "in element 1 of the page, it is nested deeper than 100 levels"},
		"arrays":            {`[{"id":"a"},{"id":"b","x":` + nested(100, "[", "]") + "}]", list, "in element 2 of the page, it is nested deeper than 100 levels"},
		"in a candidate":    {`{"candidates":[{"id":"c","x":` + nested(100, `{"a":`, "}") + "}]}", results, "in element 1 of the page, it is nested deeper than 100 levels"},
		"in metadata":       {`{"id":"a","metadata":{"x":` + nested(99, "[", "]") + "}}", fetch, "it is nested deeper than 100 levels"},
		"100 levels":        {`[{"id":"a","x":` + nested(99, "[", "]") + "}]", list, ""},
		"brackets in texts": {`[{"id":"a","x":"\"` + strings.Repeat("[", 500) + `"}]`, list, ""},
	} {
		err := row.read(newClient(t, newStub(responds(200, row.body))))
		if row.want == "" && err == nil {
			continue
		}
		if shape := as[*ShapeError](t, err); shape.Problem != row.want {
			t.Errorf("%s: %q, want %q", name, shape.Problem, row.want)
		}
	}
	// A write is done, whatever its response contains.
	body := `{"id":"pas-1","x":` + nested(9000, `{"a":`, "}") + "}"
	pa, err := newClient(t, newStub(responds(201, body, "Location", "/v1/x/pas-2"))).Attach(t.Context(), "p", "asm", Configuration{})
	if err != nil || pa.ID != "pas-2" || pa.Extra != nil {
		t.Errorf("%+v %v", pa, err)
	}
}
