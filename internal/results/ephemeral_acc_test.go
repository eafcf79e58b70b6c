// SPDX-License-Identifier: MPL-2.0

package results_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// The ephemeral resource has the arguments and results of the data source, also in strict mode.
func TestAccPositionResultsEphemeral_basic(t *testing.T) {
	t.Parallel()
	service := london(t)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Ephemeral,
		Steps: []resource.TestStep{{
			Config: service.Provider(`privacy = "strict"`) + `
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
				acctest.Has("echo.test", "data.candidates", knownvalue.ListSizeExact(1)),
				acctest.Has("echo.test", "data.candidates.0.name", acctest.Text("Ada Byron")),
				acctest.Has("echo.test", "data.candidate_login_urls.inv-ada", link(`/sit/inv-ada$`)),
			},
		}},
	})
}
