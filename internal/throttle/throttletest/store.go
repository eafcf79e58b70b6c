// SPDX-License-Identifier: MPL-2.0

package throttletest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// Virtual runs a parallel subtest in virtual time.
func Virtual(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// Ask returns a question for one request, always of the same queue.
func Ask() throttle.Ask {
	return throttle.Ask{
		Slot: throttle.Slot(rand.Uint64() | 1), Run: 1, Queue: 1, Waiting: 1,
		Windows: KeyWindows, MaxInFlight: 30 * time.Second,
	}
}

// Grants returns how many slots the store grants now, up to 25, and how long to wait for
// the next one. If answered is set, it releases them. Otherwise they stay in flight.
func Grants(t testing.TB, s throttle.Store, answered bool) (n int, wait time.Duration) {
	t.Helper()
	for ; n < 25; n++ {
		ask := Ask()
		decision, err := s.Acquire(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if !decision.Granted {
			return n, decision.Wait
		}
		if answered {
			s.Release(ask, throttle.Outcome{})
		}
	}
	return n, 0
}

// WantGrants fails the test unless the store grants that many slots, and then says to
// wait for wantWait. It tolerates the time that the test itself takes.
func WantGrants(t testing.TB, s throttle.Store, want int, wantWait time.Duration) {
	t.Helper()
	n, wait := Grants(t, s, true)
	if n != want || wait.Round(100*time.Millisecond) != wantWait {
		t.Errorf("granted %d and then wait %v, want %d and %v", n, wait, want, wantWait)
	}
}

// WantNotices fails the test unless the store has exactly these notices, without a secret.
func WantNotices(t testing.TB, s throttle.Store, want ...throttle.BudgetNoticeKind) {
	t.Helper()
	var kinds []throttle.BudgetNoticeKind
	for _, n := range s.Notices() {
		kinds = append(kinds, n.Kind)
		if n.Err == nil || strings.Contains(n.Err.Error(), "secret") {
			t.Errorf("notice %+v, want its error", n)
		}
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("notices %v, want %v", kinds, want)
	}
}

// TestRebuild loses or damages a budget twice while two runs use it. The budget must be rebuilt, with one
// notice of the run that sees that, as if every window were full until the earlier requests no longer
// count. That is a run that knew the budget, or if seenByNew is set, also a new run.
func TestRebuild(t *testing.T, open func() throttle.Store, lose func(), seenByNew bool) {
	t.Helper()
	const full = 90 * time.Second // in flight for half a minute, counted for a minute
	one, two := open(), open()
	Grants(t, one, true)
	time.Sleep(1001 * time.Millisecond)
	WantGrants(t, two, 20, time.Second)
	WantGrants(t, one, 0, time.Second)
	for n := range 2 {
		lose()
		first := one
		if seenByNew {
			first = open()
		}
		WantGrants(t, first, 0, full)
		if seenByNew || n == 0 {
			WantNotices(t, first, throttle.StoreRebuilt)
		}
		WantGrants(t, one, 0, full)
	}
	WantGrants(t, two, 0, full)
	WantGrants(t, open(), 0, full)
	WantNotices(t, two)
	time.Sleep(full + time.Microsecond)
	WantGrants(t, two, 20, time.Second)
	WantNotices(t, one)
}
