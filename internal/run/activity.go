// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A creation that finds an equal position assessment waits until core makes no calls, because core does not announce
// what it removes. A few seconds are not enough, because a call can depend on a resource of another provider.
const (
	firstSilence = 20 * time.Second // how long core must be silent
	laterSilence = 2 * time.Second  // the same, after a wait without a result
	LongestWait  = 10 * time.Minute // how long one call waits in all
)

// activity follows the calls of core during one run.
type activity struct {
	mu       sync.Mutex
	running  int         // calls in progress, without those that wait
	last     time.Time   // when a call began or ended
	silences int         // how often callers that waited have seen a silence
	vain     atomic.Bool // whether a creation has waited without a result
	// update is closed when a call begins or ends, or when the run has changed something. It is nil if no caller waits.
	update chan struct{}
}

// BeginCall records that core has called the provider. The caller calls end after the call.
func (a *activity) BeginCall() (end func()) {
	a.record(1)
	return sync.OnceFunc(func() { a.record(-1) })
}

func (a *activity) record(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running += n
	a.last = time.Now()
	a.wake()
}

// Changed wakes all callers that wait, because one of their reasons may be gone.
func (a *activity) Changed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wake()
}

// InVain records that a creation has waited without a result. Later ones wait less.
func (a *activity) InVain() { a.vain.Store(true) }

func (a *activity) wake() {
	if a.update != nil {
		close(a.update)
		a.update = nil
	}
}

// Await waits until ready returns true. It gives up if core is silent, at the limit, and when the context ends. All
// callers that see the same silence give up together.
func (a *activity) Await(ctx context.Context, limit time.Time, ready func() bool) (over bool) {
	a.mu.Lock()
	a.running--
	silences := a.silences
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.running++
		a.mu.Unlock()
	}()
	for ctx.Err() == nil {
		update := a.next() // before ready, so that no change is missed
		if ready() {
			return false
		}
		left, over := a.silence(silences, limit)
		if over {
			return true
		}
		waiting, stop := context.WithTimeout(ctx, left)
		select {
		case <-update:
		case <-waiting.Done():
		}
		stop()
	}
	return true
}

func (a *activity) next() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.update == nil {
		a.update = make(chan struct{})
	}
	return a.update
}

// silence returns how long a caller must still wait, and whether its wait is over. It began after seen silences.
func (a *activity) silence(seen int, limit time.Time) (left time.Duration, over bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.silences != seen {
		return 0, true
	}
	until := limit
	if a.running == 0 {
		needed := firstSilence
		if a.vain.Load() {
			needed = laterSilence
		}
		if silent := a.last.Add(needed); silent.Before(limit) {
			until = silent
		}
	}
	if left = time.Until(until); left > 0 {
		return left, false
	}
	if a.running == 0 {
		a.silences++
		a.wake()
	}
	return 0, true
}
