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
	for name, row := range map[string]struct {
		status             int
		body, location, id string
	}{
		"the body":                                {201, wireFile(t, "added.json"), location, "pas-1"},
		"Location":                                {201, "", location, "pas-9"},
		"a relative Location":                     {201, "", "/v1/positions/p/assessments/a%2Fb%25?x=/y", "a/b%"},
		"Location and HTML":                       {201, "<html>created</html>", location, "pas-9"},
		"Location and another shape":              {201, wireFile(t, "added-no-object.json"), location, "pas-9"},
		"Location and an ID that is no string":    {201, `{"id":4711}`, location, "pas-9"},
		"Location before the self link":           {201, wireFile(t, "added-self-link.json"), location, "pas-9"},
		"the self link, Location is the list":     {201, wireFile(t, "added-self-link.json"), "/v1/positions/p/assessments", "pas/1"},
		"the self link, Location is the position": {201, wireFile(t, "added-self-link.json"), "/v1/positions/p", "pas/1"},
		"the body, invalid metadata":              {201, wireFile(t, "added-odd-metadata.json"), "", "pas-1"},
		"the position is not the new ID":          {201, `{"id":"p"}`, "/v1/positions/p", ""},
		"the assessment is not the new ID":        {201, wireFile(t, "added-assessment.json"), location, "pas-9"},
		"the same ID as the assessment":           {201, wireFile(t, "added-same-id.json"), location, "pas-9"},
		"another position assessment":             {201, `{"id":"pas-2","organizationAssessment":"asm-2"}`, "", ""},
		"nothing":                                 {201, "", "", ""},
	} {
		network := newStub(responds(row.status, row.body, "Location", row.location))
		pa, err := newClient(t, network).Attach(t.Context(), "p", "asm-1", Configuration{})
		if err != nil || pa.ID != row.id {
			t.Errorf("%s: ID %q, error %v, want %q", name, pa.ID, err, row.id)
		}
		url, shown := pa.Metadata.ProfileURL.Get()
		if hasMetadata := row.body == wireFile(t, "added.json"); pa.HasMetadata != hasMetadata || shown != hasMetadata ||
			hasMetadata && url != "https://assess.example.com/profile/1" {
			t.Errorf("%s: metadata %t, %+v", name, pa.HasMetadata, pa.Metadata)
		}
		if n := len(network.arrivals()); n != 1 {
			t.Errorf("%s: %d requests, want 1", name, n)
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
		`{"id":"pas-1","metadata":{"benchmark":"the default","packages":null}}`:          "the default null absent",
		`{"id":"pas-2","organizationAssessment":"asm-1","metadata":{"benchmark":"b"}}`:   "absent absent absent",
		`{"id":"pas-1","organizationAssessment":"another","metadata":{"benchmark":"b"}}`: "absent absent absent",
	} {
		pa, err := newClient(t, newStub(responds(200, body))).Update(
			t.Context(), "p", "pas-1", "asm-1", Configuration{Benchmark: new("b")}, nil)
		m := pa.Metadata
		got := state(m.Benchmark) + " " + state(m.Packages) + " " + state(m.Tests)
		if err != nil || pa.ID != "pas-1" || got != want {
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

// The list is requested with what a creation and a refresh need. Each element has an ID.
func TestListOfPosition(t *testing.T) {
	t.Parallel()
	network := newStub(responds(200, `[{"organizationAssessment":"asm-1"}]`))
	_, err := newClient(t, network).PositionAssessments(t.Context(), "p")
	wantProblem(t, err, `in element 1 of the page, got an object without "id"`)
	if got := network.addresses()[0]; got != "/positions/p/assessments?fields=organizationAssessment%2Cmetadata&limit=1000" {
		t.Error(got)
	}
}
