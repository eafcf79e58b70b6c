// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestAssessmentDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) { st.Assessment("asm-workbench").Extra = object(t, extra) })
	quartet := attributes{
		"id": text("asm-quartet"), "code": text("QRT"), "name": text("Quartet Games"),
		"extra_json": knownvalue.Null(),
	}
	reads(t, service,
		having("data.assess_assessment.by_id", attributes{
			"id": text("asm-workbench"), "code": text("WBN"), "name": text("Workbench Skills"),
			"extra_json": text(extraShown),
		}),
		having("data.assess_assessment.by_code", quartet),
		having("data.assess_assessment.by_name", quartet),
	)
	assertRoutes(t, service, sandbox.RouteAssessments)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 3) // three data sources share the 3 pages of 13 assessments
}

func TestAssessmentDataSourceFindsNoneOrSeveral(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) { st.Assessment("asm-facet").Name = "Lumen Ability Test" })
	refuses(t, service, "1", map[string][]string{
		"data.assess_assessment.nowhere": {
			"No assessment found", `None of 13 assessments has the id "nowhere"`,
			"asm-quartet.* and 3 more",
		},
		"data.assess_assessment.near": {
			"No assessment found", `None of 13 assessments has the code "qrt"`,
			`Similar: "asm-quartet" \(code "QRT", name "Quartet Games"\)`,
		},
		"data.assess_assessment.several": {
			"Several assessments found",
			`2 assessments have the name "Lumen Ability Test"`, "asm-lumen.*asm-facet", "set id to one of these IDs instead",
		},
	})
	assertRoutes(t, service, sandbox.RouteAssessments)
}

func TestAssessmentsDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) { st.Assessment("asm-quartet").Extra = object(t, extra) })
	all := service.State(t).Assessments
	reads(t, service, having("data.assess_assessments.all", attributes{
		"assessments": listOf(all, func(a sandbox.Assessment) knownvalue.Check {
			return knownvalue.ObjectExact(attributes{
				"id": text(a.ID), "code": text(a.Code), "name": text(a.Name),
				"extra_json": extraJSON(a.ID == "asm-quartet"),
			})
		}),
		"ids": listOf(all, func(a sandbox.Assessment) knownvalue.Check { return text(a.ID) }),
	}))
	assertRoutes(t, service, sandbox.RouteAssessments)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 3)
}
