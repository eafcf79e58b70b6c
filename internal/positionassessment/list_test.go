// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// If the service lists a position assessment and answers 404 when it is fetched, the list has an error. It does not
// leave out the position as if the position were deleted.
func TestListedAndNotFound(t *testing.T) {
	t.Parallel()
	r := Resource{tf.Resource{Run: &tf.Run{Run: runOn(t, &script{responses: map[string][]response{
		listRoute: {list(`{"id":"pas"}`)},
	}}, nil)}}}
	var problems []diag.Diagnostic
	for _, problem := range r.items(t.Context(), assessapi.Item{ID: "pos"}, listModel{}) {
		problems = append(problems, problem)
	}
	if len(problems) != 1 || problems[0] == nil || problems[0].Summary() != tf.ListAttached {
		t.Errorf("the list of a position whose element is 404 has %v, want one error", problems)
	}
}
