// SPDX-License-Identifier: MPL-2.0

package skillstest_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// The list has the enabled tests.
func TestAccSkillsTestActivationList_basic(t *testing.T) {
	t.Parallel()
	acctest.SkipOpenTofu(t)
	service := acctest.NewService(t)
	identity := func(testID string) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{
			"assessment_id": acctest.Text("asm-workbench"), "test_id": acctest.Text(testID),
		}
	}
	const address = "assess_skills_test_activation.test"
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Terraform,
		Steps: []resource.TestStep{
			{Config: service.Config(goTest)},
			{
				Query: true,
				Config: `
					list "assess_skills_test_activation" "test" {
					  provider         = assess
					  include_resource = true
					  config {
					    assessment_id = "asm-workbench"
					  }
					}`, // the provider block is that of the step before
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectNoIdentity(address, identity("skt-rust")), // it is not enabled
					querycheck.ExpectResourceKnownValues(address, queryfilter.ByResourceIdentity(identity("skt-sql")),
						[]querycheck.KnownValueCheck{
							{Path: tfjsonpath.New("title"), KnownValue: acctest.Text("SQL Queries")},
						}),
				},
			},
		},
	})
}
