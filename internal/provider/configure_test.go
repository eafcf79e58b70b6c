// SPDX-License-Identifier: MPL-2.0

package provider

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
	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// A provider process under a debugger serves several provider configurations. Each
// Configure after a validation starts a new run. Only "terraform test" configures
// without a validation.
func TestEachValidationStartsARun(t *testing.T) {
	t.Parallel()
	var p Provider
	validate, configure := func() { p.validated.Store(true) }, p.takeValidation
	validate() // "validate", which does not configure
	validate()
	if got := []bool{configure(), configure()}; !slices.Equal(got, []bool{true, false}) {
		t.Errorf("validate, validate, configure, configure: %v", got)
	}
}

// Destroying an activation also reports the notices of the run.
func TestNoticesOfADestroyedActivation(t *testing.T) {
	t.Parallel()
	base, err := assessapi.ParseBaseURL("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Config{Config: connection.Config{
		BaseURL: base, Budget: connection.Budget{Coordination: connection.CoordinationNone, Share: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.Catalog.SkipList("benchmarks", errors.New("not shown"))
	r := newSkillsTestActivation()
	r.run = &configured{Engine: e}
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
