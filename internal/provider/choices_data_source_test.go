// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestPackagesDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-quartet").Package("pkg-processing-speed").Extra = object(t, extra)
	})
	all := service.State(t).Assessment("asm-quartet").Packages
	reads(t, service,
		having("data.assess_packages.all", attributes{
			"packages": listOf(all, func(p sandbox.Package) knownvalue.Check {
				return knownvalue.ObjectExact(attributes{
					"id": text(p.ID), "name": text(p.Name), "mandatory": knownvalue.Bool(p.Mandatory),
					"extra_json": extraJSON(p.ID == "pkg-processing-speed"),
				})
			}),
			"ids":           listOf(all, func(p sandbox.Package) knownvalue.Check { return text(p.ID) }),
			"mandatory_ids": list(text("pkg-problem-solving"), text("pkg-numerical-reasoning")),
			"optional_ids":  list(text("pkg-processing-speed"), text("pkg-verbal-knowledge")),
		}),
		having("data.assess_packages.elsewhere", attributes{
			"packages": list(), "ids": list(),
			"mandatory_ids": list(), "optional_ids": list(),
		}),
	)
	assertRoutes(t, service, sandbox.RoutePackages)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 2)
}

func TestBenchmarksDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-lumen").Benchmark("bmk-lumen-managers-fr-fr").Extra = object(t, extra)
	})
	all := service.State(t).Assessment("asm-lumen").Benchmarks
	var french []sandbox.Benchmark
	for _, b := range all {
		if b.Locale == "fr-FR" {
			french = append(french, b)
		}
	}
	shown := func(b sandbox.Benchmark) knownvalue.Check {
		return knownvalue.ObjectExact(attributes{
			"id": text(b.ID), "name": text(b.Name), "locale": text(b.Locale),
			"extra_json": extraJSON(b.ID == "bmk-lumen-managers-fr-fr"),
		})
	}
	id := func(b sandbox.Benchmark) knownvalue.Check { return text(b.ID) }
	reads(t, service,
		having("data.assess_benchmarks.all", attributes{"benchmarks": listOf(all, shown), "ids": listOf(all, id)}),
		having("data.assess_benchmarks.french", attributes{
			"benchmarks": listOf(french, shown),
			"ids":        listOf(french, id),
		}),
		having("data.assess_benchmarks.danish", attributes{"benchmarks": list(), "ids": list()}),
		having("data.assess_benchmarks.elsewhere", attributes{"benchmarks": list(), "ids": list()}),
	)
	assertRoutes(t, service, sandbox.RouteBenchmarks)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 3) // two pages of nine benchmarks for all locales, and an empty list
}

func TestProfilesDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-northlight").Profile("prf-customer-first").Extra = object(t, extra)
	})
	all := service.State(t).Assessment("asm-northlight").Profiles
	reads(t, service,
		having("data.assess_profiles.all", attributes{
			"profiles": listOf(all, func(p sandbox.Profile) knownvalue.Check {
				return knownvalue.ObjectExact(attributes{
					"id": text(p.ID), "name": text(p.Name), "extra_json": extraJSON(p.ID == "prf-customer-first"),
				})
			}),
			"ids": listOf(all, func(p sandbox.Profile) knownvalue.Check { return text(p.ID) }),
		}),
		having("data.assess_profiles.elsewhere", attributes{"profiles": list(), "ids": list()}),
	)
	assertRoutes(t, service, sandbox.RouteProfiles)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 2)
}

// Not every service shows these lists, and not for every assessment (assumptions A8, A9
// and A23).
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	for _, status := range []int{
		http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusNotImplemented,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			service := unlimited(t)
			says := map[string][]string{}
			for _, l := range []struct{ route, source, what string }{
				{sandbox.RouteBenchmarks, "benchmarks", "benchmarks"},
				{sandbox.RoutePackages, "packages", "packages"},
				{sandbox.RouteProfiles, "profiles", "profiles"},
				{sandbox.RouteSkillsTests, "skills_tests", "skills tests"},
			} {
				service.Inject(sandboxtest.Fault{
					Route: l.route, Times: -1, Status: status,
					Body: []byte("not this one"),
				})
				says["data.assess_"+l.source+".any"] = []string{
					"Could not list the " + l.what, "Could not list the " + l.what + ` of assessment "asm-.*"\.`,
					fmt.Sprintf("%d %s: not this one", status, http.StatusText(status)), "check assessment_id",
					"this service does not list " + l.what,
				}
			}
			refuses(t, service, "1", says)
		})
	}
}

func TestUnknownAssessmentOrPosition(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	assessment := func(what string) []string {
		return []string{
			"Could not list the " + what, "Could not list the " + what + ` of assessment "asm-nowhere"`,
			"404 Not Found", "Conversation-Id", "check assessment_id",
		}
	}
	position := func(summary string) []string {
		return []string{
			summary, `position "pos-nowhere"`, "404 Not Found", "Conversation-Id",
			"check the IDs in the configuration",
		}
	}
	refuses(t, service, "1", map[string][]string{
		"data.assess_benchmarks.nowhere":           assessment("benchmarks"),
		"data.assess_packages.nowhere":             assessment("packages"),
		"data.assess_profiles.nowhere":             assessment("profiles"),
		"data.assess_skills_tests.nowhere":         assessment("skills tests"),
		"data.assess_position_assessment.nowhere":  position("Could not read the position assessment"),
		"data.assess_position_assessments.nowhere": position("Could not list the position's assessments"),
		"data.assess_position_results.nowhere":     position("Could not read the results"),
	})
}
