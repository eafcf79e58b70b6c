// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// An error names the argument, and links to the guide. What each argument accepts is tested
// in package results.
func TestResultsFunctionErrors(t *testing.T) {
	t.Parallel()
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	none := tftypes.NewValue(tftypes.Tuple{}, []tftypes.Value{})
	for _, name := range []string{"results_html", "results_csv", "results_markdown"} {
		for _, row := range []struct {
			arguments []tftypes.Value
			argument  int64
			says      string
		}{
			{[]tftypes.Value{text("x")}, 0, "candidates must be a list of objects, such as the attribute candidates of the data source."},
			{[]tftypes.Value{none, none}, 1, "options must be a title or an object."},
			{
				[]tftypes.Value{none, text("a"), text("b")},
				2,
				name + " accepts one argument after the candidates: a title, or an object of options. It got 2.",
			},
		} {
			request := &tfprotov6.CallFunctionRequest{Name: name}
			for _, argument := range row.arguments {
				value, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, argument)
				if err != nil {
					t.Fatal(err)
				}
				request.Arguments = append(request.Arguments, &value)
			}
			resp, err := provider.NewServer(&provider.Provider{}).CallFunction(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			want := row.says + " See https://github.com/assessascode/terraform-provider-assess/blob/main/docs/guides/" +
				"messages.md#invalid-function-argument"
			got := resp.Error
			if got == nil || got.Text != want || got.FunctionArgument == nil || *got.FunctionArgument != row.argument {
				t.Errorf("%s: got %+v, want argument %d: %s", name, got, row.argument, want)
			}
		}
	}
}

// OpenTofu sends null as a value without data.
func TestResultsFunctionsAcceptNullOfOpenTofu(t *testing.T) {
	t.Parallel()
	none := tftypes.NewValue(tftypes.Tuple{}, []tftypes.Value{})
	candidates, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, none)
	if err != nil {
		t.Fatal(err)
	}
	server := provider.NewServer(&provider.Provider{})
	for _, null := range []*tfprotov6.DynamicValue{{}, nil} {
		resp, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "results_markdown", Arguments: []*tfprotov6.DynamicValue{&candidates, null},
		})
		if err != nil || resp.Error != nil || !strings.Contains(string(resp.Result.MsgPack), "# Assessment results") {
			t.Errorf("%v, %v", err, resp)
		}
	}
}
