// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// configWith returns a provider configuration. Attributes that are not given are null.
func configWith(t *testing.T, attributes map[string]tftypes.Value) tfsdk.Config {
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
	return tfsdk.Config{Schema: schema.Schema, Raw: tftypes.NewValue(typ, values)}
}

// settingsWith reads a provider configuration (see configWith). Variables name a service.
func settingsWith(
	t *testing.T, attributes map[string]tftypes.Value, env map[string]string,
) (settings, diag.Diagnostics) {
	t.Helper()
	complete := map[string]string{
		"ASSESS_BASE_URL": "https://assess.example.com/v1", "ASSESS_CLIENT_ID": "id", "ASSESS_API_KEY": "key",
	}
	maps.Copy(complete, env)
	var diags diag.Diagnostics
	from := run.Options{Getenv: func(name string) string { return complete[name] }}
	s := readSettings(t.Context(), configWith(t, attributes), from, "", &diags)
	return s, diags
}

// A process may serve several plans and applies, as in debug mode, also with -refresh=false. Each begins with Configure,
// and shares nothing with the one before.
func TestConfigureBeginsARun(t *testing.T) {
	t.Parallel()
	env := map[string]string{run.AddressVariable: "https://assess.example.com", run.ClientVariable: "id", run.KeyVariable: "key"}
	p := &Provider{Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir()}
	key := run.Key{Position: "pos-1", Assessment: "asm-1"}
	for range 2 {
		var resp provider.ConfigureResponse
		p.Configure(t.Context(), provider.ConfigureRequest{Config: configWith(t, nil)}, &resp)
		r, ok := resp.ResourceData.(*tf.Run)
		if !ok || !r.ChecksPlan() || r.Gone.Has(key) || r.Attached.TakenID(key) != "" {
			t.Fatalf("not a new run: %+v, %v", r, resp.Diagnostics)
		}
		r.Gone.Add(key)
		r.BeginApply()
		r.Attached.Record(key, "pas-1", run.Taken)
	}
}

// A start that is interrupted while it connects to the server of the budget does not advise to check that server.
func TestInterruptedConfigure(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		run.AddressVariable: "https://assess.example.com", run.ClientVariable: "id", run.KeyVariable: "key",
		run.BudgetVariable: "redis://127.0.0.1:1",
	}
	p := &Provider{Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir()}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var resp provider.ConfigureResponse
	p.Configure(ctx, provider.ConfigureRequest{Config: configWith(t, nil)}, &resp)
	said := fmt.Sprint(resp.Diagnostics)
	if !strings.Contains(said, "The run was interrupted.\n\nTo fix this: run the command again.") {
		t.Error(said)
	}
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
		s, diags := settingsWith(t, map[string]tftypes.Value{"privacy": row.attribute}, map[string]string{"ASSESS_PRIVACY": row.variable})
		if diags.HasError() || s.privacy != row.want {
			t.Errorf("privacy is %s, ASSESS_PRIVACY is %q: %s, want %s", row.attribute, row.variable, s.privacy, row.want)
		}
	}
}

// A run does not stay within limits that the sandbox does not have.
func TestSandboxLimits(t *testing.T) {
	t.Parallel()
	block := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"state_file": tftypes.String, "limits": tftypes.Bool}}
	for _, limits := range []any{nil, true, false} {
		s, diags := settingsWith(t, map[string]tftypes.Value{"sandbox": tftypes.NewValue(block, map[string]tftypes.Value{
			"state_file": tftypes.NewValue(tftypes.String, filepath.Join(t.TempDir(), "state")), "limits": tftypes.NewValue(tftypes.Bool, limits),
		})}, nil)
		if got := s.config.Budget.Unthrottled; diags.HasError() || got != (limits == false) {
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
		variable, sent string // sent is empty if it is rejected
	}{
		{absent, `{"X-Token": "variable"}`, "variable"},
		{header("attribute"), `{"X-Token": "variable"}`, "attribute"},
		{header("attribute"), `not JSON`, "attribute"},
		{header(nil), "", ""},
		{header("a line break\n"), "", ""},
		{absent, `not JSON`, ""},
	} {
		s, diags := settingsWith(t, map[string]tftypes.Value{"headers": row.attribute}, map[string]string{"ASSESS_HEADERS": row.variable})
		rejected := len(diags) == 1 && diags[0].Summary() == "Invalid headers"
		if s.config.Headers["X-Token"] != row.sent || rejected != (row.sent == "") {
			t.Errorf("headers is %s, ASSESS_HEADERS is %q: %v, %v", row.attribute, row.variable, s.config.Headers, diags)
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
