// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// newServer returns a factory of protocol servers.
func newServer(p *provider.Provider) func() (tfprotov6.ProviderServer, error) {
	return func() (tfprotov6.ProviderServer, error) { return provider.NewServer(p), nil }
}

// test runs steps with the real CLI against a service. The provider runs in this process, with an environment of
// its own, so that tests can run in parallel.
func test(t *testing.T, service *sandboxtest.Server, steps ...resource.TestStep) {
	t.Helper()
	env := environment(service)
	p := &provider.Provider{
		Version: "test", Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir(),
	}
	factories := map[string]func() (tfprotov6.ProviderServer, error){"assess": newServer(p)}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: steps})
}

// step uses the configuration in testdata/<test>/<number of the step>/.
func step() resource.TestStep {
	return resource.TestStep{ConfigDirectory: config.TestStepDirectory()}
}

// onBothServices runs a test on a service that returns what is configured, and on a
// service that does not return packages, benchmark and tests (assumption A22).
func onBothServices(t *testing.T, test func(t *testing.T, like func(*sandboxtest.Options))) {
	t.Helper()
	for name, hide := range map[string]bool{"returned": false, "left out": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(o *sandboxtest.Options) { o.Assumptions.MuteReads, o.Assumptions.MuteWrites = hide, hide })
		})
	}
}
