// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// If the service lists a position assessment and answers 404 when it is fetched, or does not show its assessment, the
// list has an error. So it does if the service answers 404 to the list, because it may have no such lists.
func TestListedAndNotReadable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		listed, fetched response
		summary         string
	}{
		"not found": {list(`{"id":"pas"}`), status(http.StatusNotFound), tf.ListAttached},
		"hidden":    {list(`{"id":"pas"}`), ok(`{"id":"pas","metadata":{}}`), importFailed},
		"no list":   {status(http.StatusNotFound), ok(pasJSON), tf.ListAttached},
	} {
		r := Resource{tf.Resource{Run: &tf.Run{Run: runOn(t, &script{responses: map[string][]response{
			listRoute: {row.listed}, fetchRoute: {row.fetched}, "GET /assessments": {list()},
		}}, nil)}}}
		var problems []diag.Diagnostic
		for _, problem := range r.items(t.Context(), assessapi.Item{ID: "pos"}, listModel{}) {
			problems = append(problems, problem)
		}
		if len(problems) != 1 || problems[0] == nil || problems[0].Summary() != row.summary {
			t.Errorf("%s: the list has %v, want the error %q", name, problems, row.summary)
		}
	}
}

// A position that was deleted while the positions were listed is left out. But if the service answers 404 to each list of
// a position's assessments, it may have no such lists, so the result is an error and not empty. A position_id is typed by
// a person, so a 404 is an error.
func TestListWithoutPosition(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		first  response // the list of the first position. The second position returns 404
		config listModel
		want   int // errors
	}{
		"deleted":     {list(), listModel{}, 0},
		"no lists":    {status(http.StatusNotFound), listModel{}, 2},
		"position_id": {list(), listModel{PositionID: types.StringValue("pos-2")}, 1},
	} {
		r := Resource{tf.Resource{Run: &tf.Run{Run: runOn(t, &script{responses: map[string][]response{
			listRoute: {row.first},
		}}, nil)}}}
		problems := 0
		for _, id := range []string{"pos", "pos-2"} {
			for _, problem := range r.items(t.Context(), assessapi.Item{ID: id}, row.config) {
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

// In strict mode, a list does not return the address of a profile, so nothing is fetched for it.
func TestListInStrictMode(t *testing.T) {
	t.Parallel()
	for privacy, want := range map[tf.Privacy]int{tf.Standard: 2, tf.Strict: 1} {
		element := strings.Replace(pasJSON, "{}", `{"profileStatus":"SUPERVISOR_COMPLETED"}`, 1)
		s := &script{responses: map[string][]response{listRoute: {list(element)}, fetchRoute: {ok(element)}}}
		r := &tf.Run{Run: runOn(t, s, nil), Privacy: privacy}
		all, _, problem := attachedTo(t.Context(), r, assessapi.Label{ID: "pos"}, "")
		if len(all) != 1 || problem != nil || len(s.sent) != want {
			t.Errorf("%s: got %v and %v, sent %q", privacy, all, problem, s.sent)
		}
	}
}

// A data source shows an empty list of IDs as no object, as the resource has no block then.
func TestFieldsOfEmptyLists(t *testing.T) {
	t.Parallel()
	none := assessapi.Set([]string{})
	pa := attached{Metadata: assessapi.Metadata{Packages: none, Tests: none}}
	values := attachedFields("pos").Values(tf.Standard, pa)
	if !values["packages"].IsNull() || !values["tests"].IsNull() {
		t.Errorf("got %s and %s", values["packages"], values["tests"])
	}
}
