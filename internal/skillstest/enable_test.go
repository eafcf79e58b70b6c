// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// emptyLists is a service whose lists are all empty.
type emptyLists struct{}

func (emptyLists) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader("[]")), Request: req, ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// A test that the service does not list is not a mistake of the provider, and the error says so.
func TestEnableUnlisted(t *testing.T) {
	t.Parallel()
	activations, plan := activationsOn(t, emptyLists{})
	plan.Set(t.Context(), model{AssessmentID: types.StringValue("asm"), TestID: types.StringValue("sql")})
	var resp resource.CreateResponse
	activations.Create(t.Context(), resource.CreateRequest{Plan: plan}, &resp)
	if failures := resp.Diagnostics.Errors(); len(failures) != 1 ||
		!strings.Contains(failures[0].Detail(), "To fix this: correct assessment_id or test_id.") ||
		strings.Contains(failures[0].Detail(), "bug") {
		t.Errorf("a creation whose test the service does not list says %v", failures)
	}
}
