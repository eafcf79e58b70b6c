// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"math/rand/v2"
	"testing"
	"time"
)

// ledgerAt is a ledger whose time the test sets.
type ledgerAt struct {
	*testing.T
	ledger *ledger
}

func newLedgerAt(t *testing.T) ledgerAt {
	t.Helper()
	l := ledgerAt{t, newLedger()}
	l.at(0)
	return l
}

func (l ledgerAt) at(d time.Duration) { l.ledger.advance(int64(time.Hour + d)) }

// askOf returns a question of a run that has one queue.
func askOf(run uint32, waiting int, windows []Window) Ask {
	return Ask{
		Slot: Slot(rand.Uint64() | 1), Run: run, Queue: uint64(run), Waiting: waiting,
		Windows: windows, MaxInFlight: time.Minute,
	}
}

// take takes as many slots as the run gets, up to the number of waiting requests, and
// answers their requests immediately.
func (l ledgerAt) take(run uint32, waiting int, windows []Window) (n int, refused Answer) {
	for ; n < waiting; n++ {
		ask := askOf(run, waiting-n, windows)
		answer := l.ledger.acquire(ask)
		if !answer.Granted {
			return n, answer
		}
		l.ledger.release(ask, Outcome{})
	}
	return n, Answer{}
}

func (l ledgerAt) wantTaken(want int, run uint32, waiting int, windows []Window) Answer {
	l.Helper()
	got, refused := l.take(run, waiting, windows)
	if got != want {
		l.Errorf("run %d got %d slots, want %d", run, got, want)
	}
	return refused
}

// Two runs that wait each get half of the slots that become free, whichever asks first.
func TestRunsGetEqualShares(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]uint32{"first": {1, 2}, "second": {2, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedgerAt(t)
			l.take(3, 20, keyWindows)
			for _, run := range order {
				l.wantTaken(0, run, 100, keyWindows)
			}
			for i := range 5 {
				l.at(time.Duration(i+1) * 1001 * time.Millisecond)
				for _, run := range order {
					l.wantTaken(10, run, 90, keyWindows)
				}
			}
		})
	}
}

// The slots that one run does not use go to the others.
func TestRunTakesOnlyWhatItNeeds(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	l.take(3, 20, keyWindows)
	l.take(1, 3, keyWindows)
	l.take(2, 100, keyWindows)
	l.at(1001 * time.Millisecond)
	l.wantTaken(17, 2, 100, keyWindows)
	l.wantTaken(3, 1, 3, keyWindows)
}

// A queue that waits for another window does not block other queues.
func TestQueueCountsOnlyWhatItCanTake(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	l.wantTaken(2, 1, 12, resultsWindows)
	l.wantTaken(18, 2, 100, keyWindows)
	l.at(1001 * time.Millisecond)
	l.wantTaken(18, 2, 82, keyWindows)
	l.wantTaken(2, 1, 10, resultsWindows)
}

// Slots of requests that were not sent are free immediately, for any queue that asks.
func TestSleepingQueuesDoNotCount(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	windows := []Window{{Name: "two", Limit: 2, Per: time.Second}}
	one, two := askOf(9, 1, windows), askOf(9, 1, windows)
	l.ledger.acquire(one)
	l.ledger.acquire(two)
	l.take(1, 5, windows)
	l.take(2, 5, windows)
	l.ledger.release(one, Outcome{Result: Unsent})
	l.ledger.release(two, Outcome{Result: Unsent})
	l.wantTaken(2, 3, 2, windows)
}

// A queue that does not ask for its slots, because its process is dead or stopped,
// loses them after the length of its shortest window. The others do not wait longer
// than that.
func TestQueuesExpire(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	windows := []Window{{Name: "a minute", Limit: 3, Per: time.Minute}, {Name: "a second", Limit: 100, Per: time.Second}}
	l.take(3, 3, windows)
	l.take(1, 5, windows)
	l.take(2, 5, windows)
	wake := time.Minute + 1
	l.at(wake)
	refused := l.wantTaken(1, 2, 5, windows)
	if refused.Wait != time.Second+1 {
		t.Errorf("told to wait %v, want %v", refused.Wait, time.Second+1)
	}
	l.at(wake + refused.Wait)
	l.wantTaken(2, 2, 4, windows)
}

// If runs have different limits for a window, each run is held to its own.
func TestLimitIsThatOfTheAsk(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	l.wantTaken(20, 1, 20, []Window{{Name: "w", Limit: 20, Per: time.Second}})
	refused := l.wantTaken(0, 2, 1, []Window{{Name: "w", Limit: 5, Per: time.Second}})
	l.at(refused.Wait)
	l.wantTaken(5, 2, 9, []Window{{Name: "w", Limit: 5, Per: time.Second}})
}

// A slot is held up to and including the instant at which it ends.
func TestSlotEnds(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	l.wantTaken(20, 1, 20, keyWindows)
	l.at(time.Second)
	l.wantTaken(0, 1, 20, keyWindows)
	l.at(time.Second + 1)
	l.wantTaken(20, 1, 20, keyWindows)
}

// Asking again with the same slot after a lost reply takes no second slot.
func TestAskingAgainTakesNoSecondSlot(t *testing.T) {
	t.Parallel()
	l := newLedgerAt(t)
	ask := askOf(1, 1, keyWindows)
	for range 30 {
		if answer := l.ledger.acquire(ask); !answer.Granted {
			t.Fatalf("answer %+v, want the slot", answer)
		}
	}
	l.wantTaken(19, 2, 25, keyWindows)
}

// The reserve of the longest window is for runs that hold few slots. It applies to a
// budget that several runs use, and to a single run if that costs the run nothing.
func TestReserve(t *testing.T) {
	t.Parallel()
	windows := reserved(
		[]Window{{Name: "a second", Limit: 1000, Per: time.Second}, {Name: "a minute", Limit: 500, Per: time.Minute}},
	)
	for name, row := range map[string]struct {
		shared        bool
		waiting, want int
	}{
		"a run that fits":                                 {false, 500, 500},
		"a run that would require a third minute":         {false, 1000, 500},
		"a run that takes three minutes anyway":           {false, 1300, 440},
		"a run that takes two minutes anyway":             {false, 600, 440},
		"shared, a run that fits":                         {true, 500, 440},
		"shared, a run that would require a third minute": {true, 1000, 440},
		"shared, a run that does not reach the reserve":   {true, 400, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedgerAt(t)
			if row.shared {
				l.ledger.acquire(askOf(7, 1, windows[:1]))
			}
			l.wantTaken(row.want, 1, row.waiting, windows)
			if row.want == 440 {
				for _, run := range []uint32{2, 3, 4} {
					l.wantTaken(20, run, 20, windows)
				}
				l.wantTaken(0, 5, 20, windows)
			}
		})
	}
}

// Several long runs leave only one reserve together.
func TestReserveOfSeveralLongRuns(t *testing.T) {
	t.Parallel()
	windows := reserved(
		[]Window{{Name: "a second", Limit: 1000, Per: time.Second}, {Name: "a minute", Limit: 500, Per: time.Minute}},
	)
	l := newLedgerAt(t)
	l.ledger.acquire(askOf(7, 1, windows[:1]))
	l.wantTaken(100, 1, 100, windows)
	l.wantTaken(100, 2, 100, windows)
	l.wantTaken(270, 1, 500, windows)
	l.wantTaken(0, 2, 500, windows)
}
