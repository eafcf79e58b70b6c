// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
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

func TestAccPositionAssessmentDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	packages := []string{"pkg-problem-solving", "pkg-numerical-reasoning"}
	id := service.Attach("pos-backend-london", "asm-quartet", sandbox.Metadata{
		Packages: packages, Benchmark: "bmk-quartet-engineers-en-gb",
	})
	config := func(position, id string) string {
		return service.Config(fmt.Sprintf(`data "assess_position_assessment" "test" {
			position_id = %q
			id          = %q
		}`, position, id))
	}
	const data = "data.assess_position_assessment.test"
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: config("pos-backend-london", id),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(data, "assessment_id", acctest.Text("asm-quartet")),
					acctest.Has(data, "packages.ids", knownvalue.SetSizeExact(2)),
					acctest.Has(data, "benchmark.id", acctest.Text("bmk-quartet-engineers-en-gb")),
					acctest.Has(data, "profile", knownvalue.Null()),
					acctest.Has(data, "tests", knownvalue.Null()),
					acctest.Has(data, "profile_status", knownvalue.Null()),
					acctest.Has(data, "profile_url", knownvalue.Null()),
					acctest.Has(data, "self_link", knownvalue.NotNull()),
					acctest.Has(data, "extra_json", knownvalue.Null()),
				},
			},
			{
				Config: config("pos-graduates-2026", "pas-graduates-northlight"),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(data, "profile.id", acctest.Text("prf-curious-builders")),
					acctest.Has(data, "profile_status", acctest.Text("PROFILE_ATTACHED")),
					statecheck.ExpectSensitiveValue(data, tfjsonpath.New("profile_url")),
				},
			},
			{Config: config("pos-graduates-2026", "pas-moon"), ExpectError: acctest.Error("pas-moon", "pas-graduates-lumen")},
			{ // the list still shows it
				PreConfig: func() {
					service.Inject(sandboxtest.Fault{
						Route: sandbox.RoutePositionAssessment, Status: http.StatusNotFound, Times: -1,
					})
				},
				Config:      config("pos-backend-london", id),
				ExpectError: acctest.Error("Could not read the position assessment", id, "404"),
			},
		},
	})
}

func TestAccPositionAssessmentsDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_position_assessments.test"
	all := func(service *acctest.Service, position string) string {
		return service.Config(`data "assess_position_assessments" "test" { position_id = "` + position + `" }`)
	}
	for _, name := range []string{"documented", "bare lists"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, services[name])
			service.Change(t, func(st *sandbox.State) {
				st.Position("pos-graduates-2026").Assessments[1].Extra.Set("weight", 2)
			})
			acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{{
				Config: all(service, "pos-graduates-2026"),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(data, "assessments", knownvalue.ListSizeExact(4)), // in the service's order
					acctest.Has(data, "assessments.0.id", acctest.Text("pas-graduates-lumen")),
					acctest.Has(data, "assessments.0.assessment_id", acctest.Text("asm-lumen")),
					acctest.Has(data, "assessments.0.packages", knownvalue.Null()),
					acctest.Has(data, "assessments.0.benchmark.id", acctest.Text("bmk-lumen-graduates-en-gb")),
					acctest.Has(data, "assessments.1.extra_json", acctest.Text(`{"weight":2}`)),
					acctest.Has(data, "assessments.3.profile_status", acctest.Text("PROFILE_ATTACHED")),
				},
			}}})
		})
	}
	service := acctest.NewService(t, acctest.Unsigned)
	acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{
		{Config: all(service, "pos-moon"), ExpectError: acctest.Error("pos-moon")},
		{Config: all(service, "pos-graduates-2026"), ExpectError: acctest.Error("pos-graduates-2026", "no such list")},
	}})
}
