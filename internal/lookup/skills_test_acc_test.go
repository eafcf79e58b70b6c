// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestAccSkillsTestDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{ // one that is not enabled
				Config: service.Config(`data "assess_skills_test" "test" {
					assessment_id = "asm-workbench"
					title         = "Go Programming"
				}`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_skills_test", "id", knownvalue.StringExact("skt-go")),
					is("assess_skills_test", "number_of_questions", knownvalue.Int64Exact(24)),
					is("assess_skills_test", "active", knownvalue.Bool(false)),
				},
			},
			fails(service, `data "assess_skills_test" "test" {
				assessment_id = "asm-lumen"
				id            = "skt-go"
			}`, "No skills test found", "asm-lumen"),
		},
	})
}

func TestAccSkillsTestsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
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
	tests := service.State(t).Assessment("asm-workbench").SkillsTests
	enabled := slices.DeleteFunc(slices.Clone(tests), func(test sandbox.SkillsTest) bool { return !test.Active() })
	acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{
		step("", len(tests)), step("active = true", len(enabled)), step("active = false", len(tests)-len(enabled)),
	}})
}
