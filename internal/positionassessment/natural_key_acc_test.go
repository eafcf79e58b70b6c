// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A position has an assessment once: position and assessment are the natural key.

const lumen = "assess_position_assessment.lumen"

// engineers is the cognitive ability test with a benchmark.
var engineers = attached("lumen", "pos-backend-london", "asm-lumen", `benchmark { id = "bmk-lumen-engineers-en-gb" }`)

var withManagers = sandbox.Metadata{Benchmark: "bmk-lumen-managers-en-gb"}

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
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-lumen", withManagers)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(engineers),
				// The error names it, and shows the import block. A second apply completes a renamed resource.
				ExpectError: acctest.Error("Error: Already attached", id, "second apply", "import {", "pos-backend-london/"),
			},
			service.Then(service.CheckWrites(), checkBenchmark(service, id, withManagers.Benchmark)),
		},
	})
}

// Either the attribute or the variable is enough. If the update of an adoption fails, the creation leaves no state, so
// the next one adopts. What is adopted may have a test that has been disabled since (rule 12).
func TestAccPositionAssessment_adopt(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-lumen", withManagers)
	service.Attach("pos-backend-london", "asm-workbench", sandbox.Metadata{Tests: []string{"skt-sql"}})
	service.SetActive("asm-workbench", "skt-sql", false)
	service.Inject(sandboxtest.Fault{
		Method: http.MethodPut, Route: sandbox.RoutePositionAssessment, Status: http.StatusBadRequest, Message: "not today",
	})
	config := service.Provider("adopt_existing = false") + engineers
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories(map[string]string{"ASSESS_ADOPT_EXISTING": "true"}),
		CheckDestroy:             service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: config, ExpectError: acctest.Error("400", "not today")},
			{
				Config:           config + attached("skills", "pos-backend-london", "asm-workbench", `tests { ids = ["skt-sql"] }`),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionCreate, lumen),
				Check: resource.ComposeTestCheckFunc(checkBenchmark(service, id, "bmk-lumen-engineers-en-gb"),
					service.CheckWrites(acctest.Change, acctest.Change)), // the one that failed, and its repetition
			},
		},
	})
}
