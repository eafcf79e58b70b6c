// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// wants fails the test unless a limiter gives a slot after that time. It releases the slot with a hold.
func wants(t *testing.T, l *throttle.Limiter, op throttle.Operation, after, hold time.Duration) {
	t.Helper()
	start := time.Now()
	release, err := l.Acquire(t.Context(), op)
	if took := time.Since(start); err != nil || took != after {
		t.Errorf("a slot after %v, error %v, want after %v", took, err, after)
	}
	if err == nil {
		release(hold)
	}
}

// A 429 stops all runs that share the budget for as long as the caller says, at most three minutes. A 429 to a request
// for results stops only these. A shorter hold does not end a longer one, and the next request is no probe.
func TestHold(t *testing.T) {
	t.Parallel()
	type request struct {
		run         int
		op          throttle.Operation
		after, hold time.Duration
	}
	key, results := throttletest.Key, throttletest.Results
	for name, requests := range map[string][]request{
		"all":     {{1, key, 0, 20 * time.Second}, {2, results, 20 * time.Second, 0}, {2, key, 0, 0}},
		"results": {{1, results, 0, 20 * time.Second}, {2, key, 0, 0}, {2, results, 20 * time.Second, 0}},
		"longest": {{1, key, 0, time.Hour}, {2, key, 3 * time.Minute, 0}},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			memory := throttle.NewMemory()
			runs := map[int]*throttle.Limiter{
				1: throttle.New(throttle.Config{Store: memory}), 2: throttle.New(throttle.Config{Store: memory}),
			}
			for _, r := range requests {
				wants(t, runs[r.run], r.op, r.after, r.hold)
			}
		})
	}
	throttletest.Virtual(t, "a shorter one", func(t *testing.T) {
		l := throttle.New(throttle.Config{})
		first, err := l.Acquire(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		wants(t, l, key, 0, 20*time.Second)
		first(5 * time.Second)
		wants(t, l, key, 20*time.Second, 0)
	})
}
