// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// providerFor serves the provider in this process. Each provider has its own
// environment, so that tests can run in parallel.
func providerFor(t *testing.T, service *sandboxtest.Server) map[string]func() (tfprotov6.ProviderServer, error) {
	t.Helper()
	return providerWith(t, map[string]string{
		"ASSESS_BASE_URL":  service.URL,
		"ASSESS_CLIENT_ID": sandbox.ClientID,
		"ASSESS_API_KEY":   sandbox.APIKey,
	})
}

func providerWith(t *testing.T, env map[string]string) map[string]func() (tfprotov6.ProviderServer, error) {
	t.Helper()
	return map[string]func() (tfprotov6.ProviderServer, error){
		"assess": newServer(&provider.Provider{
			Version:  "test",
			Getenv:   func(name string) string { return env[name] },
			CacheDir: t.TempDir(),
		}),
	}
}

// newServer returns a factory of protocol servers.
func newServer(p *provider.Provider) func() (tfprotov6.ProviderServer, error) {
	return func() (tfprotov6.ProviderServer, error) { return provider.NewServer(p), nil }
}

// test runs steps with the real CLI against a service.
func test(t *testing.T, service *sandboxtest.Server, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: providerFor(t, service), Steps: steps})
}

// step uses the configuration in testdata/<test>/<number of the step>/.
func step() resource.TestStep {
	return resource.TestStep{ConfigDirectory: config.TestStepDirectory()}
}
