// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// late is how old a grant may be. A slot is held for MaxInFlight after it was taken, so an older one is asked for
// again, which renews it.
const late = 5 * time.Second

// askAgain is how long the sleep of a queue must still last, so that it asks again for more requests.
const askAgain = time.Second

// queue holds the requests of one run that want a slot in the same windows of a store, first come first served. While
// requests wait, one goroutine asks for the slots of the first of them.
type queue struct {
	limiter  *Limiter
	store    Store
	op       Operation
	id       string
	own      bool // of this run's share
	inFlight time.Duration

	// Guarded by Limiter.mu.
	waiters  []*waiter
	served   bool          // whether a goroutine asks
	changed  chan struct{} // closed when it is no use to sleep any longer
	last     Grant         // the last answer
	sent     int           // requests in flight
	held     []time.Time   // until when the answered ones hold their slots in the longest window
	asked    time.Time     // when the store was asked, zero if it has answered
	askedFor int           // for how many requests
	sleeps   time.Time     // until when the goroutine sleeps
	inStore  time.Duration // how long answers took since the queue was empty
}

type waiter struct{ answer chan answer }

type answer struct {
	token string
	err   error
}

// acquire waits for a slot.
func (q *queue) acquire(ctx context.Context) (release func(time.Duration), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	w := q.join() //nolint:contextcheck // one goroutine asks for many requests
	var a answer
	select {
	case a = <-w.answer:
	case <-ctx.Done():
		if q.leave(w) {
			return nil, context.Cause(ctx)
		}
		a = <-w.answer
	}
	if a.err != nil {
		return nil, a.err
	}
	if ctx.Err() != nil {
		q.release(a.token, 0) //nolint:contextcheck // like all responses, it is recorded although a context has ended
		return nil, context.Cause(ctx)
	}
	return func(hold time.Duration) { q.release(a.token, hold) }, nil //nolint:contextcheck // the same
}

func (q *queue) join() *waiter {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &waiter{make(chan answer, 1)}
	q.waiters = append(q.waiters, w)
	l.watch(+1)
	switch {
	case !q.served:
		q.served, q.changed, q.last, q.inStore = true, make(chan struct{}), Grant{}, 0
		go q.serve()
	case q.askedFor < min(len(q.waiters), mostSlots) && time.Until(q.sleeps) > askAgain:
		q.wake() // other runs leave as many slots to this one as it asked for
	}
	return w
}

// wake ends the sleep of the goroutine that asks.
func (q *queue) wake() {
	close(q.changed)
	q.changed, q.sleeps = make(chan struct{}), time.Time{}
}

// leave removes a request, unless it has been answered.
func (q *queue) leave(w *waiter) bool {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(q.waiters, w)
	if i < 0 {
		return false
	}
	q.waiters = slices.Delete(q.waiters, i, i+1)
	l.watch(-1)
	if len(q.waiters) == 0 {
		q.wake()
	}
	return true
}

// serve asks for slots until no request waits.
func (q *queue) serve() {
	var again []string
	for {
		ask, changed := q.ask(again)
		if len(ask.Tokens) == 0 {
			return
		}
		again = nil
		g, err := q.store.Acquire(context.Background(), ask)
		if err == nil && Since(g.At) > late {
			again = ask.Tokens
			continue
		}
		if err != nil {
			q.fail(err)
			return
		}
		q.deliver(ask.Tokens[:g.Granted], g)
		if g.Granted == len(ask.Tokens) {
			continue
		}
		timer := time.NewTimer(max(g.Wait, time.Millisecond))
		select {
		case <-timer.C:
		case <-changed:
			timer.Stop()
		}
	}
}

// ask returns what to ask the store, for the same tokens again if there are any. Without tokens, no request waits.
func (q *queue) ask(again []string) (ask Ask, changed chan struct{}) {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens := again
	for range min(len(q.waiters), mostSlots) - len(again) {
		l.tokens++
		tokens = append(tokens, fmt.Sprintf("%s.%d", l.run, l.tokens))
	}
	if len(q.waiters) == 0 { // slots that were late expire
		q.served = false
		return Ask{}, nil
	}
	q.asked, q.askedFor = time.Now(), len(tokens)
	return Ask{
		Operation: q.op, Tokens: tokens, MaxInFlight: q.inFlight,
		Run: l.run, Age: time.Since(l.began), Queue: q.id, Held: q.holds(),
	}, q.changed
}

// holds returns how many slots the queue holds in its longest window.
func (q *queue) holds() int {
	q.held = slices.DeleteFunc(q.held, func(until time.Time) bool { return !until.After(time.Now()) })
	return q.sent + len(q.held)
}

// deliver gives slots to the first requests. A slot for which no request waits any more counts as used.
func (q *queue) deliver(tokens []string, g Grant) {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	q.inStore += time.Since(q.asked)
	q.asked, q.last, q.sleeps = time.Time{}, g, time.Now().Add(g.Wait)
	q.sent += len(tokens)
	for _, token := range tokens {
		if len(q.waiters) == 0 {
			go q.release(token, 0)
			continue
		}
		q.waiters[0].answer <- answer{token: token}
		q.waiters = q.waiters[1:]
		l.watch(-1)
	}
}

// fail ends the wait of all requests.
func (q *queue) fail(err error) {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range q.waiters {
		w.answer <- answer{err: err}
		l.watch(-1)
	}
	q.waiters, q.served = nil, false
}

// release gives a slot back. If the store does not answer in time, it is told in the background.
func (q *queue) release(token string, hold time.Duration) {
	if q.own { // a 429 is about the shared budget
		hold = 0
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = q.store.Release(context.Background(), q.op, token, hold) // without it, the slot expires
	}()
	timer := time.NewTimer(releaseWithin)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	q.limiter.mu.Lock()
	defer q.limiter.mu.Unlock()
	q.sent--
	longest := slices.MaxFunc(q.op, func(a, b Window) int { return int(a.Per - b.Per) })
	q.held = append(q.held, time.Now().Add(longest.Per))
}
