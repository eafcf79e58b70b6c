// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// If the service lists a position assessment and answers 404 when it is fetched, or does not show its assessment, the
// list has an error. It does not leave out the position as if the position were deleted.
func TestListedAndNotReadable(t *testing.T) {
	t.Parallel()
	for summary, fetched := range map[string]response{
		tf.ListAttached: status(http.StatusNotFound), importFailed: ok(`{"id":"pas","metadata":{}}`),
	} {
		r := Resource{tf.Resource{Run: &tf.Run{Run: runOn(t, &script{responses: map[string][]response{
			listRoute: {list(`{"id":"pas"}`)}, fetchRoute: {fetched}, "GET /assessments": {list()},
		}}, nil)}}}
		var problems []diag.Diagnostic
		for _, problem := range r.items(t.Context(), assessapi.Item{ID: "pos"}, listModel{}) {
			problems = append(problems, problem)
		}
		if len(problems) != 1 || problems[0] == nil || problems[0].Summary() != summary {
			t.Errorf("the list has %v, want the error %q", problems, summary)
		}
	}
}

// A position that was deleted while the positions were listed is left out. But if the service answers 404 to each list of
// a position's assessments, it may have no such lists, so the result is an error and not empty.
func TestListWithoutPosition(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		first response // the list of the first position. The second position returns 404
		want  int      // errors
	}{
		"deleted": {list(), 0}, "no lists": {status(http.StatusNotFound), 2},
	} {
		r := Resource{tf.Resource{Run: &tf.Run{Run: runOn(t, &script{responses: map[string][]response{
			listRoute: {row.first},
		}}, nil)}}}
		problems := 0
		for _, id := range []string{"pos", "pos-2"} {
			for _, problem := range r.items(t.Context(), assessapi.Item{ID: id}, listModel{}) {
				if problem != nil {
					problems++
				}
			}
		}
		if problems != row.want {
			t.Errorf("%s: %d errors, want %d", name, problems, row.want)
		}
	}
}
