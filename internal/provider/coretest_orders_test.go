// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// renamedKey returns position assessments with for_each, one of which has another key, next
// to other resources.
func renamedKey(key string) coretest.Config {
	return simulatedConfig(
		positionAssessment(`each["one"]`, "pos-000", "asm-lumen"),
		positionAssessment(fmt.Sprintf("each[%q]", key), "pos-001", "asm-lumen"),
		positionAssessment("other", "pos-001", "asm-facet"),
	)
}

// A renamed key of for_each without a moved block is accepted with a warning, whatever the
// order in which core plans the old and the new instance. If others have deleted the position, the
// plan only warns, too: nothing tells the new instance from a tainted one that is gone.
func TestRenamedKeyInAnyOrder(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		others func(*simulation)
		says   string
	}{
		"that exists": {func(*simulation) {}, "moved"},
		"that is gone": {
			func(s *simulation) { s.change(removePosition("pos-001")) },
			"The organization has no position",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inAnyOrder(t, row.others, row.says)
		})
	}
}

// inAnyOrder fails the test if an order of core refuses to rename a key, or does not warn.
func inAnyOrder(t *testing.T, others func(*simulation), warning string) {
	t.Helper()
	orders := uint64(1000)
	if testing.Short() {
		orders = 100
	}
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, coretest.Terraform117, coretest.Options{}, withPositions(2))
		s.apply(renamedKey("two"))
		others(s)
		s.network.Latency = time.Millisecond // less than the time between two steps of core
		refused, unwarned := []uint64{}, []uint64{}
		for seed := range orders {
			s.options = coretest.Options{Seed: seed, Parallelism: 2 + int(seed%49), Machine: fmt.Sprint(seed)}
			switch r := s.plan(renamedKey("deux")); {
			case r.Err() != nil:
				refused = append(refused, seed)
			case !r.Says(warning):
				unwarned = append(unwarned, seed)
			}
		}
		if len(refused)+len(unwarned) > 0 {
			t.Errorf("of %d orders, %d refuse the plan (%v), and %d do not warn (%v)",
				orders, len(refused), refused[:min(5, len(refused))], len(unwarned), unwarned[:min(5, len(unwarned))])
		}
	})
}

// A renamed key applies, also on another machine, and attaches nothing twice.
func TestRenamedKeyApplies(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.options.Parallelism, s.network.Latency = max(2, s.options.Parallelism), time.Millisecond
		s.apply(renamedKey("two"))
		if planned := s.plan(renamedKey("deux")); !s.accepted(planned) {
			s.t.Fatalf("the plan is refused: %v", planned.Err())
		}
		s.stays(renamedKey("deux"))
		s.noDuplicates()
	}, withPositions(2))
}
