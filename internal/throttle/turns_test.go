// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"testing"
	"time"
)

// bench is a ledger whose time the test sets.
type bench struct {
	*testing.T
	ledger *ledger
}

func newBench(t *testing.T) bench {
	b := bench{t, newLedger()}
	b.at(0)
	return b
}

func (b bench) at(d time.Duration) { b.ledger.advance(int64(time.Hour + d)) }

// take takes all places the line can have and has them answered at once.
func (b bench) take(line uint64, waiting int, windows []Window) (n int, refused Answer) {
	for ; n < waiting; n++ {
		answer := b.ledger.acquire(Ask{Line: line, Waiting: waiting - n, Windows: windows, MaxInFlight: time.Minute})
		if answer.Place == 0 {
			return n, answer
		}
		b.ledger.release(answer.Place, windows, Outcome{})
	}
	return n, Answer{}
}

func (b bench) want(got, want int) {
	b.Helper()
	if got != want {
		b.Errorf("got %d places, want %d", got, want)
	}
}

// Of two lines that wait, each takes half of what becomes free, whoever is first.
func TestLinesTakeTurns(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]uint64{"first": {1, 2}, "second": {2, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.take(3, 20, keyWindows)
			for _, line := range order {
				n, _ := b.take(line, 100, keyWindows)
				b.want(n, 0)
			}
			for i := range 5 {
				b.at(time.Duration(i+1) * 1001 * time.Millisecond)
				for _, line := range order {
					n, _ := b.take(line, 90, keyWindows)
					b.want(n, 10)
				}
			}
		})
	}
}

// What a line leaves over is the others'.
func TestLineTakesOnlyWhatItNeeds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.take(3, 20, keyWindows)
	b.take(1, 3, keyWindows)
	b.take(2, 100, keyWindows)
	b.at(1001 * time.Millisecond)
	n, _ := b.take(2, 100, keyWindows)
	b.want(n, 17)
	n, _ = b.take(1, 3, keyWindows)
	b.want(n, 3)
}

// A line is owed no more than its other windows let it take.
func TestLineIsOwedWhatItCanTake(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	n, _ := b.take(1, 12, resultsWindows)
	b.want(n, 2)
	n, _ = b.take(2, 100, keyWindows)
	b.want(n, 18)
	b.at(1001 * time.Millisecond)
	n, _ = b.take(2, 82, keyWindows)
	b.want(n, 18)
	n, _ = b.take(1, 10, resultsWindows)
	b.want(n, 2)
}

// Places given back unsent are free at once, for whoever is awake.
func TestSleepingLinesAreOwedNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	windows := []Window{{"two", 2, time.Second}}
	ask := Ask{Line: 9, Waiting: 1, Windows: windows, MaxInFlight: time.Minute}
	one, two := b.ledger.acquire(ask), b.ledger.acquire(ask)
	b.take(1, 5, windows)
	b.take(2, 5, windows)
	b.ledger.release(one.Place, windows, Outcome{Result: Unsent})
	b.ledger.release(two.Place, windows, Outcome{Result: Unsent})
	n, _ := b.take(3, 2, windows)
	b.want(n, 2)
}

// A line that does not come for its places, its process being dead, loses them
// after the length of its shortest window, and the others wait no longer.
func TestClaimsLapse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	windows := []Window{{"a minute", 3, time.Minute}, {"a second", 100, time.Second}}
	b.take(3, 3, windows)
	b.take(1, 5, windows)
	b.take(2, 5, windows)
	wake := time.Minute + 1
	b.at(wake)
	n, refused := b.take(2, 5, windows)
	b.want(n, 1)
	if refused.Wait != time.Second+1 {
		t.Errorf("told to wait %v, want %v", refused.Wait, time.Second+1)
	}
	b.at(wake + refused.Wait)
	n, _ = b.take(2, 4, windows)
	b.want(n, 2)
}

// A lower limit than another run's holds for who asks with it.
func TestLimitIsTheAskers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	n, _ := b.take(1, 20, []Window{{"w", 20, time.Second}})
	b.want(n, 20)
	n, refused := b.take(2, 1, []Window{{"w", 5, time.Second}})
	b.want(n, 0)
	b.at(refused.Wait)
	n, _ = b.take(2, 9, []Window{{"w", 5, time.Second}})
	b.want(n, 5)
}
