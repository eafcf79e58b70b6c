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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
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
		})
	}
}

// A step that is smaller than the time of a message is noticed as well: no slot is free early
// if the message before the step took long and the one after it did not.
func TestClockIsSetWhileSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{})
		s.delay.Store(int64(900 * time.Millisecond))
		slots := throttletest.Ask()
		slots.Windows = []throttle.Window{{Name: "one", Limit: 1, Per: 10 * time.Second}}
		if answer, err := store.Acquire(t.Context(), slots); err != nil || !answer.Granted {
			t.Fatalf("%+v, error %v", answer, err)
		}
		store.Release(slots, throttle.Outcome{})
		answered := time.Now()
		s.delay.Store(0)
		s.skew.Store(int64(800 * time.Millisecond))
		for slots.Slot++; ; time.Sleep(50 * time.Millisecond) {
			if answer, err := store.Acquire(t.Context(), slots); err != nil {
				t.Fatal(err)
			} else if answer.Granted {
				break
			}
		}
		if took := time.Since(answered); took < 10*time.Second {
			t.Errorf("the slot was free after %v, want 10s", took)
		}
	})
}

// If only new runs use the budget after the clock of the server was set forward, no slot is
// free early. A new run whose own clock is behind waits no longer than a window.
func TestClockIsSetBetweenRuns(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]time.Duration{"right": 0, "behind": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFakeRedis(t)
				throttletest.WantGrants(t, opens(t, s, Config{}), 20, time.Second)
				stored, err := s.Get(keyOf(""))
				if err != nil {
					t.Fatal(err)
				}
				wall := fmt.Sprintf(`"wall":%d`, time.Now().Add(behind).UnixMicro())
				_ = s.Set(keyOf(""), regexp.MustCompile(`"wall":[\d.e+]+`).ReplaceAllString(stored, wall))
				s.skew.Store(int64(time.Hour))
				next := opens(t, s, Config{})
				throttletest.WantGrants(t, next, 0, time.Second)
				time.Sleep(time.Second + time.Millisecond)
				throttletest.WantGrants(t, next, 20, time.Second)
			})
		})
	}
}

// A budget that was lost or set back is rebuilt with one notice. Every window is full
// until the earlier requests no longer count. A run that knew the budget detects the
// loss, and a new run detects it from the server's identity.
func TestIsRebuilt(t *testing.T) {
	t.Parallel()
	const full = 90 * time.Second // in flight for half a minute, counted for a minute
	for name, row := range map[string]struct {
		lose     func(t *testing.T, s *fakeRedis, before string)
		newcomer bool // a new run detects it as well
	}{
		"lost":            {lose: func(_ *testing.T, s *fakeRedis, _ string) { s.FlushAll() }},
		"set back":        {lose: func(_ *testing.T, s *fakeRedis, before string) { _ = s.Set(keyOf(""), before) }},
		"damaged":         {lose: func(_ *testing.T, s *fakeRedis, _ string) { _ = s.Set(keyOf(""), "what is this?") }, newcomer: true},
		"of another kind": {lose: func(_ *testing.T, s *fakeRedis, _ string) { _ = s.Set(keyOf(""), `{"windows": 3}`) }, newcomer: true},
		"lost, and started again by another run": {lose: func(t *testing.T, s *fakeRedis, _ string) {
			s.FlushAll()
			time.Sleep(time.Millisecond)
			throttletest.WantGrants(t, opens(t, s, Config{}), 20, time.Second)
		}},
		"failed over to a replica that lagged": {lose: func(_ *testing.T, s *fakeRedis, before string) {
			_ = s.Set(keyOf(""), before)
			s.identity.Add(1)
		}, newcomer: true},
		"failed over before the budget existed": {lose: func(_ *testing.T, s *fakeRedis, _ string) {
			s.FlushAll()
			s.identity.Add(1)
			s.promoted.Store(7)
		}, newcomer: true},
		"restarted without data": {lose: func(_ *testing.T, s *fakeRedis, _ string) {
			s.FlushAll()
			s.identity.Add(1)
			s.uptime.Store(0)
		}, newcomer: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFakeRedis(t)
				one, two := opens(t, s, Config{}), opens(t, s, Config{})
				throttletest.Grants(t, one, true)
				before, err := s.Get(keyOf(""))
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(1001 * time.Millisecond)
				throttletest.WantGrants(t, two, 20, time.Second)
				throttletest.WantGrants(t, one, 0, time.Second)
				for range 2 {
					row.lose(t, s, before)
					first := one
					if row.newcomer {
						first = opens(t, s, Config{})
					}
					throttletest.WantGrants(t, first, 0, full)
					if row.newcomer {
						throttletest.WantNotices(t, first, throttle.StoreRebuilt)
					}
					throttletest.WantGrants(t, one, 0, full)
				}
				if !row.newcomer {
					throttletest.WantNotices(t, one, throttle.StoreRebuilt)
				}
				throttletest.WantGrants(t, two, 0, full)
				throttletest.WantGrants(t, one, 0, full)
				throttletest.WantGrants(t, opens(t, s, Config{}), 0, full)
				throttletest.WantNotices(t, two)
				time.Sleep(full + time.Microsecond)
				s.uptime.Store(91)
				throttletest.WantGrants(t, two, 20, time.Second)
				throttletest.WantNotices(t, one)
			})
		})
	}
}

// The requests before the start of a server that was started a while ago no longer
// count.
func TestServerWasStartedRecently(t *testing.T) {
	t.Parallel()
	rebuilt := []throttle.NoticeKind{throttle.StoreRebuilt}
	for uptime, want := range map[int64]struct {
		grants  int
		wait    time.Duration
		notices []throttle.NoticeKind
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
