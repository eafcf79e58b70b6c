// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const cognitive = "assess_position_assessment.cognitive"

// attached is the configuration of a position assessment.
func attached(name, positionID, assessmentID, blocks string) string {
	return fmt.Sprintf(`
resource "assess_position_assessment" %q {
  position_id   = %q
  assessment_id = %q
  %s
}
`, name, positionID, assessmentID, blocks)
}

// quartet is the multi-game cognitive assessment of the sandbox on its first position.
func quartet(blocks string) string {
	return attached("cognitive", "pos-backend-london", "asm-quartet", blocks)
}

const (
	mandatoryPackages = `packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning"] }`
	quartetEngineers  = `
  benchmark { id = "bmk-quartet-engineers-en-gb" }`
)

func TestAccPositionAssessment_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(quartet(mandatoryPackages + quartetEngineers)),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionCreate, cognitive,
					plancheck.ExpectUnknownValue(cognitive, tfjsonpath.New("id"))),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(cognitive, "id", knownvalue.StringRegexp(regexp.MustCompile(`^pas-`))),
					acctest.Has(cognitive, "packages.ids", knownvalue.SetExact([]knownvalue.Check{
						acctest.Text("pkg-problem-solving"), acctest.Text("pkg-numerical-reasoning"),
					})),
					acctest.Has(cognitive, "benchmark.id", acctest.Text("bmk-quartet-engineers-en-gb")),
					acctest.Has(cognitive, "profile", knownvalue.Null()),
					acctest.Has(cognitive, "tests", knownvalue.Null()),
					acctest.Has(cognitive, "on_refused_removal", acctest.Text("fail")),
					acctest.Has(cognitive, "profile_status", knownvalue.Null()),
					acctest.Has(cognitive, "profile_url", knownvalue.Null()),
					acctest.Has(cognitive, "self_link", knownvalue.NotNull()),
				},
				Check: service.CheckWrites(acctest.Attach),
			},
			{
				ResourceName: cognitive, ImportState: true, ImportStateVerify: true,
				ImportStateIdFunc: acctest.ImportID(cognitive, "position_id", "id"),
			},
			{
				ResourceName: cognitive, ImportState: true, ImportStateVerify: true,
				ImportStateId: "pos-backend-london/asm-quartet",
			},
			{ // removes the benchmark
				Config: service.Config(quartet(mandatoryPackages)),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionUpdate, cognitive,
					plancheck.ExpectKnownValue(cognitive, tfjsonpath.New("id"), knownvalue.NotNull())),
				ConfigStateChecks: []statecheck.StateCheck{acctest.Has(cognitive, "benchmark", knownvalue.Null())},
				Check:             service.CheckWrites(acctest.Attach, acctest.Change),
			},
			{ // a value that somebody has set is drift, also where the configuration has no block
				PreConfig: func() {
					service.Change(t, func(st *sandbox.State) {
						st.Position("pos-backend-london").Assessments[0].Metadata.Benchmark = "bmk-quartet-graduates-en-gb"
					})
				},
				Config: service.Config(quartet(mandatoryPackages)),
				Check:  service.CheckWrites(acctest.Attach, acctest.Change, acctest.Change),
			},
		},
	})
}
