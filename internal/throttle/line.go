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
	asking  waiter    // stands for one that is in front and has not had to wait so far
	binding int       // the window in all that bound the last one refused
	gated   bool      // a closed gate did
}

// waiter is one waiting request.
type waiter struct {
	start   time.Time
	turn    chan struct{} // closed when it comes to the front
	behind  *list.Element // its place until then
	pause   time.Duration // what the store told it to wait
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
// Those behind sleep here, where the stack is still shallow: there can be
// thousands of them.
func (t *Transport) acquire(ctx context.Context, q *queue) (Place, error) {
	w, place, err := t.enter(ctx, q)
	if w == nil {
		return place, err
	}
	select {
	case <-w.turn:
	case <-ctx.Done():
	}
	return t.finish(ctx, q, w)
}

// enter asks the store where nobody is before the request. Where it gets neither
// a place nor an error it returns it as a waiter.
func (t *Transport) enter(ctx context.Context, q *queue) (*waiter, Place, error) {
	if ctx.Err() != nil {
		return nil, 0, &WaitError{Cause: context.Cause(ctx)}
	}
	t.mu.Lock()
	if q.front != nil {
		defer t.mu.Unlock()
		w := t.join(ctx, q)
		w.behind = q.behind.PushBack(w)
		return w, 0, nil
	}
	q.front = &q.asking
	t.mu.Unlock()
	answer, err := t.ask(ctx, q)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && answer.Place == 0 {
		w := t.join(ctx, q)
		w.pause = answer.Wait
		close(w.turn)
		q.front = w
		return w, 0, nil
	}
	q.pass()
	if err != nil {
		return nil, 0, &WaitError{Cause: err}
	}
	return nil, answer.Place, nil
}

// finish sees a waiter through whose turn has come or whose context has ended.
func (t *Transport) finish(ctx context.Context, q *queue, w *waiter) (Place, error) {
	place, err := t.waitInFront(ctx, q, w)
	waited := time.Since(w.start)
	window := t.leave(q, w)
	if t.cfg.OnWait != nil {
		t.cfg.OnWait(ctx, waited, window)
	}
	if err != nil {
		return 0, &WaitError{Cause: err, Waited: waited, Window: window}
	}
	return place, nil
}

// waitInFront asks the store as often as it takes.
func (t *Transport) waitInFront(ctx context.Context, q *queue, w *waiter) (Place, error) {
	for {
		if w.pause > 0 {
			sleep(ctx, w.pause)
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		answer, err := t.ask(ctx, q)
		if answer.Place != 0 || err != nil {
			return answer.Place, err
		}
		w.pause = answer.Wait
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

// join makes the request a waiter.
func (t *Transport) join(ctx context.Context, q *queue) *waiter {
	w := &waiter{start: time.Now(), turn: make(chan struct{})}
	w.timeout, _ = ctx.Value(timeoutKey{}).(*timeout)
	w.heed(q.gated)
	t.watch(+1)
	return w
}

// leave ends a wait. It returns the name of the window that bound it.
func (t *Transport) leave(q *queue, w *waiter) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.front == w {
		q.pass()
	} else {
		q.behind.Remove(w.behind)
	}
	w.heed(true)
	t.watch(-1)
	return q.bound()
}

// pass gives the turn to the next in line.
func (q *queue) pass() {
	if q.front = nil; q.behind.Len() > 0 {
		q.front = waiterOf(q.behind.Front())
		q.behind.Remove(q.behind.Front())
		close(q.front.turn)
	}
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
