// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestAccAssessmentDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			fails(service, `data "assess_assessment" "test" { name = "Lumen Ability Tset" }`,
				"No assessment found", "Lumen Ability Tset", `"Lumen Ability Test"`),
			fails(service, `data "assess_assessment" "test" {}`, "id", "code", "name"),
			fails(service, `data "assess_assessment" "test" {
				id   = "asm-lumen"
				code = "LMN"
			}`, "id", "code"),
			{
				Config: service.Config(`data "assess_assessment" "test" { code = "LMN" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_assessment", "id", knownvalue.StringExact("asm-lumen")),
					is("assess_assessment", "name", knownvalue.StringExact("Lumen Ability Test")),
				},
			},
		},
	})
}

// Where lists show no names, a lookup by name is an error, and never "none".
func TestAccAssessmentDataSource_bareLists(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.BareLists)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:            service.Config(`data "assess_assessment" "test" { id = "asm-lumen" }`),
				ConfigStateChecks: []statecheck.StateCheck{is("assess_assessment", "name", knownvalue.Null())},
			},
			fails(service, `data "assess_assessment" "test" { name = "Lumen Ability Test" }`, "name", "id"),
		},
	})
}

// A map omits what occurs more than once. Members that are not modeled are in extra_json.
func TestAccAssessmentsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t) // its pages have five elements
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-lumen").Code = "QRT"
		st.Assessment("asm-facet").Extra.Set("minutes", 30)
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_assessments" "test" {}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_assessments", "ids", knownvalue.ListSizeExact(13)),
				is("assess_assessments", "assessments", knownvalue.ListPartial(map[int]knownvalue.Check{ // in the service's order
					12: knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": knownvalue.StringExact("asm-facet"), "code": knownvalue.StringExact("FCT"),
						"name":       knownvalue.StringExact("Facet Behavioural Profile"),
						"extra_json": knownvalue.StringExact(`{"minutes":30}`),
					}),
				})),
				is("assess_assessments", "ids_by_code", knownvalue.MapSizeExact(11)),
			},
		}},
	})
}
