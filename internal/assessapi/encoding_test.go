// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// awkwardIDs are IDs that each need escaping to be one path segment.
var awkwardIDs = []string{
	"a/b", "/", "//", "a b", " ", "50%", "%2F", "%2e%2e", "../x", "..x", "...", "a/../b", "?q=1", "#top",
	"a;b,c", "a:b@c", "a+b&c=d", `"quoted"`, "'", "<b>", "new\nline", "\r\n\tHost: evil", "\x00",
	"é", "€", "😀", "\xff", "\\", "..\\..", "assessments", "results", strings.Repeat("x", 3000),
}

// TestInvalidIDs checks that an ID that cannot be a path segment is refused before a
// request is sent.
func TestInvalidIDs(t *testing.T) {
	t.Parallel()
	network := newStub(answers(http.StatusOK, "{}"))
	c := newClient(t, network)
	for _, id := range []string{"", ".", ".."} {
		_, results := c.Results(t.Context(), id, nil, nil)
		_, add := c.AddAssessment(t.Context(), id, "asm", Metadata{})
		_, update := c.UpdatePositionAssessment(t.Context(), "p", id, "asm", Metadata{})
		_, enable := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{Item: Item{ID: id}, listed: []byte("{}")})
		for _, err := range []error{results, add, update, enable, c.RemovePositionAssessment(t.Context(), "p", id)} {
			if err == nil || !strings.Contains(err.Error(), "cannot be the id of the") {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	if seen := network.addresses(); len(seen) > 0 {
		t.Errorf("sent %v", seen)
	}
}

// TestDeclaredCharset checks that a response is read in the charset that it declares, unless it is
// valid UTF-8.
func TestDeclaredCharset(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ contentType, body, want string }{
		{"application/json; charset=ISO-8859-1", "Jos\xc3\xa9", "José"},
		{"application/json; charset=latin1", "\xe9", "é"},
		{`application/json;charset="iso-8859-1"`, "\xef\xbb\xbf\xc3\xa9", "é"}, // with a byte order mark
		{"application/json; charset=utf-8", "\xc3\xa9", "é"},
		{"application/json", "\xc3\xa9", "é"},
		{"application/json", "\xe9", "é"},
		{"not a type;;", "\xc3\xa9", "é"},
		{"application/json; charset=iso-8859-2", "Pawe\xb3", "Paweł"},
		{"application/json; charset=ISO-8859-2", "\xb3 \x93\x96\x94 \x81", "ł “–” \u0081"},
		{"application/json; charset=iso-8859-15", "5 \xa4", "5 €"},
		{"application/json; charset=windows-1251", "\xc8\xe2\xe0\xed \x8a", "Иван Љ"},
		{"application/json; charset=windows-1250", "Pawe\xb3", "Paweł"},
		{"application/json; charset=koi8-r", "\xe9\xd7\xc1\xce", "Иван"},
		{"application/json; charset=Shift_JIS", "\x96k\x8aC", "北海"},
		{"application/json; charset=gbk", "\xb1\xb1", "北"},
		{"application/json; charset=iso-2022-jp", "\x1b$BKL\x1b(B", "北"},
		{"application/json; charset=utf-8", "\xe9", "é"},
		{"application/json; charset=windows-1251", "Jos\xc3\xa9", "José"},
		{"application/json; charset=utf-16", "\x00[\x00\xe9\x00]", "[é]"},
		{"application/json; charset=utf-16", "[\x00\xe9\x00]\x00", "[é]"},
		{"application/json", "[\x00\xe9\x00]\x00", "[é]"},
		// An unknown charset with bytes that are characters of windows-1252 only.
		{"application/json; charset=x-unknown", "O\x92Brien \x80 \x96 \xe9", "O’Brien € – é"},
		{"application/json; charset=x-unknown", "plain", "plain"},
	} {
		if got, err := asUTF8([]byte(tc.body), tc.contentType); string(got) != tc.want || err != nil {
			t.Errorf("%q as %s was read as %q, want %q: %v", tc.body, tc.contentType, got, tc.want, err)
		}
	}
	network := newStub(
		answers(http.StatusBadRequest, "{\"message\":\"\xb3\"}", "Content-Type", "application/json; charset=ISO-8859-2"),
	)
	_, err := newClient(t, network).List(t.Context(), Assessments, "")
	if refused := as[*Error](t, err); refused.Message != "ł" {
		t.Errorf("the message is %q, want it in the declared charset", refused.Message)
	}
}

// A charset that cannot be read is an error at once, which names it.
func TestUnreadableCharset(t *testing.T) {
	t.Parallel()
	for charset, name := range map[string]string{
		"cp437": "M\x81ller", "ibm850": "\x92 \x8f",
		"x-mac-unknown": "\xe9", "ebcdic": "\xe9", "shift_jis": "\x96", "gb18030": "\xff", "iso-8859-3": "\xa5", "hz-gb-2312": "\xe9",
	} {
		network := newStub(answers(200, `[{"id":"a","name":"`+name+`"}]`, "Content-Type", "application/json; charset="+charset))
		_, err := newClient(t, network).List(t.Context(), Assessments, "")
		if !strings.Contains(fmt.Sprint(err), `charset "`+charset+`"`) || len(network.arrivals()) != 1 {
			t.Errorf("%s: %v after %d attempts", charset, err, len(network.arrivals()))
		}
	}
	// A write has been done, whatever its answer is written in.
	network := newStub(answers(200, "saved \xe9", "Content-Type", "text/plain; charset=x-unknown"))
	if _, err := newClient(t, network).UpdatePositionAssessment(t.Context(), "p", "pas", "asm", Metadata{}); err != nil {
		t.Error(err)
	}
}
