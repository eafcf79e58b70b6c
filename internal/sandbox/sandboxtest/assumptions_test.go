// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// assuming returns a service with two candidates and one position assessment.
func assuming(t *testing.T, a sandboxtest.Assumptions) *sandboxtest.Service {
	t.Helper()
	return sandboxtest.NewService(t, sandboxtest.Options{
		Options: sandbox.Options{MaxPage: 2, NoLimits: true, Seed: func() *sandbox.State {
			st := sandbox.Demo()
			position := st.Position(sandbox.DemoResultsPosition)
			position.Candidates = position.Candidates[:3]
			_, err := st.Attach("pos-backend-london", "asm-quartet", sandbox.Metadata{
				Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}, Benchmark: "bmk-quartet-graduates-en-gb",
			})
			if err != nil {
				t.Error(err)
			}
			return st
		}},
		Assumptions: a,
	})
}

const (
	list    = london + "?fields=organizationAssessment,metadata"
	single  = london + "/pas-0001"
	results = "/positions/" + sandbox.DemoResultsPosition + "/results"
	demo    = "/positions/" + sandbox.DemoResultsPosition + "/assessments?fields=metadata"
	games   = "/assessments/asm-quartet/packages"
	whole   = `{"packages":["pkg-problem-solving","pkg-numerical-reasoning"],"benchmark":"bmk-quartet-graduates-en-gb"}`
)

// What an assumption must not change, and what belongs together in an answer. TestFormsDiffer proves that each assumption
// changes something. In want, "!text" must not be a part of the body.
func TestAssumptions(t *testing.T) {
	t.Parallel()
	type a = sandboxtest.Assumptions
	const facet, northlight = `{"organizationAssessment":"asm-facet"}`, `{"organizationAssessment":"asm-northlight"}`
	for _, test := range []struct {
		a            a
		method, path string
		body         string
		status       int
		want         []string
	}{
		{a{Collections: "object"}, "GET", "/positions/pos-backend-london", "", 200, []string{`"id"`, "!items"}},
		{a{Results: "array"}, "GET", results, "", 200, []string{"offset=2>; rel=\"next\"\n", "!candidates"}},
		{a{Errors: "none"}, "GET", "/nowhere", "", 404, []string{"!o"}},
		{a{Created: "location"}, "POST", london, facet, 201, []string{"/pas-0002\n", "!i"}},
		{a{Created: "no id"}, "POST", london, facet, 201, []string{"/pas-0002\n", "asm-facet", "!pas-0002"}},
		{a{Created: "self link"}, "POST", london, facet, 201, []string{"Location: \n", "/pas-0002", `!"id"`}},
		{a{Created: "id"}, "POST", london, facet, 201, []string{"Location: \n", `"id":"pas-0002"`, "!_links"}},
		{a{Created: "position"}, "POST", london, facet, 201, []string{"/pas-0002\n", `"pos-backend-london"`, "!pas-"}},
		{a{RefuseRemovals: true, RefusedStatus: 403}, "DELETE", single, "", 403, []string{"cannot be removed"}},
		{a{RefuseRemovals: true}, "DELETE", london + "/none", "", 404, []string{"has no position assessment"}},
		{a{PositionAssessmentList: 404}, "GET", single, "", 200, []string{"asm-quartet"}},
		{a{Elements: "bare"}, "GET", list, "", 200, []string{"pas-0001", "!asm-quartet", "!packages"}},
		{a{NoEmptyMetadata: true}, "GET", demo, "", 200, []string{"bmk-", "!{}"}},
		{a{OtherKind: 404}, "GET", games, "", 200, []string{"pkg-"}},
		{a{OtherKind: 404}, "GET", "/assessments/asm-none/packages", "", 404, []string{"there is no assessment"}},
		{a{OtherKind: 404}, "GET", "/assessments/asm-quartet/profiles", "", 200, []string{"[]"}},
		{a{PackageMark: "none"}, "GET", games + "?fields=name,mandatory", "", 200, []string{`"name"`, "!andatory"}},
		{a{ASCIIOnly: true}, "POST", london, facet, 201, []string{"asm-facet"}},
		{a{LatinBytes: true}, "POST", london, `{"organizationAssessment":"é"}`, 400, []string{`\"Ã©\"`}},
		{a{MuteReads: true}, "GET", single, "", 200, []string{`"metadata":{}`}},
		{a{MuteReads: true}, "GET", london, "", 200, []string{"pas-0001", "!metadata"}},
		{a{MuteReads: true}, "PUT", single, body("asm-quartet", whole), 200, []string{`"metadata":` + whole}},
		{a{MuteWrites: true}, "GET", single, "", 200, []string{`"metadata":` + whole}},
		{a{Writes: "no status"}, "POST", london, northlight, 201, []string{`"metadata":{}`}},
		{a{Writes: "no metadata"}, "POST", london, northlight, 201, []string{"!metadata"}},
		{a{RefuseFields: "bare"}, "GET", london, "", 200, []string{"!asm-quartet"}},
		{a{RefuseFields: "whole"}, "GET", "/positions", "", 200, []string{`"title"`, "offset=2>", "!fields"}},
		{a{RefuseFields: "whole"}, "GET", "/assessments?fields=code,name", "", 200, []string{`"code"`}},
		{a{RefuseLimit: true}, "GET", results, "", 200, []string{"candidates"}},
		{a{TitleFilter: "ignored"}, "GET", "/positions?title=x", "", 200, []string{"pos-backend-london", "title=x>"}},
		{a{TitleFilter: "contains"}, "GET", "/positions?title=engineer", "", 200, []string{"london", "!leeds"}},
	} {
		got := sandboxtest.Ask(t, assuming(t, test.a), test.method, test.path, test.body)
		shown := fmt.Sprintf("Link: %s\nLocation: %s\n%s", got.Header.Get("Link"), got.Header.Get("Location"), got.Body)
		for _, part := range test.want {
			in, without := shown, strings.HasPrefix(part, "!")
			if without {
				in, part = got.Body, part[1:]
			}
			if got.Status != test.status || strings.Contains(in, part) == without {
				t.Errorf("%s %s %s: status %d, %q in %s", test.a, test.method, test.path, got.Status, part, shown)
			}
		}
	}
}

func TestUnknownAssumptionsPanic(t *testing.T) {
	t.Parallel()
	service := assuming(t, sandboxtest.Assumptions{})
	defer func() {
		if recover() == nil {
			t.Error("an unknown value was accepted")
		}
	}()
	service.Assume(sandboxtest.Assumptions{Errors: "htlm"})
}

func TestShapesOfTheRateLimit(t *testing.T) {
	t.Parallel()
	for a, wants := range map[sandboxtest.Assumptions][]string{ // Retry-After after 0.6, 1.1 and 1.6 seconds
		{}:                   {"1", "200", "200"},
		{RetryAfter: "none"}: {"", "200", "200"},
		{RetryAfter: "hour"}: {"3600", "200", "200"},
		{RetryAfter: "date"}: {"Sat, 01 Jan 2000 00:00:02 GMT", "200", "200"}, // rounded up to a whole second
		{WholeFrame: true}:   {"1", "1", "200"},
	} {
		synctest.Test(t, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Assumptions: a})
			for range 20 {
				get(t, service, "/positions").Want(t, 200)
			}
			for i, want := range wants {
				time.Sleep([]time.Duration{600, 500, 500}[i] * time.Millisecond)
				got := get(t, service, "/positions")
				after := got.Header.Get("Retry-After")
				if got.Status != http.StatusTooManyRequests {
					after = fmt.Sprint(got.Status)
				}
				if after != want {
					t.Errorf("%s, request %d: Retry-After %q, want %q", a, i, after, want)
				}
			}
		})
	}
}
