// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// late is the age from which a grant is too old to use. The slots of a grant are occupied only for MaxInFlight, so the
// queue asks for the same tokens again, which renews their slots.
const late = 5 * time.Second

// askAgain is the shortest remaining sleep that is worth ending. If more requests arrive while a queue sleeps for
// longer, the queue asks for them at once.
const askAgain = time.Second

// queue holds the requests of one run that want a slot in the same windows of a store, first come first served. While
// requests wait, one goroutine asks for slots for the first requests.
type queue struct {
	limiter  *Limiter
	store    Store
	op       Operation
	id       string
	ofShare  bool // whether these are the windows of this run's share, in memory
	inFlight time.Duration

	// Guarded by Limiter.mu.
	waiters  []chan answer
	running  bool          // whether a goroutine asks (serve)
	changed  chan struct{} // closed when it is no use to sleep any longer
	last     Grant         // the last answer
	sent     int           // requests in flight
	occupied []time.Time   // until when each answered request occupies its slot of the last window
	asked    time.Time     // when the store was asked, zero if it has answered
	askedFor int           // for how many requests
	sleeps   time.Time     // until when the goroutine sleeps
	inStore  time.Duration // how long the store took to answer since the goroutine started
}

// answer is what a waiting request gets: a slot, or why there is none.
type answer struct {
	token string
	err   error
}

// acquire waits for a slot, and returns the function that releases the slot. If ctx ends first, acquire returns the
// cause of its end. A slot that is granted nevertheless counts as used. If the store cannot be used, acquire returns
// the error of the store.
func (q *queue) acquire(ctx context.Context) (release Release, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	w := q.join()
	var a answer
	select {
	case a = <-w:
	case <-ctx.Done():
		if q.remove(w) {
			return nil, context.Cause(ctx)
		}
		a = <-w // the answer came first
	}
	if a.err != nil {
		return nil, a.err
	}
	if ctx.Err() != nil {
		q.release(a.token, 0)
		return nil, context.Cause(ctx)
	}
	return func(hold time.Duration) { q.release(a.token, hold) }, nil
}

// join adds a request to the queue, and returns the channel on which the request is answered once, unless remove
// returns true for it. If no goroutine asks the store, join starts one. Otherwise, it may end the goroutine's sleep
// (see askForMore). After a failure of the store, join only answers the request, with the error.
func (q *queue) join() chan answer {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	w := make(chan answer, 1)
	if l.failure != nil {
		w <- answer{err: l.failure}
		return w
	}
	q.waiters = append(q.waiters, w)
	l.watch(+1)
	if q.running {
		q.askForMore()
		return w
	}
	q.running, q.changed, q.last, q.inStore = true, make(chan struct{}), Grant{}, 0
	go q.serve()
	return w
}

// askForMore ends a long sleep if more requests wait than the store was asked for, because other runs leave slots only
// to requests that the store knows.
func (q *queue) askForMore() {
	if q.askedFor < min(len(q.waiters), mostSlots) && time.Until(q.sleeps) > askAgain {
		q.wake()
	}
}

// wake ends the sleep of the goroutine that asks.
func (q *queue) wake() {
	close(q.changed)
	q.changed, q.sleeps = make(chan struct{}), time.Time{}
}

// remove removes a request from the queue. It returns false if the request has already been answered.
func (q *queue) remove(w chan answer) bool {
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
		q.wake() // so that serve ends
	}
	return true
}

// serve asks the store for slots, and delivers them, until no request waits. It releases slots for which no request
// waits any more. If a grant comes too late to be used, serve asks for the same tokens again, or, if no request waits,
// lets their slots expire. If the store cannot be used, all requests of the limiter fail.
func (q *queue) serve() {
	var lateTokens []string // of a grant that came too late
	for {
		ask, changed := q.nextAsk(lateTokens)
		if len(ask.Tokens) == 0 {
			return
		}
		lateTokens = nil
		g, err := q.askStore(ask)
		switch {
		case err != nil:
			q.limiter.fail(err) // then no request waits, so the next iteration ends the loop
		case Since(g.At) > late:
			lateTokens = ask.Tokens
		default:
			for _, unused := range q.deliver(ask.Tokens[:g.Granted], g) {
				q.release(unused, 0)
			}
			if g.Granted < len(ask.Tokens) {
				Sleep(max(g.Wait, time.Millisecond), changed)
			}
		}
	}
}

// Sleep waits for the duration d, or until the channel is closed.
func Sleep(d time.Duration, until <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-until:
	}
}

// nextAsk records that the store is asked now. It returns the Ask, and the channel that is closed to end the sleep
// after the Ask. The Ask begins with lateTokens. If more requests wait, new tokens follow, up to mostSlots in all. If
// no request waits, the Ask has no tokens, and nextAsk records only that no goroutine asks any more.
func (q *queue) nextAsk(lateTokens []string) (ask Ask, changed chan struct{}) {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(q.waiters) == 0 { // lateTokens are not used, so their slots expire
		q.running = false
		return Ask{}, nil
	}
	tokens := lateTokens
	for len(tokens) < min(len(q.waiters), mostSlots) {
		l.tokens++
		tokens = append(tokens, fmt.Sprintf("%s.%d", l.run, l.tokens))
	}
	q.asked, q.askedFor = time.Now(), len(tokens)
	return Ask{
		Operation: q.op, Tokens: tokens, MaxInFlight: q.inFlight,
		Run: l.run, Age: time.Since(l.began), Queue: q.id, Used: q.used(),
	}, q.changed
}

// askStore asks the store, and measures how long the answer takes.
func (q *queue) askStore(ask Ask) (Grant, error) {
	g, err := q.store.Acquire(ask)
	q.limiter.mu.Lock()
	defer q.limiter.mu.Unlock()
	q.inStore += time.Since(q.asked)
	q.asked = time.Time{}
	return g, err
}

// used returns how many slots of its last window the queue uses.
func (q *queue) used() int {
	q.occupied = slices.DeleteFunc(q.occupied, func(until time.Time) bool { return !until.After(time.Now()) })
	return q.sent + len(q.occupied)
}

// deliver records a grant, and gives the slots of the granted tokens to the first requests. It returns the tokens for
// which no request waits any more. The caller must release these tokens.
func (q *queue) deliver(tokens []string, g Grant) (unused []string) {
	l := q.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	q.last, q.sleeps = g, time.Now().Add(g.Wait)
	q.sent += len(tokens) // also the unused ones, until the caller releases them
	served := min(len(tokens), len(q.waiters))
	for i, w := range q.waiters[:served] {
		w <- answer{token: tokens[i]}
	}
	q.waiters = q.waiters[served:]
	l.watch(-served)
	q.askForMore() // for requests that came while the store answered
	return tokens[served:]
}

// release tells the store that the request of a token is over. The store also holds the last window for the time hold,
// unless these are the windows of this run's share. release waits for the store for at most releaseWithin. After that,
// the store may still record the release.
func (q *queue) release(token string, hold time.Duration) {
	if q.ofShare { // a 429 is about the shared budget
		hold = 0
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = q.store.Release(q.op, token, hold) // if this fails, the slots may last longer, and there may be no hold
	}()
	Sleep(releaseWithin, done)
	q.limiter.mu.Lock()
	defer q.limiter.mu.Unlock()
	q.sent--
	q.occupied = append(q.occupied, time.Now().Add(q.op[len(q.op)-1].Per))
}
