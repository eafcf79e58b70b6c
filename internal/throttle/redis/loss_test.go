// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// If the clock of the server is set, no slot is free early. No slot is held for longer
// than if it were taken at the last look, whichever run asks next.
func TestClockIsSet(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]time.Duration{
		"back": -30 * 365 * 24 * time.Hour, "forward": time.Hour, "forward a little": 300 * time.Millisecond,
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			s := newFakeRedis(t)
			one, two := opens(t, s, Config{}), opens(t, s, Config{})
			throttletest.WantGrants(t, two, 20, time.Second)
			throttletest.WantGrants(t, one, 0, time.Second)
			time.Sleep(600 * time.Millisecond)
			throttletest.WantGrants(t, one, 0, 400*time.Millisecond)
			s.skew.Store(int64(step))
			throttletest.WantGrants(t, one, 0, 400*time.Millisecond)
			time.Sleep(300 * time.Millisecond)
			throttletest.WantGrants(t, two, 0, 100*time.Millisecond)
			throttletest.WantGrants(t, opens(t, s, Config{}), 0, 100*time.Millisecond)
			time.Sleep(200 * time.Millisecond)
			throttletest.WantGrants(t, two, 20, time.Second)
			throttletest.WantNotices(t, one)
		})
	}
}

// No slot is free early if the messages before the step took long and the one after it did not. A run notices a step
// that is smaller than the time of its messages. Another one, which knows an earlier time, notices a large step.
func TestClockIsSetWhileSlow(t *testing.T) {
	t.Parallel()
	for step, next := range map[time.Duration]int{800 * time.Millisecond: 0, time.Hour: 1} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeRedis(t)
			slots := throttletest.Ask()
			slots.Windows = []throttle.Window{{Name: "one", Limit: 1, Per: 10 * time.Second}}
			takes := func(store throttle.Store) {
				slots.Slot++
				if decision, err := store.Acquire(t.Context(), slots); err != nil || !decision.Granted {
					t.Fatalf("%+v, error %v", decision, err)
				}
				store.Release(slots, throttle.Outcome{})
			}
			stores := []throttle.Store{opens(t, s, Config{}), opens(t, s, Config{})}
			takes(stores[1])
			time.Sleep(11 * time.Second)
			s.delay.Store(int64(900 * time.Millisecond))
			takes(stores[0])
			answered := time.Now()
			s.delay.Store(0)
			s.skew.Store(int64(step))
			for slots.Slot++; ; time.Sleep(50 * time.Millisecond) {
				if decision, err := stores[next].Acquire(t.Context(), slots); err != nil {
					t.Fatal(err)
				} else if decision.Granted {
					break
				}
			}
			if took := time.Since(answered); took < 10*time.Second {
				t.Errorf("after a step of %v, the slot was free after %v, want 10s", step, took)
			}
		})
	}
}

// If only new runs use the budget after the clock of the server was set forward, no slot is
// free early. A new run whose own clock is behind waits no longer than a window.
func TestClockIsSetBetweenRuns(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]time.Duration{"right": 0, "behind": time.Hour} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			s := newFakeRedis(t)
			throttletest.WantGrants(t, opens(t, s, Config{}), 20, time.Second)
			stored, err := s.Get(keyOf(""))
			if err != nil {
				t.Fatal(err)
			}
			wall := fmt.Sprintf(`"wall":%d`, time.Now().Add(behind).UnixNano())
			_ = s.Set(keyOf(""), regexp.MustCompile(`"wall":\d+`).ReplaceAllString(stored, wall))
			s.skew.Store(int64(time.Hour))
			next := opens(t, s, Config{})
			throttletest.WantGrants(t, next, 0, time.Second)
			time.Sleep(time.Second + time.Millisecond)
			throttletest.WantGrants(t, next, 20, time.Second)
		})
	}
}

// A budget that was lost or set back is rebuilt. A run that knew the budget detects the
// loss, and a new run detects it from the server's identity.
func TestIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		stored    func(before string) string // what is stored afterwards, or nothing
		other     func(s *fakeRedis)         // makes it another server
		seenByNew bool
		replaced  bool // another run starts again
	}{
		"lost":                                   {},
		"lost, and started again by another run": {replaced: true},
		"set back":                               {stored: func(before string) string { return before }},
		"damaged":                                {stored: func(string) string { return "what is this?" }, seenByNew: true},
		"of another kind":                        {stored: func(string) string { return `{"windows": 3}` }, seenByNew: true},
		"a line cannot be read": {
			stored: func(before string) string { return before + "\nwhat?" }, seenByNew: true,
		},
		"cut off": {
			stored: func(before string) string { return before[:len(before)-9] }, seenByNew: true,
		},
		"failed over to a replica that lagged": {
			stored: func(before string) string { return before }, other: func(*fakeRedis) {}, seenByNew: true,
		},
		"failed over before the budget existed": {other: func(s *fakeRedis) { s.promoted.Store(7) }, seenByNew: true},
		"restarted without data":                {other: func(s *fakeRedis) { s.uptime.Store(0) }, seenByNew: true},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			s := newFakeRedis(t)
			open := func() throttle.Store { return opens(t, s, Config{}) }
			_, _ = open().Acquire(t.Context(), throttle.Ask{Slot: 1, MaxInFlight: time.Second})
			before, err := s.Get(keyOf(""))
			if err != nil {
				t.Fatal(err)
			}
			lose := func() {
				s.FlushAll()
				time.Sleep(time.Millisecond)
				if row.stored != nil {
					_ = s.Set(keyOf(""), row.stored(before))
				}
				if row.other != nil {
					s.identity.Add(1)
					row.other(s)
				}
				if row.replaced {
					throttletest.WantGrants(t, open(), 20, time.Second)
				}
			}
			throttletest.TestRebuild(t, open, lose, row.seenByNew)
		})
	}
}

// The requests before the start of a server that was started a while ago no longer
// count.
func TestServerWasStartedRecently(t *testing.T) {
	t.Parallel()
	rebuilt := []throttle.BudgetNoticeKind{throttle.StoreRebuilt}
	for uptime, want := range map[int64]struct {
		grants  int
		wait    time.Duration
		notices []throttle.BudgetNoticeKind
	}{0: {0, 90 * time.Second, rebuilt}, 80: {0, 10 * time.Second, rebuilt}, 95: {20, time.Second, nil}} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeRedis(t)
			s.uptime.Store(uptime)
			store := opens(t, s, Config{})
			throttletest.WantGrants(t, store, want.grants, want.wait)
			throttletest.WantNotices(t, store, want.notices...)
		})
	}
}
