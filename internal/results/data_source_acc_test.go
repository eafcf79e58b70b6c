// SPDX-License-Identifier: MPL-2.0

package results_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const data = "data.assess_position_results.test"

// london is a service with two candidates on a position: Ada has finished, and Grace was invited.
func london(t *testing.T, change ...func(*sandboxtest.Options)) *acctest.Service {
	t.Helper()
	service := acctest.NewService(t, change...)
	service.Attach("pos-backend-london", "asm-lumen", sandbox.Metadata{})
	service.Complete(t, service.Invite("pos-backend-london", "asm-lumen"))
	service.Invite("pos-backend-london", "asm-lumen")
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

func text(value string) knownvalue.Check { return knownvalue.StringExact(value) }

func link(pattern string) knownvalue.Check {
	return knownvalue.StringRegexp(regexp.MustCompile(pattern))
}

func TestAccPositionResultsDataSource_basic(t *testing.T) {
	t.Parallel()
	service := london(t)
	ada := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"id": text("cnd-ada"), "name": text("Ada Byron"), "suitability": knownvalue.Float64Exact(87.5),
		"report_url": link(`/report/pos-backend-london/cnd-ada$`),
		"results": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
			"assessment_id": text("asm-lumen"), "type": text("SCORED"), "percentile": knownvalue.Float64Exact(87.5),
			"classification": text("ABOVE_AVERAGE"), "validity": knownvalue.Null(),
			"report_url": link(`/report/pos-backend-london/cnd-ada/asm-lumen$`),
			"invitations": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"id": text("inv-ada"), "type": text("REMOTE"), "status": text("TESTED_WITH_RESULTS"),
				"expiry": link(`^\d{4}-\d\d-\d\d$`), "created": link(`Z$`), "completed": link(`Z$`),
			})}),
		})}),
	})
	grace := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"id": text("cnd-grace"), "name": text("Grace Hopper"), "suitability": knownvalue.Null(),
		"results": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
			"percentile": knownvalue.Null(), "classification": knownvalue.Null(),
			"invitations": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"status": text("INVITED"), "completed": knownvalue.Null(),
			})}),
		})}),
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(results("")),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(data, tfjsonpath.New("candidates"),
						knownvalue.ListExact([]knownvalue.Check{ada, grace})),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("candidate_login_urls"),
						knownvalue.MapExact(map[string]knownvalue.Check{
							"inv-ada": link(`/sit/inv-ada$`), "inv-grace": link(`/sit/inv-grace$`),
						})),
					statecheck.ExpectSensitiveValue(data, tfjsonpath.New("candidate_login_urls")),
					statecheck.ExpectSensitiveValue(data, tfjsonpath.New("raw_json")),
				},
			},
			{
				Config: service.Config(results(`candidate_ids = ["cnd-grace"]`)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(data, tfjsonpath.New("candidates"), knownvalue.ListExact([]knownvalue.Check{grace})),
				},
			},
			{ // of an assessment that the position does not have
				Config: service.Config(results(`assessment_ids = ["asm-facet"]`)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(data, tfjsonpath.New("candidates").AtSliceIndex(0).AtMapKey("results"),
						knownvalue.ListSizeExact(0)),
				},
			},
			{
				Config:      service.Config(`data "assess_position_results" "test" { position_id = "pos-moon" }`),
				ExpectError: acctest.Error("pos-moon", "404"),
			},
		},
	})
}

// All pages, in the order of the service, by suitability.
func TestAccPositionResultsDataSource_pages(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t) // its pages have five candidates
	n := len(service.State(t).Position("pos-graduates-2026").Candidates)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`
				data "assess_position_results" "test" { position_id = "pos-graduates-2026" }
				locals {
				  scores = [for c in data.assess_position_results.test.candidates : c.suitability if c.suitability != null]
				}
				output "ordered" { value = alltrue([for i, s in local.scores : i == 0 || s <= local.scores[max(i - 1, 0)]]) }
				output "distinct" { value = length(distinct(data.assess_position_results.test.candidates[*].id)) }`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(data, tfjsonpath.New("candidates"), knownvalue.ListSizeExact(n)),
				statecheck.ExpectKnownOutputValue("ordered", knownvalue.Bool(true)),
				statecheck.ExpectKnownOutputValue("distinct", knownvalue.Int64Exact(int64(n))),
			},
		}},
	})
}

// While no invitation is completed, scores are null, whatever placeholder the service sends.
func TestAccPositionResultsDataSource_placeholders(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"INVITED", "IN_PROGRESS", "EXPIRED", "TESTED_WITH_RESULTS"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			service.Inject(sandboxtest.Fault{
				Route: sandbox.RouteResults, When: sandboxtest.AfterEffect, Times: -1,
				Body: []byte(`{"_links": [], "candidates": [{"id": "cnd-ada", "name": "Ada Byron", "suitability": null, "results": [{
					"assessment": "asm-lumen", "type": "SCORED", "reportUrl": "https://assess.invalid/r", "percentile": 0,
					"classification": "FAR_BELOW_AVERAGE", "validity": null, "invitations": [{"id": "inv-ada", "type": "REMOTE",
					"status": "` + status + `", "expiry": "2039-12-31", "created": "2026-01-01T00:00:00Z",
					"completed": "0001-01-01T00:00:00Z", "candidateLoginUrl": "https://assess.invalid/s"}]}]}]}`),
			})
			result := tfjsonpath.New("candidates").AtSliceIndex(0).AtMapKey("results").AtSliceIndex(0)
			percentile, classification, completed := knownvalue.Null(), knownvalue.Null(), knownvalue.Null()
			checks := []statecheck.StateCheck{
				statecheck.ExpectKnownValue(data, result.AtMapKey("percentile"), percentile),
				statecheck.ExpectKnownValue(data, result.AtMapKey("classification"), classification),
				statecheck.ExpectKnownValue(data,
					tfjsonpath.New("candidates").AtSliceIndex(0).AtMapKey("results").AtSliceIndex(0).
						AtMapKey("invitations").AtSliceIndex(0).AtMapKey("completed"), completed),
			}
			if status == "TESTED_WITH_RESULTS" {
				checks = []statecheck.StateCheck{
					statecheck.ExpectKnownValue(data, tfjsonpath.New("candidates").AtSliceIndex(0).AtMapKey("results").
						AtSliceIndex(0).AtMapKey("percentile"), knownvalue.Float64Exact(0)),
				}
			}
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{{Config: service.Config(results("")), ConfigStateChecks: checks}},
			})
		})
	}
}

// Other names of the same members (A12).
func TestAccPositionResultsDataSource_aliases(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RouteResults, When: sandboxtest.AfterEffect, Times: -1,
		Body: []byte(`{"_links": [], "candidates": [
			{"id": "1", "candidateName": "Ada Byron", "candidateSuitability": {"score": 71.5}, "overallReportUrl": "u1",
			 "results": []},
			{"id": "2", "firstName": "Grace", "lastName": "Hopper", "suitabilityScore": "12.5", "candidateReportUrl": "u2",
			 "results": []}]}`),
	})
	candidate := func(name, link string, score float64) knownvalue.Check {
		return knownvalue.ObjectPartial(map[string]knownvalue.Check{
			"name": text(name), "report_url": text(link), "suitability": knownvalue.Float64Exact(score),
		})
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(results("")),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(data, tfjsonpath.New("candidates"), knownvalue.ListExact([]knownvalue.Check{
					candidate("Ada Byron", "u1", 71.5), candidate("Grace Hopper", "u2", 12.5),
				})),
			},
		}},
	})
}

// A list that reports a failure, or that there is more, is an error, and never "nobody".
func TestAccPositionResultsDataSource_absenceMustBeShown(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]string{
		`{"candidates": [], "success": false}`:                "success",
		`{"candidates": [], "errors": [{"message": "down"}]}`: "errors",
		`{"candidates": [], "status": 503}`:                   "status",
		`{"candidates": [], "total": 3}`:                      "total",
		`{"candidates": [], "hasMore": true}`:                 "hasMore",
		`{"candidates": [], "nextToken": "abc"}`:              "nextToken",
		`{"candidates": [], "page": {"next": "/2"}}`:          "next",
		`{"people": {}}`:                                      "people",
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			service.Inject(sandboxtest.Fault{
				Method: http.MethodGet, Route: sandbox.RouteResults, When: sandboxtest.AfterEffect, Times: -1, Body: []byte(body),
			})
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{{
					Config: service.Provider(`retry_timeout = "1s"`) + results(""), ExpectError: acctest.Error(says),
				}},
			})
		})
	}
}

// A plan that changes nothing is empty, and so is one of results that have not changed.
func TestAccPositionResultsDataSource_unchanged(t *testing.T) {
	t.Parallel()
	service := london(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(results("") + `output "all" { value = data.assess_position_results.test.candidates }`)},
			{
				RefreshState: true,
				RefreshPlanChecks: resource.RefreshPlanChecks{
					PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			},
		},
	})
}
