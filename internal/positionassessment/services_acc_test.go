// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// services are the service that the documents describe, and those that differ.
var services = map[string]func(*sandboxtest.Options){
	"documented": func(*sandboxtest.Options) {},
	"bare lists": acctest.BareLists,
	"unsigned":   acctest.Unsigned, // and without lists of a position's assessments
	"mute":       acctest.Mute,
}

// Each service lets an assessment of each kind be attached, changed and removed, and a plan is empty after each apply.
// What somebody has removed is attached again.
func TestAccPositionAssessment_services(t *testing.T) {
	t.Parallel()
	for name, deviation := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, deviation)
			configs := func(packages, profile, tests string) string {
				return service.Config(quartet(packages) + values(profile) +
					attached("skills", "pos-support-leeds", "asm-workbench", tests+`
					depends_on = [assess_position_assessment.cognitive] # always in the same order`))
			}
			three := `packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning", "pkg-verbal-knowledge"] }`
			changed := configs(three, customers, `tests { ids = ["skt-sql", "skt-python"] }`)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: service.CheckRemoved,
				Steps: []resource.TestStep{
					{
						Config:            configs(mandatoryPackages+quartetEngineers, builders, `tests { ids = ["skt-sql"] }`),
						ConfigStateChecks: profile("prf-curious-builders", "PROFILE_ATTACHED"),
						Check:             service.CheckWrites(acctest.Attach, acctest.Attach, acctest.Attach),
					},
					{
						Config: changed,
						ConfigStateChecks: append(profile("prf-customer-first", "PROFILE_ATTACHED"),
							acctest.Has(cognitive, "packages.ids", knownvalue.SetSizeExact(3)),
							acctest.Has(cognitive, "benchmark", knownvalue.Null()),
							acctest.Has("assess_position_assessment.skills", "tests.ids", knownvalue.SetSizeExact(2))),
						Check: service.CheckWrites(acctest.Attach, acctest.Attach, acctest.Attach,
							acctest.Change, acctest.Change, acctest.Change),
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

// An import from a mute service omits the blocks, and an update then sends them. It is not checked against a list that
// the service does not offer (A8).
func TestAccPositionAssessment_muteImport(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.Mute)
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Status: http.StatusNotImplemented, Times: -1})
	id := service.Attach("pos-backend-london", "asm-lumen", withManagers)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(imports("pos-backend-london/"+id, "lumen",
					attached("lumen", "pos-backend-london", "asm-lumen", ""))),
				ConfigStateChecks: []statecheck.StateCheck{acctest.Has(lumen, "benchmark", knownvalue.Null())},
				Check:             service.CheckWrites(),
			},
			{
				Config: service.Config(engineers),
				Check: resource.ComposeTestCheckFunc(service.CheckWrites(acctest.Change),
					checkBenchmark(service, id, "bmk-lumen-engineers-en-gb")),
			},
		},
	})
}
