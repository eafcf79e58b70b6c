// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"slices"
	"strings"
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

// onPositions returns a configuration that attaches one assessment to each of these positions.
func onPositions(positions ...string) string {
	return fmt.Sprintf(`locals { positions = split(" ", %q) }

resource "assess_position_assessment" "all" {
  count         = length(local.positions)
  position_id   = local.positions[count.index]
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
}
`, strings.Join(positions, " "))
}

func numbered(from, to int) []string {
	var positions []string
	for n := from; n < to; n++ {
		positions = append(positions, fmt.Sprintf("pos-%04d", n))
	}
	return positions
}

// attachedOnce fails the test unless each of these positions has exactly one
// assessment.
func attachedOnce(t *testing.T, service *sandboxtest.Server, positions ...string) {
	t.Helper()
	for _, p := range service.State(t).Positions {
		want := 0
		if slices.Contains(positions, p.ID) {
			want = 1
		}
		if len(p.Assessments) != want {
			t.Errorf("position %s has %d assessments, want %d", p.ID, len(p.Assessments), want)
		}
	}
}
