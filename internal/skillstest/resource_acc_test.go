// SPDX-License-Identifier: MPL-2.0

package skillstest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const golang = "assess_skills_test_activation.go"

// goTest is a skills test that is not enabled in the sandbox.
var goTest = activation("skt-go")

func activation(testID string) string {
	return fmt.Sprintf(`
resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = %q
}
`, testID)
}

// remove removes a skills test from the service.
func remove(t *testing.T, service *acctest.Service, testID string) {
	t.Helper()
	service.Change(t, func(st *sandbox.State) {
		a := st.Assessment("asm-workbench")
		a.SkillsTests = slices.DeleteFunc(a.SkillsTests, func(test sandbox.SkillsTest) bool { return test.ID() == testID })
	})
}

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
			{Config: service.Config(goTest)},
			{ResourceName: golang, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}

// A test that is enabled already gets no PUT.
func TestAccSkillsTestActivation_alreadyEnabled(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckWrites(), // nothing can disable a test
		Steps: []resource.TestStep{{
			Config: service.Config(activation("skt-sql")),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(golang, tfjsonpath.New("title"), knownvalue.StringExact("SQL Queries")),
			},
			Check: service.CheckWrites(),
		}},
	})
}

// A test that somebody has disabled is planned to be enabled again, in place.
func TestAccSkillsTestActivation_disabledOutside(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(activation("skt-sql"))},
			{
				PreConfig: func() { service.SetActive("asm-workbench", "skt-sql", false) },
				Config:    service.Config(activation("skt-sql")),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(golang, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(golang, tfjsonpath.New("active"), knownvalue.Bool(true)),
				},
				Check: resource.ComposeTestCheckFunc(
					service.CheckWrites(acctest.Enable), service.CheckActive("asm-workbench", "skt-sql", true)),
			},
		},
	})
}

// Another test or assessment replaces.
func TestAccSkillsTestActivation_replaced(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(activation("skt-go"))},
			{
				Config: service.Config(activation("skt-rust")),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(golang, plancheck.ResourceActionDestroyBeforeCreate),
				}},
				Check: resource.ComposeTestCheckFunc(service.CheckWrites(acctest.Enable, acctest.Enable),
					service.CheckActive("asm-workbench", "skt-go", true), service.CheckActive("asm-workbench", "skt-rust", true)),
			},
		},
	})
}

// Destroying sends nothing, so it works in read-only mode, too. Enabling does not.
func TestAccSkillsTestActivation_readOnly(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	readOnly := service.Provider("read_only = true")
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: readOnly + goTest, ExpectError: acctest.Error("read_only")},
			service.Then(service.CheckWrites(), service.CheckActive("asm-workbench", "skt-go", false)),
			{Config: service.Config(goTest)},
			{
				Config: readOnly,
				Check: resource.ComposeTestCheckFunc(
					service.CheckWrites(acctest.Enable), service.CheckActive("asm-workbench", "skt-go", true)),
			},
		},
	})
}

// A test that no list shows any more is gone.
func TestAccSkillsTestActivation_disappears(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(goTest)},
			{
				PreConfig: func() { remove(t, service, "skt-go") },
				Config:    service.Config(goTest),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(golang, plancheck.ResourceActionCreate),
				}},
				ExpectError: acctest.Error("skt-go"), // there is nothing to enable
			},
			service.Then(service.CheckWrites(acctest.Enable)),
		},
	})
}

func TestAccSkillsTestActivation_unknown(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(activation("skt-pyton")), ExpectError: acctest.Error("skt-pyton", "skt-python")},
			{
				Config: service.Config(`
					resource "assess_skills_test_activation" "go" {
					  assessment_id = "asm-facet"
					  test_id       = "skt-go"
					}`),
				ExpectError: acctest.Error("asm-facet", "skt-go"),
			},
			service.Then(service.CheckWrites()),
		},
	})
}

// If the lists do not show every member that they show for other tests, nothing is sent.
func TestAccSkillsTestActivation_incomplete(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) { st.Assessment("asm-workbench").SkillsTest("skt-go").Delete("category") })
	bare := acctest.NewService(t, acctest.BareLists)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(goTest), ExpectError: acctest.Error("category", "skt-go")},
			service.Then(service.CheckWrites()),
			{Config: bare.Config(goTest), ExpectError: acctest.Error("skt-go")},
			bare.Then(bare.CheckWrites()),
		},
	})
}

func TestAccSkillsTestActivation_importInvalid(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	step := func(id string, says ...string) resource.TestStep {
		return resource.TestStep{
			Config: service.Config(fmt.Sprintf(`
				import {
				  to = assess_skills_test_activation.go
				  id = %q
				}`, id) + goTest),
			ExpectError: acctest.Error(says...),
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step("skt-go", "Invalid import ID", "skt-go", "ASSESSMENT"),
			step("asm-workbench/skt-moon", "skt-moon"),
		},
	})
}
