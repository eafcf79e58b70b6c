// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// activationsOn returns the resource on a service that transport answers, and a plan without values.
func activationsOn(t *testing.T, transport http.RoundTripper) (activations Resource, empty tfsdk.Plan) {
	t.Helper()
	base, _ := url.Parse("http://127.0.0.1/v1") // valid
	shared, err := run.New(context.WithoutCancel(t.Context()), run.Config{
		BaseURL: base, ClientID: "client", APIKey: "a-long-secret-key", Transport: transport,
		Budget: run.Budget{Share: 1, Coordination: run.CoordinationNone, Unthrottled: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	activations = Resource{tf.Resource{Run: &tf.Run{Run: shared}}}
	var schema resource.SchemaResponse
	activations.Schema(t.Context(), resource.SchemaRequest{}, &schema)
	none := tftypes.NewValue(schema.Schema.Type().TerraformType(t.Context()), nil)
	return activations, tfsdk.Plan{Schema: schema.Schema, Raw: none}
}

// A plan that replaces an activation warns that the old test stays enabled, also while the new ID is not known.
func TestReplacementStaysEnabled(t *testing.T) {
	t.Parallel()
	for _, test := range []types.String{types.StringValue("t2"), types.StringUnknown()} {
		activations, empty := activationsOn(t, nil)
		state, plan := tfsdk.State(empty), empty
		activation := model{AssessmentID: types.StringValue("a"), TestID: types.StringValue("t1"), Active: types.BoolValue(true)}
		state.Set(t.Context(), activation)
		activation.TestID = test
		plan.Set(t.Context(), activation)

		resp := resource.ModifyPlanResponse{Plan: plan}
		activations.ModifyPlan(t.Context(), resource.ModifyPlanRequest{State: state, Plan: plan}, &resp)
		if said := resp.Diagnostics.Warnings(); len(said) != 1 || said[0].Summary() != "Skills test stays enabled" {
			t.Errorf("the plan that enables %s instead warns %v", test, said)
		}
	}
}
