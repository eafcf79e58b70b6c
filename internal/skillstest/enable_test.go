// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
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
	base, _ := url.Parse("http://127.0.0.1/v1") // valid
	shared, err := run.New(context.Background(), run.Config{
		BaseURL: base, ClientID: "client", APIKey: "a-long-secret-key", Transport: emptyLists{},
		Budget: run.Budget{Share: 1, Coordination: run.CoordinationNone, Unthrottled: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	activations := Resource{tf.Resource{Run: &tf.Run{Run: shared}}}
	var schema resource.SchemaResponse
	activations.Schema(t.Context(), resource.SchemaRequest{}, &schema)
	plan := tfsdk.Plan{
		Schema: schema.Schema, Raw: tftypes.NewValue(schema.Schema.Type().TerraformType(t.Context()), nil),
	}
	plan.Set(t.Context(), model{AssessmentID: types.StringValue("asm"), TestID: types.StringValue("sql")})
	var resp resource.CreateResponse
	activations.Create(t.Context(), resource.CreateRequest{Plan: plan}, &resp)
	if failures := resp.Diagnostics.Errors(); len(failures) != 1 ||
		!strings.Contains(failures[0].Detail(), "To fix this: correct assessment_id or test_id.") ||
		strings.Contains(failures[0].Detail(), "bug") {
		t.Errorf("a creation whose test the service does not list says %v", failures)
	}
}
