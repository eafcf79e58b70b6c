// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/source"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
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

// settingsWith reads a provider configuration. Attributes that are not given are null.
func settingsWith(
	t *testing.T, attributes map[string]tftypes.Value, env map[string]string,
) (settings, diag.Diagnostics) {
	t.Helper()
	var p Provider
	var schema provider.SchemaResponse
	p.Schema(t.Context(), provider.SchemaRequest{}, &schema)
	typ, _ := schema.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, attribute := range typ.AttributeTypes {
		values[name] = tftypes.NewValue(attribute, nil)
		if value, given := attributes[name]; given {
			values[name] = value
		}
	}
	var diags diag.Diagnostics
	config := tfsdk.Config{Schema: schema.Schema, Raw: tftypes.NewValue(typ, values)}
	from := source.Options{Getenv: func(name string) string { return env[name] }}
	s := readSettings(t.Context(), config, from, "", &diags)
	return s, diags
}

var unknownText = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)

// The attribute or the variable is enough. An attribute that is not known yet can become strict, so it
// already is.
func TestPrivacySetting(t *testing.T) {
	t.Parallel()
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	for _, row := range []struct {
		attribute tftypes.Value
		variable  string
		want      tf.Privacy
	}{
		{unknownText, "standard", tf.Strict},
		{text("strict"), "standard", tf.Strict},
		{text("standard"), "strict", tf.Strict},
		{tftypes.NewValue(tftypes.String, nil), "strict", tf.Strict},
		{text("standard"), "", tf.Standard},
		{tftypes.NewValue(tftypes.String, nil), "", tf.Standard},
	} {
		s, diags := settingsWith(t, map[string]tftypes.Value{"privacy": row.attribute}, map[string]string{
			"ASSESS_BASE_URL": "https://assess.example.com/v1", "ASSESS_CLIENT_ID": "id", "ASSESS_API_KEY": "key",
			"ASSESS_PRIVACY": row.variable,
		})
		if diags.HasError() || s.privacy != row.want {
			t.Errorf("privacy is %s, ASSESS_PRIVACY is %q: %s, want %s", row.attribute, row.variable, s.privacy, row.want)
		}
	}
}

// A run does not stay within limits that the embedded service does not have.
func TestSandboxLimits(t *testing.T) {
	t.Parallel()
	block := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"state_file": tftypes.String, "limits": tftypes.Bool}}
	for _, limits := range []any{nil, true, false} {
		s, diags := settingsWith(t, map[string]tftypes.Value{"sandbox": tftypes.NewValue(block, map[string]tftypes.Value{
			"state_file": tftypes.NewValue(tftypes.String, filepath.Join(t.TempDir(), "state")), "limits": tftypes.NewValue(tftypes.Bool, limits),
		})}, nil)
		if got := s.run.Budget.Unthrottled; diags.HasError() || got != (limits == false) {
			t.Errorf("limits is %v: unthrottled is %t, %v", limits, got, diags)
		}
	}
}

// The attribute takes precedence over the variable. What cannot be sent is one error.
func TestHeadersSetting(t *testing.T) {
	t.Parallel()
	header := func(value any) tftypes.Value {
		text := tftypes.NewValue(tftypes.String, value)
		return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"X-Token": text})
	}
	absent := tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, nil)
	for _, row := range []struct {
		attribute      tftypes.Value
		variable, sent string // sent is empty if it is refused
	}{
		{absent, `{"X-Token": "variable"}`, "variable"},
		{header("attribute"), `{"X-Token": "variable"}`, "attribute"},
		{header("attribute"), `not JSON`, "attribute"},
		{header(nil), "", ""},
		{header("a line break\n"), "", ""},
		{absent, `not JSON`, ""},
	} {
		s, diags := settingsWith(t, map[string]tftypes.Value{"headers": row.attribute}, map[string]string{
			"ASSESS_BASE_URL": "https://assess.example.com/v1", "ASSESS_CLIENT_ID": "id", "ASSESS_API_KEY": "key",
			"ASSESS_HEADERS": row.variable,
		})
		refused := len(diags) == 1 && diags[0].Summary() == "Invalid headers"
		if s.run.Headers["X-Token"] != row.sent || refused != (row.sent == "") {
			t.Errorf("headers is %s, ASSESS_HEADERS is %q: %v, %v", row.attribute, row.variable, s.run.Headers, diags)
		}
	}
}

// Of several settings that are not known yet, messages name the same one each time.
func TestFirstUnknownSetting(t *testing.T) {
	t.Parallel()
	late := map[string]tftypes.Value{"client_id": unknownText, "api_key": unknownText, "base_url": unknownText}
	for range 20 { // Go walks a map in random order
		if s, _ := settingsWith(t, late, nil); s.unknown != "api_key" {
			t.Fatalf("the first name is %q", s.unknown)
		}
	}
}

// Which response arrives first does not matter: a repeated error waits for the complete one, unless no call can report
// it.
func TestErrorFilter(t *testing.T) {
	t.Parallel()
	says := func(summary, detail string) []*tfprotov6.Diagnostic {
		return []*tfprotov6.Diagnostic{{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail,
		}}
	}
	var (
		complete = says("Could not list the positions", "The service answered 401.")
		repeated = says(tf.Stopped+": the service answered 401", "")
		lacking  = says(tf.Stopped+": the service answered 401", "Could not list the packages.")
	)
	for name, tc := range map[string]struct {
		first, second, last []*tfprotov6.Diagnostic
		waits               bool // until the last call ends
		kept                [3]int
	}{
		"the complete error is the last one":    {repeated, repeated, complete, true, [3]int{0, 0, 1}},
		"the complete error is the first one":   {complete, repeated, nil, false, [3]int{1, 0, 0}},
		"there is no complete error":            {repeated, repeated, nil, true, [3]int{1, 1, 0}},
		"all errors are repeated":               {repeated, repeated, repeated, true, [3]int{1, 1, 1}},
		"the plan lacks something":              {lacking, complete, repeated, false, [3]int{1, 1, 0}},
		"both errors belong to one resource":    {append(complete, repeated...), repeated, nil, false, [3]int{1, 0, 0}},
		"another error makes the run fail, too": {nil, repeated, says("Duplicate assessment", ""), true, [3]int{0, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var f errorFilter
				all := [][]*tfprotov6.Diagnostic{tc.first, tc.second, tc.last}
				kept, ended := [3]int{}, [3]bool{}
				for range all {
					f.begin()
				}
				for i, diagnostics := range all {
					if i == len(all)-1 && tc.waits == (ended[0] && ended[1]) {
						t.Errorf("the first calls have ended: %v", ended)
					}
					go func() {
						kept[i], ended[i] = len(f.end(diagnostics)), true
					}()
					synctest.Wait()
				}
				if kept != tc.kept || ended != [3]bool{true, true, true} {
					t.Errorf("kept %v, want %v", kept, tc.kept)
				}
			})
		})
	}
}
