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
		for _, problem := range r.items(t.Context(), assessapi.Item{ID: "pos"}) {
			problems = append(problems, problem)
		}
		if len(problems) != 1 || problems[0] == nil || problems[0].Summary() != row.summary {
			t.Errorf("%s: the list has %v, want the error %q", name, problems, row.summary)
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
