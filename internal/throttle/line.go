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

// queue is the line of one Transport's requests that ask for the same windows, first
// come first served. Only the one in front asks the store; where it is refused
// it sleeps until the store's answer says that a place can be free. The others
// wait for it to pass on the turn.
type queue struct {
	id    uint64
	asked []Window // as Config.Windows names them
	all   []Window // and this run's own, where its share is below 1

	// Guarded by Transport.mu.
	front   *waiter   // has the turn; nil while nobody does
	behind  list.List // of *waiter
	newest  waiter    // in front while it asks for the first time, before it has to wait
	binding int       // the window in all that bound the last one refused
	gated   bool      // a closed gate did
}

// waiter is one waiting request.
type waiter struct {
	turn    chan struct{} // closed when it comes to the front
	place   *list.Element // while it is behind
	timeout *timeout      // its context's; stands still while paused holds
	paused  bool
}

// queue finds the queue for a set of windows.
func (t *Transport) queue(windows []Window) *queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range t.queues {
		if slices.Equal(q.asked, windows) {
			return q
		}
	}
	q := &queue{id: rand.Uint64(), asked: windows, all: slices.Clone(windows)}
	if t.cfg.Share < 1 {
		for _, w := range windows {
			w.Name = fmt.Sprintf("%s of %016x", w.Name, t.id)
			w.Limit = max(1, int(math.Floor(t.cfg.Share*float64(w.Limit)+1e-9)))
			q.all = append(q.all, w)
		}
	}
	t.queues = append(t.queues, q)
	return q
}

// acquire waits until the store grants a place in all of the queue's windows.
func (t *Transport) acquire(ctx context.Context, q *queue) (Place, error) {
	if ctx.Err() != nil {
		return 0, &WaitError{Cause: context.Cause(ctx)}
	}
	t.mu.Lock()
	free := q.front == nil
	if free {
		q.front = &q.newest
	}
	t.mu.Unlock()
	if !free {
		return t.wait(ctx, q, nil)
	}
	answer, err := t.ask(ctx, q)
	if err == nil && answer.Place == 0 {
		return t.wait(ctx, q, &answer)
	}
	t.pass(q)
	if err != nil {
		return 0, &WaitError{Cause: err}
	}
	return answer.Place, nil
}

// wait is acquire for a request that was refused when it came, or that found
// others before it (refused is nil).
func (t *Transport) wait(ctx context.Context, q *queue, refused *Answer) (Place, error) {
	start := time.Now()
	w := t.join(ctx, q, refused != nil)
	place, err := t.waitInLine(ctx, q, w, refused)
	waited := time.Since(start)
	window := t.leave(q, w)
	if t.cfg.OnWait != nil {
		t.cfg.OnWait(ctx, waited, window)
	}
	if err != nil {
		return 0, &WaitError{Cause: err, Waited: waited, Window: window}
	}
	return place, nil
}

// waitInLine waits for the turn, then for the place, then passes on the turn.
func (t *Transport) waitInLine(ctx context.Context, q *queue, w *waiter, refused *Answer) (Place, error) {
	if refused == nil {
		select {
		case <-w.turn:
		case <-ctx.Done():
			if t.giveUp(q, w) {
				return 0, context.Cause(ctx)
			}
		}
	}
	defer t.pass(q)
	for {
		if refused != nil {
			sleep(ctx, refused.Wait)
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		answer, err := t.ask(ctx, q)
		if err != nil {
			return 0, err
		}
		if answer.Place != 0 && ctx.Err() != nil {
			t.cfg.Store.Release(answer.Place, q.all, Outcome{Result: Unsent})
			return 0, context.Cause(ctx)
		}
		if answer.Place != 0 {
			return answer.Place, nil
		}
		refused = &answer
	}
}

// sleep waits for d, or until the context ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// ask asks the store on behalf of the one in front, and lets everybody in the
// queue know what holds it.
func (t *Transport) ask(ctx context.Context, q *queue) (Answer, error) {
	t.mu.Lock()
	ask := Ask{Line: q.id, Waiting: 1 + q.behind.Len(), Windows: q.all, MaxInFlight: t.cfg.MaxInFlight}
	t.mu.Unlock()
	answer, err := t.cfg.Store.Acquire(ctx, ask)
	if err != nil {
		return Answer{}, err
	}
	if answer.Place != 0 {
		return answer, nil // the next in line finds out for itself
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	q.binding = answer.Window
	if q.gated != answer.Gate {
		q.gated = answer.Gate
		q.front.heed(q.gated)
		for e := q.behind.Front(); e != nil; e = e.Next() {
			waiterOf(e).heed(q.gated)
		}
	}
	return answer, nil
}

// join makes the request a waiter: the one in front, whose turn it is already,
// or the last behind it.
func (t *Transport) join(ctx context.Context, q *queue, front bool) *waiter {
	w := &waiter{}
	w.timeout, _ = ctx.Value(timeoutKey{}).(*timeout)
	t.mu.Lock()
	defer t.mu.Unlock()
	w.heed(q.gated)
	switch {
	case front:
		q.front = w
	case q.front == nil: // left since
		q.front, w.turn = w, make(chan struct{})
		close(w.turn)
	default:
		w.turn = make(chan struct{})
		w.place = q.behind.PushBack(w)
	}
	t.watch(+1)
	return w
}

// giveUp takes a waiter out of the line. It reports false where the turn has
// come to it meanwhile: it must be passed on.
func (t *Transport) giveUp(q *queue, w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.front == w {
		return false
	}
	q.behind.Remove(w.place)
	return true
}

// pass gives the turn to the next in line.
func (t *Transport) pass(q *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.front = nil; q.behind.Len() > 0 {
		q.front = waiterOf(q.behind.Front())
		q.behind.Remove(q.behind.Front())
		close(q.front.turn)
	}
}

// leave ends a wait. It returns the name of the window that bound it.
func (t *Transport) leave(q *queue, w *waiter) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	w.heed(true)
	t.watch(-1)
	return q.bound()
}

// bound is the name of the window that binds the queue, "" for a closed gate.
func (q *queue) bound() string {
	if q.gated || len(q.asked) == 0 {
		return ""
	}
	return q.asked[q.binding%len(q.asked)].Name
}

func waiterOf(e *list.Element) *waiter {
	w, _ := e.Value.(*waiter)
	return w
}

// heed lets the waiter's timeout stand still while our own budget holds it, and
// run while a gate does.
func (w *waiter) heed(gated bool) {
	if w.timeout == nil || w.paused == !gated {
		return
	}
	if w.paused = !gated; w.paused {
		w.timeout.pause()
	} else {
		w.timeout.resume()
	}
}
