// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// anyAssessment is a configuration that sends a request.
const anyAssessment = "\ndata \"assess_assessment\" \"any\" { code = \"LMN\" }\n"

func TestMain(m *testing.M) { clitest.Main(m) }

// unlimited starts a service without rate limits.
func unlimited(t *testing.T) *sandboxtest.Server {
	t.Helper()
	return sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
}

// stateWithPositions returns the demo organization with this many positions instead of its own.
func stateWithPositions(positions int) func() *sandbox.State {
	return func() *sandbox.State {
		st := sandbox.Demo()
		st.Positions = nil
		for n := range positions {
			st.Positions = append(st.Positions, sandbox.Position{
				ID: fmt.Sprintf("pos-%04d", n), Title: fmt.Sprintf("Position %d", n), Locale: "en-GB",
			})
		}
		return st
	}
}

// large starts a service with this many positions and without limits, because its tests count requests, not time. Its
// pages are as long as those of the real service.
func large(t *testing.T, positions int) (*sandboxtest.Server, *clitest.CLI) {
	t.Helper()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage, o.Seed = true, 0, stateWithPositions(positions)
	})
	return service, clitest.New(t, service).With("ASSESS_UNTHROTTLED=1", fmt.Sprintf("TF_VAR_positions=%d", positions))
}
