// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccSkillsTestsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	enabled, disabled := 0, 0
	for _, test := range service.State(t).Assessment("asm-workbench").SkillsTests {
		if test.Active() {
			enabled++
		} else {
			disabled++
		}
	}
	step := func(argument string, size int) resource.TestStep {
		return resource.TestStep{
			Config: service.Config(`data "assess_skills_tests" "test" {
				assessment_id = "asm-workbench"
				` + argument + `
			}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_skills_tests", "tests", knownvalue.ListSizeExact(size)),
				is("assess_skills_tests", "ids", knownvalue.ListSizeExact(size)),
			},
		}
	}
	all := step("", enabled+disabled)
	all.ConfigStateChecks = append(all.ConfigStateChecks,
		is("assess_skills_tests", "ids_by_title", knownvalue.MapPartial(map[string]knownvalue.Check{
			"Go Programming": knownvalue.StringExact("skt-go"), "SQL Queries": knownvalue.StringExact("skt-sql"),
		})),
		is("assess_skills_tests", "tests", knownvalue.ListPartial(map[int]knownvalue.Check{
			0: knownvalue.ObjectExact(map[string]knownvalue.Check{
				"id": knownvalue.StringExact("skt-bookkeeping"), "title": knownvalue.StringExact("Bookkeeping Basics"),
				"description":         knownvalue.StringExact("Journal entries, ledgers and month-end closing."),
				"category":            knownvalue.StringExact("Finance"),
				"time_to_complete":    knownvalue.StringExact("25 minutes"),
				"number_of_questions": knownvalue.Int64Exact(30),
				"active":              knownvalue.Bool(true), "extra_json": knownvalue.Null(),
			}),
		})))
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{all, step("active = true", enabled), step("active = false", disabled)},
	})
}
