// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// emptyLists is a service whose lists are all empty.
type emptyLists struct{ ofAssessments int } // the status of the list of assessments, or 0 for 200

func (s emptyLists) RoundTrip(req *http.Request) (*http.Response, error) {
	status := http.StatusOK
	if strings.HasSuffix(req.URL.Path, "/assessments") {
		status = cmp.Or(s.ofAssessments, status)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
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

// The error of an import that the service does not list gives advice that helps in an import.
func TestImportUnlisted(t *testing.T) {
	t.Parallel()
	for status, says := range map[int]string{
		http.StatusOK:        "If only the import contains this ID, correct the import.",
		http.StatusForbidden: "the API key does not have it.",
	} {
		activations, empty := activationsOn(t, emptyLists{status})
		state := tfsdk.State(empty)
		state.Set(t.Context(), model{AssessmentID: types.StringValue("asm"), TestID: types.StringValue("sql")})
		var schema resource.IdentitySchemaResponse
		activations.IdentitySchema(t.Context(), resource.IdentitySchemaRequest{}, &schema)
		none := tftypes.NewValue(schema.IdentitySchema.Type().TerraformType(t.Context()), nil)
		resp := resource.ReadResponse{
			State: state, Identity: &tfsdk.ResourceIdentity{Schema: schema.IdentitySchema, Raw: none},
		}
		activations.Read(t.Context(), resource.ReadRequest{State: state}, &resp)
		if failures := resp.Diagnostics.Errors(); len(failures) != 1 || !strings.Contains(failures[0].Detail(), says) ||
			strings.Contains(failures[0].Detail(), "plan_checks") {
			t.Errorf("%d for the list of assessments: the import says %v", status, failures)
		}
	}
}
