// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// list is a query for position assessments. Its address in checks has no "list.".
// The provider block is that of the step before.
func list(config string) string {
	return `
		list "assess_position_assessment" "test" {
		  provider         = assess
		  include_resource = true
		  config {
		    ` + config + `
		  }
		}`
}

func TestAccPositionAssessmentList_basic(t *testing.T) {
	t.Parallel()
	acctest.SkipOpenTofu(t)
	service := acctest.NewService(t)
	const address = "assess_position_assessment.test"
	graduates := func(id string) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{
			"position_id": knownvalue.StringExact("pos-graduates-2026"), "id": knownvalue.StringExact(id),
		}
	}
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Terraform,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				Query:  true,
				Config: list(`position_id = "pos-graduates-2026"`),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength(address, 4),
					querycheck.ExpectIdentity(address, graduates("pas-graduates-lumen")),
					querycheck.ExpectIdentity(address, graduates("pas-graduates-northlight")),
					querycheck.ExpectResourceKnownValues(address,
						queryfilter.ByResourceIdentity(graduates("pas-graduates-lumen")), []querycheck.KnownValueCheck{
							{Path: tfjsonpath.New("assessment_id"), KnownValue: knownvalue.StringExact("asm-lumen")},
							{
								Path:       tfjsonpath.New("benchmark").AtMapKey("id"),
								KnownValue: knownvalue.StringExact("bmk-lumen-graduates-en-gb"),
							},
						}),
				},
			},
		},
	})
}
