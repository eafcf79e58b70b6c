// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// LongestInFlight is the largest possible Config.MaxInFlight.
	LongestInFlight = 100 * time.Second
	// LongestHold is how long a 429 can hold the budget.
	LongestHold = 3 * time.Minute

	defaultInFlight = 40 * time.Second
	// mostSlots is how many slots are asked for at once.
	mostSlots = 20
	// releaseWithin is how long release waits for the store.
	releaseWithin = 2 * time.Second
)

// Window is one limit of the service: at most Limit requests in any interval of length Per.
type Window struct {
	// Name is the unit of Limit, such as "requests a minute". Windows with the same name are the same window, in all
	// runs.
	Name  string
	Limit int
	Per   time.Duration
	// Reserve is how many slots a queue leaves to others while other runs are active, if the queue itself uses at least
	// as many.
	Reserve int
}

func (w Window) String() string { return fmt.Sprintf("%d %s", w.Limit, w.Name) }

// ID is the name of the window in a store.
func (w Window) ID() string { return strings.ReplaceAll(w.Name, " ", "-") }

// Operation is a kind of request: the windows in which it counts. The first window is the shortest, and the last window
// is the longest. A 429 stops all operations that count in the last window.
type Operation []Window

// Config configures a Limiter.
type Config struct {
	// Store keeps the slots of all runs that share the budget. Nil means NewMemory.
	Store Store
	// Share is the part of each limit that this run may use, 0 < Share <= 1. If the part is less than one request, it
	// is one request in a longer time. Zero means 1.
	Share float64
	// MaxInFlight is how long a request may take from the grant of its slots until release. If a slot is occupied for
	// longer, its process has probably died, so the slot becomes free. A grant may be five seconds old when Acquire
	// returns, so the client must give up a request at least five seconds earlier. Zero means 40 s. A longer time than
	// LongestInFlight counts as LongestInFlight.
	MaxInFlight time.Duration
	// OnNotice is called with a notice for the user. It can be called more than once with the same kind. It may be nil.
	OnNotice func(Notice)
}

// Limiter keeps the requests of one run within the limits, together with all runs that share its store.
type Limiter struct {
	cfg   Config
	share Store  // the slots of this run's share of the limits, or nil
	run   string // identifies this run in the store
	began time.Time

	mu          sync.Mutex
	queues      []*queue
	tokens      int // so far
	sent        int
	waiting     int
	noticeTimer *time.Timer // runs while requests wait
	failure     error       // why the store cannot be used, which is final
}

// New returns the limiter of one run.
func New(cfg Config) *Limiter {
	if cfg.Store == nil {
		cfg.Store = NewMemory()
	}
	cfg.MaxInFlight = min(cmp.Or(cfg.MaxInFlight, defaultInFlight), LongestInFlight)
	l := &Limiter{cfg: cfg, run: rand.Text()[:10], began: time.Now()}
	if cfg.Share > 0 && cfg.Share < 1 {
		l.share = NewMemory()
	}
	return l
}

// Release records that the request of an Acquire is over. The caller calls it exactly once, when the headers of the
// response have arrived or the request has failed. After a 429, hold is how long all runs must pause, at most
// LongestHold. Otherwise, hold is zero. A Release returns when the store has answered, or after releaseWithin. If it is
// never called, or if the store fails, the slots stay occupied for longer.
type Release func(hold time.Duration)

// Acquire waits until a request of this kind may be sent, and takes its slots. It has no timeout. If ctx ends first,
// Acquire returns the cause of its end, and slots that are granted nevertheless count as used. If the shared budget
// cannot be used, Acquire returns an *UnavailableError, which is final. op must have at least one window. The caller
// sends at most one request, which must be on its way within ten seconds (see Lost).
func (l *Limiter) Acquire(ctx context.Context, op Operation) (release Release, err error) {
	var taken []Release
	release = func(hold time.Duration) {
		for _, r := range slices.Backward(taken) {
			r(min(max(hold, 0), LongestHold))
		}
	}
	for _, q := range l.queuesOf(op) {
		r, err := q.acquire(ctx)
		if err != nil {
			release(0)
			return nil, err
		}
		taken = append(taken, r)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	return release, nil
}

// queuesOf returns the queues through which a request passes, in this order: the queue of this run's share, if the run
// has only a share, and the queue of the shared budget.
func (l *Limiter) queuesOf(op Operation) (all []*queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.share != nil {
		all = append(all, l.queue(l.shareOf(op), true))
	}
	return append(all, l.queue(op, false))
}

// queue returns the queue for these windows. It creates the queue for the first request.
func (l *Limiter) queue(op Operation, ofShare bool) *queue {
	for _, q := range l.queues {
		if q.ofShare == ofShare && slices.Equal(q.op, op) {
			return q
		}
	}
	id := fmt.Sprintf("%s%d", l.run, len(l.queues))
	q := &queue{limiter: l, store: l.cfg.Store, op: op, id: id, inFlight: l.cfg.MaxInFlight}
	if ofShare { // the share ends with this process, and its slots must last while requests wait for the shared budget
		q.ofShare, q.store, q.inFlight = true, l.share, 24*time.Hour
	}
	l.queues = append(l.queues, q)
	return q
}

// shareOf returns the windows of this run's share. If the share is less than one slot, the window is longer.
func (l *Limiter) shareOf(op Operation) Operation {
	op = slices.Clone(op)
	for i := range op {
		w, part := &op[i], l.cfg.Share*float64(op[i].Limit)
		w.Reserve = 0
		if w.Limit = int(math.Floor(part + 1e-9)); w.Limit < 1 {
			w.Limit, w.Per = 1, time.Duration(math.Ceil(float64(w.Per)/part))
		}
	}
	return op
}

// fail ends the wait of all requests of all queues with an error, and wakes the goroutines that ask the store, so that
// they end. All later requests fail, too.
func (l *Limiter) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = err
	for _, q := range l.queues {
		for _, w := range q.waiters {
			w <- answer{err: err} // never blocks, because a waiter has room for its one answer
		}
		l.watch(-len(q.waiters))
		q.waiters = nil
		if q.running {
			q.wake()
		}
	}
}
