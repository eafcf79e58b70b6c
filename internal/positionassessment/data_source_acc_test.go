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

// at checks a value of a data source.
func at(dataSource string, path tfjsonpath.Path, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data."+dataSource+".test", path, want)
}

func TestAccPositionAssessmentDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	packages := []string{"pkg-problem-solving", "pkg-numerical-reasoning"}
	id := service.Attach("pos-backend-london", "asm-quartet", sandbox.Metadata{
		Packages: packages, Benchmark: "bmk-quartet-engineers-en-gb",
	})
	config := func(position, id string) string {
		return service.Config(`data "assess_position_assessment" "test" {
			position_id = "` + position + `"
			id          = "` + id + `"
		}`)
	}
	const data = "assess_position_assessment"
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: config("pos-backend-london", id),
				ConfigStateChecks: []statecheck.StateCheck{
					at(data, tfjsonpath.New("assessment_id"), knownvalue.StringExact("asm-quartet")),
					at(data, tfjsonpath.New("packages").AtMapKey("ids"), knownvalue.SetSizeExact(2)),
					at(data, tfjsonpath.New("benchmark").AtMapKey("id"), knownvalue.StringExact("bmk-quartet-engineers-en-gb")),
					at(data, tfjsonpath.New("profile"), knownvalue.Null()),
					at(data, tfjsonpath.New("tests"), knownvalue.Null()),
					at(data, tfjsonpath.New("profile_status"), knownvalue.Null()),
					at(data, tfjsonpath.New("profile_url"), knownvalue.Null()),
					at(data, tfjsonpath.New("self_link"), knownvalue.NotNull()),
					at(data, tfjsonpath.New("extra_json"), knownvalue.Null()),
				},
			},
			{
				Config: config("pos-graduates-2026", "pas-graduates-northlight"),
				ConfigStateChecks: []statecheck.StateCheck{
					at(data, tfjsonpath.New("profile").AtMapKey("id"), knownvalue.StringExact("prf-curious-builders")),
					at(data, tfjsonpath.New("profile_status"), knownvalue.StringExact("PROFILE_ATTACHED")),
					statecheck.ExpectSensitiveValue("data.assess_position_assessment.test", tfjsonpath.New("profile_url")),
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
	for _, name := range []string{"documented", "bare lists", "unsigned"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, services[name])
			service.Change(t, func(st *sandbox.State) {
				st.Position("pos-graduates-2026").Assessments[1].Extra.Set("weight", 2)
			})
			all := func(position string) string {
				return service.Config(`data "assess_position_assessments" "test" { position_id = "` + position + `" }`)
			}
			const data = "assess_position_assessments"
			first, second := tfjsonpath.New("assessments").AtSliceIndex(0), tfjsonpath.New("assessments").AtSliceIndex(1)
			step := resource.TestStep{
				Config: all("pos-graduates-2026"),
				ConfigStateChecks: []statecheck.StateCheck{
					at(data, tfjsonpath.New("assessments"), knownvalue.ListSizeExact(4)), // in the service's order
					at(data, first.AtMapKey("id"), knownvalue.StringExact("pas-graduates-lumen")),
					at(data, first.AtMapKey("assessment_id"), knownvalue.StringExact("asm-lumen")),
					at(data, first.AtMapKey("packages"), knownvalue.Null()),
					at(data, first.AtMapKey("benchmark").AtMapKey("id"), knownvalue.StringExact("bmk-lumen-graduates-en-gb")),
					at(data, second.AtMapKey("extra_json"), knownvalue.StringExact(`{"weight":2}`)),
					at(data, tfjsonpath.New("assessments").AtSliceIndex(3).AtMapKey("profile_status"),
						knownvalue.StringExact("PROFILE_ATTACHED")),
				},
			}
			if service.Deviations().NoPositionList {
				step.ConfigStateChecks, step.ExpectError = nil, acctest.Error("pos-graduates-2026", "no such list")
			}
			acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{
				{Config: all("pos-moon"), ExpectError: acctest.Error("pos-moon")}, step,
			}})
		})
	}
}
