// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// A plan that refreshes only an activation is a plan, not an apply. It does not use the
// notes that an earlier plan left for its apply.
func TestPlanThatRefreshesOnlyActivations(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		skills := positionAssessment("a", "pos-backend-london", "asm-workbench", "tests",
			coretest.Body{"ids": []any{coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}}})
		skills.CreateBeforeDestroy = true
		config := simulatedConfig(activation("go", "skt-go"), skills)
		s.apply(config)
		s.plansForced(config) // writes a note for an apply that never runs
		s.core.Forget(attachmentAddr + "a")
		r := s.core.Plan(s.t.Context(), config, s.options)
		if r.Err() == nil || !r.Says("Duplicate assessment") {
			s.t.Errorf("the duplicate is not refused: %v", r.Diagnostics)
		}
	})
}

// An import ID without a slash is refused with the expected format.
func TestImportIDWithoutSlash(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-facet"))
		config.Imports = []coretest.Import{{To: attachmentAddr + "a", ID: "pas-0001"}}
		r := s.core.Plan(s.t.Context(), config, s.options)
		if r.Err() == nil || !r.Says("has the form POSITION_ID/POSITION_ASSESSMENT_ID") {
			s.t.Errorf("the message does not show the format of an import ID: %v", r.Diagnostics)
		}
	})
}
