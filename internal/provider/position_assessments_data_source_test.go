// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// attach attaches one assessment with each kind of configuration to a position. It
// returns what the data sources should show, by name.
func attach(t *testing.T, service *sandboxtest.Server) map[string]knownvalue.Check {
	t.Helper()
	const position = "pos-backend-london"
	none := knownvalue.Null()
	ids := func(ids ...string) knownvalue.Check {
		return knownvalue.ObjectExact(attributes{"ids": listOf(ids, text)})
	}
	id := func(id string) knownvalue.Check { return knownvalue.ObjectExact(attributes{"id": text(id)}) }
	url := service.URL + "/positions/" + position + "/assessments/"
	shown := func(paID, assessment string, differs attributes) knownvalue.Check {
		all := attributes{
			"position_id": text(position), "id": text(paID), "assessment_id": text(assessment),
			"self_link": text(url + paID),
			"packages":  none, "benchmark": none, "profile": none, "tests": none, "profile_status": none,
			"profile_url": none, "extra_json": none,
		}
		for name, check := range differs {
			all[name] = check
		}
		return knownvalue.ObjectExact(all)
	}
	service.Change(t, func(st *sandbox.State) {
		st.Position(position).Assessments = []sandbox.PositionAssessment{
			{ID: "pas-games", Assessment: "asm-quartet", Metadata: sandbox.Metadata{
				Packages:  []string{"pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"},
				Benchmark: "bmk-quartet-engineers-en-gb",
				Extra:     object(t, `{"weight": 2.50}`),
			}, Extra: object(t, `{"owner": "北"}`)},
			{
				ID: "pas-values", Assessment: "asm-northlight",
				Metadata: sandbox.Metadata{Profile: "prf-customer-first", ProfileStatus: sandbox.ProfileAttached},
			},
			{
				ID: "pas-supervised", Assessment: "asm-terrain",
				Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted},
			},
			{
				ID: "pas-skills", Assessment: "asm-workbench",
				Metadata: sandbox.Metadata{Tests: []string{"skt-sql", "skt-bookkeeping"}},
			},
			{ID: "pas-bare", Assessment: "asm-facet"},
			{
				ID: "pas-ability", Assessment: "asm-lumen",
				Metadata: sandbox.Metadata{Benchmark: "bmk-lumen-engineers-en-gb"},
			},
		}
	})
	return map[string]knownvalue.Check{
		"games": shown("pas-games", "asm-quartet", attributes{
			"packages":   ids("pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"),
			"benchmark":  id("bmk-quartet-engineers-en-gb"),
			"extra_json": text(`{"metadata":{"weight":2.50},"owner":"北"}`),
		}),
		"values": shown("pas-values", "asm-northlight", attributes{
			"profile": id("prf-customer-first"), "profile_status": text(sandbox.ProfileAttached),
			"profile_url": knownvalue.NotNull(),
		}),
		"supervised": shown("pas-supervised", "asm-terrain", attributes{
			"profile_status": text(sandbox.SupervisorCompleted), "profile_url": knownvalue.NotNull(),
		}),
		"skills":  shown("pas-skills", "asm-workbench", attributes{"tests": ids("skt-sql", "skt-bookkeeping")}),
		"bare":    shown("pas-bare", "asm-facet", nil),
		"ability": shown("pas-ability", "asm-lumen", attributes{"benchmark": id("bmk-lumen-engineers-en-gb")}),
	}
}

func TestPositionAssessmentDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	var checks []statecheck.StateCheck
	for name, shown := range attach(t, service) {
		address := `data.assess_position_assessment.` + name
		checks = append(checks, whole(address, shown),
			statecheck.ExpectSensitiveValue(address, tfjsonpath.New("profile_url")),
			statecheck.ExpectSensitiveValue(address, tfjsonpath.New("extra_json")))
	}
	reads(t, service, checks...)
	assertRoutes(t, service, sandbox.RoutePositionAssessments)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 2) // two pages of six position assessments
}

func TestPositionAssessmentDataSourceFindsNone(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	attach(t, service)
	refuses(t, service, "1", map[string][]string{
		"data.assess_position_assessment.nowhere": {
			"No position assessment found",
			`None of 6 position assessments has the id "nowhere"`, `Available: .*"pas-games" \(assessment "asm-quartet"`,
		},
		"data.assess_position_assessment.near": {
			"No position assessment found", `has the id "PAS-Values"`,
			`Similar: "pas-values" \(assessment "asm-northlight"`,
		},
	})
	// A missing element in a list does not prove that the object was removed: each is
	// requested by its ID.
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 2)
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessments, 2)
}

func TestPositionAssessmentsDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	shown := attach(t, service)
	reads(t, service,
		having("data.assess_position_assessments.all", attributes{
			"assessments": list(shown["games"], shown["values"], shown["supervised"], shown["skills"], shown["bare"],
				shown["ability"]),
			"ids": list(text("pas-games"), text("pas-values"), text("pas-supervised"), text("pas-skills"),
				text("pas-bare"), text("pas-ability")),
		}),
		having("data.assess_position_assessments.empty", attributes{"assessments": list(), "ids": list()}),
		statecheck.ExpectSensitiveValue("data.assess_position_assessments.all",
			tfjsonpath.New("assessments").AtSliceIndex(1).AtMapKey("profile_url")),
		statecheck.ExpectSensitiveValue("data.assess_position_assessments.all",
			tfjsonpath.New("assessments").AtSliceIndex(0).AtMapKey("extra_json")),
	)
	assertRoutes(t, service, sandbox.RoutePositionAssessments)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 3)
}

// Services that do not return packages, benchmark and tests (assumption A22), or do not
// list the assessments of a position (A7).
func TestPositionAssessmentsOfAnotherService(t *testing.T) {
	t.Parallel()
	t.Run("hidden", func(t *testing.T) {
		t.Parallel()
		service := unlimited(t, func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute })
		attach(t, service)
		hidden := attributes{"packages": knownvalue.Null(), "benchmark": knownvalue.Null(), "tests": knownvalue.Null()}
		reads(t, service,
			having("data.assess_position_assessment.games", hidden),
			having("data.assess_position_assessment.skills", hidden),
			having("data.assess_position_assessment.values",
				attributes{"profile": knownvalue.NotNull(), "profile_status": text(sandbox.ProfileAttached)}),
		)
	})
	t.Run("unlisted", func(t *testing.T) {
		t.Parallel()
		service := unlimited(t, func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = 405 })
		shown := attach(t, service)
		reads(t, service,
			whole("data.assess_position_assessment.games", shown["games"]),
			whole("data.assess_position_assessment.skills", shown["skills"]),
			whole("data.assess_position_assessment.values", shown["values"]),
		)
		requestsOfPlan(t, service, "1")
		service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessments, 1)
		service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 3)
		refuses(t, service, "list", map[string][]string{
			"data.assess_position_assessments.all": {
				"Could not list the position's assessments",
				`"pos-backend-london"`, "no such list", "data source assess_position_assessment",
			},
		})
	})
}
