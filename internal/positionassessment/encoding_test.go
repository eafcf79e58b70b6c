// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// set and get treat models like the framework's own functions, including null and
// unknown values.
func TestModels(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		resource resource.Resource
		model    any
	}{
		"position assessment": {New(), &model{
			ID: types.StringValue("pas-1"), PositionID: types.StringUnknown(), AssessmentID: types.StringNull(),
			Packages: packagesBlock(tf.IDSet([]string{"a", "b"}), types.StringNull()), Benchmark: benchmarkBlock("bmk-1"),
			Profile: types.ObjectNull(profileType), Tests: types.ObjectUnknown(testsType),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var schema resource.SchemaResponse
			row.resource.Schema(t.Context(), resource.SchemaRequest{}, &schema)
			null := tftypes.NewValue(schema.Schema.Type().TerraformType(t.Context()), nil)
			ours, theirs := tfsdk.State{Schema: schema.Schema, Raw: null}, tfsdk.State{Schema: schema.Schema, Raw: null}
			diags := slices.Concat(tf.Set(t.Context(), &ours, row.model), theirs.Set(t.Context(), row.model))
			if diags.HasError() {
				t.Fatal(diags)
			}
			if !ours.Raw.Equal(theirs.Raw) {
				t.Errorf("set encodes %s, want %s", ours.Raw, theirs.Raw)
			}
			decoded := reflect.New(reflect.TypeOf(row.model).Elem()).Interface()
			if diags := tf.Get(t.Context(), theirs, decoded); diags.HasError() || !sameFields(decoded, row.model) {
				t.Errorf("get decodes %+v, want %+v: %v", decoded, row.model, diags)
			}
			if diags := tf.Get(t.Context(), tfsdk.State{Schema: schema.Schema, Raw: null}, decoded); !diags.HasError() {
				t.Error("get decodes a null object without an error")
			}
		})
	}
}

func sameFields(a, b any) bool {
	left, right := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range left.NumField() {
		l, isValue := left.Field(i).Interface().(attr.Value)
		r, isSame := right.Field(i).Interface().(attr.Value)
		if !isValue || !isSame || !l.Equal(r) {
			return false
		}
	}
	return true
}
