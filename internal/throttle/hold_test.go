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
	for name, test := range map[string]func(t *testing.T, one, two *throttle.Limiter){
		"all": func(t *testing.T, one, two *throttle.Limiter) {
			wants(t, one, throttletest.Key, 0, 20*time.Second)
			wants(t, two, throttletest.Results, 20*time.Second, 0)
			wants(t, two, throttletest.Key, 0, 0)
		},
		"results": func(t *testing.T, one, two *throttle.Limiter) {
			wants(t, one, throttletest.Results, 0, 20*time.Second)
			wants(t, two, throttletest.Key, 0, 0)
			wants(t, two, throttletest.Results, 20*time.Second, 0)
		},
		"longest": func(t *testing.T, one, two *throttle.Limiter) {
			wants(t, one, throttletest.Key, 0, time.Hour)
			wants(t, two, throttletest.Key, 3*time.Minute, 0)
		},
		"two": func(t *testing.T, one, two *throttle.Limiter) {
			first, err := one.Acquire(t.Context(), throttletest.Key)
			if err != nil {
				t.Fatal(err)
			}
			wants(t, two, throttletest.Key, 0, 20*time.Second)
			first(5 * time.Second)
			wants(t, one, throttletest.Key, 20*time.Second, 0)
		},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			memory := throttle.NewMemory()
			test(t, throttle.New(throttle.Config{Store: memory}), throttle.New(throttle.Config{Store: memory}))
		})
	}
}
