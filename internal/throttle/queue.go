// SPDX-License-Identifier: MPL-2.0

package throttle

import (
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

// queue holds the requests of one Transport that want a slot in the same windows, first
// come first served. A request joins the queue, waits until it is the first one, asks the
// store until it has its slot, and leaves. If the store has no slot, the first request
// sleeps until the store says that a slot can be free.
type queue struct {
	id    uint64
	asked []Window // as Config.Windows names them
	all   []Window // the same, and this run's own windows if its share is below 1

	// Guarded by Transport.mu.
	requests []*queuedRequest
	refusal  Decision      // the latest one: what the queue waits for
	pause    time.Duration // for how long it waits. Only the first request uses it
	stuck    bool          // the store has not answered for a while
	reported int           // how many requests the store was told about
	grown    chan struct{} // many more have joined
}

// queuedRequest is a request in a queue.
type queuedRequest struct {
	slot    Slot
	joined  time.Time
	first   chan struct{} // closed when it is the first one
	waits   bool          // another one is before it, or it was refused a slot
	timeout *timeout      // of its context, or nil
	paused  bool          // the timeout does not count
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
// behind the first one sleep in this function, where the stack is small, because there can
// be thousands of them.
func (t *Transport) acquire(ctx context.Context, q *queue) (Ask, error) {
	if ctx.Err() != nil {
		return Ask{}, &WaitError{Cause: context.Cause(ctx)}
	}
	r := t.join(ctx, q)
	select {
	case <-r.first:
	case <-ctx.Done():
		return Ask{}, t.leave(ctx, q, r, context.Cause(ctx))
	}
	ask, err := t.askUntilGranted(ctx, q, r)
	return ask, t.leave(ctx, q, r, err)
}

func (t *Transport) join(ctx context.Context, q *queue) *queuedRequest {
	r := &queuedRequest{slot: Slot(rand.Uint64() | 1), joined: time.Now(), first: make(chan struct{})}
	r.timeout, _ = ctx.Value(timeoutKey{}).(*timeout)
	t.mu.Lock()
	defer t.mu.Unlock()
	q.requests = append(q.requests, r)
	r.count(q.counts())
	if len(q.requests) == 1 {
		close(r.first)
	} else {
		t.wait(r)
	}
	if len(q.requests) > 2*q.reported+1 {
		select {
		case q.grown <- struct{}{}:
		default:
		}
	}
	return r
}

// leave removes a request from the queue. If it leaves with an error, the result says what
// it waited for.
func (t *Transport) leave(ctx context.Context, q *queue, r *queuedRequest, err error) error {
	t.mu.Lock()
	reason := &WaitError{Cause: err, Waited: time.Since(r.joined), Stuck: q.stuck, store: ctx.Err() == nil}
	i := slices.Index(q.requests, r)
	q.requests = slices.Delete(q.requests, i, i+1)
	if i == 0 && (err != nil || len(q.requests) == 0) {
		q.pause = 0 // the next request asks immediately
	}
	if i == 0 && len(q.requests) > 0 {
		close(q.requests[0].first)
	}
	r.count(true)
	if r.waits {
		t.watch(-1)
		reason.Window, reason.Held = q.bound(), q.refusal.Held
	}
	t.mu.Unlock()
	if r.waits && t.cfg.OnWait != nil {
		t.cfg.OnWait(ctx, reason.Waited, reason.Window)
	}
	if err == nil {
		return nil
	}
	return reason
}

func (t *Transport) wait(r *queuedRequest) {
	if !r.waits {
		r.waits = true
		t.watch(+1)
	}
}

// askUntilGranted asks the store for the first request until it has its slot.
func (t *Transport) askUntilGranted(ctx context.Context, q *queue, r *queuedRequest) (Ask, error) {
	for q.sleep(ctx) {
		ask, decision, err := t.ask(ctx, q, r)
		if decision.Granted || err != nil {
			return ask, err
		}
	}
	return Ask{}, context.Cause(ctx)
}

// stuckPart is the part of MaxInFlight that the store may take to answer: 1/8. After that,
// the time counts for all requests in the queue, because they no longer wait for a slot.
const stuckPart = 8

// ask asks the store once. A slot counts from when the store was asked. If less than half
// of its time is left when the answer arrives, the slot is not used: the caller asks for it
// again, and the store renews it.
func (t *Transport) ask(ctx context.Context, q *queue, r *queuedRequest) (Ask, Decision, error) {
	t.mu.Lock()
	ask := Ask{
		Slot: r.slot, Run: t.run, Queue: q.id, Waiting: len(q.requests),
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
			q.waitFor(q.refusal, true)
		}
	})
	decision, err := t.cfg.Store.Acquire(ctx, ask)
	slow.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	if answered = true; err != nil {
		return ask, Decision{}, err
	}
	if decision.Granted && time.Since(ask.at) > t.cfg.MaxInFlight/2 {
		decision = Decision{}
	}
	if !decision.Granted {
		t.wait(r)
	}
	refusal := q.refusal
	if q.pause = decision.Wait; q.pause > 0 {
		refusal = decision
	}
	q.waitFor(refusal, false)
	return ask, decision, nil
}

// growth is how long the first request waits for more requests after many have joined,
// because requests often start together.
const growth = 10 * time.Millisecond

// sleep waits until a slot can be free, and reports whether the context has not ended. It
// returns earlier if so many requests have joined the queue that the store must know: the
// order of the queues depends on how many requests wait in them.
func (q *queue) sleep(ctx context.Context) bool {
	if q.pause == 0 {
		return ctx.Err() == nil
	}
	end := time.Now().Add(q.pause)
	timer := time.NewTimer(q.pause)
	defer timer.Stop()
	for grown := q.grown; ; grown = nil {
		select {
		case <-grown:
			timer.Reset(min(growth, time.Until(end)))
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		return ctx.Err() == nil
	}
}

// counts reports whether the time of the requests counts for their timeouts.
func (q *queue) counts() bool { return q.refusal.Held || q.stuck }

// waitFor records what the queue waits for.
func (q *queue) waitFor(refusal Decision, stuck bool) {
	before := q.counts()
	if q.refusal, q.stuck = refusal, stuck; q.counts() == before {
		return
	}
	for _, r := range q.requests {
		r.count(!before)
	}
}

// count makes the time of a request count for its timeout, or not.
func (r *queuedRequest) count(counts bool) {
	if r.timeout == nil || r.paused == !counts {
		return
	}
	if r.paused = !counts; r.paused {
		r.timeout.pause()
	} else {
		r.timeout.resume()
	}
}

// bound returns the name of the window that the queue waits for, or "" if a 429 holds
// it.
func (q *queue) bound() string {
	if q.refusal.Held || len(q.asked) == 0 {
		return ""
	}
	return q.asked[q.refusal.Window%len(q.asked)].Name
}
