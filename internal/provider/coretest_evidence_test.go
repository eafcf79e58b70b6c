// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A replaced object looks like the creation whose response was lost. It must not be
// recovered as that creation, because it is destroyed next.
func TestFaultLostReplacement(t *testing.T) {
	t.Parallel()
	for _, when := range []sandboxtest.Moment{sandboxtest.BeforeEffect, sandboxtest.AfterEffect} {
		t.Run(when.String(), func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				first := createFirst(engineers)
				s.applies(first)
				s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Reset: true, When: when})
				s.options.Replace = []string{first.Addr}
				s.applies(first)
				if id := s.id(first); id != "pas-0002" || len(s.on(backend)) != 1 {
					t.Errorf("the state has %q, the ID of the old object, and the service %q", id, s.on(backend))
				}
			})
		})
	}
}

// If no plan could compare a creation with the position assessments of its position, the apply
// compares it. It refuses a duplicate, and it recovers a lost response.
func TestFaultLostCreationUncheckedAtPlan(t *testing.T) {
	t.Parallel()
	later := outputOf("later")
	for name, row := range map[string]struct {
		value string
		uses  func(*coretest.Config)
	}{
		"a position":    {backend, func(c *coretest.Config) { c.Resources[1].Body["position_id"] = later }},
		"an assessment": {"asm-lumen", func(c *coretest.Config) { c.Resources[1].Body["assessment_id"] = later }},
		"a benchmark": {
			engineersBenchmark, func(c *coretest.Config) { c.Resources[1].Body["benchmark"] = coretest.Body{"id": later} },
		},
		"a setting": {sandbox.BaseURL, func(c *coretest.Config) { c.Providers[""]["base_url"] = later }},
	} {
		for _, duplicate := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, duplicate: %t", name, duplicate), func(t *testing.T) {
				t.Parallel()
				once(t, func(s *simulation) {
					config := simulatedConfig(unknownString("later", row.value), benchmarked("engineers", backend, engineersBenchmark))
					row.uses(&config)
					if duplicate {
						s.change(attachByOther)
						s.fails(s.core.Apply(s.t.Context(), config, s.options), "Duplicate assessment", `"pas-0001"`)
						s.service.AssertCount(t, http.MethodPost, "", 0)
						return
					}
					s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Reset: true, When: sandboxtest.AfterEffect})
					s.warns(s.apply(config), "Recovered after a lost response")
					s.noDuplicates()
				})
			})
		}
	}
}

// A service may show packages, benchmark and tests in responses to writes but never in
// reads. Such a service does not show what a lost response did. The read after the
// first write proves it.
func TestFaultLostCreationEchoed(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.AfterEffect, Body: []byte(
			`{"id":"pas-0001","organizationAssessment":"asm-lumen","metadata":{"benchmark":"bmk-lumen-engineers-en-gb"}}`,
		)})
		s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.AfterEffect, Reset: true})
		s.fails(s.run(engineers, dependingOn(managers, engineers)),
			"Unknown whether the assessment was attached", "the service does not show how it is configured")
		if has := s.on(backend); len(has) != 2 {
			t.Errorf("the service has %q, want two", has)
		}
	}, mute)
}
