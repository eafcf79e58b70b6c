// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestASCIIJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"plain ~"}`:      `{"a":"plain ~"}`,
		`{"é":"\u00e9"}`:       `{"\u00e9":"\u00e9"}`,
		`"€"`:                  `"\u20ac"`,
		`"😀"`:                  `"\ud83d\ude00"`,
		"\"\x7f\u0080\uffff\"": `"\u007f\u0080\uffff"`,
		`"\"\\é"`:              `"\"\\\u00e9"`,
		` [ 30.0, "ÿ" ] `:      ` [ 30.0, "\u00ff" ] `,
	} {
		got := string(asciiJSON([]byte(in)))
		if got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
		var before, after any
		if err := json.Unmarshal([]byte(in), &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(got), &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%s decodes to %v, want %v (%v)", got, after, before, err)
		}
	}
}

// awkwardIDs are IDs that each need escaping to be one path segment.
var awkwardIDs = []string{
	"a/b",
	"/",
	"//",
	"a b",
	" ",
	"50%",
	"%2F",
	"%2e%2e",
	"../x",
	"..x",
	"...",
	"a/../b",
	"?q=1",
	"#top",
	"a;b,c",
	"a:b@c",
	"a+b&c=d",
	`"quoted"`,
	"'",
	"<b>",
	"new\nline",
	"\r\n\tHost: evil",
	"\x00",
	"é",
	"€",
	"😀",
	"\xff",
	"\\",
	"..\\..",
	"assessments",
	"results",
	strings.Repeat("x", 3000),
}

// TestIDsAreOneSegment checks the request line that a real server receives.
func TestIDsAreOneSegment(t *testing.T) {
	t.Parallel()
	var line string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line = r.RequestURI
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	base, err := ParseBaseURL(server.URL + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Network(), func(cfg *Config) { cfg.BaseURL = base })
	for _, id := range awkwardIDs {
		line = ""
		if _, err := c.PositionAssessment(t.Context(), id, id); !IsNotFound(err) {
			t.Errorf("%q: %v", id, err)
		}
		segments := strings.Split(strings.TrimPrefix(line, "/v1/positions/"), "/")
		if len(segments) != 3 || segments[1] != "assessments" {
			t.Errorf("%q was requested as %s", id, line)
			continue
		}
		for _, segment := range []string{segments[0], segments[2]} {
			if got, err := url.PathUnescape(segment); err != nil || got != id {
				t.Errorf("%q was requested as %q (%v)", id, got, err)
			}
		}
	}
}

// TestIDsOnTheService checks that a position assessment with any ID can be updated and
// removed, without changing the one next to it.
func TestIDsOnTheService(t *testing.T) {
	t.Parallel()
	for _, id := range awkwardIDs {
		if id != string([]rune(id)) || strings.ContainsAny(id, "€😀") {
			continue // the service refuses IDs that are not valid UTF-8 or not Latin1
		}
		_, c := newSandbox(t, sandboxtest.Options{Options: sandbox.Options{Seed: func() *sandbox.State {
			both := []sandbox.PositionAssessment{{ID: id, Assessment: "asm"}, {ID: "beside", Assessment: "asm"}}
			return &sandbox.State{Positions: []sandbox.Position{{ID: id, Assessments: both}}}
		}}})
		pa, err := c.PositionAssessment(t.Context(), id, id)
		if err != nil || pa.ID != id {
			t.Errorf("%q: read %q, error %v", id, pa.ID, err)
		}
		if err := c.RemovePositionAssessment(t.Context(), id, id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
		left, err := c.PositionAssessments(t.Context(), id)
		if err != nil || len(left) != 1 || left[0].ID != "beside" {
			t.Errorf("%q: remaining %v, error %v", id, left, err)
		}
	}
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
		_, enable := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{ID: id})
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
