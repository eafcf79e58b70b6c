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
	want := &model{
		ID: types.StringValue("pas-1"), PositionID: types.StringUnknown(), AssessmentID: types.StringNull(),
		Packages: packagesBlock(tf.IDSet([]string{"a", "b"}), types.StringNull()), Benchmark: benchmarkBlock("bmk-1"),
		Profile: types.ObjectNull(profileType), Tests: types.ObjectUnknown(testsType),
	}
	var resp resource.SchemaResponse
	New().Schema(t.Context(), resource.SchemaRequest{}, &resp)
	null := tfsdk.State{
		Schema: resp.Schema, Raw: tftypes.NewValue(resp.Schema.Type().TerraformType(t.Context()), nil),
	}
	ours, theirs := null, null
	diags := slices.Concat(tf.Set(t.Context(), &ours, want), theirs.Set(t.Context(), want))
	if diags.HasError() {
		t.Fatal(diags)
	}
	if !ours.Raw.Equal(theirs.Raw) {
		t.Errorf("set encodes %s, want %s", ours.Raw, theirs.Raw)
	}
	var decoded model
	if diags := tf.Get(t.Context(), theirs, &decoded); diags.HasError() || !sameFields(&decoded, want) {
		t.Errorf("get decodes %+v, want %+v: %v", decoded, want, diags)
	}
	if diags := tf.Get(t.Context(), null, &decoded); !diags.HasError() {
		t.Error("get decodes a null object without an error")
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
