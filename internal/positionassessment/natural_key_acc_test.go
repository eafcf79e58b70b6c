// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A position has an assessment once: position and assessment are the natural key.

const lumen = "assess_position_assessment.lumen"

// engineers is the cognitive ability test with a benchmark.
var engineers = attached("lumen", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-engineers-en-gb" }`)

var (
	withEngineers = sandbox.Metadata{Benchmark: "bmk-lumen-engineers-en-gb"}
	withManagers  = sandbox.Metadata{Benchmark: "bmk-lumen-managers-en-gb"}
)

const adopting = "adopt_existing = true"

// checkBenchmark checks what the position has, and that it has it once.
func checkBenchmark(service *acctest.Service, id, benchmark string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		all := service.Attached("pos-backend-london", "asm-lumen")
		if len(all) != 1 || all[0].ID != id || all[0].Metadata.Benchmark != benchmark {
			return fmt.Errorf("the position has %+v, want %s with %s", all, id, benchmark)
		}
		return nil
	}
}

func TestAccPositionAssessment_alreadyAttached(t *testing.T) {
	t.Parallel()
	for name, metadata := range map[string]sandbox.Metadata{"equal": withEngineers, "different": withManagers} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			id := service.Attach("pos-backend-london", "asm-lumen", metadata)
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{
					{
						Config: service.Config(engineers),
						// The error names it, and shows the import block. A second apply completes a renamed resource.
						ExpectError: acctest.Error("Error: Already attached", id, "import {", "pos-backend-london/", "second apply"),
					},
					service.Then(service.CheckWrites(), checkBenchmark(service, id, metadata.Benchmark)),
				},
			})
		})
	}
}

// Somebody attaches the assessment between the plan and the apply.
func TestAccPositionAssessment_alreadyAttachedSincePlan(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(engineers),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.Meanwhile(func() { service.Attach("pos-backend-london", "asm-lumen", withManagers) }),
				}},
				ExpectError: acctest.Error("Already attached", "import {"),
			},
			service.Then(service.CheckWrites(), service.CheckAttached("pos-backend-london", "asm-lumen", 1)),
		},
	})
}

// A service accepts the same assessment twice (A31), so the provider must not send it.
func TestAccPositionAssessment_oneKeyTwice(t *testing.T) {
	t.Parallel()
	for name, provider := range map[string]string{"failing": "", "adopting": adopting} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// With this latency, the creations overlap.
			service := acctest.NewService(t, func(o *sandboxtest.Options) { o.Latency = 50 * time.Millisecond })
			attaches := service.CheckCount(http.MethodPost, sandbox.RoutePositionAssessments, 1)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: resource.ComposeTestCheckFunc(service.CheckRemoved, attaches,
					service.CheckAttached("pos-backend-london", "asm-lumen", 0)),
				Steps: []resource.TestStep{{
					Config: service.Provider(provider) + engineers +
						attached("copy", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-managers-en-gb" }`),
					ExpectError: acctest.Error("two resources", "pos-backend-london", "asm-lumen"),
				}},
			})
		})
	}
}

// Many creations on one position read its list once, and attach each assessment once.
func TestAccPositionAssessment_manyAtOnce(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, func(o *sandboxtest.Options) { o.Latency, o.MaxPage = 50*time.Millisecond, 100 })
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Config(`
				locals {
				  assessments = ["asm-lumen", "asm-tideline", "asm-hardhat", "asm-keystone", "asm-lattice", "asm-facet"]
				}
				resource "assess_position_assessment" "all" {
				  count         = length(local.assessments)
				  position_id   = "pos-backend-london"
				  assessment_id = local.assessments[count.index]
				}`),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{acctest.Meanwhile(service.ResetJournal)},
			},
			Check: resource.ComposeTestCheckFunc(
				service.CheckCount(http.MethodGet, sandbox.RoutePositionAssessments, 1),
				service.CheckCount(http.MethodPost, sandbox.RoutePositionAssessments, 6)),
		}},
	})
}

func TestAccPositionAssessment_adoptEqual(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-lumen", withEngineers)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Provider(adopting) + engineers,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(lumen, plancheck.ResourceActionCreate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(lumen, tfjsonpath.New("id"), knownvalue.StringExact(id)),
			},
			Check: service.CheckWrites(),
		}},
	})
}

func TestAccPositionAssessment_adoptDifferent(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-lumen", withManagers)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Provider(adopting) + engineers,
			Check: resource.ComposeTestCheckFunc(
				service.CheckWrites(acctest.Change), checkBenchmark(service, id, "bmk-lumen-engineers-en-gb")),
		}},
	})
}

// Either the attribute or the variable is enough.
func TestAccPositionAssessment_adoptVariable(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-lumen", withEngineers)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories(map[string]string{"ASSESS_ADOPT_EXISTING": "true"}),
		CheckDestroy:             service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Provider("adopt_existing = false") + engineers,
			Check:  checkBenchmark(service, id, "bmk-lumen-engineers-en-gb"),
		}},
	})
}

// A position assessment with other settings is not adopted if somebody has been invited to it. The provider asks for
// that whatever plan_checks says.
func TestAccPositionAssessment_adoptInvited(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{adopting, adopting + "\n  plan_checks = false"} {
		t.Run(fmt.Sprintf("plan_checks=%t", settings == adopting), func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			id := service.Attach("pos-backend-london", "asm-lumen", withManagers)
			service.Invite("pos-backend-london", "asm-lumen")
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{
					{
						Config:      service.Provider(settings) + engineers,
						ExpectError: acctest.Error(id, "import {", "invited"),
					},
					service.Then(service.CheckWrites(), checkBenchmark(service, id, "bmk-lumen-managers-en-gb")),
				},
			})
		})
	}
}

// One with equal settings is adopted also if somebody has been invited, because nothing is sent.
func TestAccPositionAssessment_adoptInvitedEqual(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-lumen", withEngineers)
	service.Invite("pos-backend-london", "asm-lumen")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: checkBenchmark(service, id, "bmk-lumen-engineers-en-gb"),
		Steps: []resource.TestStep{
			{
				Config: service.Provider(adopting) + attached("lumen", "pos-backend-london", "asm-lumen", `
					benchmark { id = "bmk-lumen-engineers-en-gb" }
					on_refused_removal = "forget"`),
				Check: service.CheckWrites(),
			},
		},
	})
}

const (
	northlight = "assess_position_assessment.northlight"
	builders   = `profile { id = "prf-curious-builders" }`
)

// values is the values inventory on the first position.
func values(blocks string) string {
	return attached("northlight", "pos-backend-london", "asm-northlight", blocks)
}

// A profile that a supervisor has completed is not replaced by an adoption.
func TestAccPositionAssessment_adoptSupervised(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-northlight", sandbox.Metadata{})
	service.CompleteProfile("pos-backend-london", "asm-northlight")
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:      service.Provider(adopting) + values(builders),
				ExpectError: acctest.Error(id, "import {", "supervisor", "profile"),
			},
			{ // as the message advises
				Config: service.Provider(adopting) + values(""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(northlight, tfjsonpath.New("id"), knownvalue.StringExact(id)),
					statecheck.ExpectKnownValue(northlight, tfjsonpath.New("profile_status"),
						knownvalue.StringExact("SUPERVISOR_COMPLETED")),
				},
				Check: service.CheckWrites(),
			},
		},
	})
}

func TestAccPositionAssessment_adoptSeveral(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	first := service.Attach("pos-backend-london", "asm-lumen", withEngineers)
	second := service.Attach("pos-backend-london", "asm-lumen", withEngineers)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Provider(adopting) + engineers, ExpectError: acctest.Error(first, second, "import {")},
			service.Then(service.CheckWrites(), service.CheckAttached("pos-backend-london", "asm-lumen", 2)),
		},
	})
}

// If the update of an adoption fails, the creation fails without a state.
func TestAccPositionAssessment_adoptFails(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-lumen", withManagers)
	service.Inject(sandboxtest.Fault{
		Method: http.MethodPut, Route: sandbox.RoutePositionAssessment, Status: http.StatusBadRequest, Message: "not today",
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Provider(adopting) + engineers, ExpectError: acctest.Error("not today", "400")},
			service.Then(checkBenchmark(service, id, "bmk-lumen-managers-en-gb")), // nothing was in the state
		},
	})
}

// A service that does not show settings: they count as different.
func TestAccPositionAssessment_adoptMute(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.Mute())
	id := service.Attach("pos-backend-london", "asm-lumen", withEngineers)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Provider(adopting) + engineers,
			Check: resource.ComposeTestCheckFunc(
				service.CheckWrites(acctest.Change), checkBenchmark(service, id, "bmk-lumen-engineers-en-gb")),
		}},
	})
}

// What is adopted may have a test that has been disabled since (rule 12).
func TestAccPositionAssessment_adoptDisabledTest(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Attach("pos-backend-london", "asm-workbench", sandbox.Metadata{Tests: []string{"skt-sql"}})
	service.SetActive("asm-workbench", "skt-sql", false)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{{
			Config: service.Provider(adopting) +
				attached("skills", "pos-backend-london", "asm-workbench", `tests { ids = ["skt-sql"] }`),
			Check: service.CheckWrites(),
		}},
	})
}

// A resource that is renamed without a moved block is removed and created in one apply, in any order.
func TestAccPositionAssessment_adoptRenamed(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, func(o *sandboxtest.Options) { o.Latency = 20 * time.Millisecond })
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckAttached("pos-backend-london", "asm-lumen", 0),
		Steps: []resource.TestStep{
			{Config: service.Provider(adopting) + engineers},
			{
				Config: service.Provider(adopting) +
					attached("renamed", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-engineers-en-gb" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(lumen, plancheck.ResourceActionDestroy),
					plancheck.ExpectResourceAction("assess_position_assessment.renamed", plancheck.ResourceActionCreate),
				}},
				Check: service.CheckAttached("pos-backend-london", "asm-lumen", 1),
			},
		},
	})
}

// A rename that also changes settings: the removal of the old address arrives between the adoption's look and its PUT,
// unless one lock orders them. Either it is removed and attached again, or it is updated and nothing is removed.
func TestAccPositionAssessment_adoptRenamedAndChanged(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	const renamed = "assess_position_assessment.renamed"
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckAttached("pos-backend-london", "asm-lumen", 0),
		Steps: []resource.TestStep{
			{Config: service.Provider(adopting) + engineers},
			{
				Config: service.Provider(adopting) +
					attached("renamed", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-managers-en-gb" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.Meanwhile(func() { // the adoption asks between its look and its PUT
						service.Inject(sandboxtest.Fault{
							Method: http.MethodGet, Route: sandbox.RouteResults, Delay: 300 * time.Millisecond, Times: -1,
						})
					}),
				}},
				Check: func(state *terraform.State) error {
					r := state.RootModule().Resources[renamed]
					return checkBenchmark(service, r.Primary.ID, "bmk-lumen-managers-en-gb")(state)
				},
			},
		},
	})
}

func TestAccPositionAssessment_moved(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				Config: service.Config(`
					moved {
					  from = assess_position_assessment.lumen
					  to   = assess_position_assessment.renamed
					}` +
					attached("renamed", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-engineers-en-gb" }`)),
				Check: service.CheckWrites(acctest.Attach),
			},
		},
	})
}
