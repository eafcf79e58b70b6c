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

	"github.com/assessascode/terraform-provider-assess/internal/run"
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

// lateLists is a service whose list of enabled tests has the test sql only after a PUT, whose response does not show it
// as enabled. All later responses have the header Age.
type lateLists struct {
	age  string
	sent bool
}

func (l *lateLists) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, _ := emptyLists{}.RoundTrip(req)
	isList, body := req.Method == http.MethodGet, `{"id":"sql","title":"SQL","active":false}`
	switch {
	case isList && l.sent:
		body = `[{"id":"sql","title":"SQL","active":true}]`
		resp.Header.Set("Age", l.age)
	case isList:
		body = "[" + body + "]"
	default:
		l.sent = true
	}
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, nil
}

// A list that a cache may have kept from earlier does not show that a PUT has enabled the test.
func TestEnableWithUnknownOutcome(t *testing.T) {
	t.Parallel()
	for age, isConfirmed := range map[string]bool{"0": true, "60": false} {
		activations, _ := activationsOn(t, &lateLists{age: age})
		_, err := enable(t.Context(), activations.Run.Run, run.TestRef{Assessment: "asm", Test: "sql"})
		if isConfirmed != (err == nil) || err != nil && !strings.Contains(err.Error(), "with `active` false") {
			t.Errorf("Age %s: error %v", age, err)
		}
	}
}
