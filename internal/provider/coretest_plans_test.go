// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// With ignore_changes, the core merges the prior block into the configuration, so that
// it has both ids and select.
func TestIgnoreChangesWithSelect(t *testing.T) {
	t.Parallel()
	for _, ignored := range []string{"packages", "all"} {
		t.Run(ignored, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				config := simulatedConfig(ignoring(selected("a", backend, "all"), ignored))
				s.apply(config)
				s.grow()
				s.stays(config)
			})
		})
	}
}

// The core drops warnings of the second plan of a replacement. They must also appear elsewhere.
func TestNoticesAreShown(t *testing.T) {
	t.Parallel()
	names := numbered(0, 3)
	for name, row := range map[string]struct {
		before, after resources
		event         func(*simulation)
		says          string
	}{
		"a list that cannot be read": {
			before: resources{benchmarked("a", backend, graduatesBenchmark)},
			after:  resources{benchmarked("a", leeds, graduatesBenchmark)},
			event: func(s *simulation) {
				s.network.Decide = func(_ int, r *http.Request) coretest.Event {
					if strings.HasSuffix(r.URL.Path, "/benchmarks") {
						return coretest.NotFound
					}
					return coretest.Pass
				}
			},
			says: "benchmarks",
		},
		"a position that is gone": {
			before: counted(lumen, names...), after: counted(lumen, names[1:]...),
			event: func(s *simulation) { s.change(removePosition(names[1])) }, says: "The organization has no position",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				s.applies(row.before...)
				row.event(s)
				r := s.plan(simulatedConfig(row.after...))
				for _, d := range r.Diagnostics {
					if d.Dropped && !r.Says(d.Summary) {
						s.t.Errorf("the CLI does not show: %s", d)
					}
				}
				if !r.Says(row.says) {
					s.t.Errorf("no message contains %q: %v", row.says, r.Diagnostics)
				}
			})
		})
	}
}

// A moved block keeps an object, and a removed block drops it from the state.
func TestMovedAndRemoved(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a, b := lumen("a", backend), lumen("b", backend)
		s.applies(a)
		s.service.ResetJournal()
		moved := simulatedConfig(b)
		moved.Moved = []coretest.Moved{{From: a.Addr, To: b.Addr}}
		s.stays(moved)
		s.apply(moved)
		gone := simulatedConfig()
		gone.Removed = []string{b.Addr}
		s.apply(gone)
		s.writesNothing()
		if left := s.core.State.Addresses(); len(left) > 0 || len(s.on(backend)) != 1 {
			s.t.Errorf("the state holds %q, the service %q", left, s.attached())
		}
	})
}

// A new position or assessment replaces a position assessment. Other changes update it in place.
func TestReplaceAndUpdate(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.converges(benchmarked("a", backend, engineersBenchmark))
		s.converges(benchmarked("a", backend, managersBenchmark))
		s.converges(facet("a", backend))
		s.converges(facet("a", leeds))
		if got := s.writes(); got != "POST PUT DELETE POST DELETE POST" {
			s.t.Errorf("sent %s", got)
		}
		s.converges(createFirst(facet("a", leeds)))
		s.converges(createFirst(facet("a", backend)))
		if got := s.writes(); !strings.HasSuffix(got, "POST DELETE") {
			s.t.Errorf("sent %s", got)
		}
	})
}

// If the service refuses a removal, the resource stays in the state, and the error
// shows how to drop it from the state.
func TestRefusedRemoval(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		a := facet("a", backend)
		s.applies(a)
		s.service.Invite(s.t, backend, "asm-facet")
		s.env["ASSESS_PLAN_CHECKS"] = "false" // otherwise the plan refuses it
		s.fails(s.run(), "Could not remove the position assessment", `from position "pos-backend-london"`, "409 Conflict",
			"only while no candidate has been invited to it", "state rm 'ADDRESS'")
		if s.object(a) == nil {
			s.t.Error("the resource is gone from the state")
		}
	})
}
