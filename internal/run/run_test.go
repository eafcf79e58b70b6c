// SPDX-License-Identifier: MPL-2.0

package run

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// A plan looks up lists unless the run applies or plan checks are off.
func TestChecksPlan(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		checks, reused, begun, want bool
	}{
		{true, false, false, true},
		{true, false, true, false},
		{true, true, true, true},
		{false, false, false, false},
		{false, true, true, false},
	} {
		r := &Run{Config: Config{PlanChecks: row.checks, Reused: row.reused}, Client: &assessapi.Client{}}
		if row.begun {
			_ = r.BeginApply()
		}
		if got := r.ChecksPlan(); got != row.want {
			t.Errorf("checks %t, reused %t, begun %t: looks up %t, want %t", row.checks, row.reused, row.begun, got,
				row.want)
		}
	}
}
