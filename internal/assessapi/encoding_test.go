// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
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
		_, enable := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{ID: id, listed: []byte("{}")})
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

// TestDeclaredCharset checks that a response is read in the charset that it declares, also
// if it happens to be valid UTF-8.
func TestDeclaredCharset(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ contentType, body, want string }{
		{"application/json; charset=ISO-8859-1", "\xc3\xa9", "Ã©"},
		{"application/json; charset=latin1", "\xe9", "é"},
		{`application/json;charset="iso-8859-1"`, "\xef\xbb\xbf\xc3\xa9", "é"}, // with a byte order mark
		{"application/json; charset=utf-8", "\xc3\xa9", "é"},
		{"application/json", "\xc3\xa9", "é"},
		{"application/json", "\xe9", "é"},
		{"not a type;;", "\xc3\xa9", "é"},
	} {
		if got := string(asUTF8([]byte(tc.body), tc.contentType)); got != tc.want {
			t.Errorf("%q as %s was read as %q, want %q", tc.body, tc.contentType, got, tc.want)
		}
	}
	network := newStub(
		answers(http.StatusBadRequest, "{\"message\":\"\xc3\xa9\"}", "Content-Type", "application/json; charset=ISO-8859-1"),
	)
	_, err := newClient(t, network).Assessments(t.Context())
	if refused := as[*Error](t, err); refused.Message != "Ã©" {
		t.Errorf("the message is %q, want it in Latin1", refused.Message)
	}
}
