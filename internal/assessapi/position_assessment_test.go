// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"testing"
)

// TestNewID checks where the client looks for the new ID (assumption A4, row 14: it is never that of something else).
func TestNewID(t *testing.T) {
	t.Parallel()
	const location = "https://assess.example.com/v1/positions/p/assessments/pas-9"
	for name, row := range map[string]struct{ body, location, id string }{
		"the body":                             {wireFile(t, "added.json"), location, "pas-1"},
		"Location":                             {"", location, "pas-9"},
		"a relative Location":                  {"", "/v1/positions/p/assessments/a%2Fb%25?x=/y", "a/b%"},
		"Location and another shape":           {wireFile(t, "added-no-object.json"), location, "pas-9"},
		"Location and an ID that is no string": {`{"id":4711}`, location, "pas-9"},
		"Location before the self link":        {wireFile(t, "added-self-link.json"), location, "pas-9"},
		"the self link, Location is the list":  {wireFile(t, "added-self-link.json"), "/v1/positions/p/assessments", "pas/1"},
		"the body, invalid metadata":           {wireFile(t, "added-odd-metadata.json"), "", "pas-1"},
		"the position is not the new ID":       {`{"id":"p"}`, "/v1/positions/p", ""},
		"the assessment is not the new ID":     {wireFile(t, "added-assessment.json"), location, "pas-9"},
		"the same ID as the assessment":        {wireFile(t, "added-same-id.json"), location, "pas-9"},
		"another position assessment":          {`{"id":"pas-2","organizationAssessment":"asm-2"}`, "", ""},
	} {
		network := newStub(responds(201, row.body, "Location", row.location))
		pa, err := newClient(t, network).Attach(t.Context(), "p", "asm-1", Configuration{})
		if n := len(network.arrivals()); err != nil || pa.ID != row.id || n != 1 {
			t.Errorf("%s: ID %q after %d requests, error %v, want %q", name, pa.ID, n, err, row.id)
		}
		if url, _ := pa.Metadata.ProfileURL.Get(); name == "the body" && url != "https://assess.example.com/profile/1" {
			t.Errorf("the metadata of the response is %+v", pa.Metadata)
		}
	}
}

// A PUT or a DELETE that the service has answered with a documented 2xx is done, whatever the body is (assumptions A5
// and A6).
func TestWritesAcceptAnyBody(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"OK", "", "<p>saved \xe9</p>", "null", `{"id":`, "[]", `{"id":7}`, wireFile(t, "added-odd-metadata.json"),
	} {
		c := newClient(t, newStub(responds(200, body, "Content-Type", "text/plain; charset=x-unknown")))
		pa, update := c.Update(t.Context(), "p", "pas-1", "asm-1", Configuration{}, nil)
		enable := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{Item: Item{ID: "t"}, listed: []byte("{}")})
		removal, remove := c.Remove(t.Context(), "p", "pas-1", nil)
		if err := errors.Join(update, enable, remove); err != nil || pa.ID != "pas-1" || removal != Removed {
			t.Errorf("%q: ID %q, removal %d, error %v", body, pa.ID, removal, err)
		}
	}
	// The status tells a removal that the service has only accepted (row 9).
	for status, want := range map[int]Removal{202: Accepted, 204: Removed} {
		if got, err := newClient(t, newStub(responds(status, ""))).Remove(t.Context(), "p", "pas-1", nil); err != nil || got != want {
			t.Errorf("%d: removal %d, error %v", status, got, err)
		}
	}
	// A response that shows other values than those that were sent (row 6) shows them to the caller. What it shows of
	// another object is ignored.
	for body, want := range map[string]string{
		`{"id":"pas-1","metadata":{"benchmark":"the default","packages":null}}`: `{"Benchmark":{"Shown":true,` +
			`"Value":"the default"},"Packages":{"Shown":true}}`,
		`{"id":"pas-2","organizationAssessment":"asm-1","metadata":{"benchmark":"b"}}`:   "null",
		`{"id":"pas-1","organizationAssessment":"another","metadata":{"benchmark":"b"}}`: "null",
	} {
		pa, err := newClient(t, newStub(responds(200, body))).Update(t.Context(), "p", "pas-1", "asm-1", Configuration{}, nil)
		if got := known(t, marshal(pa.Metadata)); err != nil || pa.ID != "pas-1" || got != want {
			t.Errorf("%s: ID %q, %s, want %s; error %v", body, pa.ID, got, want, err)
		}
	}
}

// TestWireOfWrites checks the body of writes: the documented keys, no key without a value, sorted IDs, and ASCII
// (assumption A15).
func TestWireOfWrites(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]Configuration{
		`{"metadata":{},"organizationAssessment":"asm-1"}`:                                                 {},
		`{"metadata":{"benchmark":"x","packages":["a","b"]},"organizationAssessment":"asm-1"}`:             {Packages: []string{"b", "a", "b"}, Benchmark: new("x")},
		`{"metadata":{"profile":"prf"},"organizationAssessment":"asm-1"}`:                                  {Profile: new("prf")},
		`{"metadata":{"tests":["t"]},"organizationAssessment":"asm-1"}`:                                    {Tests: []string{"t"}},
		`{"metadata":{"packages":[]},"organizationAssessment":"asm-1"}`:                                    {Packages: []string{}},
		`{"metadata":{"tests":["\u00e9\"\u20ac\ud83d\ude00</b>\u007f"]},"organizationAssessment":"asm-1"}`: {Tests: []string{`é"€😀</b>` + "\x7f"}},
	} {
		network := newStub(responds(200, attached))
		c := newClient(t, network)
		if _, err := c.Attach(t.Context(), "p", "asm-1", cfg); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Update(t.Context(), "p", "pas-1", "asm-1", cfg, nil); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"POST /positions/p/assessments " + want, "PUT /positions/p/assessments/pas-1 " + want} {
			sent := network.arrivals()[i]
			if got := sent.method + " " + network.addresses()[i] + " " + sent.body; got != want {
				t.Errorf("sent %s, want %s", got, want)
			}
		}
	}
}
