// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// OpenTofu sends null as a value without data.
func TestResultsFunctionsAcceptNullOfOpenTofu(t *testing.T) {
	t.Parallel()
	none, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, tftypes.NewValue(tftypes.Tuple{}, []tftypes.Value{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, null := range []*tfprotov6.DynamicValue{{}, nil} {
		resp, err := newServer(t).CallFunction(t.Context(),
			&tfprotov6.CallFunctionRequest{Name: "results_csv", Arguments: []*tfprotov6.DynamicValue{&none, null}})
		if err != nil || resp.Error != nil || resp.Result == nil {
			t.Errorf("%v, %+v", err, resp)
		}
	}
}
