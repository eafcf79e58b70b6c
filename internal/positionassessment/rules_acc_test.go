// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// A plan rejects what the service would reject. Package rules proves each rule.
func TestAccPositionAssessment_rejected(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	step := func(config string, says ...string) resource.TestStep {
		return resource.TestStep{Config: service.Config(config), PlanOnly: true, ExpectError: acctest.Error(says...)}
	}
	london := func(assessment, blocks string) string {
		return attached("test", "pos-backend-london", assessment, blocks)
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step(london("asm-quartett", mandatoryPackages), "Unknown assessment", "assessment_id", "(asm-quartet)"),
			step(attached("test", "pos-londn", "asm-facet", ""), "Unknown position", "position_id", "pos-londn"),
			step(quartet(`packages { ids = ["pkg-problem-solving"] }`), "packages", "pkg-numerical-reasoning"),
			step(london("asm-lumen", `benchmark { id = "bmk-lumen-engineers-de-de" }`), "benchmark", "de-DE", "en-GB"),
			step(values(`profile { id = "prf-curious" }`), "Unknown profile", "profile", "prf-curious-builders"),
			step(london("asm-workbench", `tests { ids = ["skt-go"] }`), "tests", "skt-go", "assess_skills_test_activation"),
			step(london("asm-workbench", `tests { ids = [] }`), "tests"),
			step(attached("test", "pos-łódź", "asm-facet", ""), "Latin1", "position_id", "ł"),
			step(quartet(mandatoryPackages+"\n"+`tests { ids = ["skt-sql"] }`), "tests", "packages"),
			step(quartet(`packages {}`), "packages", "ids", "select"),
			step(quartet(`packages { select = "optional" }`), "select", `"all"`, `"mandatory"`),
		},
	})
}

// An update is checked in all blocks that it sends. What sends nothing is not checked: no change, another order of IDs,
// and a setting of the provider alone.
func TestAccPositionAssessment_checkedIfSent(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	with := func(packages, more string) string {
		return service.Config(quartet(packages + quartetEngineers + "\n" + more))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: with(mandatoryPackages, "")},
			{
				PreConfig: func() {
					service.Change(t, func(st *sandbox.State) { st.Assessment("asm-quartet").Benchmarks = nil })
				},
				Config:   with(`packages { ids = ["pkg-numerical-reasoning", "pkg-problem-solving"] }`, ""),
				PlanOnly: true,
			},
			{
				Config:   with(`packages { select = "all" }`, ""),
				PlanOnly: true, ExpectError: acctest.Error("benchmark", "bmk-quartet-engineers-en-gb"),
			},
			{
				Config:           with(mandatoryPackages, `on_refused_removal = "forget"`),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionUpdate, cognitive),
				Check:            service.CheckWrites(acctest.Attach),
			},
		},
	})
}

// The plan of an activation lets the same plan use the test, because the reference orders them.
func TestAccPositionAssessment_testEnabledBefore(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Config(`
				resource "assess_skills_test_activation" "go" {
				  assessment_id = "asm-workbench"
				  test_id       = "skt-go"
				}` + attached("test", "pos-backend-london", "asm-workbench",
				`tests { ids = [assess_skills_test_activation.go.test_id] }`)),
			Check: service.CheckWrites(acctest.Enable, acctest.Attach),
		}},
	})
}

// A module with dynamic blocks for all kinds validates and plans, with values that are not known yet. They are checked
// once they are known, before anything is sent.
func TestAccPositionAssessment_dynamicBlocks(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	config := func(benchmark string) string {
		return service.Config(`
			resource "terraform_data" "benchmark" {
			  input = "` + benchmark + `"
			}
			locals {
			  row = { packages = null, benchmark = terraform_data.benchmark.output, profile = null, tests = null }
			}` + attached("lumen", "pos-backend-london", "asm-lumen", `
			dynamic "packages" {
			  for_each = local.row.packages[*]
			  content { ids = packages.value }
			}
			dynamic "benchmark" {
			  for_each = [local.row.benchmark]
			  content { id = benchmark.value }
			}
			dynamic "profile" {
			  for_each = local.row.profile[*]
			  content { id = profile.value }
			}
			dynamic "tests" {
			  for_each = local.row.tests[*]
			  content { ids = tests.value }
			}`))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: config("bmk-lumen-moon"), ExpectError: acctest.Error("Unknown benchmark", "bmk-lumen-moon")},
			{
				Config:           config("bmk-lumen-engineers-en-gb"),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionCreate, lumen),
				Check: resource.ComposeTestCheckFunc(service.CheckWrites(acctest.Attach), func(s *terraform.State) error {
					return checkBenchmark(service, s.RootModule().Resources[lumen].Primary.ID, "bmk-lumen-engineers-en-gb")(s)
				}),
			},
		},
	})
}

// Every plan resolves select. An attribute in ignore_changes wins over it.
func TestAccPositionAssessment_select(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	all := `packages { select = "all" }`
	selects := func(size int) []statecheck.StateCheck {
		return []statecheck.StateCheck{acctest.Has(cognitive, "packages.ids", knownvalue.SetSizeExact(size))}
	}
	adds := func(id string) func() {
		return func() {
			service.Change(t, func(st *sandbox.State) {
				a := st.Assessment("asm-quartet")
				a.Packages = append(a.Packages, sandbox.Package{ID: id, Name: id, Mandatory: true})
			})
		}
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(quartet(`packages { select = "mandatory" }`)), ConfigStateChecks: selects(2)},
			{Config: service.Config(quartet(all)), ConfigStateChecks: selects(4)},
			{PreConfig: adds("pkg-new"), Config: service.Config(quartet(all)), ConfigStateChecks: selects(5)},
			{
				PreConfig: adds("pkg-newer"), PlanOnly: true,
				Config: service.Config(quartet(all + "\n" + `lifecycle { ignore_changes = [packages] }`)),
			},
		},
	})
}
