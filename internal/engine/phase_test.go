// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Each row is a combination of signals and the phase that they prove.
func TestPhase(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		reused, refreshed, applied bool
		want                       Phase
	}{
		{false, false, false, Undetermined}, // a plan without refresh, or the start of an apply
		{false, true, false, Planning},      // only plans read or import
		{false, false, true, Applying},
		{false, true, true, Applying},      // a run that plans and applies in one process
		{true, false, false, Undetermined}, // "terraform test": the next plan may follow an apply
		{true, true, false, Undetermined},
		{true, false, true, Undetermined},
		{true, true, true, Undetermined},
	} {
		s := signals{reused: row.reused}
		s.refreshed.Store(row.refreshed)
		s.applied.Store(row.applied)
		if got := s.phase(); got != row.want {
			t.Errorf("reused %t, refreshed %t, applied %t: %s, want %s", row.reused, row.refreshed, row.applied, got,
				row.want)
		}
	}
}

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
		r := &run{
			cfg: Config{PlanChecks: row.checks}, signals: signals{reused: row.reused}, activity: newActivity(),
			client: &assessapi.Client{},
		}
		if row.begun {
			_ = r.beginApply()
		}
		if got := r.checksPlan(); got != row.want {
			t.Errorf("checks %t, reused %t, begun %t: looks up %t, want %t", row.checks, row.reused, row.begun, got,
				row.want)
		}
	}
}
