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

func TestAccPositionAssessmentList_basic(t *testing.T) {
	t.Parallel()
	acctest.SkipOpenTofu(t)
	service := acctest.NewService(t)
	const address = "assess_position_assessment.test" // in checks, without "list."
	graduates := map[string]knownvalue.Check{
		"position_id": acctest.Text("pos-graduates-2026"), "id": acctest.Text("pas-graduates-lumen"),
	}
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Terraform,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				Query: true,
				Config: `list "assess_position_assessment" "test" {
					provider         = assess
					include_resource = true
					config { position_id = "pos-graduates-2026" }
				}`, // the provider block is that of the step before
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength(address, 4),
					querycheck.ExpectIdentity(address, graduates),
					querycheck.ExpectResourceKnownValues(address, queryfilter.ByResourceIdentity(graduates),
						[]querycheck.KnownValueCheck{
							{Path: tfjsonpath.New("assessment_id"), KnownValue: acctest.Text("asm-lumen")},
						}),
				},
			},
		},
	})
}
