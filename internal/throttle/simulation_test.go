// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var seeds = flag.Uint64("seeds", 100, "how many seeds TestSimulation runs")

// simWindows are small, so that a simulation fills them often.
var simWindows = []Window{
	{Name: "a second", Limit: 4, Per: time.Second}, {Name: "a quarter", Limit: 40, Per: 15 * time.Second},
}

const simInFlight = 2 * time.Second

// TestSimulation runs several runs of one shared budget in virtual time, with faults
// that a seed selects. In every case, no more requests arrive than the limits allow,
// and every request of a living run is answered within bounds.
func TestSimulation(t *testing.T) {
	t.Parallel()
	for n := range *seeds {
		t.Run(fmt.Sprintf("seed=%d", n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { simulate(t, n) })
		})
	}
}

// faults are the faults of a simulation.
type faults struct {
	clocks, removed, foreign    bool
	failing, givingUp           float64
	late, broken                float64 // answers of the store
	killed, stopped             int     // numbers of runs
	trip                        time.Duration
	jitter, share               float64
	runs, callers, each, stores int
}

func faultsOf(random *rand.Rand) faults {
	f := faults{
		share: 1, trip: time.Duration(random.Int64N(int64(400 * time.Millisecond))),
		runs: 1 + random.IntN(4), callers: 1 + random.IntN(12), each: 5 + random.IntN(25), stores: random.IntN(4),
	}
	if random.IntN(4) == 0 {
		return f
	}
	maybe := func() bool { return random.IntN(3) == 0 }
	f.clocks, f.removed, f.foreign = maybe(), maybe(), maybe()
	f.jitter = random.Float64()
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

var errBroken = errors.New("store unreachable")

// simRun is a run. Its store does not answer while the run is stopped, or after it was
// killed.
type simRun struct {
	Store
	world  *simWorld
	killed chan struct{}

	mu      sync.Mutex
	resumes time.Time
}

func (r *simRun) dead() bool {
	select {
	case <-r.killed:
		return true
	default:
		return false
	}
}

// wait waits while the run is stopped.
func (r *simRun) wait() {
	r.mu.Lock()
	d := time.Until(r.resumes)
	r.mu.Unlock()
	time.Sleep(d)
}

func (r *simRun) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	if r.wait(); r.dead() {
		return Answer{}, errBroken
	}
	answer, err := r.Store.Acquire(ctx, ask)
	if r.world.chance(r.world.faults.late) {
		time.Sleep(r.world.within(2 * simInFlight))
	}
	if r.wait(); r.dead() || r.world.chance(r.world.faults.broken) {
		return Answer{}, errBroken
	}
	return answer, err
}

func (r *simRun) Release(ask Ask, outcome Outcome) {
	if r.wait(); !r.dead() {
		r.Store.Release(ask, outcome)
	}
}

// simWorld contains the runs, their shared state, and the service.
type simWorld struct {
	t       *testing.T
	faults  faults
	service *service
	dir     string
	memory  Store

	mu     sync.Mutex // guards the fields below
	random *rand.Rand
	skew   time.Duration
}

func (w *simWorld) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.Float64() < p
}

func (w *simWorld) within(d time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.random.Int64N(int64(d)))
}

// open opens the shared budget for a run. One seed out of four uses files.
func (w *simWorld) open() *simRun {
	r := &simRun{Store: w.memory, world: w, killed: make(chan struct{})}
	if w.faults.stores == 0 {
		f, _ := OpenFile(w.dir, "key", Clock{Boot: "boot", Now: w.now}).(*file)
		r.Store = f
	}
	return r
}

// now is the clock of the machine, which a restored virtual machine sets back.
func (w *simWorld) now() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return virtual.Now() + w.skew
}

var errReset = errors.New("connection reset")

func simulate(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	w := &simWorld{t: t, faults: faultsOf(random), dir: t.TempDir(), memory: NewMemory(), random: random}
	w.service = &service{
		roundTrip: w.faults.trip, jitter: w.faults.jitter, windows: simWindows,
		answer: func(int) *response {
			if w.chance(w.faults.failing) {
				return &response{err: errReset}
			}
			return nil
		},
	}
	over := make(chan struct{})
	var runs []*simRun
	var wg sync.WaitGroup
	for range w.faults.runs {
		r := w.open()
		runs = append(runs, r)
		w.apply(r, &wg)
	}
	time.Sleep(100 * time.Millisecond) // all runs have seen the budget
	var others sync.WaitGroup
	others.Go(func() { w.disturb(runs, over) })
	wg.Wait()
	close(over)
	others.Wait()
	w.check()
}

// apply starts the callers of a run.
func (w *simWorld) apply(r *simRun, wg *sync.WaitGroup) {
	transport := New(Config{
		Next: w.service, Store: r, MaxInFlight: simInFlight, Share: w.faults.share,
		Windows: func(*http.Request) []Window { return simWindows },
	})
	var mu sync.Mutex
	left := w.faults.each
	for range w.faults.callers {
		wg.Go(func() {
			for {
				mu.Lock()
				left--
				more := left >= 0
				mu.Unlock()
				if !more || r.dead() || !w.request(r, transport) {
					return
				}
			}
		})
	}
}

// request sends one request until it is answered, and reports whether the run
// continues.
func (w *simWorld) request(r *simRun, transport http.RoundTripper) bool {
	begin := time.Now()
	for {
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Hour) // so that the test ends
		givesUp := w.chance(w.faults.givingUp)
		if givesUp {
			time.AfterFunc(w.within(3*time.Second), cancel)
		}
		status, err := get(ctx, transport, "/positions")
		cancel()
		switch {
		case r.dead():
			return false
		case time.Since(begin) > 5*time.Minute && w.faults.share == 1:
			w.t.Errorf("a request took %v", time.Since(begin))
			return false
		case errors.Is(err, errBroken) && w.faults.broken > 0: // not sent
			continue
		case err != nil && !givesUp && !errors.Is(err, errReset) && !errors.Is(err, ErrNoResponse):
			w.t.Errorf("error %v", err)
			return false
		case status == http.StatusTooManyRequests:
			continue
		}
		return true
	}
}

// disturb causes the faults until the runs are over.
func (w *simWorld) disturb(runs []*simRun, over chan struct{}) {
	f, start := w.faults, time.Now()
	for i, r := range runs {
		if i < f.killed {
			time.AfterFunc(w.within(10*time.Second), func() { close(r.killed) })
		} else if i < f.killed+f.stopped {
			time.AfterFunc(w.within(10*time.Second), func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.resumes = time.Now().Add(w.within(20 * time.Second))
			})
		}
	}
	for {
		select {
		case <-over:
			return
		case <-time.After(500*time.Millisecond + w.within(4*time.Second)):
		}
		if f.clocks && time.Since(start) < 20*time.Second {
			d := w.within(time.Hour)
			w.mu.Lock()
			w.skew -= d
			w.mu.Unlock()
		}
		if f.removed && time.Since(start) < 20*time.Second && w.chance(0.3) {
			names, _ := filepath.Glob(filepath.Join(w.dir, "*"))
			for _, name := range names {
				_ = os.Remove(name)
			}
		}
		if f.foreign && time.Since(start) < 30*time.Second && w.chance(0.5) {
			for range 6 {
				if status, err := get(w.t.Context(), w.service, "/foreign"); err != nil && !errors.Is(err, errReset) {
					w.t.Errorf("status %d, error %v", status, err)
				}
			}
		}
	}
}

// check checks the results of the simulation.
func (w *simWorld) check() {
	ours := slices.DeleteFunc(slices.Clone(w.service.arrivals), func(a arrival) bool { return a.path == "/foreign" })
	for _, window := range simWindows {
		for i, a := range ours {
			if j := i + window.Limit; j < len(ours) && ours[j].at.Sub(a.at) <= window.Per {
				w.t.Fatalf("%d requests arrived within %v, %+v", window.Limit+1, ours[j].at.Sub(a.at), w.faults)
			}
		}
	}
	if w.service.refused != 0 && !w.faults.foreign {
		w.t.Errorf("%d of %d were refused, %+v", w.service.refused, len(ours), w.faults)
	}
}
