// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// When requests have been waiting for 30 seconds, there is one notice with the current
// numbers.
func TestNoticeOfALongWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &throttletest.Service{Trip: trip}
		transport := s.Transport(throttle.Config{})
		go throttletest.Apply(t, transport, "/", 1200, 1200)
		time.Sleep(29 * time.Second)
		if notices := transport.Notices(); len(notices) != 0 {
			t.Errorf("%+v before its time", notices)
		}
		time.Sleep(2 * time.Second)
		want := throttle.BudgetNotice{
			Kind: throttle.Waiting, Stats: throttle.Stats{Sent: 440, Waiting: 760, Window: "500 a minute"},
		}
		if notices := transport.Notices(); len(notices) != 1 || notices[0] != want {
			t.Errorf("%+v, want %+v", notices, want)
		}
		time.Sleep(5 * time.Minute)
		if notices := transport.Notices(); len(notices) != 0 {
			t.Errorf("a second notice: %+v", notices)
		}
		if got := transport.Stats(); got != (throttle.Stats{Sent: 1200}) {
			t.Errorf("stats %+v in the end", got)
		}
	})
}

// Waits with breaks between them make no notice, even if they are long in total. The
// numbers distinguish the limit, the share of the run, and a 429.
func TestStatsNameTheReason(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		transport := refuses(trip, 24, 99, "170").Transport(throttle.Config{Share: 0.05})
		for range 23 {
			throttletest.Apply(t, transport, "/", 1, 1)
		}
		if notices := transport.Notices(); len(notices) != 0 {
			t.Errorf("%+v, want none: no request waited for longer than a second", notices)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range 3 {
			go func() { _ = untilAnswered(ctx, transport, "/") }()
		}
		synctest.Wait()
		want := throttle.Stats{Sent: 23, Waiting: 3, Window: "20 a second", OwnShare: true}
		if got := transport.Stats(); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		time.Sleep(32 * time.Second)
		if got, want := transport.Stats(), (throttle.Stats{Sent: 24, Waiting: 3, Held: true}); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		if notices := transport.Notices(); len(notices) != 1 || !notices[0].Stats.Held {
			t.Errorf("%+v, want one of waiting after a 429", notices)
		}
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
		s := &throttletest.Service{Trip: trip}
		transport := s.Transport(throttle.Config{OnWait: func(_ context.Context, waited time.Duration, window string) {
			mu.Lock()
			defer mu.Unlock()
			waits[wait{waited.Round(time.Millisecond), window}]++
		}})
		impatient, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() { throttletest.Apply(t, transport, "/", 1, 1) })
			synctest.Wait() // otherwise some requests wait behind one that is about to get its slot
		}
		wg.Go(func() { _, _ = throttletest.Get(impatient, transport, "/") })
		wg.Wait()
		want := map[wait]int{{1050 * time.Millisecond, "20 a second"}: 20, {300 * time.Millisecond, "20 a second"}: 1}
		if !maps.Equal(waits, want) {
			t.Errorf("waits %v, want %v", waits, want)
		}
	})
}
