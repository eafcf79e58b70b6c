// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// ledgerAt is a ledger whose time the test sets.
type ledgerAt struct {
	*testing.T
	*Ledger
}

func newLedgerAt(t *testing.T) ledgerAt {
	t.Helper()
	l := ledgerAt{t, NewLedger()}
	l.at(0)
	return l
}

func (l ledgerAt) at(d time.Duration) { l.advance(int64(time.Hour + d)) }

// askOf returns a question of a run that has one queue.
func askOf(run uint32, waiting int, windows ...Window) Ask {
	return Ask{
		Slot: Slot(rand.Uint64() | 1), Run: run, Queue: uint64(run), Waiting: waiting,
		Windows: windows, MaxInFlight: time.Minute,
	}
}

// take takes as many slots as the run gets, up to the number of waiting requests, and
// answers their requests immediately.
func (l ledgerAt) take(want int, run uint32, waiting int, windows ...Window) Decision {
	l.Helper()
	for n := range waiting {
		ask := askOf(run, waiting-n, windows...)
		decision := l.acquire(ask)
		if !decision.Granted {
			if n != want {
				l.Errorf("run %d got %d slots, want %d", run, n, want)
			}
			return decision
		}
		l.release(ask, Outcome{})
	}
	if waiting != want {
		l.Errorf("run %d got %d slots, want %d", run, waiting, want)
	}
	return Decision{}
}

// The rules of the ledger. It is the same after it was written into a file.
func TestLedger(t *testing.T) {
	t.Parallel()
	second := Window{Name: "second", Limit: 20, Per: time.Second}
	results := Window{Name: "results", Limit: 2, Per: time.Second}
	next := time.Second + 1 // a slot is held up to and including the instant at which it ends
	for name, rule := range map[string]func(l ledgerAt){
		"a slot is held for the length of its window": func(l ledgerAt) {
			l.take(20, 1, 20, second)
			l.at(time.Second)
			l.take(0, 1, 20, second)
			l.at(next)
			l.take(20, 1, 20, second)
		},
		"the slot of a dead process is held until its request would have been given up, and a window more": func(l ledgerAt) {
			l.acquire(askOf(1, 1, second))
			l.at(time.Minute + time.Second)
			l.take(19, 2, 20, second)
			l.at(time.Minute + next)
			l.take(1, 2, 20, second)
		},
		"asking again with the same slot takes no second slot": func(l ledgerAt) {
			ask := askOf(1, 1, second)
			for range 30 {
				if decision := l.acquire(ask); !decision.Granted {
					l.Fatalf("decision %+v, want the slot", decision)
				}
			}
			l.take(19, 2, 25, second)
		},
		"a slot that is released again counts once": func(l ledgerAt) {
			ask := askOf(1, 1, second)
			l.acquire(ask)
			for range 5 {
				l.release(ask, Outcome{})
			}
			l.take(19, 1, 25, second)
		},
		"two waiting runs get equal shares, whichever asks first": func(l ledgerAt) {
			for i, order := range [][]uint32{{1, 2}, {2, 1}} {
				start := time.Duration(i) * time.Minute
				l.at(start)
				l.take(20, 3, 20, second)
				for _, run := range order {
					l.take(0, run, 100, second)
				}
				for n := range 5 {
					l.at(start + time.Duration(n+1)*next)
					for _, run := range order {
						l.take(10, run, 90, second)
					}
				}
			}
		},
		"slots that one run does not use go to the others": func(l ledgerAt) {
			l.take(20, 3, 20, second)
			l.take(0, 1, 3, second)
			l.take(0, 2, 100, second)
			l.at(next)
			l.take(17, 2, 100, second)
			l.take(3, 1, 3, second)
		},
		"a queue that waits for another window blocks no other queue": func(l ledgerAt) {
			l.take(2, 1, 12, results, second)
			l.take(18, 2, 100, second)
			l.at(next)
			l.take(18, 2, 82, second)
			l.take(2, 1, 10, results, second)
		},
		"slots of requests that were not sent are free for any queue": func(l ledgerAt) {
			one, two := askOf(9, 1, results), askOf(9, 1, results)
			l.acquire(one)
			l.acquire(two)
			l.take(0, 1, 5, results)
			l.take(0, 2, 5, results)
			l.release(one, Outcome{Kind: Unsent})
			l.release(two, Outcome{Kind: Unsent})
			l.take(2, 3, 2, results)
		},
		// Its process is dead or stopped. The others wait for the length of its shortest window.
		"a queue that does not ask loses its slots": func(l ledgerAt) {
			windows := []Window{{Name: "minute", Limit: 3, Per: time.Minute}, {Name: "second", Limit: 100, Per: time.Second}}
			l.take(3, 3, 3, windows...)
			l.take(0, 1, 5, windows...)
			l.take(0, 2, 5, windows...)
			l.at(time.Minute + 1)
			if refused := l.take(1, 2, 5, windows...); refused.Wait != next {
				l.Errorf("told to wait %v, want %v", refused.Wait, next)
			}
			l.at(time.Minute + 1 + next)
			l.take(2, 2, 4, windows...)
		},
		"each run is held to its own limit of a window": func(l ledgerAt) {
			less := second
			less.Limit = 5
			l.take(20, 1, 20, second)
			l.at(l.take(0, 2, 1, less).Wait)
			l.take(5, 2, 9, less)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedgerAt(t)
			rule(l)
			l.dropUnused()
			if read, err := decodeLedger(encodeLedger(l.Ledger)); !reflect.DeepEqual(read, l.Ledger) {
				t.Errorf("read from a file it is %+v, error %v, want %+v", read, err, l.Ledger)
			}
		})
	}
}

// The reserve of the longest window is for runs that hold few slots. It applies to a
// budget that several runs use, and to a single run if that costs the run nothing.
func TestReserve(t *testing.T) {
	t.Parallel()
	windows := reserved([]Window{{Name: "second", Limit: 1000, Per: time.Second}, {Name: "minute", Limit: 500, Per: time.Minute}})
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
				l.acquire(askOf(7, 1, windows[0]))
			}
			l.take(row.want, 1, row.waiting, windows...)
			if row.want == 440 {
				for _, run := range []uint32{2, 3, 4} {
					l.take(20, run, 20, windows...)
				}
				l.take(0, 5, 20, windows...)
			}
		})
	}
	l := newLedgerAt(t) // several long runs leave only one reserve together
	l.acquire(askOf(7, 1, windows[0]))
	l.take(100, 1, 100, windows...)
	l.take(100, 2, 100, windows...)
	l.take(270, 1, 500, windows...)
	l.take(0, 2, 500, windows...)
}

// Only a probe ends a hold, and its pauses double. A request that was sent before the hold does
// not end it.
func TestOnlyTheProbeEndsTheHold(t *testing.T) {
	t.Parallel()
	l, second := newLedgerAt(t), Window{Name: "second", Limit: 20, Per: time.Second}
	granted := func() Ask {
		t.Helper()
		ask := askOf(1, 1, second)
		if decision := l.acquire(ask); !decision.Granted {
			t.Fatalf("refused: %+v", decision)
		}
		return ask
	}
	answer := func(ask Ask, result OutcomeKind, heldFor time.Duration) {
		t.Helper()
		l.release(ask, Outcome{Kind: result})
		if decision := l.acquire(askOf(1, 1, second)); decision.Granted || !decision.Held || decision.Wait != heldFor {
			t.Fatalf("%+v, want to be held for %v", decision, heldFor)
		}
	}
	early, bad, next := granted(), granted(), granted()
	answer(bad, Refused, time.Second)
	answer(next, Refused, time.Second) // refused at the same time: the pause does not become longer
	answer(early, Answered, time.Second)
	l.at(time.Second)
	failed := granted()
	answer(early, Answered, time.Second)
	l.release(failed, Outcome{Kind: Failed})
	probe := granted()
	l.at(2 * time.Second)
	answer(early, Answered, time.Second)
	answer(probe, Refused, 2*time.Second)
	l.at(4 * time.Second)
	lost := granted()
	l.at(4*time.Second + time.Minute + 1)
	probe = granted() // the process of the last probe is dead
	answer(lost, Answered, time.Second)
	l.release(probe, Outcome{Kind: Answered})
	granted()
	granted()
}
