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
	locales = "/assessments/asm-lumen/benchmarks?fields=locale"
	games   = "/assessments/asm-quartet/packages"
	whole   = `{"packages":["pkg-problem-solving","pkg-numerical-reasoning"],"benchmark":"bmk-quartet-graduates-en-gb"}`
)

// TestAssumptions sends one request to a service with each assumption. In want,
// "Header: text" is a part of a header, and "!text" must not be a part of the body.
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
		{
			a{Collections: "object"},
			"GET", "/positions?fields=title", "", 200,
			[]string{`{"_links":[{"rel":"next","href":"`, `"items":[{"id"`},
		},
		{a{Collections: "object"}, "GET", "/positions/pos-backend-london", "", 200, []string{`"id"`, "!items"}},
		{a{Results: "array"}, "GET", results, "", 200, []string{`Link: rel="next"`, `Link: offset=2`, "!candidates"}},
		{a{Results: "items"}, "GET", results, "", 200, []string{`"items":[`, "!candidates"}},
		{a{Errors: "text"}, "GET", "/nowhere", "", 404, []string{"Content-Type: text/plain", "has no route", "!{"}},
		{a{Errors: "html"}, "GET", "/nowhere", "", 404, []string{"Content-Type: text/html", "<h1>"}},
		{a{Errors: "none"}, "GET", "/nowhere", "", 404, []string{"!o"}},
		{a{NoConversationID: true}, "GET", "/nowhere", "", 404, []string{"Conversation-Id: ", "!conv"}},
		{a{CreatedStatus: 200}, "POST", london, facet, 200, []string{`"id":"pas-0002"`}},
		{a{Created: "location"}, "POST", london, facet, 201, []string{"Location: /pas-0002", "!i"}},
		{a{Created: "no id"}, "POST", london, facet, 201, []string{"Location: /pas-0002", "asm-facet", "!pas-0002"}},
		{a{Created: "self link"}, "POST", london, facet, 201, []string{"Location: ", "/pas-0002", `!"id"`}},
		{a{Created: "id"}, "POST", london, facet, 201, []string{"Location: ", `"id":"pas-0002"`, "!_links"}},
		{a{Created: "position"}, "POST", london, facet, 201, []string{"Location: /pas", `"pos-backend-london"`, "!pas-"}},
		{a{Updated: "empty"}, "PUT", single, body("asm-quartet", whole), 200, []string{"!i"}},
		{a{Updated: "no content"}, "PUT", single, body("asm-quartet", whole), 204, []string{"!i"}},
		{a{RemovedStatus: 202}, "DELETE", single, "", 202, nil},
		{a{GoneStatus: 410}, "DELETE", london + "/none", "", 410, nil},
		{a{NoRemoval: 501}, "DELETE", single, "", 501, nil},
		{a{RefuseRemovals: true}, "DELETE", single, "", 409, []string{"cannot be removed"}},
		{a{RefuseRemovals: true, RefusedStatus: 403}, "DELETE", single, "", 403, nil},
		{a{RefuseRemovals: true}, "DELETE", london + "/none", "", 404, nil},
		{a{PositionAssessmentList: 405}, "GET", list, "", 405, nil},
		{a{PositionAssessmentList: 404}, "GET", single, "", 200, []string{"asm-quartet"}},
		{a{Elements: "no assessment"}, "GET", list, "", 200, []string{"packages", "!asm-quartet"}},
		{a{Elements: "bare"}, "GET", list, "", 200, []string{"pas-0001", "!asm-quartet", "!packages"}},
		{a{NoEmptyMetadata: true}, "GET", demo, "", 200, []string{"bmk-", "!{}"}},
		{a{BenchmarkList: 405}, "GET", "/assessments/asm-lumen/benchmarks", "", 405, nil},
		{a{ProfileList: 501}, "GET", "/assessments/asm-lumen/profiles", "", 501, nil},
		{a{OtherKind: 400}, "GET", "/assessments/asm-lumen/packages", "", 400, nil},
		{a{OtherKind: 404}, "GET", "/assessments/asm-lumen/skills", "", 404, nil},
		{a{OtherKind: 404}, "GET", games, "", 200, []string{"pkg-"}},
		{a{OtherKind: 404}, "GET", "/assessments/asm-none/packages", "", 404, []string{"there is no assessment"}},
		{a{OtherKind: 404}, "GET", "/assessments/asm-quartet/profiles", "", 200, []string{"[]"}},
		{a{PackageMark: "optional"}, "GET", games + "?fields=mandatory", "", 200, []string{`"optional":false`, "!mandatory"}},
		{a{PackageMark: "word"}, "GET", games + "?fields=mandatory", "", 200, []string{`"type":"MANDATORY"`, "!mandatory"}},
		{a{PackageMark: "lower word"}, "GET", games + "?fields=mandatory", "", 200, []string{`"type":"mandatory"`}},
		{a{PackageMark: "none"}, "GET", games + "?fields=name,mandatory", "", 200, []string{`"name"`, "!andatory"}},
		{a{PackageMarkUnasked: true}, "GET", games, "", 200, []string{`"mandatory":true`}},
		{a{NoLocale: true}, "GET", "/positions?fields=title,locale", "", 200, []string{"title", "!locale"}},
		{a{PositionLocales: "underscore"}, "GET", "/positions?fields=locale", "", 200, []string{`"en_GB"`}},
		{a{BenchmarkLocales: "upper"}, "GET", locales, "", 200, []string{`"EN-GB"`}},
		{a{BenchmarkLocales: "lower"}, "GET", locales, "", 200, []string{`"en-gb"`}},
		{a{CandidateName: "candidateName"}, "GET", results, "", 200, []string{`"candidateName":"`, `!"name"`}},
		{a{CandidateName: "first and last"}, "GET", results, "", 200, []string{`"firstName":"`, `!"name"`}},
		{a{CandidateReport: "overallReportUrl"}, "GET", results, "", 200, []string{`"overallReportUrl":"`}},
		{a{Suitability: "suitabilityScore"}, "GET", results, "", 200, []string{`"suitabilityScore":`, `!"suitability"`}},
		{a{SuitabilityObject: true}, "GET", results, "", 200, []string{`"suitability":{"score":`}},
		{a{OtherWords: true}, "GET", results, "", 200, []string{`"SCORED_OTHER"`, `!"SCORED"`}},
		{a{ASCIIOnly: true}, "POST", london, `{"organizationAssessment":"é"}`, 400, []string{"not ASCII"}},
		{a{ASCIIOnly: true}, "POST", london, facet, 201, nil},
		{a{LatinBytes: true}, "POST", london, "{\"organizationAssessment\":\"\xe9\"}", 400, []string{`\"é\"`}},
		{a{LatinBytes: true}, "POST", london, `{"organizationAssessment":"é"}`, 400, []string{`\"Ã©\"`}},
		{a{MuteReads: true}, "GET", single, "", 200, []string{`"metadata":{}`}},
		{a{MuteReads: true}, "GET", list, "", 200, []string{`"metadata":{}`}},
		{a{MuteReads: true}, "GET", london, "", 200, []string{"pas-0001", "!metadata"}},
		{a{MuteReads: true}, "PUT", single, body("asm-quartet", whole), 200, []string{`"metadata":` + whole}},
		{a{MuteWrites: true}, "PUT", single, body("asm-quartet", whole), 200, []string{`"metadata":{}`}},
		{a{MuteWrites: true}, "GET", single, "", 200, []string{`"metadata":` + whole}},
		{a{Writes: "no status"}, "POST", london, northlight, 201, []string{`"metadata":{}`}},
		{a{Writes: "no metadata"}, "POST", london, northlight, 201, []string{"!metadata"}},
		{a{RefuseFields: "bare"}, "GET", list, "", 400, []string{"fields"}},
		{a{RefuseFields: "bare"}, "GET", london, "", 200, []string{"!asm-quartet"}},
		{a{RefuseFields: "whole"}, "GET", london, "", 200, []string{"asm-quartet", "packages"}},
		{a{RefuseFields: "whole"}, "GET", "/positions", "", 200, []string{`"title"`, "Link: offset=2", "!fields"}},
		{a{RefuseFields: "whole"}, "GET", "/assessments?fields=code,name", "", 200, []string{`"code"`}},
		{a{RefuseLimit: true}, "GET", results + "?limit=1", "", 400, []string{"limit"}},
		{a{RefuseLimit: true}, "GET", results, "", 200, []string{"candidates"}},
		{a{TitleFilter: "ignored"}, "GET", "/positions?title=x", "", 200, []string{"pos-backend-london", "Link: title=x"}},
		{a{TitleFilter: "contains"}, "GET", "/positions?title=engineer", "", 200, []string{"london", "!leeds"}},
	} {
		t.Run(fmt.Sprintf("%s %s %s", test.a, test.method, test.path), func(t *testing.T) {
			t.Parallel()
			got := sandboxtest.Ask(t, assuming(t, test.a), test.method, test.path, test.body)
			got.Want(t, test.status)
			for _, part := range test.want {
				if part, not := strings.CutPrefix(part, "!"); not {
					if strings.Contains(got.Body, part) {
						t.Errorf("the body has %q: %s", part, got.Body)
					}
					continue
				}
				if name, value, isHeader := strings.Cut(part, ": "); isHeader {
					if header := got.Header.Get(name); !strings.Contains(header, value) || (value == "" && header != "") {
						t.Errorf("%s is %q, want %q", name, header, value)
					}
					continue
				}
				got.Want(t, test.status, part)
			}
		})
	}
}

func TestRandomAssumptionsVary(t *testing.T) {
	t.Parallel()
	alternatives := sandboxtest.Alternatives()
	fields, plain := map[string]bool{}, 0
	for seed := range uint64(1000) {
		a := sandboxtest.RandomAssumptions(seed)
		if a != sandboxtest.RandomAssumptions(seed) {
			t.Fatalf("seed %d returns different assumptions", seed)
		}
		if a == (sandboxtest.Assumptions{}) {
			plain++
		}
		shown := " " + a.String() + " "
		for _, alternative := range alternatives {
			if strings.Contains(shown, " "+alternative.Name+" ") {
				fields[alternative.Name] = true
			}
		}
	}
	if all := len(alternatives); len(fields) != all || plain < 100 || plain > 600 {
		t.Errorf("%d of %d alternatives, %d of 1000 are default", len(fields), all, plain)
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
	const date = "Sat, 01 Jan 2000 00:00:02 GMT" // half a second later, the next whole second is the same
	for _, test := range []struct {
		a     sandboxtest.Assumptions
		wants []string // Retry-After of the 21st request, and half a second later
	}{
		{sandboxtest.Assumptions{}, []string{"1", "1"}},
		{sandboxtest.Assumptions{RetryAfter: "none"}, []string{"", ""}},
		{sandboxtest.Assumptions{RetryAfter: "hour"}, []string{"3600", "3600"}},
		{sandboxtest.Assumptions{RetryAfter: "date"}, []string{date, date}},
	} {
		synctest.Test(t, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Assumptions: test.a})
			for range 20 {
				get(t, service, "/positions").Want(t, 200)
			}
			for _, want := range test.wants {
				got := get(t, service, "/positions")
				got.Want(t, http.StatusTooManyRequests)
				if after := got.Header.Get("Retry-After"); after != want {
					t.Errorf("%s: Retry-After %q, want %q", test.a, after, want)
				}
				time.Sleep(500 * time.Millisecond)
			}
		})
	}
}

func TestABreachMayCloseTheWholeFrame(t *testing.T) {
	t.Parallel()
	for wholeFrame, wants := range map[bool][]int{false: {429, 200, 200}, true: {429, 429, 200}} {
		synctest.Test(t, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{})
			service.Assume(sandboxtest.Assumptions{WholeFrame: wholeFrame})
			for range 20 {
				get(t, service, "/positions").Want(t, 200)
			}
			time.Sleep(600 * time.Millisecond)
			for _, want := range wants { // at 0.6 s, 1.1 s and 1.6 s
				get(t, service, "/positions").Want(t, want)
				time.Sleep(500 * time.Millisecond)
			}
		})
	}
}
