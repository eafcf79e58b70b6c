// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// The link works in strict mode, because no plan and no state has it.
func TestAccProfileLinkEphemeral_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	config := func(name, id string) string {
		return `
			ephemeral "assess_profile_link" "test" {
			  position_id = "pos-graduates-2026"
			  id          = "` + id + `"
			}
			provider "echo" {
			  data = ephemeral.assess_profile_link.test
			}
			resource "echo" "` + name + `" {}`
	}
	strict := service.Provider(`privacy = "strict"`)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Ephemeral,
		Steps: []resource.TestStep{
			{
				Config: strict + config("test", "pas-graduates-northlight"),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has("echo.test", "data.url", knownvalue.StringRegexp(
						regexp.MustCompile(`^http://.*/profile/pos-graduates-2026/pas-graduates-northlight$`))),
					acctest.Has("echo.test", "data.status", acctest.Text("PROFILE_ATTACHED")),
				},
			},
			{ // one without a profile
				Config:            strict + config("none", "pas-graduates-lumen"),
				ConfigStateChecks: []statecheck.StateCheck{acctest.Has("echo.none", "data.url", knownvalue.Null())},
			},
		},
	})
}
