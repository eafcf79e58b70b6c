// SPDX-License-Identifier: MPL-2.0

package results_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const data = "data.assess_position_results.test"

// london is a service with two candidates on a position: Ada has finished, and Grace was invited.
func london(t *testing.T) *acctest.Service {
	t.Helper()
	service := acctest.NewService(t)
	service.Attach("pos-backend-london", "asm-lumen", sandbox.Metadata{})
	service.Complete(t, service.Invite(t, "pos-backend-london", "asm-lumen"))
	service.Invite(t, "pos-backend-london", "asm-lumen")
	service.Change(t, func(st *sandbox.State) {
		candidates := st.Position("pos-backend-london").Candidates
		candidates[0].ID, candidates[0].Name = "cnd-ada", "Ada Byron"
		candidates[1].ID, candidates[1].Name = "cnd-grace", "Grace Hopper"
		percentile := 87.5
		ada := &candidates[0].Results[0]
		ada.Percentile, ada.Classification = &percentile, "ABOVE_AVERAGE"
		ada.Invitations[0].ID, candidates[1].Results[0].Invitations[0].ID = "inv-ada", "inv-grace"
	})
	return service
}

// results is the configuration of the data source with the name "test".
func results(arguments string) string {
	return `
data "assess_position_results" "test" {
  position_id = "pos-backend-london"
  ` + arguments + `
}
`
}

func link(pattern string) knownvalue.Check {
	return knownvalue.StringRegexp(regexp.MustCompile(pattern))
}

func TestAccPositionResultsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := london(t)
	ada := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"id": acctest.Text("cnd-ada"), "name": acctest.Text("Ada Byron"), "suitability": knownvalue.Float64Exact(87.5),
		"report_url": link(`/report/pos-backend-london/cnd-ada$`),
		"results": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
			"assessment_id": acctest.Text("asm-lumen"), "type": acctest.Text("SCORED"), "percentile": knownvalue.Float64Exact(87.5),
			"classification": acctest.Text("ABOVE_AVERAGE"), "validity": knownvalue.Null(),
			"report_url": link(`/report/pos-backend-london/cnd-ada/asm-lumen$`),
			"invitations": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"id": acctest.Text("inv-ada"), "type": acctest.Text("REMOTE"), "status": acctest.Text("TESTED_WITH_RESULTS"),
				"expiry": link(`^\d{4}-\d\d-\d\d$`), "created": link(`Z$`), "completed": link(`Z$`),
			})}),
		})}),
	})
	grace := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"id": acctest.Text("cnd-grace"), "name": acctest.Text("Grace Hopper"), "suitability": knownvalue.Null(),
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(results("")),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(data, "candidates", knownvalue.ListExact([]knownvalue.Check{ada, grace})),
					acctest.Has(data, "candidate_login_urls", knownvalue.MapExact(map[string]knownvalue.Check{
						"inv-ada": link(`/sit/inv-ada$`), "inv-grace": link(`/sit/inv-grace$`),
					})),
					statecheck.ExpectSensitiveValue(data, tfjsonpath.New("candidate_login_urls")),
					statecheck.ExpectSensitiveValue(data, tfjsonpath.New("raw_json")),
				},
			},
			{
				Config: service.Config(results(`candidate_ids = ["cnd-grace"]`)),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(data, "candidates", knownvalue.ListExact([]knownvalue.Check{grace})),
				},
			},
			{ // of an assessment that the position does not have
				Config: service.Config(results(`assessment_ids = ["asm-facet"]`)),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(data, "candidates.0.results", knownvalue.ListSizeExact(0)),
				},
			},
			{
				Config:      service.Config(`data "assess_position_results" "test" { position_id = "pos-moon" }`),
				ExpectError: acctest.Error("pos-moon", "404"),
			},
		},
	})
}
