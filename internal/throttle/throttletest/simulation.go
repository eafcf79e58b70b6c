// SPDX-License-Identifier: MPL-2.0

package throttletest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// simWindows are small, so that a simulation fills them often.
var simWindows = []throttle.Window{
	{Name: "a second", Limit: 4, Per: time.Second}, {Name: "a quarter", Limit: 40, Per: 15 * time.Second},
}

const (
	simInFlight = 2 * time.Second
	disturbFor  = 30 * time.Second
)

// Budget is the shared budget of a simulation.
type Budget struct {
	Open  func() throttle.Store   // opens it for a run
	Fault func(random *rand.Rand) // causes a fault of what it is stored in (nil: none)
}

// Simulate lets several runs share a budget in virtual time, once for each seed. A seed
// selects faults of the budget, of the runs, of the network and of other programs. In
// every case, no more requests arrive than the limits allow, and every request of a run
// that lives is answered within bounds.
func Simulate(t *testing.T, seeds uint64, open func(t *testing.T, seed uint64) Budget) {
	for seed := range seeds {
		Virtual(t, fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			simulate(t, rand.New(rand.NewPCG(seed, 0)), open(t, seed))
		})
	}
}

// faults are the faults of a simulation, and its size.
type faults struct {
	foreign             bool
	failing, givingUp   float64
	late, broken        float64 // answers of the store
	killed, stopped     int     // numbers of runs
	share               float64
	runs, callers, each int
}

func faultsOf(random *rand.Rand, service *Service) faults {
	service.Trip = time.Duration(random.Int64N(int64(400 * time.Millisecond)))
	f := faults{share: 1, runs: 1 + random.IntN(4), callers: 1 + random.IntN(12), each: 5 + random.IntN(25)}
	if random.IntN(4) == 0 {
		return f
	}
	maybe := func() bool { return random.IntN(3) == 0 }
	f.foreign = maybe()
	service.Jitter = random.Float64()
	f.share = []float64{1, 1, 0.7, 0.3, 0.1}[random.IntN(5)]
	if maybe() {
		f.failing, f.givingUp = random.Float64()/3, random.Float64()/3
	}
	if maybe() {
		f.late, f.broken = random.Float64()/4, random.Float64()/10
	}
	if maybe() {
		f.killed = random.IntN(f.runs)
	}
	if maybe() {
		f.stopped = random.IntN(f.runs)
	}
	return f
}

var errBroken, errReset = errors.New("store unreachable"), errors.New("connection reset")

// world contains the runs, their shared budget, and the service.
type world struct {
	t       *testing.T
	faults  faults
	service *Service
	budget  Budget

	mu     sync.Mutex
	random *rand.Rand
}

func (w *world) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.Float64() < p
}

func (w *world) within(d time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.random.Int64N(int64(d)))
}

// run is a run. Its store does not answer while the run is stopped, or after it was killed.
type run struct {
	throttle.Store
	world   *world
	dead    atomic.Bool
	resumes atomic.Int64 // Unix time in nanoseconds
}

// lives waits while the run is stopped, and reports whether it was not killed.
func (r *run) lives() bool {
	time.Sleep(time.Until(time.Unix(0, r.resumes.Load())))
	return !r.dead.Load()
}

func (r *run) Acquire(ctx context.Context, ask throttle.Ask) (throttle.Decision, error) {
	if !r.lives() {
		return throttle.Decision{}, errBroken
	}
	decision, err := r.Store.Acquire(ctx, ask)
	if r.world.chance(r.world.faults.late) {
		time.Sleep(r.world.within(2 * simInFlight))
	}
	if !r.lives() || r.world.chance(r.world.faults.broken) {
		return throttle.Decision{}, errBroken
	}
	return decision, err
}

func (r *run) Release(ask throttle.Ask, outcome throttle.Outcome) {
	if r.lives() {
		r.Store.Release(ask, outcome)
	}
}

func simulate(t *testing.T, random *rand.Rand, budget Budget) {
	w := &world{t: t, service: &Service{Windows: simWindows}, budget: budget, random: random}
	w.faults = faultsOf(random, w.service)
	w.service.Answer = func(int, string) *Response {
		if w.chance(w.faults.failing) {
			return &Response{Err: errReset}
		}
		return nil
	}
	runs := make([]*run, w.faults.runs)
	for i := range runs {
		runs[i] = &run{Store: budget.Open(), world: w}
		seen := throttle.Ask{Slot: 1, Run: 1, Queue: 1, Waiting: 1, MaxInFlight: simInFlight}
		if _, err := runs[i].Store.Acquire(t.Context(), seen); err != nil { // all runs have seen the budget
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for _, r := range runs {
		w.apply(r, &all)
	}
	over, disturbed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(disturbed)
		w.disturb(runs, over)
	}()
	all.Wait()
	close(over)
	<-disturbed
	time.Sleep(time.Minute) // for outcomes that are recorded in the background
	var ours []time.Time
	for _, a := range w.service.Arrivals() {
		if a.Path != "/foreign" {
			ours = append(ours, a.At)
		}
	}
	for _, window := range simWindows {
		for i := window.Limit; i < len(ours); i++ {
			if d := ours[i].Sub(ours[i-window.Limit]); d <= window.Per {
				t.Fatalf("%d requests arrived within %v, %+v", window.Limit+1, d, w.faults)
			}
		}
	}
}

// apply starts the callers of a run.
func (w *world) apply(r *run, all *sync.WaitGroup) {
	transport := w.service.Transport(throttle.Config{Store: r, MaxInFlight: simInFlight, Share: w.faults.share})
	var left atomic.Int64
	left.Store(int64(w.faults.each))
	for range w.faults.callers {
		all.Go(func() {
			for left.Add(-1) >= 0 && !r.dead.Load() && w.request(r, transport) {
			}
		})
	}
}

// request sends one request until it is answered, and reports whether the run
// continues.
func (w *world) request(r *run, transport http.RoundTripper) bool {
	begin := time.Now()
	for {
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Hour) // so that the test ends
		givesUp := w.chance(w.faults.givingUp)
		if givesUp {
			time.AfterFunc(w.within(3*time.Second), cancel)
		}
		status, err := Get(ctx, transport, "/positions")
		cancel()
		switch {
		case r.dead.Load():
			return false
		case time.Since(begin) > 5*time.Minute && w.faults.share == 1:
			w.t.Errorf("a request took %v, %+v", time.Since(begin), w.faults)
			return false
		case errors.Is(err, errBroken) && w.faults.broken > 0: // not sent
			continue
		case err != nil && !givesUp && !errors.Is(err, errReset) && !errors.Is(err, throttle.ErrNoResponse):
			w.t.Errorf("error %v, %+v", err, w.faults)
			return false
		case status == http.StatusTooManyRequests:
			continue
		}
		return true
	}
}

// disturb causes the faults until the runs are over.
func (w *world) disturb(runs []*run, over chan struct{}) {
	f := w.faults
	for i, r := range runs {
		if i < f.killed {
			time.AfterFunc(w.within(10*time.Second), func() { r.dead.Store(true) })
		} else if i < f.killed+f.stopped {
			resumes := time.Now().Add(10*time.Second + w.within(20*time.Second)).UnixNano()
			time.AfterFunc(w.within(10*time.Second), func() { r.resumes.Store(resumes) })
		}
	}
	source := rand.New(rand.NewPCG(uint64(w.within(time.Hour)), 1))
	for start := time.Now(); time.Since(start) < disturbFor; {
		select {
		case <-over:
			return
		case <-time.After(100*time.Millisecond + w.within(3*time.Second)):
		}
		if w.budget.Fault != nil {
			w.budget.Fault(source)
		}
		if f.foreign && w.chance(0.5) {
			for range 6 {
				if status, err := Get(w.t.Context(), w.service, "/foreign"); err != nil && !errors.Is(err, errReset) {
					w.t.Errorf("status %d, error %v", status, err)
				}
			}
		}
	}
}
