// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// services are the one that the documents describe, and those that differ.
var services = map[string]func(*sandboxtest.Options){
	"documented":     func(*sandboxtest.Options) {},
	"bare lists":     acctest.BareLists,
	"unsigned":       acctest.Unsigned,
	"mute":           acctest.Mute(),
	"mute packages":  acctest.Mute("packages"),
	"mute benchmark": acctest.Mute("benchmark"),
	"mute tests":     acctest.Mute("tests"),
}

// onEachService runs a test with each service.
func onEachService(t *testing.T, test func(t *testing.T, service *acctest.Service)) {
	t.Helper()
	for name, service := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, acctest.NewService(t, service))
		})
	}
}

// Each service lets an assessment of each kind be attached, changed and removed, and a plan is empty after each apply.
func TestAccPositionAssessment_services(t *testing.T) {
	t.Parallel()
	onEachService(t, func(t *testing.T, service *acctest.Service) {
		configs := func(packages, benchmark, profile, tests string) string {
			return service.Config(quartet(packages+"\n"+benchmark) + values(profile) +
				attached("skills", "pos-support-leeds", "asm-workbench", tests+`
					depends_on = [assess_position_assessment.cognitive] # always in the same order`))
		}
		acctest.Test(t, resource.TestCase{
			CheckDestroy: service.CheckRemoved,
			Steps: []resource.TestStep{
				{
					Config: configs(mandatoryPackages, `benchmark { id = "bmk-quartet-engineers-en-gb" }`, builders,
						`tests { ids = ["skt-sql"] }`),
					ConfigStateChecks: profile(knownvalue.StringExact("prf-curious-builders"), "PROFILE_ATTACHED"),
					Check:             service.CheckWrites(acctest.Attach, acctest.Attach, acctest.Attach),
				},
				{
					Config: configs(`packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning", "pkg-verbal-knowledge"] }`,
						"", customers, `tests { ids = ["skt-sql", "skt-python"] }`),
					ConfigStateChecks: append(profile(knownvalue.StringExact("prf-customer-first"), "PROFILE_ATTACHED"),
						statecheck.ExpectKnownValue(cognitive, tfjsonpath.New("packages").AtMapKey("ids"),
							knownvalue.SetSizeExact(3)),
						statecheck.ExpectKnownValue(cognitive, tfjsonpath.New("benchmark"), knownvalue.Null()),
						statecheck.ExpectKnownValue("assess_position_assessment.skills", tfjsonpath.New("tests").AtMapKey("ids"),
							knownvalue.SetSizeExact(2))),
					Check: service.CheckCount(http.MethodPut, sandbox.RoutePositionAssessment, 3),
				},
			},
		})
	})
}

// On each service, what somebody has removed is attached again.
func TestAccPositionAssessment_servicesGone(t *testing.T) {
	t.Parallel()
	onEachService(t, func(t *testing.T, service *acctest.Service) {
		config := service.Config(engineers + attached("leeds", "pos-support-leeds", "asm-lumen", ""))
		acctest.Test(t, resource.TestCase{
			CheckDestroy: service.CheckRemoved,
			Steps: []resource.TestStep{
				{Config: config},
				{
					PreConfig: func() { service.Remove("pos-backend-london", "asm-lumen") },
					Config:    config,
					Check: resource.ComposeTestCheckFunc(
						service.CheckAttached("pos-backend-london", "asm-lumen", 1),
						service.CheckAttached("pos-support-leeds", "asm-lumen", 1)),
				},
			},
		})
	})
}

// What somebody changes is changed back, also if lists show less than the fetch.
func TestAccPositionAssessment_servicesDrift(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"documented", "bare lists", "unsigned"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, services[name])
			acctest.Test(t, resource.TestCase{
				CheckDestroy: service.CheckRemoved,
				Steps: []resource.TestStep{
					{Config: service.Config(engineers)},
					{
						PreConfig: func() {
							service.Edit("pos-backend-london", "asm-lumen", func(m *sandbox.Metadata) {
								m.Benchmark = "bmk-lumen-managers-en-gb"
							})
						},
						Config: service.Config(engineers),
						Check:  service.CheckWrites(acctest.Attach, acctest.Change),
					},
				},
			})
		})
	}
}

// On each service that shows what a position has, a creation attaches nothing twice.
func TestAccPositionAssessment_servicesAlreadyAttached(t *testing.T) {
	t.Parallel()
	onEachService(t, func(t *testing.T, service *acctest.Service) {
		service.Attach("pos-backend-london", "asm-lumen", withEngineers)
		if service.Deviations().NoPositionList {
			acctest.Test(t, resource.TestCase{ // it attaches without looking
				CheckDestroy: service.CheckAttached("pos-backend-london", "asm-lumen", 1),
				Steps: []resource.TestStep{
					{Config: service.Config(engineers), Check: service.CheckAttached("pos-backend-london", "asm-lumen", 2)},
				},
			})
			return
		}
		acctest.Test(t, resource.TestCase{
			Steps: []resource.TestStep{
				{Config: service.Config(engineers), ExpectError: acctest.Error("Already attached", "import {")},
				service.Then(service.CheckWrites()),
			},
		})
	})
}

// Without signature, list, and another read that succeeds, a 404 does not show that something is gone.
func TestAccPositionAssessment_unsignedGone(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.Unsigned)
	var removed []sandbox.PositionAssessment
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				PreConfig: func() {
					removed = service.Attached("pos-backend-london", "asm-lumen")
					service.Remove("pos-backend-london", "asm-lumen")
				},
				Config:      service.Config(engineers),
				ExpectError: acctest.Error("state rm", "-refresh=false"),
			},
			{
				PreConfig: func() {
					service.Change(t, func(st *sandbox.State) { st.Position("pos-backend-london").Assessments = removed })
				},
				Config: service.Config(engineers), PlanOnly: true, // the state has not changed
			},
		},
	})
}

// An import from a mute service omits the blocks, and an update then sends them.
func TestAccPositionAssessment_muteImport(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.Mute())
	id := service.Attach("pos-backend-london", "asm-lumen", withManagers)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(`
					import {
					  to = assess_position_assessment.lumen
					  id = "pos-backend-london/` + id + `"
					}` + attached("lumen", "pos-backend-london", "asm-lumen", "")),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(lumen, tfjsonpath.New("benchmark"), knownvalue.Null()),
				},
				Check: service.CheckWrites(),
			},
			{
				Config: service.Config(engineers),
				Check: resource.ComposeTestCheckFunc(service.CheckWrites(acctest.Change),
					checkBenchmark(service, id, "bmk-lumen-engineers-en-gb")),
			},
		},
	})
}

// A mute service hides drift, and an update sends the whole configuration.
func TestAccPositionAssessment_muteByKey(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.Mute("packages"))
	config := service.Config(quartet(mandatoryPackages))
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: config},
			{ // packages are not shown, so the state keeps them. The benchmark is shown, so it is drift
				PreConfig: func() {
					service.Edit("pos-backend-london", "asm-quartet", func(m *sandbox.Metadata) {
						m.Benchmark, m.Packages = "bmk-quartet-engineers-en-gb", append(m.Packages, "pkg-verbal-knowledge")
					})
				},
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(cognitive, tfjsonpath.New("packages").AtMapKey("ids"), knownvalue.SetSizeExact(2)),
					statecheck.ExpectKnownValue(cognitive, tfjsonpath.New("benchmark"), knownvalue.Null()),
				},
				Check: service.CheckWrites(acctest.Attach, acctest.Change),
			},
		},
	})
}
