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
	return simulatedConfig(lumen(`each["one"]`, leeds), lumen(fmt.Sprintf("each[%q]", key), backend), facet("other", backend))
}

// A renamed key of for_each without a moved block is accepted with a warning, whatever the
// order in which core plans the old and the new instance. If others have deleted the position, every plan
// says so. It is refused if core plans the new instance before it has read the old one. Afterwards, nothing
// tells the new instance from a tainted one that is gone.
func TestRenamedKeyInAnyOrder(t *testing.T) {
	t.Parallel()
	orders := uint64(1000)
	if testing.Short() {
		orders = 100
	}
	for name, row := range map[string]struct {
		others  func(*simulation)
		says    string
		refuses bool
	}{
		"that exists":  {func(*simulation) {}, alreadyAttached, false},
		"that is gone": {func(s *simulation) { s.change(removePosition(backend)) }, "Unknown position", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation(t, coretest.Terraform117, coretest.Options{})
				s.apply(renamedKey("two"))
				row.others(s)
				s.network.Latency = time.Millisecond // less than the time between two steps of core
				refused, silent := []uint64{}, []uint64{}
				for seed := range orders {
					s.options = coretest.Options{Seed: seed, Parallelism: 2 + int(seed%49), Machine: fmt.Sprint(seed)}
					switch r := s.plan(renamedKey("deux")); {
					case r.Err() != nil && !row.refuses:
						refused = append(refused, seed)
					case !r.Says(row.says):
						silent = append(silent, seed)
					}
				}
				if len(refused)+len(silent) > 0 {
					t.Errorf("of %d orders, %d refuse the plan, and %d do not say why: %v, %v", orders, len(refused), len(silent),
						refused[:min(5, len(refused))], silent[:min(5, len(silent))])
				}
			})
		})
	}
}
