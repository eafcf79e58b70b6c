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

// TestCharsets checks that a response is read in the charset that it declares, unless it is valid UTF-8. Other bytes
// are in windows-1252. A charset that cannot be read is an error that names it.
func TestCharsets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ charset, body, want string }{ // "" if it cannot be read
		{"", "\xc3\xa9", "é"},
		{"ISO-8859-1", "Jos\xc3\xa9", "José"},
		{`"iso-8859-1"`, "\xef\xbb\xbf\xc3\xa9", "é"}, // with a byte order mark
		{"", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081"},
		{"utf-8", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081"},
		{"latin1", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081"},
		{"ISO_8859-1:1987", "O\x92Brien \x80 \x96 \xe9\x81", "O’Brien € – é\u0081"},
		{"ISO-8859-2", "\xb3 \x93\x96\x94 \x81", "ł “–” \u0081"},
		{"iso-8859-15", "5 \xa4", "5 €"},
		{"windows-1251", "\xc8\xe2\xe0\xed \x8a", "Иван Љ"},
		{"x-cp1251", "\xc8\xe2\xe0\xed", "Иван"},
		{"koi8-r", "\xe9\xd7\xc1\xce", "Иван"},
		{"ibm850", "\x92 \x8f", "Æ Å"},
		{"cp437", "M\x81ller", "Müller"},
		{"utf-16", "\x00[\x00\xe9\x00]", "[é]"},
		{"", "[\x00\xe9\x00]\x00", "[é]"},
		{"", "\xfe\xff\xfe\xff\x00[\x00\xe9\x00]", "[é]"}, // marked twice
		{"", "\xff\xfe[\x00\xe9\x00]\x00", "[é]"},
		{"x-unknown", "O\x92Brien \x80 \x96 \xe9", "O’Brien € – é"}, // these bytes are characters of windows-1252 only
		{"x-unknown", "plain", "plain"},
		{"x-unknown", "\xe9", ""},
		{"Shift_JIS", "\x96k\x8aC", ""},
		{"x-sjis", "\x96k\x8aC", ""},
		{"windows-31j", "\x96k\x8aC", ""},
		{"cn-big5", "\x96k\x8aC", ""},
		{"cp936", "\x93\x94", ""},
		{"gb18030", "\x93\x94", ""},
		{"windows-1253", "\xd2", ""},
		{"iso-8859-3", "\xa5", ""},
		{"hz-gb-2312", "\xe9", ""},
	} {
		got, err := asUTF8([]byte(row.body), "application/json; charset="+row.charset)
		if row.want == "" && strings.Contains(fmt.Sprint(err), fmt.Sprintf("charset %q", row.charset)) {
			continue
		}
		if string(got) != row.want || err != nil {
			t.Errorf("%q in %q was read as %q, want %q: %v", row.body, row.charset, got, row.want, err)
		}
	}
	if got, err := asUTF8([]byte("\xc3\xa9"), "not a type;;"); string(got) != "é" || err != nil {
		t.Errorf("without a type: %q, %v", got, err)
	}
}

// The charset of a refusal is read, too. That of a list is an error at once if it cannot be read. A write has been done,
// whatever its answer is written in.
func TestCharsetsOfAnswers(t *testing.T) {
	t.Parallel()
	in := func(status int, body, charset string) *stub {
		return newStub(answers(status, body, "Content-Type", "application/json; charset="+charset))
	}
	_, err := newClient(t, in(400, "{\"message\":\"\xb3\"}", "ISO-8859-2")).List(t.Context(), Assessments, "")
	if refused := as[*Error](t, err); refused.Message != "ł" {
		t.Errorf("the message is %q, want it in the declared charset", refused.Message)
	}
	network := in(200, "[{\"id\":\"a\",\"name\":\"\xe9\"}]", "ebcdic")
	_, err = newClient(t, network).List(t.Context(), Assessments, "")
	if !strings.Contains(fmt.Sprint(err), `charset "ebcdic"`) || len(network.arrivals()) != 1 {
		t.Errorf("%v after %d attempts", err, len(network.arrivals()))
	}
	c := newClient(t, in(http.StatusOK, "saved \xe9", "x-unknown"))
	if _, err := c.PositionAssessments().Update(t.Context(), "p", "pas", PositionAssessment{}); err != nil {
		t.Error(err)
	}
}

// A compressed body is named, at once.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	var zipped, deflated bytes.Buffer
	_ = gzip.NewWriter(&zipped).Close()
	_ = zlib.NewWriter(&deflated).Close()
	for want, body := range map[string]string{
		"gzip": zipped.String(), "deflate": deflated.String(), "zstd": "\x28\xb5\x2f\xfd\x04\x00", "zip": "PK\x03\x04rest",
	} {
		network := newStub(answers(200, body))
		_, err := newClient(t, network).List(t.Context(), Assessments, "")
		if !strings.Contains(fmt.Sprint(err), "compressed ("+want+")") || len(network.arrivals()) != 1 {
			t.Errorf("%s: %v after %d attempts", want, err, len(network.arrivals()))
		}
	}
}
