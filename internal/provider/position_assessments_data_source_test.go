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

// attachedShown are the attributes that the data sources show for each position
// assessment of attachedState, by its position and ID. All others are null.
var attachedShown = map[string]map[string]fields{
	backend: {
		"pas-games": {
			"assessment_id": "asm-quartet", "benchmark": fields{"id": "bmk-quartet-engineers-en-gb"},
			"packages":   fields{"ids": []string{"pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"}},
			"extra_json": `{"metadata":{"weight":2.50},"owner":"北"}`,
		},
		"pas-skills": {"assessment_id": "asm-workbench", "tests": fields{"ids": []string{"skt-sql", "skt-python"}}},
		"pas-open":   {"assessment_id": "asm-terrain", "profile_status": sandbox.SupervisorToComplete},
	},
	"pos-donnees-paris": {
		"pas-done": {
			"assessment_id": "asm-northlight", "profile": fields{"id": "prf-customer-first"},
			"profile_status": sandbox.ProfileAttached,
		},
		"pas-plain": {"assessment_id": "asm-facet"},
	},
}

// assertShown fails if a position assessment is not shown as in attachedShown. Its
// profile_url is an address if it has a profile_status.
func assertShown(t *testing.T, service *sandboxtest.Server, position, id string, got fields) {
	t.Helper()
	want := fields{
		"position_id": position, "id": id,
		"self_link": service.URL + "/positions/" + position + "/assessments/" + id,
	}
	for _, name := range []string{"packages", "benchmark", "profile", "tests", "profile_status", "extra_json"} {
		want[name] = nil
	}
	maps.Copy(want, attachedShown[position][id])
	if url := got["profile_url"]; (url != nil) != (want["profile_status"] != nil) {
		t.Errorf("%s has the profile_url %v", id, url)
	}
	got = maps.Clone(got)
	delete(got, "profile_url")
	sameJSON(t, id, got, jsonOf(t, want))
}

func TestPositionAssessmentDataSources(t *testing.T) {
	t.Parallel()
	service := unlimited(t, withAttachedState(2))
	w := runOn(t, service)
	for position, ids := range map[string]string{
		backend: `["pas-games", "pas-skills", "pas-open"]`, "pos-donnees-paris": `["pas-done", "pas-plain"]`,
	} {
		listed := w.reads("assess_position_assessments", fields{"position_id": position})
		sameJSON(t, "ids", listed["ids"], ids)
		all, _ := listed["assessments"].([]any)
		for _, one := range all {
			shown, _ := one.(fields)
			id := fmt.Sprint(shown["id"])
			assertShown(t, service, position, id, shown)
			assertShown(t, service, position, id, w.reads("assess_position_assessment", fields{"position_id": position, "id": id}))
		}
	}
	assertRoutes(t, service, sandbox.RoutePositionAssessments)
	service.AssertCount(t, "", "", 3) // two pages of three position assessments, and one of two
	empty := w.reads("assess_position_assessments", fields{"position_id": "pos-support-leeds"})
	sameJSON(t, "an empty position", []any{empty["ids"], empty["assessments"]}, "[[], []]")

	service.ResetJournal()
	for id, says := range map[string][]string{
		"nowhere":   {`has the id "nowhere"`, `Available: .*"pas-games" of assessment "asm-quartet"`},
		"PAS-Games": {`has the id "PAS-Games"`, `Similar: "pas-games" of assessment "asm-quartet"`},
	} {
		w.refuses("assess_position_assessment", fields{"position_id": backend, "id": id},
			slices.Concat([]string{"No position assessment found", "None of 3 position assessments"}, says)...)
	}
	// A missing element in a list does not prove that the object was removed: each is
	// requested by its ID.
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 2)
}

// A service may not list the assessments of a position (assumption A7).
func TestPositionAssessmentsThatAreNotListed(t *testing.T) {
	t.Parallel()
	service := unlimited(t, withAttachedState(2), func(o *sandboxtest.Options) {
		o.Assumptions.PositionAssessmentList = http.StatusMethodNotAllowed
	})
	w := runOn(t, service)
	for id := range attachedShown[backend] {
		assertShown(t, service, backend, id, w.reads("assess_position_assessment", fields{"position_id": backend, "id": id}))
	}
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessments, 1)
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 3)
	w.refuses("assess_position_assessments", fields{"position_id": backend},
		"Could not list the position's assessments", `"pos-backend-london"`, "no such list", "data source assess_position_assessment")
}
