// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// seed adds the files of testdata/wire.
func seed(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "wire", "*"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
}

// FuzzPage checks that a list is an error, or has all elements of its page.
func FuzzPage(f *testing.F) {
	seed(f)
	f.Add(`{"_links":[{"rel":"next","href":"?page=2"}],"x":[{"id":"1"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		last := responds(200, "[]")
		c := newClient(t, newStub(responds(200, body), last, responds(200, body)))
		page, err := readPage(&response{header: http.Header{}, body: []byte(body)})
		var texts []json.RawMessage
		if err == nil && json.Unmarshal(page.elements, &texts) != nil {
			return // no JSON, which a page never is
		}
		c.cfg.RetryTimeout = 0
		list, failed := c.Results(t.Context(), "p", nil, nil)
		if failed == nil && (err != nil || len(list.Candidates) != len(texts) && json.Valid([]byte(body))) {
			t.Errorf("%q has %d candidates (%v)", body, len(list.Candidates), err)
		}
		if failed == nil {
			return
		}
		if text := failed.Error(); utf8.RuneCountInString(text) > 900 || strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("the error is %q", text)
		}
	})
}

// decode decodes JSON and keeps the spelling of numbers.
func decode(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// FuzzErrorBody checks that the shown text is one short line without terminal escapes.
func FuzzErrorBody(f *testing.F) {
	seed(f)
	f.Add("<<script>><p")
	f.Add("\x1b[31m\u202e\x00")
	f.Add("the-api-key")
	f.Add("<p>the&#45;api-<b>key</b>the-api\n-key the-api-ke")
	f.Fuzz(func(t *testing.T, body string) {
		c := newClient(t, nil, func(cfg *Config) { cfg.ClientID, cfg.APIKey = "id", "the-api-key" })
		header := http.Header{"Conversation-Id": {body}, "Location": {body}}
		for _, status := range []int{302, 500} {
			e := &Error{}
			c.describe(e, c.newResponse(&http.Response{StatusCode: status, Header: header}, []byte(body)))
			for _, shown := range []string{e.Message, e.Code, e.ConversationID} {
				if utf8.RuneCountInString(shown) > 650 || !utf8.ValidString(shown) || strings.Contains(shown, "the-api-") ||
					strings.Contains(shown, "::") {
					t.Errorf("shown: %q", shown)
				}
				if strings.ContainsFunc(shown, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) {
					t.Errorf("shown: %q", shown)
				}
			}
		}
	})
}

// FuzzActivate checks that every member except active stays unchanged, byte for byte.
func FuzzActivate(f *testing.F) {
	for _, listed := range []string{
		`{"active":false}`, `{"active":true}`, `{"active":null,"a":30.0}`, ` { "a" : 1 , "active" : false , "b":{} } `,
		"{\"active\"\n:\tfalse\n}", `{"x":{"active":false},"active":false}`, `{"s":"\"active\":false","active":0}`,
		`{"\u0061ctive":false}`, `{"a":1e400,"b":12345678901234567890}`, `{ }`, `{"active":{"since":"2026"},"z":"é"}`,
		`{ "x":{"active":false}}`, `{}`, oddListed,
		``, `[]`, `null`, `"active"`, `{`, `{"active":`, `{"active":false}x`, // no objects
	} {
		f.Add(listed)
	}
	f.Fuzz(func(t *testing.T, listed string) {
		got, err := activate(json.RawMessage(listed))
		o, none := parseObject([]byte(listed))
		if (err == nil) != (none == nil) {
			t.Fatalf("%q is an object, but got %v (%v)", listed, err, none)
		}
		if err != nil {
			return
		}
		after, err := parseObject(got)
		if err != nil || string(after.members["active"]) != "true" {
			t.Fatalf("%q became %q (%v)", listed, got, err)
		}
		o.members["active"] = json.RawMessage("true")
		if !reflect.DeepEqual(o.members, after.members) {
			t.Errorf("%q became %q", listed, got)
		}
	})
}

// awkwardIDs are IDs that each need escaping to be one path segment.
var awkwardIDs = []string{
	"a/b", "/", "//", "a b", " ", "50%", "%2F", "%2e%2e", "../x", "..x", "...", "a/../b", "?q=1", "#top",
	"a;b,c", "a:b@c", "a+b&c=d", `"quoted"`, "'", "<b>", "new\nline", "\r\n\tHost: evil", "\x00",
	"é", "€", "😀", "\xff", "\\", "..\\..", "assessments", "results", strings.Repeat("x", 3000),
}

// FuzzAddress checks that an ID is exactly one segment of the address.
func FuzzAddress(f *testing.F) {
	for _, id := range awkwardIDs {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		c := newClient(t, nil)
		r := newRoute(attachedOne, id, id)
		if r.err != nil {
			if id != "" && id != "." && id != ".." {
				t.Errorf("%q: %v", id, r.err)
			}
			return
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.address(r, ""), nil)
		if err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		segments := strings.Split(req.URL.RequestURI(), "/")
		if len(segments) != 6 || req.URL.RawQuery != "" || req.URL.Host != c.cfg.BaseURL.Host {
			t.Fatalf("%q is requested as %s", id, req.URL)
		}
		for _, segment := range []string{segments[3], segments[5]} {
			if got, err := url.PathUnescape(segment); err != nil || got != id {
				t.Errorf("%q is requested as %q (%v)", id, got, err)
			}
		}
	})
}
