// SPDX-License-Identifier: MPL-2.0

package results_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// The ephemeral resource has the arguments and results of the data source, also in strict mode.
func TestAccPositionResultsEphemeral_basic(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{"standard": "", "strict": `privacy = "strict"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := london(t)
			at := func(path tfjsonpath.Path, want knownvalue.Check) statecheck.StateCheck {
				return statecheck.ExpectKnownValue("echo.test", path, want)
			}
			acctest.Test(t, resource.TestCase{
				TerraformVersionChecks: acctest.Ephemeral,
				Steps: []resource.TestStep{{
					Config: service.Provider(settings) + `
						ephemeral "assess_position_results" "test" {
						  position_id    = "pos-backend-london"
						  candidate_ids  = ["cnd-ada"]
						  assessment_ids = ["asm-lumen"]
						}
						provider "echo" {
						  data = ephemeral.assess_position_results.test
						}
						resource "echo" "test" {}`,
					ConfigStateChecks: []statecheck.StateCheck{
						at(tfjsonpath.New("data").AtMapKey("candidates"), knownvalue.ListSizeExact(1)),
						at(tfjsonpath.New("data").AtMapKey("candidates").AtSliceIndex(0).AtMapKey("name"), text("Ada Byron")),
						at(tfjsonpath.New("data").AtMapKey("candidate_login_urls").AtMapKey("inv-ada"), link(`/sit/inv-ada$`)),
					},
				}},
			})
		})
	}
}
