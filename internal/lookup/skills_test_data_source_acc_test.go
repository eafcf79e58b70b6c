// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccSkillsTestDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	test := func(argument string) string {
		return `data "assess_skills_test" "test" {
			assessment_id = "asm-workbench"
			` + argument + `
		}`
	}
	step := func(argument string) resource.TestStep { // one that is not enabled
		return resource.TestStep{
			Config: service.Config(test(argument)),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_skills_test", "id", knownvalue.StringExact("skt-go")),
				is("assess_skills_test", "title", knownvalue.StringExact("Go Programming")),
				is("assess_skills_test", "category", knownvalue.StringExact("Software")),
				is("assess_skills_test", "time_to_complete", knownvalue.StringExact("40 minutes")),
				is("assess_skills_test", "number_of_questions", knownvalue.Int64Exact(24)),
				is("assess_skills_test", "active", knownvalue.Bool(false)),
			},
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step(`id = "skt-go"`),
			step(`title = "Go Programming"`),
			fails(service, test(`title = "Go Programing"`), "No skills test found", `"Go Programming"`),
			fails(service, `data "assess_skills_test" "test" {
				assessment_id = "asm-lumen"
				id            = "skt-go"
			}`, "No skills test found", "asm-lumen"),
		},
	})
}
