// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestAccPositionDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			fails(service, `data "assess_position" "test" { title = "Backend Enginer, London" }`,
				"No position found", "Backend Enginer, London", `"Backend Engineer, London"`),
			fails(service, `data "assess_position" "test" { title = "Łódź" }`, "Latin1", "title"),
			{
				Config: service.Config(`data "assess_position" "test" { title = "Fachkraft für Lagerlogistik, Leipzig" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_position", "id", knownvalue.StringExact("pos-lager-leipzig")),
					is("assess_position", "locale", knownvalue.StringExact("de-DE")),
				},
			},
		},
	})
}

func TestAccPositionsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(`data "assess_positions" "test" {}`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_positions", "ids", knownvalue.ListSizeExact(8)),
					is("assess_positions", "ids_by_title", knownvalue.MapPartial(map[string]knownvalue.Check{
						"Chargé de clientèle, Lyon": knownvalue.StringExact("pos-clientele-lyon"),
					})),
					is("assess_positions", "positions", knownvalue.ListPartial(map[int]knownvalue.Check{
						0: knownvalue.ObjectExact(map[string]knownvalue.Check{
							"id": knownvalue.StringExact("pos-backend-london"), "extra_json": knownvalue.Null(),
							"title": knownvalue.StringExact("Backend Engineer, London"), "locale": knownvalue.StringExact("en-GB"),
						}),
					})),
				},
			},
			{
				Config: service.Config(`data "assess_positions" "test" { title = "Chargé de clientèle, Lyon" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_positions", "ids", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("pos-clientele-lyon"),
					})),
				},
			},
		},
	})
}

// The title compares exactly, also if the service ignores the filter.
func TestAccPositionsDataSource_filterIgnored(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RoutePositions, When: sandboxtest.AfterEffect, Times: -1, Header: http.Header{"Link": nil},
		Body: []byte(`[{"id":"a","title":"Other"},{"id":"b","title":"ENGINEER"},{"id":"c","title":"Engineer"}]`),
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_positions" "test" { title = "Engineer" }`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_positions", "ids", knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("c")})),
			},
		}},
	})
}
