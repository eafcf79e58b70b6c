// SPDX-License-Identifier: MPL-2.0

package skillstest_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

const golang = "assess_skills_test_activation.go"

// goTest is a skills test that is not enabled in the sandbox.
const goTest = `
resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}
`

func TestAccSkillsTestActivation_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckActive("asm-workbench", "skt-go", true), // nothing can disable a test
		Steps: []resource.TestStep{
			{
				Config: service.Config(goTest),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(golang, plancheck.ResourceActionCreate),
						plancheck.ExpectKnownValue(golang, tfjsonpath.New("active"), knownvalue.Bool(true)),
					},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("id"), knownvalue.StringExact("asm-workbench/skt-go")),
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("active"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("title"), knownvalue.StringExact("Go Programming")),
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("description"),
						knownvalue.StringExact("Goroutines, interfaces and errors in everyday code.")),
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("category"), knownvalue.StringExact("Software")),
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("time_to_complete"), knownvalue.StringExact("40 minutes")),
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("number_of_questions"), knownvalue.Int64Exact(24)),
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("self_link"), knownvalue.NotNull()),
				},
				Check: service.CheckWrites(acctest.Enable),
			},
			{
				ResourceName:      golang,
				ImportState:       true,
				ImportStateVerify: true,
				ImportStateId:     "asm-workbench/skt-go",
			},
		},
	})
}

func TestAccSkillsTestActivation_importByIdentity(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Identity,
		Steps: []resource.TestStep{
			{
				Config: service.Config(goTest),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity(golang, map[string]knownvalue.Check{
						"assessment_id": knownvalue.StringExact("asm-workbench"),
						"test_id":       knownvalue.StringExact("skt-go"),
					}),
				},
			},
			{
				ResourceName:    golang,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithResourceIdentity,
			},
		},
	})
}
