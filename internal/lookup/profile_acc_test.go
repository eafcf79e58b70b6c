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
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_profile" "test" {
				assessment_id = "asm-northlight"
				name          = "Curious builders"
			}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_profile", "id", knownvalue.StringExact("prf-curious-builders")),
			},
		}},
	})
}

func TestAccProfilesDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_profiles" "test" { assessment_id = "asm-terrain" }`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_profiles", "ids", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.StringExact("prf-desk-and-screen"), knownvalue.StringExact("prf-shift-work"),
					knownvalue.StringExact("prf-field-service"),
				})),
				is("assess_profiles", "ids_by_name", knownvalue.MapPartial(map[string]knownvalue.Check{
					"Shift work, indoors": knownvalue.StringExact("prf-shift-work"),
				})),
			},
		}},
	})
}
