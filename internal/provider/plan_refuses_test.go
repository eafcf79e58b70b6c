// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Each row is a configuration that a plan refuses. The message names the attribute, the
// value, and valid values. The tests of rules have more of them.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	with := func(assessment, block string, body coretest.Body) coretest.Resource {
		return positionAssessment("a", backend, assessment, block, body)
	}
	withTwo := profiled("a", backend, "prf-customer-first")
	withTwo.Body["benchmark"] = coretest.Body{"id": engineersBenchmark}
	withOthers := tested("a", backend, "skt-sql")
	withOthers.Body["packages"] = coretest.Body{"select": "all"}
	for name, row := range map[string]struct {
		resource coretest.Resource
		says     []string
	}{
		"unknown assessment": {
			positionAssessment("a", backend, "asm-nowhere"),
			[]string{"Unknown assessment", `"asm-nowhere"`, `assessments: "asm-.* and 3 more`},
		},
		"select of an unknown assessment": {
			with("QRT", "packages", coretest.Body{"select": "all"}),
			[]string{"Unknown assessment", `"QRT"\. This value is the code or name of assessment "asm-quartet"`},
		},
		"unknown position": {
			facet("a", "pos-nowhere"), []string{"Unknown position", `"pos-nowhere"`, `"pos-backend-london"`},
		},
		"mandatory package": {
			with("asm-quartet", "packages", coretest.Body{"ids": []string{"pkg-problem-solving"}}),
			[]string{"Missing mandatory package", `"asm-quartet"`, `"pkg-numerical-reasoning"`},
		},
		"unknown package": {
			packaged("a", backend, "pkg-chess"), []string{"Unknown package", `"pkg-chess"`, `"pkg-processing-speed"`},
		},
		"no packages": {
			positionAssessment("a", backend, "asm-quartet"),
			[]string{
				"Missing packages", `requires the block "packages"`,
				`Mandatory packages: "pkg-problem-solving" \("Problem solving"\), "pkg-numerical-reasoning" \("Numerical reasoning"\)\.`,
			},
		},
		"select elsewhere": {
			with("asm-lumen", "packages", coretest.Body{"select": "all"}),
			[]string{"No packages to select", `"asm-lumen"`, "has no packages"},
		},
		"unknown benchmark": {
			benchmarked("a", backend, "bmk-nowhere"), []string{"Unknown benchmark", `"bmk-nowhere"`, engineersBenchmark},
		},
		"benchmark locale": {
			benchmarked("a", backend, "bmk-lumen-engineers-de-de"), []string{
				"Benchmark of another locale", `"bmk-lumen-engineers-de-de"`, `"de-DE"`, `"en-GB"`, engineersBenchmark,
			},
		},
		"no benchmarks": {
			with("asm-facet", "benchmark", coretest.Body{"id": engineersBenchmark}),
			[]string{"Assessment without benchmarks", `"asm-facet"`, `benchmark "` + engineersBenchmark + `" cannot be used`},
		},
		"unknown profile": {
			profiled("a", backend, "prf-field-service"),
			[]string{"Unknown profile", `"prf-field-service"`, `"prf-customer-first"`},
		},
		"no tests": {
			positionAssessment("a", backend, "asm-workbench"),
			[]string{"Missing skills tests", `requires the block "tests"`, `"skt-bookkeeping"`},
		},
		"empty tests":  {tested("a", backend), []string{"Invalid value", "ids is empty", "at least one ID"}},
		"unknown test": {tested("a", backend, "skt-sql", "skt-cobol"), []string{"Unknown skills test", `"skt-cobol"`, `"skt-sql"`}},
		"disabled test": {
			tested("a", backend, "skt-sql", "skt-go"),
			[]string{"Skills test not enabled", `"skt-go"`, "refer to the activation", `assess_skills_test_activation\.NAME\.test_id`},
		},
		"ids and select": {
			with("asm-quartet", "packages", coretest.Body{"ids": []string{"pkg-problem-solving"}, "select": "all"}),
			[]string{"Incomplete block", `exactly one of "ids" and "select", and has both`},
		},
		"neither ids nor select": {
			with("asm-quartet", "packages", coretest.Body{}),
			[]string{"Incomplete block", `exactly one of "ids" and "select", and has neither`},
		},
		"other select": {
			selected("a", backend, "some"), []string{"Invalid value", `select is "some"`, `use "all" or "mandatory"`},
		},
		"empty packages": {
			with("asm-quartet", "packages", coretest.Body{"ids": []string{}}), []string{"Invalid value", "ids is empty", "at least one ID"},
		},
		"null among packages":   {packaged("a", backend, nil), []string{"Invalid value", "packages.ids contains null"}},
		"benchmark without id":  {benchmarked("a", backend, nil), []string{"Incomplete block", `"benchmark" requires the attribute "id"`}},
		"profile without id":    {with("asm-northlight", "profile", coretest.Body{}), []string{"Incomplete block", `"profile" requires the attribute "id"`}},
		"profile and benchmark": {withTwo, []string{"Blocks that exclude each other", `"benchmark" and "profile"`}},
		"tests and packages":    {withOthers, []string{"Blocks that exclude each other", `"packages" and "tests"`}},
		"latin1 position":       {facet("a", "pos-Łódź"), []string{"Character outside Latin1", `"pos-Łódź"`, `'Ł' \(U\+0141\)`}},
		"latin1 test":           {tested("a", backend, "skt-日本"), []string{"Character outside Latin1", `"skt-日本"`, `'日'`}},
		"dots":                  {facet("a", ".."), []string{"Not an ID", `cannot be "\." or "\.\."`}},
		"empty id":              {benchmarked("a", backend, ""), []string{"Empty ID"}},
		"other supervisor change": {
			with("asm-northlight", "profile", coretest.Body{"id": "prf-customer-first", "on_supervisor_change": "ask"}),
			[]string{"Invalid value", `on_supervisor_change is "ask"`, `use "keep" or "reattach"`},
		},
		"activation of an unknown test": {
			activation("a", "skt-cobol"), []string{"Unknown skills test", `"skt-cobol"`, `Tests that are not enabled: "skt-go"`},
		},
	} {
		onceAs(t, name, func(s *simulation) {
			r := s.plan(simulatedConfig(row.resource))
			s.fails(r, row.says...)
			for _, d := range r.Diagnostics {
				if d.Error && d.Attribute == nil {
					s.t.Errorf("the error %q names no attribute", d.Summary)
				}
				// Terraform shows only one of several errors that differ in nothing but their address.
				for _, name := range []string{"position_id", "assessment_id", "test_id"} {
					if id, set := row.resource.Body[name].(string); set && d.Error && !strings.Contains(d.Detail, id) {
						s.t.Errorf("the error %q can hide that of another resource, because it lacks %s = %q", d.Summary, name, id)
					}
				}
			}
			s.writesNothing()
		}, func(o *sandboxtest.Options) { o.Seed = sandbox.Demo })
	}
}

// Without plan checks, a plan sends nothing and leaves it to the service what to refuse. What needs no
// look-up is still refused.
func TestPlanChecksOff(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := simulatedConfig(benchmarked("a", backend, "bmk-nowhere"))
		config.Providers[""]["plan_checks"] = false
		s.succeeds(s.plan(config))
		s.service.AssertCount(t, "", "", 0)
		s.fails(s.core.Apply(s.t.Context(), config, s.options),
			"Could not attach the assessment", "400 Bad Request", "bmk-nowhere", "Conversation-Id")
		s.service.AssertCount(t, http.MethodPost, "", 1)
		config.Resources[0].Body["profile"] = coretest.Body{"id": "prf-customer-first"}
		s.fails(s.plan(config), "Blocks that exclude each other")
		s.env["ASSESS_PLAN_CHECKS"] = "perhaps"
		s.fails(s.plan(simulatedConfig(facet("a", backend))), "Invalid environment variable", "true or false")
	})
}

// A resource for all kinds of assessments has all blocks as dynamic ones, so that a validation cannot tell which of
// them an instance has. Two blocks with values are refused.
func TestBlocksForAllKinds(t *testing.T) {
	t.Parallel()
	all := resources{
		packaged(`a["packages"]`, backend), benchmarked(`a["benchmark"]`, backend, graduatesBenchmark),
		profiled(`a["profile"]`, backend, "prf-customer-first"), tested(`a["tests"]`, backend, "skt-sql"),
		facet(`a["none"]`, backend),
	}
	simulate(t, func(s *simulation) {
		s.converges(all...)
	})
	once(t, func(s *simulation) {
		both := packaged(`a["both"]`, leeds)
		both.Body["profile"] = coretest.Body{"id": "prf-customer-first"}
		r := s.run(append(slices.Clone(all), both)...)
		s.fails(r, "Blocks that exclude each other", `"packages" and "profile"`)
		for _, d := range r.Diagnostics {
			if d.Error && d.Addr != both.Addr {
				t.Errorf("also refused: %v", d)
			}
		}
	})
}
