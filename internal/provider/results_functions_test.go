// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// call calls results_csv.
func call(t *testing.T, arguments ...*tfprotov6.DynamicValue) *tfprotov6.CallFunctionResponse {
	t.Helper()
	resp, err := provider.NewServer(&provider.Provider{}).CallFunction(t.Context(),
		&tfprotov6.CallFunctionRequest{Name: "results_csv", Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// dynamic returns an argument.
func dynamic(t *testing.T, v tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, v)
	if err != nil {
		t.Fatal(err)
	}
	return &value
}

var noCandidates = tftypes.NewValue(tftypes.Tuple{}, []tftypes.Value{})

// An error names the argument, and links to the guide. What each argument accepts is tested in package results.
func TestResultsFunctionErrors(t *testing.T) {
	t.Parallel()
	text := dynamic(t, tftypes.NewValue(tftypes.String, "x"))
	none := dynamic(t, noCandidates)
	for argument, row := range []struct {
		arguments []*tfprotov6.DynamicValue
		says      string
	}{
		{
			[]*tfprotov6.DynamicValue{text},
			"candidates must be a list of objects, such as the attribute candidates of the data source.",
		},
		{[]*tfprotov6.DynamicValue{none, none}, "options must be a title or an object."},
		{
			[]*tfprotov6.DynamicValue{none, text, text},
			"results_csv accepts one argument after the candidates: a title, or an object of options. It got 2.",
		},
	} {
		want := row.says + " See https://github.com/assessascode/terraform-provider-assess/blob/main/docs/guides/" +
			"messages.md#invalid-function-argument"
		got := call(t, row.arguments...).Error
		if got == nil || got.Text != want || got.FunctionArgument == nil || *got.FunctionArgument != int64(argument) {
			t.Errorf("got %+v, want argument %d: %s", got, argument, want)
		}
	}
}

// OpenTofu sends null as a value without data.
func TestResultsFunctionsAcceptNullOfOpenTofu(t *testing.T) {
	t.Parallel()
	for _, null := range []*tfprotov6.DynamicValue{{}, nil} {
		if resp := call(t, dynamic(t, noCandidates), null); resp.Error != nil || resp.Result == nil {
			t.Errorf("%+v", resp.Error)
		}
	}
}
