// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

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

// attachedOnce fails the test unless each position has exactly one assessment.
func attachedOnce(t *testing.T, service *sandboxtest.Server) {
	t.Helper()
	for _, p := range service.State(t).Positions {
		if len(p.Assessments) != 1 {
			t.Errorf("position %s has %d assessments, want 1", p.ID, len(p.Assessments))
		}
	}
}
