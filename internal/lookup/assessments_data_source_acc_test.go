// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestAccAssessmentsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t) // its pages have five elements
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_assessments" "test" {}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_assessments", "assessments", knownvalue.ListSizeExact(13)),
				is("assess_assessments", "ids", knownvalue.ListSizeExact(13)),
				// the order of the service
				statecheck.ExpectKnownValue("data.assess_assessments.test", tfjsonpath.New("assessments").AtSliceIndex(12),
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": knownvalue.StringExact("asm-facet"), "code": knownvalue.StringExact("FCT"),
						"name": knownvalue.StringExact("Facet Behavioural Profile"), "extra_json": knownvalue.Null(),
					})),
				statecheck.ExpectKnownValue("data.assess_assessments.test", tfjsonpath.New("ids").AtSliceIndex(0),
					knownvalue.StringExact("asm-quartet")),
				is("assess_assessments", "ids_by_code", knownvalue.MapPartial(map[string]knownvalue.Check{
					"QRT": knownvalue.StringExact("asm-quartet"), "FCT": knownvalue.StringExact("asm-facet"),
				})),
			},
		}},
	})
}

// A map omits what occurs more than once. Members that are not modeled are in extra_json.
func TestAccAssessmentsDataSource_ambiguous(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) {
		lumen := st.Assessment("asm-lumen")
		lumen.Code = "QRT"
		lumen.Extra.Set("minutes", 30)
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_assessments" "test" {}
				output "minutes" { value = jsondecode(data.assess_assessments.test.assessments[1].extra_json) }`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_assessments", "assessments", knownvalue.ListSizeExact(13)),
				is("assess_assessments", "ids_by_code", knownvalue.MapSizeExact(11)),
				statecheck.ExpectKnownOutputValue("minutes", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"minutes": knownvalue.Int64Exact(30),
				})),
			},
		}},
	})
}
