// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// protocolClient calls the parts of the plugin protocol that the simulated core does not have:
// lists, actions, functions, ephemeral resources and deferrals. Each run starts with
// mustConfigure.
type protocolClient struct {
	t      *testing.T
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

func newProtocolClient(t *testing.T, service *sandboxtest.Server) *protocolClient {
	t.Helper()
	env := environment(service)
	return clientOf(t, &provider.Provider{
		Version: "test", Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir(),
	})
}

func clientOf(t *testing.T, p *provider.Provider) *protocolClient {
	t.Helper()
	schema, err := providerSchema()
	if err != nil {
		t.Fatal(err)
	}
	return &protocolClient{t: t, server: provider.NewServer(p), schema: schema}
}

// providerSchema returns the schemas, which all clients share.
var providerSchema = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return provider.NewServer(&provider.Provider{}).
		GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// mustConfigure starts a run with settings of the provider.
func (w *protocolClient) mustConfigure(settings map[string]any) {
	w.t.Helper()
	if diagnostics := w.configure(settings); len(diagnostics) > 0 {
		w.t.Fatalf("configuring the provider: %s: %s", diagnostics[0].Summary, diagnostics[0].Detail)
	}
}

// configure starts a run like mustConfigure, and returns the diagnostics.
func (w *protocolClient) configure(settings map[string]any) []*tfprotov6.Diagnostic {
	w.t.Helper()
	config := dynamic(w.t, w.schema.Provider.ValueType(), settings)
	_, err := w.server.ValidateProviderConfig(w.t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.server.ConfigureProvider(w.t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0", Config: config,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.Diagnostics
}

func (w *protocolClient) typ(name string) tftypes.Type {
	return w.schema.ResourceSchemas[name].ValueType()
}

// said is what the provider tells a user: each error and warning with its attribute, summary and detail.
type said struct{ errors, warnings []string }

func (s *said) take(diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		text := strings.TrimSpace(d.Attribute.String() + " " + d.Summary + "\n" + d.Detail)
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			s.errors = append(s.errors, text)
		} else {
			s.warnings = append(s.warnings, text)
		}
	}
}

// fails fails the test unless there is one error, which matches all patterns.
func (s said) fails(t *testing.T, patterns ...string) {
	t.Helper()
	if len(s.errors) != 1 || !clitest.MatchesAll(s.errors[0], patterns) {
		t.Errorf("errors %q, want one that matches all of %q", s.errors, patterns)
	}
}

// quiet fails the test if there is an error or a warning.
func (s said) quiet(t *testing.T) {
	t.Helper()
	if len(s.errors)+len(s.warnings) > 0 {
		t.Errorf("unexpected errors %q and warnings %q", s.errors, s.warnings)
	}
}

func errorsOf(all []*tfprotov6.Diagnostic) (failed []*tfprotov6.Diagnostic) {
	for _, d := range all {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			failed = append(failed, d)
		}
	}
	return failed
}

func dynamic(t *testing.T, typ tftypes.Type, v map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	d, err := tfprotov6.NewDynamicValue(typ, valueOf(t, typ, v))
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// valueOf converts a Go value to a type. Maps are objects. Missing attributes are null.
func valueOf(t *testing.T, typ tftypes.Type, v any) tftypes.Value {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case tftypes.Value:
		return v
	case map[string]any:
		object, ok := typ.(tftypes.Object)
		if !ok {
			t.Fatalf("got %v for the type %s", v, typ)
		}
		values := map[string]tftypes.Value{}
		for name, attribute := range object.AttributeTypes {
			values[name] = valueOf(t, attribute, v[name])
		}
		return tftypes.NewValue(typ, values)
	case []string:
		set, ok := typ.(tftypes.Set)
		if !ok {
			t.Fatalf("got %v for the type %s", v, typ)
		}
		values := make([]tftypes.Value, len(v))
		for i, element := range v {
			values[i] = tftypes.NewValue(set.ElementType, element)
		}
		return tftypes.NewValue(typ, values)
	}
	return tftypes.NewValue(typ, v)
}
