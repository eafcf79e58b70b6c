// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccAssessmentOptionsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	const data = "assess_assessment_options"
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_assessment_options" "test" {
				assessment_id = "asm-quartet"
				locale        = "en-GB"
			}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is(data, "blocks", knownvalue.SetExact([]knownvalue.Check{ // in any order
					knownvalue.StringExact("packages"), knownvalue.StringExact("benchmark"),
				})),
				is(data, "required_blocks", knownvalue.SetSizeExact(1)),
				is(data, "packages", knownvalue.MapSizeExact(4)),
				is(data, "benchmarks", knownvalue.MapExact(map[string]knownvalue.Check{
					"Graduates": knownvalue.StringExact("bmk-quartet-graduates-en-gb"),
					"Engineers": knownvalue.StringExact("bmk-quartet-engineers-en-gb"),
				})),
				is(data, "ambiguous_names", knownvalue.SetSizeExact(0)),
			},
		}},
	})
}
