// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// protocolClient calls the parts of the plugin protocol that the simulated core does not have:
// lists, actions, functions, ephemeral resources and deferrals. Each run starts with
// mustConfigure.
type protocolClient struct {
	t      *testing.T
	server callctx.Server
	schema *coretest.Schemas
}

func newProtocolClient(t *testing.T, service *sandboxtest.Server) *protocolClient {
	t.Helper()
	return clientOf(t, map[string]string{
		"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}, nil)
}

// clientOf starts a process with an environment. It sends requests through a transport, or to an address.
func clientOf(t *testing.T, env map[string]string, transport connection.Transport) *protocolClient {
	t.Helper()
	schema, err := providerSchemas()
	if err != nil {
		t.Fatal(err)
	}
	server, complete := provider.NewServer(&provider.Provider{
		Version: "test", Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir(), Transport: transport,
	}).(callctx.Server)
	if !complete {
		t.Fatal("the provider does not serve everything")
	}
	return &protocolClient{t, server, schema}
}

// mustCall fails the test if a call fails.
func (w *protocolClient) mustCall(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// providerSchemas returns the schemas, which all clients and simulations share.
var providerSchemas = sync.OnceValues(func() (*coretest.Schemas, error) {
	return coretest.ReadSchemas(context.Background(), provider.NewServer(&provider.Provider{}))
})

// mustConfigure starts a run with settings of the provider.
func (w *protocolClient) mustConfigure(settings map[string]any) {
	w.t.Helper()
	if said := w.configure(settings); len(said.errors)+len(said.warnings) > 0 {
		w.t.Fatalf("configuring the provider: %q", said)
	}
}

// configure starts a run like mustConfigure, and returns what the provider says.
func (w *protocolClient) configure(settings map[string]any) said {
	w.t.Helper()
	config := coretest.Encode(w.schema.Provider.ValueType(), settings)
	_, err := w.server.ValidateProviderConfig(w.t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	w.mustCall(err)
	resp, err := w.server.ConfigureProvider(w.t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0", Config: config,
	})
	w.mustCall(err)
	return saidIn(resp.Diagnostics)
}

func (w *protocolClient) typ(name string) tftypes.Type {
	return w.schema.ResourceSchemas[name].ValueType()
}

// said is what the provider tells a user: each error and warning with its attribute, summary and detail.
type said struct{ errors, warnings []string }

func saidIn(diagnostics []*tfprotov6.Diagnostic) (s said) {
	for _, d := range diagnostics {
		text := strings.TrimSpace(d.Attribute.String() + " " + d.Summary + "\n" + d.Detail)
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			s.errors = append(s.errors, text)
		} else {
			s.warnings = append(s.warnings, text)
		}
	}
	return s
}

func (s *said) add(more said) {
	s.errors, s.warnings = append(s.errors, more.errors...), append(s.warnings, more.warnings...)
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

// Where the CLI allows it, an unknown setting defers each resource and data source: the framework does so
// for all of them. Otherwise, or if all settings are known, nothing is deferred. The same process serves all
// these runs. No CLI that the tests use can defer, so they call the protocol.
func TestDeferral(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	w := newProtocolClient(t, service)
	const list = "assess_assessments"
	config := coretest.Encode(w.schema.DataSourceSchemas[list].ValueType(), fields{})
	unknown := map[string]any{"base_url": tftypes.NewValue(tftypes.String, tftypes.UnknownValue)}
	for _, run := range []struct {
		name              string
		settings          map[string]any
		allowed, deferred bool
		warnings, errors  int
		sends             bool
	}{
		{"unknown, allowed", unknown, true, true, 0, 0, false},
		{"known, allowed", map[string]any{}, true, false, 0, 0, true},
		{"unknown, not allowed", unknown, false, false, 1, 1, false},
		{"unknown again, allowed", unknown, true, true, 0, 0, false},
		{"known, not allowed", map[string]any{}, false, false, 0, 0, true},
	} {
		service.ResetJournal()
		configured, err := w.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			TerraformVersion: "1.17.0", Config: coretest.Encode(w.schema.Provider.ValueType(), run.settings),
			ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: run.allowed},
		})
		if err != nil || len(configured.Diagnostics) != run.warnings {
			t.Fatalf("%s: %v, %v", run.name, configured, err)
		}
		read, err := w.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
			TypeName: list, Config: config,
			ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: run.allowed},
		})
		if err != nil || len(read.Diagnostics) != run.errors {
			t.Fatalf("%s: %v, %v", run.name, read, err)
		}
		deferred := read.Deferred != nil && read.Deferred.Reason == tfprotov6.DeferredReasonProviderConfigUnknown
		if deferred != run.deferred {
			t.Errorf("%s: deferred: %v, want %t", run.name, read.Deferred, run.deferred)
		}
		if n := len(service.Journal()); (n > 0) != run.sends {
			t.Errorf("%s: %d requests", run.name, n)
		}
	}
}

// Without deferral, a plan with an unknown setting keeps the state of a resource.
func TestActivationWithAnUnknownSetting(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := func(trigger string) coretest.Config {
			account := unknownString("account", sandbox.ClientID)
			account.Body["triggers_replace"] = trigger
			c := simulatedConfig(account, activation("rust", "skt-rust"))
			c.Providers[""]["client_id"] = outputOf("account")
			return c
		}
		s.apply(config("1"))
		if actions := s.succeeds(s.plan(config("2"))).Plan.Actions(); len(actions) != 1 {
			s.t.Errorf("planned %v, want only the account", actions)
		}
	})
}
