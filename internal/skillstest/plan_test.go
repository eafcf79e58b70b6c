// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"net/url"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// A plan that replaces an activation warns that the old test stays enabled, also while the new ID is not known.
func TestReplacementStaysEnabled(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		test  types.String // that the plan enables
		warns bool
	}{
		"another test":    {types.StringValue("t2"), true},
		"an unknown test": {types.StringUnknown(), true},
		"the same test":   {types.StringValue("t1"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, _ := url.Parse("http://127.0.0.1/v1") // valid
			shared, err := run.New(context.Background(), run.Config{
				BaseURL: base, ClientID: "client", APIKey: "a-long-secret-key",
				Budget: run.Budget{Share: 1, Coordination: run.CoordinationNone, Unthrottled: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			activations := Resource{tf.Resource{Run: &tf.Run{Run: shared}}}
			var schema resource.SchemaResponse
			activations.Schema(t.Context(), resource.SchemaRequest{}, &schema)
			none := tftypes.NewValue(schema.Schema.Type().TerraformType(t.Context()), nil)
			state := tfsdk.State{Schema: schema.Schema, Raw: none}
			plan := tfsdk.Plan{Schema: schema.Schema, Raw: none}
			old := model{AssessmentID: types.StringValue("a"), TestID: types.StringValue("t1"), Active: types.BoolValue(true)}
			state.Set(t.Context(), old)
			old.TestID = row.test
			plan.Set(t.Context(), old)

			resp := resource.ModifyPlanResponse{Plan: plan}
			activations.ModifyPlan(t.Context(), resource.ModifyPlanRequest{State: state, Plan: plan}, &resp)
			warnings := resp.Diagnostics.Warnings()
			if warns := len(warnings) == 1 && warnings[0].Summary() == "Skills test stays enabled"; warns != row.warns {
				t.Errorf("the plan warns %v, want a warning: %t", warnings, row.warns)
			}
		})
	}
}
