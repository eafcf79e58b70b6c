// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"container/list"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// reservePercent is the part of the longest windows that is reserved for runs that hold
// few slots (see waiting.go): 60 of 500 slots a minute, which are three plans of 20.
const reservePercent = 12

// queue holds the requests of one Transport that wait for the same windows, first come
// first served. Only the first request asks the store. If it gets no slot, it sleeps
// until the store says that a slot can be free. The others wait until the first one has
// left.
type queue struct {
	id    uint64
	asked []Window // as Config.Windows names them
	all   []Window // the same, and this run's own windows if its share is below 1

	// Guarded by Transport.mu.
	front    *waiter   // asks the store, or nil
	behind   list.List // of *waiter
	asking   waiter    // the front while its request has not had to wait
	binding  int       // index in all of the window that the queue waits for
	held     bool      // a 429 holds the queue
	stuck    bool      // the store has not answered for a while
	reported int       // the last ask.Waiting
	grown    chan struct{}
}

// waiter is one waiting request.
type waiter struct {
	slot    Slot
	start   time.Time
	first   chan struct{} // closed when the request becomes the front
	behind  *list.Element // its element of queue.behind until then
	pause   time.Duration // how long the store told it to wait
	timeout *timeout      // of its context, which does not count while paused is set
	paused  bool
}

// queue returns the queue for a set of windows.
func (t *Transport) queue(windows []Window) *queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range t.queues {
		if slices.Equal(q.asked, windows) {
			return q
		}
	}
	q := &queue{id: rand.Uint64(), asked: windows, all: reserved(windows), grown: make(chan struct{}, 1)}
	if t.cfg.Share < 1 {
		for _, w := range windows {
			q.all = append(q.all, t.own(w))
		}
	}
	t.queues = append(t.queues, q)
	return q
}

// reserved returns the windows, with a reserve for the longest of them. If all windows
// have the same length, none has a reserve: waiting runs soon get equal shares of them.
func reserved(windows []Window) []Window {
	longest, shortest := time.Duration(0), time.Duration(math.MaxInt64)
	for _, w := range windows {
		longest, shortest = max(longest, w.Per), min(shortest, w.Per)
	}
	windows = slices.Clone(windows)
	for i := range windows {
		if w := &windows[i]; w.Per == longest && longest > shortest {
			w.Reserve = w.Limit * reservePercent / 100
		}
	}
	return windows
}

// own returns the window of this run's share of a limit. If the share is less than one
// slot, the window has one slot and is longer.
func (t *Transport) own(w Window) Window {
	w.Name, w.Own = fmt.Sprintf("%s of %08x", w.Name, t.run), true
	part := t.cfg.Share * float64(w.Limit)
	if w.Limit = int(math.Floor(part + 1e-9)); w.Limit < 1 {
		w.Limit, w.Per = 1, time.Duration(min(math.Ceil(float64(w.Per)/part), float64(longest)))
	}
	return w
}

// acquire waits until the store grants a slot in all of the queue's windows. Requests
// behind the front sleep in this function, where the stack is small, because there can
// be thousands of them.
func (t *Transport) acquire(ctx context.Context, q *queue) (Ask, error) {
	w, ask, err := t.enter(ctx, q)
	if w == nil {
		return ask, err
	}
	select {
	case <-w.first:
	case <-ctx.Done():
	}
	return t.finish(ctx, q, w)
}

// enter asks the store if no other request waits. If it gets neither a slot nor an
// error, the request becomes a waiter.
func (t *Transport) enter(ctx context.Context, q *queue) (*waiter, Ask, error) {
	if ctx.Err() != nil {
		return nil, Ask{}, &WaitError{Cause: context.Cause(ctx)}
	}
	t.mu.Lock()
	if q.front != nil {
		defer t.mu.Unlock()
		w := t.join(ctx, q, newSlot())
		w.behind = q.behind.PushBack(w)
		if 1+q.behind.Len() > 2*q.reported+1 {
			select {
			case q.grown <- struct{}{}:
			default:
			}
		}
		return w, Ask{}, nil
	}
	q.front = &q.asking
	t.mu.Unlock()
	ask, answer, err := t.ask(ctx, q, newSlot())
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && !answer.Granted {
		w := t.join(ctx, q, ask.Slot)
		w.pause = answer.Wait
		close(w.first)
		q.front = w
		return w, Ask{}, nil
	}
	q.next(answer)
	if err != nil {
		return nil, Ask{}, &WaitError{Cause: err, store: ctx.Err() == nil}
	}
	return nil, ask, nil
}

func newSlot() Slot { return Slot(rand.Uint64() | 1) }

// finish ends the wait of a request that is the front or whose context has ended.
func (t *Transport) finish(ctx context.Context, q *queue, w *waiter) (Ask, error) {
	ask, answer, err := t.waitInFront(ctx, q, w)
	waited := time.Since(w.start)
	reason := t.leave(q, w, answer)
	if t.cfg.OnWait != nil {
		t.cfg.OnWait(ctx, waited, reason.Window)
	}
	if err != nil {
		reason.Cause, reason.Waited, reason.store = err, waited, ctx.Err() == nil
		return Ask{}, &reason
	}
	return ask, nil
}

// waitInFront asks the store until it grants a slot.
func (t *Transport) waitInFront(ctx context.Context, q *queue, w *waiter) (Ask, Answer, error) {
	for {
		if w.pause > 0 {
			q.sleep(ctx, w.pause)
		}
		if ctx.Err() != nil {
			return Ask{}, Answer{}, context.Cause(ctx)
		}
		ask, answer, err := t.ask(ctx, q, w.slot)
		if answer.Granted || err != nil {
			return ask, answer, err
		}
		w.pause = answer.Wait
	}
}

// stuckPart is the part of MaxInFlight that the store may take to answer: 1/8. After that,
// the time counts for all requests in the queue, because they no longer wait for a slot.
const stuckPart = 8

// growth is how long the front waits for more requests after many have joined, because
// requests often start together.
const growth = 10 * time.Millisecond

// sleep waits for d, or until the context ends. It returns earlier if so many requests
// have joined the queue that the store must know: the order of the queues depends on
// how many requests wait in them.
func (q *queue) sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	end := time.Now().Add(d)
	for grown := q.grown; ; grown = nil {
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-grown:
			timer.Reset(min(growth, time.Until(end)))
			continue
		}
		return
	}
}

// ask asks the store for the front, and records in the queue what it waits for. A slot
// counts from when the store was asked. If less than half of its time is left when the
// answer arrives, the slot is not used: the caller asks for it again, and the store
// renews it.
func (t *Transport) ask(ctx context.Context, q *queue, slot Slot) (Ask, Answer, error) {
	t.mu.Lock()
	ask := Ask{
		Slot: slot, Run: t.run, Queue: q.id, Waiting: 1 + q.behind.Len(),
		Windows: q.all, MaxInFlight: t.cfg.MaxInFlight, at: time.Now(),
	}
	q.reported = ask.Waiting
	select {
	case <-q.grown:
	default:
	}
	t.mu.Unlock()
	answered := false
	slow := time.AfterFunc(t.cfg.MaxInFlight/stuckPart, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !answered {
			q.stuck = true
			q.follow()
		}
	})
	answer, err := t.cfg.Store.Acquire(ctx, ask)
	slow.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	if answered = true; err != nil {
		return ask, Answer{}, err
	}
	if q.stuck {
		q.stuck = false
		q.follow()
	}
	switch {
	case answer.Granted && time.Since(ask.at) > t.cfg.MaxInFlight/2:
		return ask, Answer{}, nil // the caller asks again immediately
	case !answer.Granted:
		q.bind(answer)
	}
	return ask, answer, nil
}

// bind records what the queue waits for.
func (q *queue) bind(answer Answer) {
	q.binding = answer.Window
	if q.held != answer.Held {
		q.held = answer.Held
		q.follow()
	}
}

// follow makes the timeouts of the queue's requests count, or not.
func (q *queue) follow() {
	counts := q.held || q.stuck
	if q.front != nil {
		q.front.count(counts)
	}
	for e := q.behind.Front(); e != nil; e = e.Next() {
		waiterOf(e).count(counts)
	}
}

// join makes the request a waiter.
func (t *Transport) join(ctx context.Context, q *queue, slot Slot) *waiter {
	w := &waiter{slot: slot, start: time.Now(), first: make(chan struct{})}
	w.timeout, _ = ctx.Value(timeoutKey{}).(*timeout)
	w.count(q.held || q.stuck)
	t.watch(+1)
	return w
}

// leave ends a wait, and returns what the request waited for.
func (t *Transport) leave(q *queue, w *waiter, answer Answer) WaitError {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.front == w {
		q.next(answer)
	} else {
		q.behind.Remove(w.behind)
	}
	w.count(true)
	t.watch(-1)
	return WaitError{Window: q.bound(), Held: q.held, Stuck: q.stuck}
}

// next makes the next waiter the front. If the previous front got its slot, its answer
// says when the next waiter can have a slot.
func (q *queue) next(answer Answer) {
	if q.front = nil; q.behind.Len() > 0 {
		q.front = waiterOf(q.behind.Front())
		q.behind.Remove(q.behind.Front())
		if answer.Granted && answer.Wait > 0 {
			q.front.pause = answer.Wait
			q.bind(answer)
		}
		close(q.front.first)
	}
}

// bound returns the name of the window that the queue waits for, or "" if a 429 holds
// it.
func (q *queue) bound() string {
	if q.held || len(q.asked) == 0 {
		return ""
	}
	return q.asked[q.binding%len(q.asked)].Name
}

func waiterOf(e *list.Element) *waiter {
	w, _ := e.Value.(*waiter)
	return w
}

// count makes the waiter's timeout count, or not.
func (w *waiter) count(counts bool) {
	if w.timeout == nil || w.paused == !counts {
		return
	}
	if w.paused = !counts; w.paused {
		w.timeout.pause()
	} else {
		w.timeout.resume()
	}
}
