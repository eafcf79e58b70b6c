// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Each row is a configuration that a plan refuses. The message names the attribute, the
// value, and valid values.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for step, says := range map[string][]string{
		"unknown_assessment": {"Unknown assessment", `"asm-nowhere"`, `assessments: "asm-.* and 3 more`},
		"select_of_unknown_assessment": {
			"Unknown assessment",
			`"QRT"\. This value is the code or name of assessment "asm-quartet"`,
		},
		"unknown_position":  {"Unknown position", `"pos-nowhere"`, `"pos-backend-london"`},
		"mandatory_package": {"Missing mandatory package", `"asm-quartet"`, `"pkg-numerical-reasoning"`},
		"unknown_package":   {"Unknown package", `"pkg-chess"`, `"pkg-processing-speed"`},
		"no_packages": {
			"Missing packages", `requires the block "packages"`,
			`Mandatory packages: "pkg-problem-solving" \("Problem solving"\), "pkg-numerical-reasoning" \("Numerical reasoning"\)\.`,
		},
		"benchmark_without_packages": {"Missing packages", `"pkg-problem-solving"`},
		"packages_elsewhere": {
			"Unknown package", `"asm-lumen" \("Lumen Ability Test"\) has no package "pkg-problem-solving"`,
			"Its packages: none",
		},
		"select_elsewhere":  {"No packages to select", `"asm-lumen"`, "has no packages"},
		"unknown_benchmark": {"Unknown benchmark", `"bmk-nowhere"`, `"bmk-lumen-engineers-en-gb"`},
		"benchmark_locale": {
			"Benchmark of another locale", `"bmk-lumen-engineers-de-de"`, `"de-DE"`,
			`"en-GB"`, `"bmk-lumen-engineers-en-gb"`,
		},
		"no_benchmarks":     {"Assessment without benchmarks", `"asm-facet"`, `"bmk-lumen-engineers-en-gb"`},
		"unknown_profile":   {"Unknown profile", `"prf-field-service"`, `"prf-customer-first"`},
		"profile_elsewhere": {"Unknown profile", `"asm-lumen" \("Lumen Ability Test"\) has no profiles`, `"prf-field-service"`, `remove the block "profile"`},
		"no_tests":          {"Missing skills tests", `requires the block "tests"`, `"skt-bookkeeping"`},
		"empty_tests":       {"Invalid value", "ids is empty", "at least one ID"},
		"unknown_test":      {"Unknown skills test", `"skt-cobol"`, `"skt-sql"`},
		"tests_elsewhere":   {"Unknown skills test", `"asm-facet" \("Facet Behavioural Profile"\) has no skills test "skt-sql"`},
		"disabled_test": {
			"Skills test not enabled", `"skt-go"`, "refer to that resource",
			`assess_skills_test_activation\.NAME\.test_id`,
		},
		"literal_activation": {
			"Skills test not enabled", `"skt-go"`, "refer to that resource",
			"so that the test is enabled first",
		},
		"ids_and_select":         {"Incomplete block", `exactly one of "ids" and "select", and has both`},
		"neither_ids_nor_select": {"Incomplete block", `exactly one of "ids" and "select", and has neither`},
		"other_select":           {"Invalid value", `select is "some"`, `use "all" or "mandatory"`},
		"empty_packages":         {"Invalid value", "ids is empty", "at least one ID"},
		"benchmark_without_id":   {"Incomplete block", `"benchmark" requires the attribute "id"`},
		"profile_without_id":     {"Incomplete block", `"profile" requires the attribute "id"`},
		"profile_and_benchmark":  {"Blocks that exclude each other", `"benchmark" and "profile"`},
		"tests_and_packages":     {"Blocks that exclude each other", `"packages" and "tests"`},
		"latin1_position":        {"Character outside Latin1", `"pos-Łódź"`, `'Ł' \(U\+0141\)`},
		"latin1_test":            {"Character outside Latin1", `"skt-日本"`, `'日'`},
		"dots":                   {"Not an ID", `cannot be "\." or "\.\."`},
		"empty_id":               {"Empty ID"},
		"same_twice": {
			"Duplicate assessment", "Another resource of this configuration",
			`"asm-lumen"`, `"pos-backend-london"`,
		},
		"other_supervisor_change": {"Invalid value", `on_supervisor_change is "ask"`, `use "keep" or "reattach"`},

		"activation_unknown_test":       {"Unknown skills test", `"skt-cobol"`, `Tests that are not enabled: "skt-go"`},
		"activation_unknown_assessment": {"Unknown assessment", `"asm-nowhere"`},
		"activation_elsewhere":          {"Unknown skills test", `"asm-lumen"`, "Enabled tests: none"},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t)
			c := newCLI(t, service)
			c.useFrom("TestPlanRefuses", step)
			r := c.plan().fails(says...)
			for _, d := range r.errors {
				if d.Snippet.Code == "" {
					t.Errorf("the error %q has no position in the configuration", d.Summary)
				}
			}
			noWrites(t, service)
		})
	}
}

func TestPlanChecksOff(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.use("lookups")
	c.plan().ok()
	service.AssertCount(t, "", "", 0)
	c.apply().fails("Could not attach the assessment", "400 Bad Request", "bmk-nowhere", "Conversation-Id")
	service.AssertCount(t, http.MethodPost, "", 1)
	c.use("static")
	c.plan().fails("Blocks that exclude each other")
}
