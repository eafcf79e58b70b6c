// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccAssessmentOptionsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	texts := func(all ...string) knownvalue.Check {
		checks := []knownvalue.Check{}
		for _, text := range all {
			checks = append(checks, knownvalue.StringExact(text))
		}
		return knownvalue.ListExact(checks)
	}
	options := func(arguments string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{
			Config:            service.Config(`data "assess_assessment_options" "test" {` + "\n" + arguments + "\n}"),
			ConfigStateChecks: checks,
		}
	}
	const data = "assess_assessment_options"
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			options("assessment_id = \"asm-quartet\"\nlocale = \"en-GB\"",
				is(data, "blocks", knownvalue.SetExact([]knownvalue.Check{ // in any order
					knownvalue.StringExact("packages"), knownvalue.StringExact("benchmark"),
				})),
				is(data, "required_blocks", texts("packages")),
				is(data, "packages", knownvalue.MapSizeExact(4)),
				is(data, "mandatory_package_ids", texts("pkg-problem-solving", "pkg-numerical-reasoning")),
				is(data, "benchmarks", knownvalue.MapExact(map[string]knownvalue.Check{
					"Graduates": knownvalue.StringExact("bmk-quartet-graduates-en-gb"),
					"Engineers": knownvalue.StringExact("bmk-quartet-engineers-en-gb"),
				})),
				is(data, "profiles", knownvalue.MapSizeExact(0)),
				is(data, "skills_tests", knownvalue.MapSizeExact(0)),
				is(data, "ambiguous_names", knownvalue.ListSizeExact(0)),
			),
			// without a locale, each name is that of three benchmarks
			options(`assessment_id = "asm-quartet"`,
				is(data, "benchmarks", knownvalue.MapSizeExact(0)), is(data, "ambiguous_names", texts("Engineers", "Graduates"))),
			options(`assessment_id = "asm-northlight"`,
				is(data, "blocks", texts("profile")), is(data, "required_blocks", knownvalue.ListSizeExact(0)),
				is(data, "profiles", knownvalue.MapPartial(map[string]knownvalue.Check{
					"Curious builders": knownvalue.StringExact("prf-curious-builders"),
				}))),
			options(`assessment_id = "asm-workbench"`,
				is(data, "blocks", texts("tests")), is(data, "required_blocks", texts("tests")),
				is(data, "skills_tests", knownvalue.MapPartial(map[string]knownvalue.Check{
					"SQL Queries": knownvalue.StringExact("skt-sql"),
				})),
				is(data, "disabled_skills_tests", knownvalue.MapPartial(map[string]knownvalue.Check{
					"Go Programming": knownvalue.StringExact("skt-go"),
				}))),
			options(`assessment_id = "asm-facet"`, is(data, "blocks", knownvalue.ListSizeExact(0))),
		},
	})
}
