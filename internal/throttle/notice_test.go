// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// When requests have been waiting for 30 seconds, there is one notice with the current
// numbers.
func TestNoticeOfALongWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{roundTrip: trip}
		transport := New(Config{Next: s, Windows: windowsOf})
		var wg sync.WaitGroup
		wg.Go(func() { apply(t, transport, "/", 1200, 1200) })
		time.Sleep(29 * time.Second)
		if notices := transport.Notices(); len(notices) != 0 {
			t.Errorf("%+v before its time", notices)
		}
		time.Sleep(2 * time.Second)
		want := Stats{Sent: 440, Waiting: 760, Window: "500 a minute"}
		if notices := transport.Notices(); len(notices) != 1 || notices[0].Kind != Waiting || notices[0].Stats != want {
			t.Errorf("%+v, want a notice with %+v", notices, want)
		}
		wg.Wait()
		if notices := transport.Notices(); len(notices) != 0 {
			t.Errorf("a second notice: %+v", notices)
		}
		if got := transport.Stats(); got != (Stats{Sent: 1200}) {
			t.Errorf("stats %+v in the end", got)
		}
	})
}

// Waits with breaks between them make no notice, even if they are long in total. The
// numbers distinguish the limit, the share of the run, and a 429.
func TestStatsNameTheReason(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{roundTrip: trip, answer: func(n int) *response {
			if n < 24 {
				return nil
			}
			return &response{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {"170"}}}
		}}
		transport := New(Config{Next: s, Windows: windowsOf, Share: 0.05})
		for range 23 {
			apply(t, transport, "/", 1, 1)
		}
		if notices := transport.Notices(); len(notices) != 0 {
			t.Errorf("%+v, want none: no request waited for longer than a second", notices)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for {
					if _, err := get(ctx, transport, "/"); err != nil {
						return
					}
				}
			})
		}
		synctest.Wait()
		if got, want := transport.Stats(), (Stats{Sent: 23, Waiting: 3, Window: "20 a second", OwnShare: true}); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		time.Sleep(32 * time.Second)
		if got, want := transport.Stats(), (Stats{Sent: 24, Waiting: 3, Held: true}); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		if notices := transport.Notices(); len(notices) != 1 || !notices[0].Stats.Held {
			t.Errorf("%+v, want one of waiting after a 429", notices)
		}
		cancel()
		wg.Wait()
	})
}

// OnWait is called for every wait, whether the slot was granted or the request was
// given up, and for nothing else.
func TestOnWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type wait struct {
			waited time.Duration
			window string
		}
		var mu sync.Mutex
		waits := map[wait]int{}
		s := &service{roundTrip: trip}
		transport := New(
			Config{Next: s, Windows: windowsOf, OnWait: func(_ context.Context, waited time.Duration, window string) {
				mu.Lock()
				defer mu.Unlock()
				waits[wait{waited.Round(time.Millisecond), window}]++
			}},
		)
		impatient, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() { apply(t, transport, "/", 1, 1) })
			synctest.Wait() // otherwise some requests wait behind one that is about to get its slot
		}
		wg.Go(func() { _, _ = get(impatient, transport, "/") })
		wg.Wait()
		second := "20 a second"
		if len(waits) != 2 || waits[wait{1050 * time.Millisecond, second}] != 20 ||
			waits[wait{300 * time.Millisecond, second}] != 1 {
			t.Errorf("waits %v", waits)
		}
	})
}
