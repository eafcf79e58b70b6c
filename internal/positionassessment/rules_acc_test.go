// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// What a plan rejects, by the numbers of the rules. Each error names the attribute, the value and what would be right.
var rejections = map[string]struct {
	config string
	says   []string
}{
	"1 unknown assessment": {
		attached("test", "pos-backend-london", "asm-quartett", mandatoryPackages),
		[]string{"Unknown assessment", "assessment_id", "asm-quartett", "(asm-quartet)"},
	},
	"2 unknown position": {
		attached("test", "pos-backend-londn", "asm-facet", ""),
		[]string{"Unknown position", "position_id", "pos-backend-londn", "(pos-backend-london)"},
	},
	"3 mandatory package omitted": {
		quartet(`packages { ids = ["pkg-problem-solving"] }`),
		[]string{"packages", "pkg-numerical-reasoning"},
	},
	"4 unknown package": {
		quartet(`packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning", "pkg-verbal"] }`),
		[]string{"Unknown package", "packages", "pkg-verbal", "pkg-verbal-knowledge"},
	},
	"5 packages omitted": {
		quartet(""),
		[]string{"packages", "asm-quartet", "pkg-problem-solving"},
	},
	"6 unknown benchmark": {
		attached("test", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-engineer-en-gb" }`),
		[]string{"Unknown benchmark", "benchmark", "bmk-lumen-engineer-en-gb", "bmk-lumen-engineers-en-gb"},
	},
	"7 benchmark of another locale": {
		attached("test", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-engineers-de-de" }`),
		[]string{"benchmark", "bmk-lumen-engineers-de-de", "de-DE", "en-GB"},
	},
	"8 benchmark on an assessment without": {
		attached("test", "pos-backend-london", "asm-facet", `benchmark { id = "bmk-lumen-engineers-en-gb" }`),
		[]string{"benchmark", "asm-facet"},
	},
	"9 unknown profile": {
		values(`profile { id = "prf-curious" }`),
		[]string{"Unknown profile", "profile", "prf-curious", "prf-curious-builders"},
	},
	"10 no tests": {
		attached("test", "pos-backend-london", "asm-workbench", `tests { ids = [] }`),
		[]string{"tests"},
	},
	"10 tests omitted": {
		attached("test", "pos-backend-london", "asm-workbench", ``),
		[]string{"tests", "asm-workbench", "skt-"},
	},
	"11 unknown test": {
		attached("test", "pos-backend-london", "asm-workbench", `tests { ids = ["skt-pyton"] }`),
		[]string{"Unknown skills test", "tests", "skt-pyton", "skt-python"},
	},
	"12 test not enabled": {
		attached("test", "pos-backend-london", "asm-workbench", `tests { ids = ["skt-go"] }`),
		[]string{"tests", "skt-go", "assess_skills_test_activation"},
	},
	"13 character outside Latin1": {
		attached("test", "pos-łódź", "asm-facet", ""),
		[]string{"Latin1", "position_id", "ł"},
	},
	"14 profile and benchmark": {
		values(builders + "\n" + `benchmark { id = "bmk-lumen-engineers-en-gb" }`),
		[]string{"profile", "benchmark"},
	},
	"14 tests and packages": {
		quartet(mandatoryPackages + "\n" + `tests { ids = ["skt-sql"] }`),
		[]string{"tests", "packages"},
	},
	"ids and select": {
		quartet(`packages {
			ids    = ["pkg-problem-solving"]
			select = "all"
		}`),
		[]string{"packages", "ids", "select"},
	},
	"neither ids nor select": {quartet(`packages {}`), []string{"packages", "ids", "select"}},
	"unknown select":         {quartet(`packages { select = "optional" }`), []string{"select", `"all"`, `"mandatory"`}},
	"unknown on_refused_removal": {
		attached("test", "pos-backend-london", "asm-facet", `on_refused_removal = "ignore"`),
		[]string{"on_refused_removal", "ignore", `"fail"`, `"forget"`},
	},
	"unknown on_supervisor_change": {
		values(`profile {
			id                   = "prf-curious-builders"
			on_supervisor_change = "ask"
		}`),
		[]string{"on_supervisor_change", "ask", `"keep"`, `"reattach"`},
	},
}

func TestAccPositionAssessment_rejected(t *testing.T) {
	t.Parallel()
	for name, row := range rejections {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{{
					Config: service.Config(row.config), PlanOnly: true, ExpectError: acctest.Error(row.says...),
				}},
			})
		})
	}
}

// Without plan_checks, the service rejects at apply, and the error shows its words.
func TestAccPositionAssessment_rejectedByService(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	step := func(config string, says ...string) resource.TestStep {
		return resource.TestStep{
			Config: service.Provider("plan_checks = false") + config, ExpectError: acctest.Error(says...),
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step(rejections["4 unknown package"].config, "400 Bad Request", `has no "pkg-verbal"`, "Conversation-Id"),
			step(rejections["2 unknown position"].config, "Unknown position", "pos-backend-londn"),
			step(rejections["13 character outside Latin1"].config, "Latin1"), // which needs no service
		},
	})
}

// What a plan does not know is checked when it is known, before anything is sent.
func TestAccPositionAssessment_rejectedOnceKnown(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(`
					resource "terraform_data" "benchmark" {
					  input = "bmk-lumen-engineer-en-gb"
					}` + attached("test", "pos-backend-london", "asm-lumen",
					`benchmark { id = terraform_data.benchmark.output }`)),
				ExpectError: acctest.Error("Unknown benchmark", "bmk-lumen-engineer-en-gb"),
			},
			service.Then(service.CheckWrites()),
		},
	})
}

// A locale is compared regardless of case and of "-" and "_".
func TestAccPositionAssessment_localeSpelling(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) { st.Position("pos-backend-london").Locale = "EN_gb" })
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps:        []resource.TestStep{{Config: service.Config(engineers)}},
	})
}

// A resource without changes is not checked, and an update in all blocks that it sends.
func TestAccPositionAssessment_checkedIfChanged(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	both := mandatoryPackages + "\n" + `benchmark { id = "bmk-quartet-engineers-en-gb" }`
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(quartet(both))},
			{
				PreConfig: func() {
					service.Change(t, func(st *sandbox.State) { st.Assessment("asm-quartet").Benchmarks = nil })
				},
				Config: service.Config(quartet(both)), PlanOnly: true,
			},
			{
				Config: service.Config(quartet(`packages { select = "all" }` + "\n" +
					`benchmark { id = "bmk-quartet-engineers-en-gb" }`)),
				PlanOnly:    true,
				ExpectError: acctest.Error("benchmark", "bmk-quartet-engineers-en-gb"),
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

// A module with dynamic blocks for all kinds validates and plans, with values that are not known yet.
func TestAccPositionAssessment_dynamicBlocks(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Config(`
				resource "terraform_data" "benchmark" {
				  input = "bmk-lumen-engineers-en-gb"
				}
				locals {
				  row = { packages = null, benchmark = terraform_data.benchmark.output, profile = null, tests = null }
				}
				resource "assess_position_assessment" "lumen" {
				  position_id   = "pos-backend-london"
				  assessment_id = "asm-lumen"
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
				  }
				}`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(lumen, plancheck.ResourceActionCreate),
			}},
			Check: func(s *terraform.State) error {
				return checkBenchmark(service, s.RootModule().Resources[lumen].Primary.ID, "bmk-lumen-engineers-en-gb")(s)
			},
		}},
	})
}

func TestAccPositionAssessment_select(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	size := func(n int) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownValue(cognitive, tfjsonpath.New("packages").AtMapKey("ids"), knownvalue.SetSizeExact(n)),
		}
	}
	addPackage := func() {
		service.Change(t, func(st *sandbox.State) {
			a := st.Assessment("asm-quartet")
			a.Packages = append(a.Packages, sandbox.Package{ID: "pkg-new", Name: "New", Mandatory: true})
		})
	}
	ignoring := quartet(`
		packages { select = "all" }
		lifecycle { ignore_changes = [packages] }`)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(quartet(`packages { select = "mandatory" }`)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(cognitive, tfjsonpath.New("packages").AtMapKey("ids"), knownvalue.SetSizeExact(2)),
				}},
				ConfigStateChecks: size(2),
			},
			{Config: service.Config(quartet(`packages { select = "all" }`)), ConfigStateChecks: size(4)},
			{ // every plan resolves it
				PreConfig: addPackage,
				Config:    service.Config(quartet(`packages { select = "all" }`)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(cognitive, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: size(5),
			},
			{ // ignore_changes wins
				PreConfig: func() {
					service.Change(t, func(st *sandbox.State) {
						a := st.Assessment("asm-quartet")
						a.Packages = append(a.Packages, sandbox.Package{ID: "pkg-newer", Name: "Newer"})
					})
				},
				Config: service.Config(ignoring), PlanOnly: true,
			},
		},
	})
}

// The order of IDs, and a setting of the provider alone, send nothing.
func TestAccPositionAssessment_nothingToSend(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(quartet(mandatoryPackages))},
			{
				Config:   service.Config(quartet(`packages { ids = ["pkg-numerical-reasoning", "pkg-problem-solving"] }`)),
				PlanOnly: true,
			},
			{
				Config: service.Config(quartet(mandatoryPackages + "\n" + `on_refused_removal = "forget"`)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(cognitive, plancheck.ResourceActionUpdate),
				}},
				Check: service.CheckWrites(acctest.Attach),
			},
		},
	})
}

// Another position or assessment replaces.
func TestAccPositionAssessment_replaced(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	replaces := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("assess_position_assessment.test", plancheck.ResourceActionDestroyBeforeCreate),
	}}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(attached("test", "pos-backend-london", "asm-facet", ""))},
			{Config: service.Config(attached("test", "pos-support-leeds", "asm-facet", "")), ConfigPlanChecks: replaces},
			{
				Config:           service.Config(attached("test", "pos-support-leeds", "asm-keystone", "")),
				ConfigPlanChecks: replaces,
				Check: resource.ComposeTestCheckFunc(
					service.CheckAttached("pos-support-leeds", "asm-keystone", 1),
					service.CheckAttached("pos-support-leeds", "asm-facet", 0)),
			},
		},
	})
}
