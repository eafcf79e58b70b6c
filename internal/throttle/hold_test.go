// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// wants fails the test unless a limiter gives a slot after that time. It releases the slot with a hold.
func wants(t *testing.T, l *throttle.Limiter, op throttle.Operation, after, hold time.Duration) {
	t.Helper()
	// real time: in virtual time, because only such tests use it
	start := time.Now()
	release, err := l.Acquire(t.Context(), op)
	// real time: in virtual time, because only such tests use it
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
		"negative": func(t *testing.T, one, two *throttle.Limiter) {
			wants(t, one, throttletest.Key, 0, -time.Second)
			wants(t, two, throttletest.Key, 0, 0)
		},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			memory := throttle.NewMemory()
			test(t, throttle.New(throttle.Config{Store: memory}), throttle.New(throttle.Config{Store: memory}))
		})
	}
}

// If another program uses up the limit of the results, only requests for results wait.
func TestResultsAreHeldAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &throttletest.Service{Trip: trip}
		service.Answer = func(_ int, by string) *throttletest.Response {
			if by == "results" {
				return &throttletest.Response{Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second}
			}
			return nil
		}
		l := throttle.New(throttle.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute-time.Second)
		go func() {
			for ctx.Err() == nil {
				_, _ = throttletest.Request(ctx, l, service, "results", throttletest.Results)
			}
		}()
		took := throttletest.Apply(t, l, service, "run", throttletest.Key, 400, 10)
		if most := throttletest.Floor(402, trip) + time.Second; took > most {
			t.Errorf("400 other requests took %v, want at most %v", took, most)
		}
		<-ctx.Done()
		cancel()
		if n := len(service.Arrivals()); n != 402 {
			t.Errorf("%d requests for results in a minute, want 2", n-400)
		}
		time.Sleep(5 * time.Minute)
	})
}
