// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Destroying an activation also reports the notices of the run.
func TestNoticesOfADestroyedActivation(t *testing.T) {
	t.Parallel()
	base, err := assessapi.ParseBaseURL("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := run.New(t.Context(), run.Config{Config: connection.Config{
		BaseURL: base, Budget: connection.Budget{Coordination: connection.CoordinationNone, Share: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.Catalog().SkipList("benchmarks", errors.New("not shown"))
	r := &Resource{}
	r.Run = &tf.Run{Run: e}
	var schema resource.SchemaResponse
	r.Schema(t.Context(), resource.SchemaRequest{}, &schema)
	state := tfsdk.State{
		Schema: schema.Schema,
		Raw:    tftypes.NewValue(schema.Schema.Type().TerraformType(context.Background()), nil),
	}
	var resp resource.DeleteResponse
	r.Delete(t.Context(), resource.DeleteRequest{State: state}, &resp)
	if !slices.ContainsFunc([]diag.Diagnostic(resp.Diagnostics), func(d diag.Diagnostic) bool {
		return d.Summary() == "Could not check the benchmarks"
	}) {
		t.Errorf("the notice is missing: %v", resp.Diagnostics)
	}
}
