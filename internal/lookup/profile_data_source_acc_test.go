// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccProfileDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	profile := func(argument string) string {
		return `data "assess_profile" "test" {
			assessment_id = "asm-northlight"
			` + argument + `
		}`
	}
	step := func(argument string) resource.TestStep {
		return resource.TestStep{
			Config: service.Config(profile(argument)),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_profile", "id", knownvalue.StringExact("prf-curious-builders")),
				is("assess_profile", "name", knownvalue.StringExact("Curious builders")),
			},
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step(`id = "prf-curious-builders"`),
			step(`name = "Curious builders"`),
			fails(service, profile(`name = "Curious builder"`), "No profile found", `"Curious builders"`),
		},
	})
}
