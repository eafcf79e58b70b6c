// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Get decodes a configuration, plan, state or identity into a model: a pointer to a [types.Object], or to a struct
// whose fields are values of the framework. When the framework decodes a struct, it compiles a regular expression for
// each field in each call. That took an eighth of the provider's CPU time in runs with many resources.
func Get(ctx context.Context, from interface {
	Get(context.Context, any) diag.Diagnostics
}, model any,
) diag.Diagnostics {
	if _, isObject := model.(*types.Object); isObject {
		return from.Get(ctx, model)
	}
	var object types.Object
	diags := from.Get(ctx, &object)
	if diags.HasError() {
		return diags
	}
	attributes, fields := object.Attributes(), reflect.ValueOf(model).Elem()
	for i := range fields.NumField() {
		value := reflect.ValueOf(attributes[nameOf(fields, i)])
		if !value.IsValid() || !value.Type().AssignableTo(fields.Field(i).Type()) {
			return from.Get(ctx, model) // for a null or unknown object, the framework returns the error
		}
		fields.Field(i).Set(value)
	}
	return diags
}

// Decode is [Get] for a call that requires the service. It returns false if it cannot decode the model, or if a
// provider setting is unknown. action says what the call does, such as "read the data source".
func Decode[M any](ctx context.Context, run *Run, from interface {
	Get(context.Context, any) diag.Diagnostics
}, action string, diags *diag.Diagnostics,
) (model M, ok bool) {
	decoded := Get(ctx, from, &model)
	diags.Append(decoded...)
	return model, !decoded.HasError() && run.Require(action, diags)
}

// Refresh decodes the state of a refresh, and sets the identity, which each refresh returns. It returns false if
// nothing can be read.
func Refresh[M any](
	ctx context.Context, run *Run, req resource.ReadRequest, resp *resource.ReadResponse,
) (state M, ok bool) {
	resp.Diagnostics.Append(Get(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return state, false
	}
	resp.Diagnostics.Append(Set(ctx, resp.Identity, &state)...)
	if run.Connected() {
		run.Refreshes()
	}
	return state, run.Connected()
}

// Save encodes a model into the identity and the state of a resource.
func Save(
	ctx context.Context, model any, identity *tfsdk.ResourceIdentity, state *tfsdk.State, diags *diag.Diagnostics,
) {
	diags.Append(Set(ctx, identity, model)...)
	diags.Append(Set(ctx, state, model)...)
}

// Set encodes a model or a pointer to a model. It is the inverse of [Get]. An identity takes the fields that it has.
func Set(ctx context.Context, to interface {
	Set(context.Context, any) diag.Diagnostics
}, model any,
) diag.Diagnostics {
	identity, isIdentity := to.(*tfsdk.ResourceIdentity)
	fields := reflect.Indirect(reflect.ValueOf(model))
	values, kinds := map[string]attr.Value{}, map[string]attr.Type{}
	for i := range fields.NumField() {
		name := nameOf(fields, i)
		if isIdentity && identity.Schema.GetAttributes()[name] == nil {
			continue
		}
		if value, ok := fields.Field(i).Interface().(attr.Value); ok {
			values[name], kinds[name] = value, value.Type(ctx)
		}
	}
	object, diags := types.ObjectValue(kinds, values)
	if diags.HasError() {
		return diags
	}
	return to.Set(ctx, object)
}

// nameOf returns the name of the attribute of a field.
func nameOf(fields reflect.Value, i int) string { return fields.Type().Field(i).Tag.Get("tfsdk") }
