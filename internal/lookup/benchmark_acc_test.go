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

func TestAccBenchmarkDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	benchmark := func(arguments string) string {
		return `data "assess_benchmark" "test" {
			assessment_id = "asm-lumen"
			` + arguments + `
		}`
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(benchmark("name = \"Managers\"\nlocale = \"fr-FR\"")),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_benchmark", "id", knownvalue.StringExact("bmk-lumen-managers-fr-fr")),
					is("assess_benchmark", "locale", knownvalue.StringExact("fr-FR")),
				},
			},
			fails(service, benchmark(`name = "Managers"`), "Several benchmarks found", "bmk-lumen-managers-de-de", "locale"),
		},
	})
}

func TestAccBenchmarksDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{ // three groups in three locales: each name occurs three times
				Config: service.Config(`data "assess_benchmarks" "test" { assessment_id = "asm-lumen" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_benchmarks", "benchmarks", knownvalue.ListSizeExact(9)),
					is("assess_benchmarks", "ids_by_name", knownvalue.MapSizeExact(0)),
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
		},
	})
}

// A service may not have this list (A8). Then a plan does not check benchmarks.
func TestAccBenchmarksDataSource_notOffered(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Status: http.StatusNotImplemented, Times: -1})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			fails(service, `data "assess_benchmarks" "test" { assessment_id = "asm-lumen" }`, "501", "benchmarks"),
			{
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
