// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

func TestWirePositionAssessments(t *testing.T) {
	t.Parallel()
	readWire(t, []wireCase{{"position-assessments.json", `[
		{"ID":"pas-1","AssessmentID":"asm-1","SelfLink":"https://assess.example.com/v1/positions/p/assessments/pas-1",
		 "Metadata":{"Packages":["pkg-1","pkg-2"],"Benchmark":"bmk-1"},"HasMetadata":true},
		{"ID":"pas-2","AssessmentID":"asm-2","Metadata":{"Tests":["skt-1"]},"HasMetadata":true},
		{"ID":"pas-3","AssessmentID":"asm-3","Metadata":{},"HasMetadata":false},
		{"ID":"pas-4","AssessmentID":"asm-4","Metadata":{},"HasMetadata":false},
		{"ID":"pas-5","AssessmentID":"","Metadata":{},"HasMetadata":false}]`}},
		func(ctx context.Context, c *Client) (any, error) { return c.PositionAssessments().List(ctx, "p") })
	for id, cases := range map[string][]wireCase{
		"pas-1": {
			{"position-assessment-profile-attached.json", `{"ID":"pas-1","AssessmentID":"asm-1","HasMetadata":true,
				"SelfLink":"https://assess.example.com/v1/positions/p/assessments/pas-1","Metadata":{"Profile":"prf-1",
				"ProfileStatus":"PROFILE_ATTACHED","ProfileURL":"https://assess.example.com/profile/1?t=abc"}}`},
			{"position-assessment-supervisor-completed.json", `{"ID":"pas-1","AssessmentID":"asm-1","HasMetadata":true,
				"Metadata":{"ProfileStatus":"SUPERVISOR_COMPLETED","ProfileURL":"https://assess.example.com/profile/1"}}`},
			{"position-assessment-unheard-of-status.json", `{"ID":"pas-1","AssessmentID":"asm-1","HasMetadata":true,
				"Metadata":{"ProfileStatus":"Under review"}}`},
			{"position-assessment-without-id.json", `{"ID":"pas-1","AssessmentID":"asm-1","Metadata":{},"HasMetadata":true}`},
			{"position-assessment-empty-as-php.json", `{"ID":"pas-1","AssessmentID":"asm-1","HasMetadata":true,"Metadata":{},
				"SelfLink":"https://assess.example.com/v1/positions/p/assessments/pas-1"}`},
			{"position-assessment-with-unknown-members.json", `{"ID":"pas-1","AssessmentID":"asm-1","HasMetadata":true,
				"Metadata":{"Benchmark":"bmk-1"},
				"Extra":"{\"metadata\":{\"norm\":{\"size\":12345678901234567890}},\"weight\":30.0}"}`},
		},
		"1": {{"position-assessment-numbered.json", `{"ID":"1","AssessmentID":"12345678901234567890","HasMetadata":true,
			"Metadata":{"Packages":["1","2","30"],"Benchmark":"9"}}`}},
	} {
		readWire(t, cases, func(ctx context.Context, c *Client) (any, error) {
			return c.PositionAssessments().Read(ctx, "p", id)
		})
	}
	listed := positionAssessments
	listed.isWhole = nil // as if the service only listed them
	for id, want := range map[string]string{
		"pas-2": `{"ID":"pas-2","AssessmentID":"asm-2","Metadata":{"Tests":["skt-1"]},"HasMetadata":true}`, "pas-9": `"none"`,
	} {
		readWire(t, []wireCase{{"position-assessments.json", want}}, func(ctx context.Context, c *Client) (any, error) {
			pa, err := listed.of(c).Read(ctx, "p", id)
			if IsNotFound(err) {
				return "none", nil
			}
			return pa, err
		})
	}
}

func TestInvalidPositionAssessment(t *testing.T) {
	t.Parallel()
	const start = `{"id":"pas-1","organizationAssessment":"a","metadata":`
	for body, problem := range map[string]string{
		`[]`:   "expected an object, got an array",
		`null`: "expected an object, got null",
		`{"id":"pas-2","organizationAssessment":"a"}`: `asked for position assessment "pas-1", got "pas-2"`,
		`{"id":"pas-1"}`:                   `got an object without "organizationAssessment"`,
		start + `["x"]}`:                   `expected the member "metadata" to be an object, got an array`,
		start + `{"packages":["x",null]}}`: `in the member "metadata": expected an element of "packages" to be a string, got null`,
		start + `{"tests":"x"}}`:           `in the member "metadata": expected the member "tests" to be an array of strings, got a string`,
	} {
		_, err := newClient(t, newStub(answers(http.StatusOK, body))).PositionAssessments().Read(t.Context(), "p", "pas-1")
		if shape := as[*ShapeError](t, err); shape.Problem != problem {
			t.Errorf("%s: %q, want %q", body, shape.Problem, problem)
		}
	}
}

// TestAddedID checks where the client looks for the new ID (assumption A4).
func TestAddedID(t *testing.T) {
	t.Parallel()
	const location = "https://assess.example.com/v1/positions/p/assessments/pas-9"
	for name, row := range map[string]struct {
		status             int
		body, location, id string
	}{
		"the body":                                {201, wireFile(t, "added.json"), location, "pas-1"},
		"the body, 200":                           {200, wireFile(t, "added.json"), "", "pas-1"},
		"a number in the body":                    {201, wireFile(t, "added-id-only.json"), "", "4711"},
		"Location":                                {201, "", location, "pas-9"},
		"a relative Location":                     {201, "", "/v1/positions/p/assessments/a%2Fb%25?x=/y", "a/b%"},
		"Location with a trailing slash":          {201, "{}", location + "/", "pas-9"},
		"Location and HTML":                       {201, "<html>created</html>", location, "pas-9"},
		"Location and another shape":              {201, wireFile(t, "added-no-object.json"), location, "pas-9"},
		"Location before the self link":           {201, wireFile(t, "added-self-link.json"), location, "pas-9"},
		"the self link, Location is the list":     {201, wireFile(t, "added-self-link.json"), "/v1/positions/p/assessments", "pas/1"},
		"the self link, Location is the position": {201, wireFile(t, "added-self-link.json"), "/v1/positions/p", "pas/1"},
		"the body, invalid metadata":              {201, wireFile(t, "added-odd-metadata.json"), "", "pas-1"},
		"the position is not the new ID":          {201, "", "/v1/positions/p", ""},
		"the assessment is not the new ID":        {201, wireFile(t, "added-assessment.json"), location, "pas-9"},
		"the assessment and no Location":          {201, wireFile(t, "added-assessment.json"), "", ""},
		"the same ID as the assessment":           {201, wireFile(t, "added-same-id.json"), location, "asm-1"},
	} {
		network := newStub(answers(row.status, row.body, "Location", row.location))
		pa, err := newClient(t, network).PositionAssessments().Create(t.Context(), "p", PositionAssessment{AssessmentID: "asm-1"})
		if err != nil && !as[*LostError](t, err).Accepted || (err == nil) != (row.id != "") || pa.ID != row.id {
			t.Errorf("%s: id %q, error %v, want %q", name, pa.ID, err, row.id)
		}
		if hasMetadata := row.body == wireFile(t, "added.json"); pa.HasMetadata != hasMetadata ||
			hasMetadata && *pa.Metadata.ProfileURL != "https://assess.example.com/profile/1" {
			t.Errorf("%s: metadata %t, %+v", name, pa.HasMetadata, pa.Metadata)
		}
		if n := len(network.arrivals()); n != 1 {
			t.Errorf("%s: %d requests, want 1", name, n)
		}
	}
}

// A PUT or a DELETE that is answered with 2xx is done, whatever the body is.
func TestWritesAcceptAnyBody(t *testing.T) {
	t.Parallel()
	bodies := []string{
		"OK", "", "<p>saved</p>", `"done"`, "null", `{"id":`, "\x00", "[]", `{"id":"x"}`,
		wireFile(t, "added.json"), wireFile(t, "added-odd-metadata.json"),
	}
	for i, body := range bodies {
		c := newClient(t, newStub(answers([]int{200, 202, 204}[i%3], body, "Content-Type", "text/plain")))
		pa, update := c.PositionAssessments().Update(t.Context(), "p", "pas-1", PositionAssessment{AssessmentID: "asm"})
		_, enable := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{Item: Item{ID: "t"}, listed: []byte("{}")})
		err := errors.Join(update, enable, c.PositionAssessments().Remove(t.Context(), "p", "pas"))
		if err != nil || pa.ID != "pas-1" {
			t.Errorf("%q: id %q, error %v", body, pa.ID, err)
		}
	}
}

// TestWireOfWrites checks the body of writes: the documented keys, no key without a
// value, and sorted IDs.
func TestWireOfWrites(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		metadata Metadata
		want     string
	}{
		{Metadata{}, `{"metadata":{},"organizationAssessment":"asm-1"}`},
		{Metadata{Packages: []string{"b", "a"}, Benchmark: new("x")}, `{"metadata":{"benchmark":"x","packages":["a","b"]},"organizationAssessment":"asm-1"}`},
		{Metadata{Profile: new("prf"), ProfileStatus: new("no"), ProfileURL: new("no")}, `{"metadata":{"profile":"prf"},"organizationAssessment":"asm-1"}`},
		{Metadata{Tests: []string{"t"}}, `{"metadata":{"tests":["t"]},"organizationAssessment":"asm-1"}`},
		{Metadata{Tests: []string{`é"€😀</b>` + "\x7f"}}, `{"metadata":{"tests":["\u00e9\"\u20ac\ud83d\ude00</b>\u007f"]},"organizationAssessment":"asm-1"}`},
	} {
		network := newStub(answers(http.StatusOK, wireFile(t, "added.json")))
		c := newClient(t, network)
		pa := PositionAssessment{AssessmentID: "asm-1", Metadata: tc.metadata}
		if _, err := c.PositionAssessments().Create(t.Context(), "p", pa); err != nil {
			t.Fatal(err)
		}
		if _, err := c.PositionAssessments().Update(t.Context(), "p", "pas-1", pa); err != nil {
			t.Fatal(err)
		}
		for i, sent := range network.arrivals() {
			if sent.body != tc.want {
				t.Errorf("%s sent %s, want %s", sent.method, sent.body, tc.want)
			}
			want := []string{"POST /positions/p/assessments", "PUT /positions/p/assessments/pas-1"}[i]
			if sent.method+" "+network.addresses()[i] != want {
				t.Errorf("sent as %s %s, want %s", sent.method, sent.address, want)
			}
		}
	}
}

// Only what a service may omit from responses counts as configured.
func TestConfigured(t *testing.T) {
	t.Parallel()
	for want, m := range map[bool]Metadata{true: {Tests: []string{}}, false: {Profile: new("p")}} {
		if m.Configured() != want {
			t.Errorf("%+v is configured: %t", m, !want)
		}
	}
}
