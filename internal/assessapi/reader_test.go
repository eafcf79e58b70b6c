// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Row 5: a text that is exactly a JSON number or boolean counts as one, and "" as null.
func TestScalarsAsText(t *testing.T) {
	t.Parallel()
	read := func(body string) (Candidate, error) {
		c := newClient(t, newStub(answers(http.StatusOK, `{"candidates":[{"id":"other"},`+body+`]}`)))
		all, _, err := c.FirstResults(t.Context(), "p")
		if err != nil {
			return Candidate{}, err
		}
		return all[1], nil
	}
	for body, want := range map[string]string{
		`{"suitability":"87.5"}`:                                     "87.5",
		`{"suitability":"1e0"}`:                                      "1",
		`{"suitability":{"score":"-3"}}`:                             "-3",
		`{"suitability":""}`:                                         "null",
		`{"suitability":{"score":""}}`:                               "null",
		`{"suitabilityScore":"87.0"}`:                                "87",
		`{"suitability":"0","results":[{"percentile":"77"}]}`:        "0 77",
		`{"suitability":"0","results":[{"percentile":""}]}`:          "0 null",
		`{"suitability":"12","results":[{"percentile":null}]}`:       "12 null",
		`{"suitability":12.0,"results":[{"percentile":99.99}]}`:      "12 99.99",
		`{"suitability":"2","results":[{},{"percentile":"1.50e1"}]}`: "2 null 15",
	} {
		candidate, err := read(body)
		show := func(f *float64) string {
			if f == nil {
				return "null"
			}
			return fmt.Sprint(*f)
		}
		got := show(candidate.Suitability)
		for _, r := range candidate.Results {
			got += " " + show(r.Percentile)
		}
		if err != nil || got != want {
			t.Errorf("%s was read as %s, %v", body, got, err)
		}
	}
	for _, value := range []string{`"high"`, `" 87"`, `"87,5"`, `"087"`, `"NaN"`, `"0x1F"`, `"true"`, `"1 of 2"`, `"[1]"`, `"null"`, `true`, `[]`} {
		_, err := read(`{"name":"Ann Example","suitability":` + value + `}`)
		shape := as[*ShapeError](t, err)
		if !strings.Contains(shape.Problem, `in element 2 of the page, expected the member "suitability" to be a number`) ||
			strings.Contains(shape.Problem, "Ann") || strings.Contains(shape.Problem, strings.Trim(value, `"`)+" ") {
			t.Errorf("%s: %s", value, shape.Problem)
		}
	}
}

// Row 5: marks and numbers of other lists as texts.
func TestBooleansAsText(t *testing.T) {
	t.Parallel()
	for mark, want := range map[string]string{
		`"mandatory":"true"`: "true", `"mandatory":"false"`: "false", `"optional":"false"`: "true", `"optional":"true"`: "false",
		`"mandatory":""`: "null", `"mandatory":"","type":"MANDATORY"`: "true", `"mandatory":"Optional"`: "false",
		`"mandatory":"yes"`: "error", `"mandatory":"True"`: "error", `"mandatory":"1"`: "error", `"optional":"no"`: "error",
		`"mandatory":1`: "error",
	} {
		list, err := newClient(t, newStub(answers(200, `[{"id":"a",`+mark+`}]`))).Packages(t.Context(), "asm")
		got := "null"
		switch {
		case err != nil:
			got = "error"
		case list[0].Mandatory != nil:
			got = fmt.Sprint(*list[0].Mandatory)
		}
		if got != want {
			t.Errorf("%s was read as %s (%v), want %s", mark, got, err, want)
		}
	}
	tests, err := newClient(t, newStub(answers(200, `[{"id":"a","active":"true","numberOfQuestions":"12"},`+
		`{"id":"b","active":"","numberOfQuestions":""}]`))).SkillsTests(t.Context(), "asm", false)
	if err != nil || !*tests[0].Active || tests[0].NumberOfQuestions.String() != "12" || *tests[1].Active ||
		tests[1].NumberOfQuestions != nil {
		t.Errorf("%+v %v", tests, err)
	}
}

// Row 6: bytes that are not UTF-8 are in windows-1252, whatever the header says.
func TestWindowsCodePage(t *testing.T) {
	t.Parallel()
	for _, charset := range []string{"", "iso-8859-1", "latin1", "windows-1252", "CP1252", "utf-8", "ISO_8859-1:1987"} {
		body := "[{\"id\":\"a\",\"title\":\"O\x92Brien \x80 \x96 \xe9\x81\"}]"
		network := newStub(answers(200, body, "Content-Type", "application/json; charset="+charset))
		all, err := newClient(t, network).Positions(nil).All(t.Context())
		if err != nil || *all[0].Title != "O\u2019Brien \u20ac \u2013 \u00e9\u0081" {
			t.Errorf("%s: %+q, %v", charset, *all[0].Title, err)
		}
	}
	for name, body := range map[string]string{
		"UTF-16, big endian":    "\xfe\xff\x00[\x00{\x00\"\x00i\x00d\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}\x00]",
		"UTF-16, marked twice":  "\xfe\xff\xfe\xff\x00[\x00{\x00\"\x00i\x00d\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}\x00]",
		"UTF-16, little endian": "\xff\xfe[\x00{\x00\"\x00i\x00d\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}\x00]\x00",
		"UTF-8 with a mark":     "\xef\xbb\xbf[{\"id\":\"\u00e9\"}]",
	} {
		all, err := newClient(t, newStub(answers(200, body))).Positions(nil).All(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != "\u00e9" {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
}

// Row 11: a compressed body is named, at once.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	var zipped, deflated bytes.Buffer
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{gzip.NewWriter(&zipped), zlib.NewWriter(&deflated)} {
		_, _ = w.Write([]byte(`[{"id":"a"}]`))
		_ = w.Close()
	}
	for want, body := range map[string]string{
		"gzip": zipped.String(), "deflate": deflated.String(), "zstd": "\x28\xb5\x2f\xfd\x04\x00", "zip": "PK\x03\x04rest",
	} {
		network := newStub(answers(200, body))
		_, err := newClient(t, network).Assessments(t.Context())
		if !strings.Contains(fmt.Sprint(err), "compressed ("+want+")") || len(network.arrivals()) != 1 {
			t.Errorf("%s: %v after %d attempts", want, err, len(network.arrivals()))
		}
	}
}

// Row 12: a PUT that is answered with 200 is done, whatever the body is.
func TestPutAcceptsAnyBody(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"OK", "", "<p>saved</p>", `"done"`, "null", `{"id":`, "\x00"} {
		network := newStub(answers(200, body, "Content-Type", "text/plain"))
		c := newClient(t, network)
		if _, err := c.UpdatePositionAssessment(t.Context(), "p", "pas", "asm", Metadata{}); err != nil {
			t.Errorf("update, %q: %v", body, err)
		}
		if _, err := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{ID: "t", listed: []byte("{}")}); err != nil {
			t.Errorf("activation, %q: %v", body, err)
		}
		if err := c.RemovePositionAssessment(t.Context(), "p", "pas"); err != nil || len(network.arrivals()) != 3 {
			t.Errorf("removal, %q: %v", body, err)
		}
	}
}

// A whole number is an id in digits, however a service writes it.
func TestNumbersAsIDs(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`"7001"`: "7001", "7001": "7001", "7001.0": "7001", "7.001e3": "7001", "7.001E+3": "7001",
		"12345678901234567890123": "12345678901234567890123", "1.2345678901234567890123e22": "12345678901234567890123",
		"7001.5": "7001.5", "1e400": "1e400", `"7001.0"`: "7001.0",
	} {
		network := newStub(answers(200, `[{"id":`+written+`,"title":"T"}]`))
		all, err := newClient(t, network).Positions(nil).All(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != want {
			t.Errorf("%s: %v, %v, want %s", written, all, err, want)
		}
	}
}
