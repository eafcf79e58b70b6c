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

// services are the service that the documents describe, and those that differ.
var services = map[string]func(*sandboxtest.Options){
	"documented": func(*sandboxtest.Options) {},
	"bare lists": acctest.BareLists,
	"unsigned":   acctest.Unsigned, // and without lists of a position's assessments
	"mute":       acctest.Mute(),
}

// Each service lets an assessment of each kind be attached, changed and removed, and a plan is empty after each apply.
// What somebody has removed is attached again.
func TestAccPositionAssessment_services(t *testing.T) {
	t.Parallel()
	for name, deviation := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, deviation)
			configs := func(packages, benchmark, profile, tests string) string {
				return service.Config(quartet(packages+"\n"+benchmark) + values(profile) +
					attached("skills", "pos-support-leeds", "asm-workbench", tests+`
					depends_on = [assess_position_assessment.cognitive] # always in the same order`))
			}
			three := `packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning", "pkg-verbal-knowledge"] }`
			changed := configs(three, "", customers, `tests { ids = ["skt-sql", "skt-python"] }`)
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
						Config: changed,
						ConfigStateChecks: append(profile(knownvalue.StringExact("prf-customer-first"), "PROFILE_ATTACHED"),
							statecheck.ExpectKnownValue(cognitive, tfjsonpath.New("packages").AtMapKey("ids"),
								knownvalue.SetSizeExact(3)),
							statecheck.ExpectKnownValue(cognitive, tfjsonpath.New("benchmark"), knownvalue.Null()),
							statecheck.ExpectKnownValue("assess_position_assessment.skills", tfjsonpath.New("tests").AtMapKey("ids"),
								knownvalue.SetSizeExact(2))),
						Check: service.CheckCount(http.MethodPut, sandbox.RoutePositionAssessment, 3),
					},
					{
						PreConfig: func() { service.Remove("pos-support-leeds", "asm-workbench") },
						Config:    changed,
						Check:     service.CheckAttached("pos-support-leeds", "asm-workbench", 1),
					},
				},
			})
		})
	}
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
