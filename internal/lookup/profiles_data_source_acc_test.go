// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

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
				statecheck.ExpectKnownValue("data.assess_profiles.test", tfjsonpath.New("profiles").AtSliceIndex(2),
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": knownvalue.StringExact("prf-field-service"), "name": knownvalue.StringExact("Field service"),
						"extra_json": knownvalue.Null(),
					})),
			},
		}},
	})
}

// A service may not have this list (A9).
func TestAccProfilesDataSource_notOffered(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteProfiles, Status: http.StatusMethodNotAllowed, Times: -1})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			fails(service, `data "assess_profiles" "test" { assessment_id = "asm-terrain" }`, "405", "profiles"),
		},
	})
}
