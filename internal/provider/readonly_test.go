// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// A read-only provider plans and sends only GET requests. An apply that would write
// fails, names the setting, and does not change the state.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		first := simulatedConfig(
			activation("go", "skt-go"),
			positionAssessment("a", "pos-backend-london", "asm-northlight", "profile",
				coretest.Body{"id": "prf-curious-builders"}),
		)
		s.apply(first)
		s.env["ASSESS_READ_ONLY"] = "true"
		s.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if r.Method != http.MethodGet {
				s.t.Errorf("%s %s was sent", r.Method, r.URL.Path)
			}
			return coretest.Pass
		}
		s.stays(first)
		for name, config := range map[string]coretest.Config{
			"create":  simulatedConfig(append(first.Resources, positionAssessment("b", "pos-support-leeds", "asm-facet"))...),
			"update":  simulatedConfig(first.Resources[0], positionAssessment("a", "pos-backend-london", "asm-northlight")),
			"replace": simulatedConfig(first.Resources[0], positionAssessment("a", "pos-support-leeds", "asm-northlight")),
			"enable":  simulatedConfig(append(first.Resources, activation("rust", "skt-rust"))...),
			"destroy": simulatedConfig(),
		} {
			before := s.core.State.Addresses()
			plan := s.succeeds(s.core.Plan(s.t.Context(), config, s.options))
			r := s.core.ApplyPlan(s.t.Context(), plan.Plan, s.options)
			if r.Err() == nil || !r.Says("ASSESS_READ_ONLY") {
				s.t.Errorf("%s: the error does not name the setting: %v", name, r.Diagnostics)
			}
			if after := s.core.State.Addresses(); len(after) != len(before) {
				s.t.Errorf("%s: the state had %v and has %v", name, before, after)
			}
		}
		delete(s.env, "ASSESS_READ_ONLY")
		s.network.Decide = nil
		s.stays(first)
	})
}
