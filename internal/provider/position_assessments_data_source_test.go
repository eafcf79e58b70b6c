// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// attach attaches one assessment with each kind of configuration to a position.
func attach(t *testing.T, service *sandboxtest.Server) {
	t.Helper()
	games := sandbox.Metadata{
		Packages:  []string{"pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"},
		Benchmark: "bmk-quartet-engineers-en-gb", Extra: object(t, `{"weight": 2.50}`),
	}
	values := sandbox.Metadata{Profile: "prf-customer-first", ProfileStatus: sandbox.ProfileAttached}
	service.Change(t, func(st *sandbox.State) {
		st.Position(backend).Assessments = []sandbox.PositionAssessment{
			{ID: "pas-games", Assessment: "asm-quartet", Metadata: games, Extra: object(t, `{"owner": "北"}`)},
			{ID: "pas-values", Assessment: "asm-northlight", Metadata: values},
			{ID: "pas-terrain", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted}},
			{ID: "pas-skills", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql", "skt-go"}}},
			{ID: "pas-bare", Assessment: "asm-facet"},
		}
	})
}

// attachedShown are the attributes that the data sources show for each position
// assessment of attach. All others are null.
var attachedShown = map[string]fields{
	"pas-games": {
		"assessment_id": "asm-quartet", "benchmark": fields{"id": "bmk-quartet-engineers-en-gb"},
		"packages":   fields{"ids": []string{"pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"}},
		"extra_json": `{"metadata":{"weight":2.50},"owner":"北"}`,
	},
	"pas-values": {
		"assessment_id": "asm-northlight", "profile": fields{"id": "prf-customer-first"},
		"profile_status": sandbox.ProfileAttached,
	},
	"pas-terrain": {"assessment_id": "asm-terrain", "profile_status": sandbox.SupervisorCompleted},
	"pas-skills":  {"assessment_id": "asm-workbench", "tests": fields{"ids": []string{"skt-sql", "skt-go"}}},
	"pas-bare":    {"assessment_id": "asm-facet"},
}

// assertShown fails if a position assessment is not shown as in attachedShown. Its
// profile_url is an address if it has a profile_status.
func assertShown(t *testing.T, service *sandboxtest.Server, id string, got fields) {
	t.Helper()
	want := fields{
		"position_id": backend, "id": id,
		"self_link": service.URL + "/positions/" + backend + "/assessments/" + id,
	}
	for _, name := range []string{"packages", "benchmark", "profile", "tests", "profile_status", "extra_json"} {
		want[name] = nil
	}
	maps.Copy(want, attachedShown[id])
	if url := got["profile_url"]; (url != nil) != (want["profile_status"] != nil) {
		t.Errorf("%s has the profile_url %v", id, url)
	}
	got = maps.Clone(got)
	delete(got, "profile_url")
	sameJSON(t, id, got, jsonOf(t, want))
}

func TestPositionAssessmentDataSources(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 3 })
	attach(t, service)
	w := runOn(t, service)
	listed := w.reads("assess_position_assessments", fields{"position_id": backend})
	sameJSON(t, "ids", listed["ids"], `["pas-games", "pas-values", "pas-terrain", "pas-skills", "pas-bare"]`)
	all, _ := listed["assessments"].([]any)
	for _, one := range all {
		shown, _ := one.(fields)
		id := fmt.Sprint(shown["id"])
		assertShown(t, service, id, shown)
		assertShown(t, service, id, w.reads("assess_position_assessment", fields{"position_id": backend, "id": id}))
	}
	assertRoutes(t, service, sandbox.RoutePositionAssessments)
	service.AssertCount(t, "", "", 2) // two pages of five position assessments
	empty := w.reads("assess_position_assessments", fields{"position_id": "pos-support-leeds"})
	sameJSON(t, "an empty position", []any{empty["ids"], empty["assessments"]}, "[[], []]")

	service.ResetJournal()
	for id, says := range map[string][]string{
		"nowhere":    {`has the id "nowhere"`, `Available: .*"pas-games" \(assessment "asm-quartet"`},
		"PAS-Values": {`has the id "PAS-Values"`, `Similar: "pas-values" \(assessment "asm-northlight"`},
	} {
		w.refuses("assess_position_assessment", fields{"position_id": backend, "id": id},
			slices.Concat([]string{"No position assessment found", "None of 5 position assessments"}, says)...)
	}
	// A missing element in a list does not prove that the object was removed: each is
	// requested by its ID.
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 2)
}

// A service may not list the assessments of a position (assumption A7).
func TestPositionAssessmentsThatAreNotListed(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = 405 })
	attach(t, service)
	w := runOn(t, service)
	for _, id := range []string{"pas-games", "pas-skills", "pas-values"} {
		assertShown(t, service, id, w.reads("assess_position_assessment", fields{"position_id": backend, "id": id}))
	}
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessments, 1)
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 3)
	w.refuses("assess_position_assessments", fields{"position_id": backend},
		"Could not list the position's assessments", `"pos-backend-london"`, "no such list", "data source assess_position_assessment")
}
