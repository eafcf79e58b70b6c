// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
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
	step := func(arguments string) resource.TestStep {
		return resource.TestStep{
			Config: service.Config(benchmark(arguments)),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_benchmark", "id", knownvalue.StringExact("bmk-lumen-managers-fr-fr")),
				is("assess_benchmark", "name", knownvalue.StringExact("Managers")),
				is("assess_benchmark", "locale", knownvalue.StringExact("fr-FR")),
			},
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step(`id = "bmk-lumen-managers-fr-fr"`),
			step("name = \"Managers\"\nlocale = \"fr-FR\""),
			fails(service, benchmark(`name = "Managers"`), "Several benchmarks found", "3", "bmk-lumen-managers-de-de",
				"locale"),
			fails(service, benchmark(`name = "Manager"`), "No benchmark found", `"Manager"`, "Managers"),
		},
	})
}
