// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// newServer returns a factory of protocol servers.
func newServer(p *provider.Provider) func() (tfprotov6.ProviderServer, error) {
	return func() (tfprotov6.ProviderServer, error) { return provider.NewServer(p), nil }
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
