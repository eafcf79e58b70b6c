// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

// The script has the same rules as the ledger in Go. A real server and the memory give
// the same answers, for any order of questions of any runs, and any outcomes of their
// slots.
func TestScriptFollowsTheLedger(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for seed := range *seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				compare(t, rand.New(rand.NewPCG(seed, 1)), onVirtualTime(t, server, fmt.Sprint(seed)))
			})
		})
	}
}

// onVirtualTime opens a budget on a real server, with a script that uses the virtual
// time of the test.
func onVirtualTime(t *testing.T, r *redistest.Server, key string) func() throttle.Store {
	s := open(t, r.URL, key)
	conn, err := redigo.DialURLContext(t.Context(), r.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	script := strings.Replace(onOldServer, "redis.call('TIME')", fmt.Sprintf("{ 0, redis.call('GET', 'now %s') }", key), 1)
	s.script = redigo.NewScript(1, script)
	return func() throttle.Store {
		if _, err := conn.Do("SET", "now "+key, time.Now().UnixMicro()); err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// history is the questions to both stores, and their outcomes.
type history struct {
	t        *testing.T
	random   *rand.Rand
	memory   throttle.Store
	script   func() throttle.Store
	inFlight []throttle.Ask
	refusing float64
	held     bool

	granted, refused int
}

// compare runs one history. Everything happens at whole milliseconds, so that
// nanoseconds in one store and microseconds in the other make no difference.
func compare(t *testing.T, random *rand.Rand, script func() throttle.Store) {
	t.Helper()
	h := &history{t: t, random: random, memory: throttle.NewMemory(), script: script, refusing: 0.03 * random.Float64()}
	for range 1500 {
		if random.Float64() < 0.2 {
			time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
			if h.held {
				time.Sleep(time.Duration(random.IntN(60)) * time.Second)
			}
		}
		if len(h.inFlight) > 0 && random.Float64() < 0.45 {
			h.release()
		} else {
			h.acquire()
		}
	}
	if h.granted < 100 || h.refused < 50 {
		t.Errorf("%d granted and %d refused, want some of each", h.granted, h.refused)
	}
}

func (h *history) release() {
	i := len(h.inFlight) - 1 // often the latest, which is the probe if there is one
	if h.random.Float64() < 0.5 {
		i = h.random.IntN(len(h.inFlight))
	}
	ask := h.inFlight[i]
	h.inFlight = slices.Delete(h.inFlight, i, i+1)
	outcome := throttle.Outcome{Result: throttle.Answered}
	switch {
	case h.random.Float64() < 0.1:
		return // its process has died
	case h.random.Float64() < h.refusing || h.held && h.random.Float64() < 0.2: // rarely only one
		retryAfter := []time.Duration{0, time.Second, 3 * time.Second, time.Hour}[h.random.IntN(4)]
		outcome = throttle.Outcome{Result: throttle.Refused, RetryAfter: retryAfter}
	case h.random.Float64() < 0.3:
		outcome.Result = []throttle.Result{throttle.Failed, throttle.Unsent}[h.random.IntN(2)]
	}
	h.memory.Release(ask, outcome)
	h.script().Release(ask, outcome)
	if h.random.Float64() < 0.1 { // the reply was lost
		h.memory.Release(ask, outcome)
		h.script().Release(ask, outcome)
	}
}

func (h *history) acquire() {
	h.t.Helper()
	key := []throttle.Window{
		{Name: "a second", Limit: 20, Per: time.Second}, {Name: "a minute", Limit: 60, Per: 20 * time.Second},
	}
	results := append([]throttle.Window{{Name: "results", Limit: 2, Per: time.Second}}, key...)
	own := throttle.Window{Name: "own", Limit: 3, Per: 2 * time.Second, Own: true}
	sets := [][]throttle.Window{key, results, {own}, append(slices.Clone(key), own)}
	queue := h.random.IntN(8) // the run may have died since it was told to ask again
	ask := throttle.Ask{
		Slot: throttle.Slot(h.random.Uint64() | 1), Run: uint32(1 + queue/2), Queue: uint64(1 + queue),
		Waiting: 1 + h.random.IntN(5), Windows: sets[queue%len(sets)], MaxInFlight: 3 * time.Second,
	}
	if h.random.Float64() < 0.1 {
		ask.Waiting = 100
	}
	if len(h.inFlight) > 0 && h.random.Float64() < 0.1 { // the answer was lost
		ask = h.inFlight[h.random.IntN(len(h.inFlight))]
	}
	want, err := h.memory.Acquire(h.t.Context(), ask)
	if err != nil {
		h.t.Fatal(err)
	}
	got, err := h.script().Acquire(h.t.Context(), ask)
	if err != nil {
		h.t.Fatal(err)
	}
	got.Wait, want.Wait = got.Wait.Round(time.Millisecond), want.Wait.Round(time.Millisecond)
	if got != want {
		h.t.Fatalf("after %d granted and %d refused the script answers %+v, the ledger %+v", h.granted, h.refused, got, want)
	}
	h.held = want.Held
	switch {
	case want.Granted:
		h.granted++
		if !slices.ContainsFunc(h.inFlight, func(a throttle.Ask) bool { return a.Slot == ask.Slot }) {
			h.inFlight = append(h.inFlight, ask)
		}
	case !want.Held:
		h.refused++
	}
}
