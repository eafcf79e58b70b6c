// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"math/big"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// names checks a set of texts.
func names(values ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, len(values))
	for i, value := range values {
		checks[i] = text(value)
	}
	return knownvalue.SetExact(checks)
}

// byName checks a map of IDs by name.
func byName(ids map[string]string) knownvalue.Check {
	checks := map[string]knownvalue.Check{}
	for name, id := range ids {
		checks[name] = text(id)
	}
	return knownvalue.MapExact(checks)
}

// A configuration with all four kinds of blocks can be applied without a single ID.
func TestByName(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	c := unthrottled(t, service, "1")
	c.apply().ok()
	attached := map[string]sandbox.Metadata{}
	for _, pa := range service.State(t).Position("pos-backend-london").Assessments {
		attached[pa.Assessment] = pa.Metadata
	}
	games, values, skills := attached["asm-quartet"], attached["asm-northlight"], attached["asm-workbench"]
	for _, ids := range []struct{ got, want []string }{
		{games.Packages, []string{"pkg-numerical-reasoning", "pkg-problem-solving", "pkg-verbal-knowledge"}},
		{[]string{games.Benchmark}, []string{"bmk-quartet-engineers-en-gb"}},
		{[]string{values.Profile}, []string{"prf-curious-builders"}},
		{skills.Tests, []string{"skt-go", "skt-sql"}},
	} {
		if got := slices.Sorted(slices.Values(ids.got)); !slices.Equal(got, ids.want) {
			t.Errorf("configured %q, want %q", got, ids.want)
		}
	}
	c.plan().ok().empty()

	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-workbench").SkillsTest("skt-rust").Set("title", "TypeScript")
	})
	service.ResetJournal()
	refuses(t, service, "misspelt", map[string][]string{
		"data.assess_package.any": {
			"No package found",
			`None of 4 packages has the name "Problem solvng"`,
			`Similar: "pkg-problem-solving" \(name "Problem`,
		},
		"data.assess_benchmark.any": {
			"No benchmark found", `None of 9 benchmarks has the name "Enginers"`,
			`Similar: "bmk-lumen-engineers-en-gb" \(name "Engineers", locale "en-GB"\)`,
		},
		"data.assess_benchmark.locale": {
			`has the name "Engineers" and the locale "es-ES"`, `Similar: .*locale "de-DE"`,
		},
		"data.assess_benchmark.several": {
			"Several benchmarks found", `3 benchmarks have the name "Engineers"`,
			"set locale, or set id to one of these IDs instead",
		},
		"data.assess_profile.any": {
			"No profile found",
			`Similar: "prf-curious-builders" \(name "Curious builders"\)`,
		},
		"data.assess_skills_test.any": {"No skills test found", `Similar: "skt-go" \(title "Go Programming"\)`},
		"data.assess_skills_test.several": {
			"Several skills tests found",
			"skt-typescript.*skt-rust",
			"set id to one of these IDs instead",
		},
	})
}

// The CLI sends composed characters, such as é as one character. A service may have stored
// a letter followed by an accent. Both are the same name.
func TestDecomposedNames(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Position("pos-donnees-paris").Title = "Inge\u0301nieure donne\u0301es, Paris"
		st.Assessment("asm-lumen").Code = "E\u0301TE\u0301"
		games := st.Assessment("asm-quartet")
		games.Package("pkg-problem-solving").Name = "E\u0301te\u0301"
		games.Package("pkg-verbal-knowledge").Name = "Ve\u0301rifier"
		games.Package("pkg-processing-speed").Name = "V\u00e9rifier"
	})
	packages := byName(map[string]string{
		"Été": "pkg-problem-solving", "Numerical reasoning": "pkg-numerical-reasoning",
	})
	paris := attributes{"id": text("pos-donnees-paris"), "title": text("Ingénieure données, Paris")}
	reads(t, service,
		having("data.assess_position.paris", paris),
		having("data.assess_positions.paris", attributes{"ids": list(text("pos-donnees-paris"))}),
		having("data.assess_assessment.code", attributes{"id": text("asm-lumen")}),
		having("data.assess_package.summer", attributes{"id": text("pkg-problem-solving"), "name": text("Été")}),
		having("data.assess_packages.games", attributes{"ids_by_name": packages}),
		having("data.assess_assessment_options.games", attributes{
			"packages": packages, "ambiguous_names": knownvalue.SetPartial([]knownvalue.Check{text("Vérifier")}),
		}),
	)
}

func TestFindDataSources(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-quartet").Package("pkg-processing-speed").Extra = object(t, extra)
	})
	benchmark := attributes{
		"id": text("bmk-lumen-managers-fr-fr"), "name": text("Managers"), "locale": text("fr-FR"),
		"assessment_id": text("asm-lumen"), "extra_json": knownvalue.Null(),
	}
	profile := attributes{
		"id": text("prf-customer-first"), "name": text("Customer first"), "extra_json": knownvalue.Null(),
	}
	reads(t, service,
		having("data.assess_package.by_id", attributes{
			"id": text("pkg-processing-speed"), "name": text("Processing speed"), "mandatory": knownvalue.Bool(false),
			"extra_json": text(extraShown),
		}),
		having("data.assess_package.by_name", attributes{
			"id": text("pkg-problem-solving"), "name": text("Problem solving"), "mandatory": knownvalue.Bool(true),
			"extra_json": knownvalue.Null(),
		}),
		having("data.assess_benchmark.by_id", benchmark),
		having("data.assess_benchmark.by_name", benchmark),
		having("data.assess_profile.by_id", profile),
		having("data.assess_profile.by_name", profile),
		having("data.assess_skills_test.by_id", attributes{
			"id": text(
				"skt-go",
			),
			"title":               text("Go Programming"),
			"category":            text("Software"),
			"active":              knownvalue.Bool(false),
			"description":         text("Goroutines, interfaces and errors in everyday code."),
			"time_to_complete":    text("40 minutes"),
			"number_of_questions": knownvalue.NumberExact(big.NewFloat(24)),
			"extra_json":          knownvalue.Null(),
		}),
		having("data.assess_skills_test.by_title", attributes{"id": text("skt-sql"), "active": knownvalue.Bool(true)}),
	)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 5) // packages, benchmarks, profiles, both lists of skills tests
	requestsOfPlan(t, service, "enabled")
	service.AssertCount(t, "", "", 1) // only the list of enabled tests, because the ID is in it
}

// TestAssessmentOptions tests assumption A29.
func TestAssessmentOptions(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	const address = "data.assess_assessment_options."
	none := byName(nil)
	reads(t, service,
		having(address+"QRT", attributes{
			"blocks": names("packages", "benchmark"), "required_blocks": names("packages"),
			"packages": byName(map[string]string{
				"Problem solving": "pkg-problem-solving", "Numerical reasoning": "pkg-numerical-reasoning",
				"Processing speed": "pkg-processing-speed", "Verbal knowledge": "pkg-verbal-knowledge",
			}),
			"mandatory_package_ids": list(text("pkg-problem-solving"), text("pkg-numerical-reasoning")),
			"benchmarks": byName(map[string]string{
				"Graduates": "bmk-quartet-graduates-en-gb", "Engineers": "bmk-quartet-engineers-en-gb",
			}),
			"profiles": none, "skills_tests": none, "disabled_skills_tests": none, "ambiguous_names": names(),
		}),
		having(address+"NLV", attributes{
			"blocks": names("profile"), "required_blocks": names(), "packages": none, "mandatory_package_ids": list(),
			"profiles": byName(map[string]string{
				"Customer first": "prf-customer-first", "Safety before speed": "prf-safety-before-speed",
				"Curious builders": "prf-curious-builders",
			}),
		}),
		having(address+"WBN", attributes{
			"blocks": names("tests"), "required_blocks": names("tests"),
			"skills_tests": knownvalue.MapSizeExact(19),
			"disabled_skills_tests": byName(map[string]string{
				"Go Programming": "skt-go", "Rust Programming": "skt-rust", "Container Orchestration": "skt-kubernetes",
				"Handling Complaints": "skt-complaints", "IFRS Reporting": "skt-ifrs",
			}),
		}),
		having(address+"TLY", attributes{"blocks": names("benchmark"), "required_blocks": names()}),
		having(address+"FCT", attributes{"blocks": names(), "required_blocks": names(), "benchmarks": none}),
		having("data.assess_assessment_options.every_locale", attributes{
			"blocks": names("benchmark"), "benchmarks": none, "ambiguous_names": names("Graduates", "Engineers", "Managers"),
		}),
	)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 1+6*5) // the list of assessments, and five lists for each of six assessments

	refuses(t, service, "unknown", map[string][]string{
		"data.assess_assessment_options.any": {
			"Unknown assessment", `no assessment "asm-quartett"`, `"asm-quartet" \("Quartet Games"\)`,
		},
	})
}

// A service may refuse packages and skills tests of other kinds of assessments (A23),
// and may not show the benchmarks (A8). Lists that are not shown are null, and their
// blocks are accepted.
func TestAssessmentOptionsOfAnotherService(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	for _, route := range []string{sandbox.RoutePackages, sandbox.RouteSkillsTests} {
		service.Inject(sandboxtest.Fault{Route: route, Times: -1, Status: http.StatusNotFound})
	}
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Times: -1, Status: http.StatusNotImplemented})
	reads(t, service, having("data.assess_assessment_options.any", attributes{
		"blocks": names("benchmark", "profile"), "required_blocks": names(),
		"packages": byName(nil), "mandatory_package_ids": list(), "benchmarks": knownvalue.Null(),
		"profiles": knownvalue.MapSizeExact(3), "skills_tests": byName(nil), "disabled_skills_tests": byName(nil),
		"ambiguous_names": names(),
	}))
}

// The maps of list data sources leave out ambiguous names.
func TestMapsOfLists(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-facet").Code = "LMN"
		st.Position("pos-support-leeds").Title = "Backend Engineer, London"
	})
	reads(t, service,
		having("data.assess_assessments.all", attributes{"ids_by_code": knownvalue.MapPartial(map[string]knownvalue.Check{
			"QRT": text("asm-quartet"),
		})}),
		having("data.assess_assessments.all", attributes{"ids_by_code": knownvalue.MapSizeExact(11)}),
		having("data.assess_positions.all", attributes{"ids_by_title": knownvalue.MapSizeExact(6)}),
		having("data.assess_packages.games", attributes{"ids_by_name": byName(map[string]string{
			"Problem solving": "pkg-problem-solving", "Numerical reasoning": "pkg-numerical-reasoning",
			"Processing speed": "pkg-processing-speed", "Verbal knowledge": "pkg-verbal-knowledge",
		})}),
		having("data.assess_benchmarks.all", attributes{"ids_by_name": byName(nil)}),
		having("data.assess_benchmarks.french", attributes{"ids_by_name": byName(map[string]string{
			"Finance": "bmk-tally-finance-fr-fr",
		})}),
		having("data.assess_profiles.values", attributes{"ids_by_name": knownvalue.MapSizeExact(3)}),
		having("data.assess_skills_tests.disabled", attributes{"ids_by_title": knownvalue.MapSizeExact(5)}),
	)
}
