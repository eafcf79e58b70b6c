// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

const trip = 50 * time.Millisecond

// A run needs hardly longer than the shortest safe time, and no request is rejected. The same applies to three runs on
// one machine.
func TestFloor(t *testing.T) {
	t.Parallel()
	memory := func(string) []throttle.Store { return []throttle.Store{throttle.NewMemory()} }
	files := func(dir string) []throttle.Store { return []throttle.Store{opened(dir), opened(dir), opened(dir)} }
	for name, row := range map[string]struct {
		stores     func(dir string) []throttle.Store // of each run
		n, callers int                               // in all, and of each run
	}{
		"almost a minute":   {memory, 450, 10},
		"two minutes":       {memory, 600, 10},
		"three minutes":     {memory, 1300, 10},
		"all at once":       {memory, 1300, 1300},
		"three runs, files": {files, 1299, 10},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			service, stores := &throttletest.Service{Trip: trip, Jitter: 0.5}, row.stores(t.TempDir())
			start := time.Now()
			var all sync.WaitGroup
			for i, store := range stores {
				l := throttle.New(throttle.Config{Store: store})
				all.Go(func() {
					throttletest.Apply(t, l, service, fmt.Sprint("run ", i), throttletest.Key, row.n/len(stores), row.callers)
				})
			}
			all.Wait()
			service.Check(t, row.n)
			if took := float64(time.Since(start)) / float64(throttletest.Floor(row.n, trip)); took > 1.05 {
				t.Errorf("%.3f of the floor, want at most 1.05", took)
			}
		})
	}
}
