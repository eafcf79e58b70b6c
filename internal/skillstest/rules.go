// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// check returns a finding if the organization does not have the assessment, if the assessment does not have the test,
// or if a list could not be read. It returns none if the service has no list of skills tests for the assessment.
func check(ctx context.Context, f messages.Lists, ref run.TestRef) []messages.Finding {
	if found := messages.CheckAssessment(ctx, f, ref.Assessment); len(found) > 0 {
		return found
	}
	path, assessment := []string{"test_id"}, f.AssessmentLabel(ref.Assessment)
	tests := map[bool][]assessapi.Label{} // by whether they are enabled
	for _, enabled := range []bool{true, false} {
		list, err := f.SkillsTests(ctx, ref.Assessment, enabled)
		if err != nil {
			return messages.Unread(path, assessment, "skills tests", err)
		}
		tests[enabled] = assessapi.Labels(list)
		if messages.Has(tests[enabled], ref.Test) {
			return nil
		}
	}
	if len(tests[true])+len(tests[false]) == 0 {
		return messages.Reject(messages.UnknownTest, path, "Assessment %s has no skills tests.\n\nTo fix this: correct "+
			"assessment_id.", assessment)
	}
	return messages.Reject(messages.UnknownTest, path, "Assessment %s has no skills test %q. Tests that are not enabled: "+
		"%s. Enabled tests: %s.\n\nTo fix this: correct test_id.",
		assessment, ref.Test, messages.Near(ref.Test, tests[false]), messages.Near(ref.Test, tests[true]))
}
