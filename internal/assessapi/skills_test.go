// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// skillsQuery is the part of the query of the list that we choose.
const skillsQuery = "fields=title%2Cdescription%2Ccategory%2CtimeToComplete%2CnumberOfQuestions%2Cactive&limit=1000"

// oddListed has white space, numbers and an order that no encoder produces.
const oddListed = "{ \"x\" : [ 1 ,\n 2.0 ] , \"id\":\"skt\" , \"active\"\t: false\n, \"n\" : 1e2, \"title\": \"G\\u00f6 é €\" }"

// TestEnableSkillsTest checks that the test is sent byte for byte as the service listed it, except for active and
// characters outside ASCII (assumptions A15 and A18).
func TestEnableSkillsTest(t *testing.T) {
	t.Parallel()
	network := newStub(responds(200, "["+oddListed+"]"), responds(200, ""))
	c := newClient(t, network)
	list, err := c.SkillsTests(t.Context(), "asm", false)
	if err != nil || len(list.Elements) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	if err := c.EnableSkillsTest(t.Context(), "asm", list.Elements[0]); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(": false", ": true", "é", `\u00e9`, "€", `\u20ac`).Replace(oddListed)
	put := network.arrivals()[1]
	if put.method != "PUT" || put.body != want || network.addresses()[1] != "/assessments/asm/skills/skt" {
		t.Errorf("%s %s\n%s\nwant\n%s", put.method, put.address, put.body, want)
	}
}

// TestActivate checks that every member except active stays unchanged, byte for byte.
func TestActivate(t *testing.T) {
	t.Parallel()
	for listed, want := range map[string]string{
		`{"active":false}`:                                 `{"active":true}`,
		` { "a" : 1 , "active" : false , "b":{} } `:        ` { "a" : 1 , "active" : true , "b":{} } `,
		"{\"active\"\n:\tnull\n}":                          "{\"active\"\n:\ttrue\n}",
		`{"x":{"active":false},"active":{"since":"2026"}}`: `{"x":{"active":false},"active":true}`,
		`{"s":"\"active\":false","active":0}`:              `{"s":"\"active\":false","active":true}`,
		`{"\u0061ctive":false,"n":1e400}`:                  `{"\u0061ctive":true,"n":1e400}`,
		`{ "x":{"active":false}}`:                          `{"active":true, "x":{"active":false}}`,
		`{}`:                                               `{"active":true}`, ` { }`: ` {"active":true }`,
		``: "", `[]`: "", `null`: "", `"active"`: "", `{"active":`: "", `{"active":false}x`: "", // no objects
	} {
		got, err := activate([]byte(listed))
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s became %s (%v), want %s", listed, got, err, want)
		}
	}
}

// A response that shows the test with `active` false does not show that the test is enabled. Every other body counts as
// success.
func TestEnableShowsDisabled(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Outcome{
		`{"id":"t","active":false}`: Unknown, `{"id":"t","active":"false"}`: Unknown, `{"id":"t","active":null}`: Succeeded,
		`{"id":"other","active":false}`: Succeeded, `{"active":false}`: Succeeded, "saved": Succeeded, "": Succeeded,
	} {
		test := SkillsTest{Item: Item{ID: "t"}, listed: []byte(`{"id":"t","title":"T","active":false}`)}
		err := newClient(t, newStub(responds(200, body))).EnableSkillsTest(t.Context(), "asm", test)
		if OutcomeOf(err) != want || err != nil && !strings.HasSuffix(err.Error(), "the response shows this skills test with `active` false") {
			t.Errorf("%s: outcome %d, want %d: %v", body, OutcomeOf(err), want, err)
		}
	}
}

// A test can be sent back only if the list shows all of it: the members that another test of the list has.
func TestCheckComplete(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ test, other, want string }{
		{`{"id":"a","title":"A","active":false}`, `{"id":"b","title":"B","active":true}`, "<nil>"},
		{`{"id":"a","title":null}`, `{"id":"b","x":1}`, "<nil>"},
		{`{"id":"a","title":"A"}`, `{"id":"b","title":"B","category":"c","_links":[]}`, "[category _links]"},
		{`{"id":"a","_links":[]}`, `{"id":"b","_links":[]}`, "[]"}, // nothing but the ID
	} {
		err := SkillsTest{listed: []byte(row.test)}.CheckComplete([]SkillsTest{{listed: []byte(row.other)}})
		got := fmt.Sprint(err)
		if incomplete, ok := errors.AsType[*IncompleteError](err); ok {
			got = fmt.Sprint(incomplete.Missing)
			if got == "[]" && err.Error() != "the service shows no title and no other optional field of this skills test" {
				t.Error(err)
			}
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.test, got, row.want)
		}
	}
}
