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

func TestAccPositionsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(`data "assess_positions" "test" {}`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_positions", "positions", knownvalue.ListSizeExact(8)),
					is("assess_positions", "ids", knownvalue.ListSizeExact(8)),
					is("assess_positions", "ids_by_title", knownvalue.MapPartial(map[string]knownvalue.Check{
						"Chargé de clientèle, Lyon": knownvalue.StringExact("pos-clientele-lyon"),
					})),
					statecheck.ExpectKnownValue("data.assess_positions.test", tfjsonpath.New("positions").AtSliceIndex(0),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"id":         knownvalue.StringExact("pos-backend-london"),
							"title":      knownvalue.StringExact("Backend Engineer, London"),
							"locale":     knownvalue.StringExact("en-GB"),
							"extra_json": knownvalue.Null(),
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
			{
				Config: service.Config(`data "assess_positions" "test" { title = "Nobody" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_positions", "ids", knownvalue.ListSizeExact(0)),
				},
			},
		},
	})
}

// A title that occurs twice is in no map.
func TestAccPositionsDataSource_ambiguous(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) { st.Positions[1].Title = st.Positions[0].Title })
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_positions" "test" {}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_positions", "ids", knownvalue.ListSizeExact(8)),
				is("assess_positions", "ids_by_title", knownvalue.MapSizeExact(6)),
			},
		}},
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
