// SPDX-License-Identifier: MPL-2.0

package skillstest_test

import (
	"fmt"
	"strings"
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

func TestAccSkillsTestActivation_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckActive("asm-workbench", "skt-go", true), // nothing can disable a test
		Steps: []resource.TestStep{
			{
				Config: service.Config(goTest),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionCreate, golang,
					plancheck.ExpectKnownValue(golang, tfjsonpath.New("active"), knownvalue.Bool(true))),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(golang, "id", acctest.Text("asm-workbench/skt-go")),
					acctest.Has(golang, "active", knownvalue.Bool(true)),
					acctest.Has(golang, "title", acctest.Text("Go Programming")),
					acctest.Has(golang, "description", acctest.Text("Goroutines, interfaces and errors in everyday code.")),
					acctest.Has(golang, "category", acctest.Text("Software")),
					acctest.Has(golang, "time_to_complete", acctest.Text("40 minutes")),
					acctest.Has(golang, "number_of_questions", knownvalue.Int64Exact(24)),
					acctest.Has(golang, "self_link", knownvalue.NotNull()),
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
			Config:            service.Config(activation("skt-sql")),
			ConfigStateChecks: []statecheck.StateCheck{acctest.Has(golang, "title", acctest.Text("SQL Queries"))},
			Check:             service.CheckWrites(),
		}},
	})
}

// A test that somebody has disabled is planned to be enabled again, in place. Another test replaces.
func TestAccSkillsTestActivation_disabledOutside(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(activation("skt-sql"))},
			{
				PreConfig:         func() { service.SetActive("asm-workbench", "skt-sql", false) },
				Config:            service.Config(activation("skt-sql")),
				ConfigPlanChecks:  acctest.Plans(plancheck.ResourceActionUpdate, golang),
				ConfigStateChecks: []statecheck.StateCheck{acctest.Has(golang, "active", knownvalue.Bool(true))},
				Check: resource.ComposeTestCheckFunc(
					service.CheckWrites(acctest.Enable), service.CheckActive("asm-workbench", "skt-sql", true)),
			},
			{
				Config:           service.Config(goTest),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionDestroyBeforeCreate, golang),
				Check:            service.CheckActive("asm-workbench", "skt-sql", true),
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

// If the lists do not show every member that they show for other tests, nothing is sent.
func TestAccSkillsTestActivation_incomplete(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) { st.Assessment("asm-workbench").SkillsTest("skt-go").Delete("category") })
	bare := acctest.NewService(t, acctest.BareLists)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(goTest), ExpectError: acctest.Error("skt-go", "category")},
			service.Then(service.CheckWrites()),
			{Config: bare.Config(goTest), ExpectError: acctest.Error("skt-go")},
			bare.Then(bare.CheckWrites()),
		},
	})
}

// What does not exist can be neither enabled nor imported.
func TestAccSkillsTestActivation_invalid(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	step := func(config string, says ...string) resource.TestStep {
		return resource.TestStep{Config: service.Config(config), ExpectError: acctest.Error(says...)}
	}
	imports := func(id string) string {
		return fmt.Sprintf("import {\n  to = assess_skills_test_activation.go\n  id = %q\n}\n", id) + goTest
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step(activation("skt-pyton"), "skt-pyton", "skt-python"),
			step(strings.Replace(goTest, "asm-workbench", "asm-facet", 1), "skt-go", "asm-facet"),
			step(imports("skt-go"), "Invalid import ID", "skt-go", "ASSESSMENT"),
			step(imports("asm-workbench/skt-moon"), "skt-moon"),
			service.Then(service.CheckWrites()),
		},
	})
}
