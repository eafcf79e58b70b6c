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

func TestAccBenchmarksDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{ // three groups in three locales: each name occurs three times
				Config: service.Config(`data "assess_benchmarks" "test" { assessment_id = "asm-lumen" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_benchmarks", "ids", knownvalue.ListSizeExact(9)),
					is("assess_benchmarks", "ids_by_name", knownvalue.MapSizeExact(0)),
					statecheck.ExpectKnownValue("data.assess_benchmarks.test", tfjsonpath.New("benchmarks").AtSliceIndex(1),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"id":   knownvalue.StringExact("bmk-lumen-graduates-de-de"),
							"name": knownvalue.StringExact("Graduates"), "locale": knownvalue.StringExact("de-DE"),
							"extra_json": knownvalue.Null(),
						})),
				},
			},
			{ // regardless of the spelling of the locale
				Config: service.Config(`data "assess_benchmarks" "test" {
					assessment_id = "asm-lumen"
					locale        = "de_de"
				}`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_benchmarks", "ids_by_name", knownvalue.MapExact(map[string]knownvalue.Check{
						"Graduates": knownvalue.StringExact("bmk-lumen-graduates-de-de"),
						"Engineers": knownvalue.StringExact("bmk-lumen-engineers-de-de"),
						"Managers":  knownvalue.StringExact("bmk-lumen-managers-de-de"),
					})),
				},
			},
			{
				Config: service.Config(`data "assess_benchmarks" "test" { assessment_id = "asm-facet" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_benchmarks", "ids", knownvalue.ListSizeExact(0)),
				},
			},
		},
	})
}

// A service may not have this list (A8).
func TestAccBenchmarksDataSource_notOffered(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Status: http.StatusNotImplemented, Times: -1})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			fails(service, `data "assess_benchmarks" "test" { assessment_id = "asm-lumen" }`, "501", "benchmarks"),
			{ // and then nothing is checked
				Config: service.Config(`
					resource "assess_position_assessment" "lumen" {
					  position_id   = "pos-backend-london"
					  assessment_id = "asm-lumen"
					  benchmark { id = "bmk-lumen-engineers-en-gb" }
					}`),
			},
		},
	})
}
