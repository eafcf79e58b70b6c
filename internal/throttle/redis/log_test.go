// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// Runs that share a log get the answers of one ledger in memory, for any order of questions of any runs, and any
// outcomes of their slots. Each question comes from another run, also from new ones, and checkpoints replace the
// log many times.
func TestLogFollowsTheLedger(t *testing.T) {
	t.Parallel()
	for seed := range (*seeds + 3) / 4 { // each takes long
		throttletest.Virtual(t, fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			server, random, runs := newFakeRedis(t), rand.New(rand.NewPCG(seed, 1)), []*logStore{}
			h := &history{t: t, random: random, memory: throttle.NewMemory(), refusing: 0.03 * random.Float64()}
			h.inRedis = func() throttle.Store {
				if len(runs) < 3 || random.IntN(100) == 0 {
					runs = append(runs, opens(t, server, Config{}))
				}
				return runs[random.IntN(len(runs))]
			}
			h.compare()
			if stored, err := server.Get(keyOf("")); err != nil || len(stored) > 3*longestLog || stored[0] != '{' {
				t.Errorf("the log has %d bytes, error %v, want a checkpoint and fewer", len(stored), err)
			}
		})
	}
}

// rulesOfFormat is the format, and a sum of the answers that the rules of this format give.
const rulesOfFormat = "5 12b10410c552a0b9"

// Runs with another version of the rules must not share a log, because each run applies the rules itself. If this test
// fails, the rules have changed, so change the format, and write the new sum here.
func TestFormat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sum := fnv.New64a()
		h := &history{t: t, random: rand.New(rand.NewPCG(1, 1)), memory: throttle.NewMemory(), refusing: 0.03}
		other := throttle.NewMemory()
		h.inRedis = func() throttle.Store { return other }
		h.decided = func(decision throttle.Decision) { _, _ = fmt.Fprintln(sum, decision) }
		h.compare()
		if got, want := fmt.Sprintf("%s %x", logFormat, sum.Sum64()), rulesOfFormat; got != want {
			t.Errorf("the format and the sum of its rules are %q, want %q", got, want)
		}
	})
}

// Whatever is stored, a run gets an answer, and another run that reads the same sees the same answer.
func FuzzLog(f *testing.F) {
	// real time: the lines contain the time of the server
	start := time.Now()
	appends := func(t *testing.T, v logView, stored string, seconds int) logView {
		t.Helper()
		ask := throttle.Ask{
			Slot: throttle.Slot(rand.Uint64() | 1), Run: 1, Queue: 1, Waiting: 1, MaxInFlight: time.Minute,
			Windows: []throttle.Window{{Name: "one", Limit: 1, Per: time.Second}},
		}
		_, args, err := v.arguments(v.ask(start, throttle.Operation{Ask: ask}))
		if err != nil {
			t.Fatal(err)
		}
		next, err := v.after("", len(v.text), fmt.Sprintf("%s\n%d 0 server 0 %s", stored, 1_000_000_000+seconds, args[3]))
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	f.Add("")
	f.Add("what?")
	f.Add(`{"windows": 3}`)
	f.Add("\n1000000000 0 server 1000 {}")
	f.Add(`{"server":"server","ledger":{"Windows":[{"ID":1,"Limit":1,"Per":1,"Open":[{"d":1}]}]}}`)
	f.Fuzz(func(t *testing.T, stored string) {
		known := appends(t, appends(t, logView{}, stored, 0), "", 1)
		read, err := logView{}.after("", 0, known.text)
		if err != nil || read.decision != known.decision {
			t.Errorf("another run reads %+v, error %v, want %+v", read.decision, err, known.decision)
		}
	})
}

// history is the questions to both stores, and their outcomes.
type history struct {
	t        *testing.T
	random   *rand.Rand
	memory   throttle.Store
	inRedis  func() throttle.Store
	decided  func(throttle.Decision) // sees all decisions (nil: nothing does)
	inFlight []throttle.Ask
	refusing float64
	held     bool

	granted, refused int
}

// compare runs one history. Everything happens at whole milliseconds, so that
// nanoseconds in one store and microseconds in the other make no difference.
func (h *history) compare() {
	h.t.Helper()
	random := h.random
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
		h.t.Errorf("%d granted and %d refused, want some of each", h.granted, h.refused)
	}
}

func (h *history) release() {
	i := len(h.inFlight) - 1 // often the latest, which is the probe if there is one
	if h.random.Float64() < 0.5 {
		i = h.random.IntN(len(h.inFlight))
	}
	ask := h.inFlight[i]
	h.inFlight = slices.Delete(h.inFlight, i, i+1)
	outcome := throttle.Outcome{Kind: throttle.Answered}
	switch {
	case h.random.Float64() < 0.1:
		return // its process has died
	case h.random.Float64() < h.refusing || h.held && h.random.Float64() < 0.2: // rarely only one
		retryAfter := []time.Duration{0, time.Second, 3 * time.Second, time.Hour}[h.random.IntN(4)]
		outcome = throttle.Outcome{Kind: throttle.Refused, RetryAfter: retryAfter}
	case h.random.Float64() < 0.3:
		outcome.Kind = []throttle.OutcomeKind{throttle.Failed, throttle.Unsent}[h.random.IntN(2)]
	}
	h.memory.Release(ask, outcome)
	h.inRedis().Release(ask, outcome)
	if h.random.Float64() < 0.1 { // the reply was lost
		h.memory.Release(ask, outcome)
		h.inRedis().Release(ask, outcome)
	}
}

func (h *history) acquire() {
	h.t.Helper()
	key := []throttle.Window{
		{Name: "a second", Limit: 20, Per: time.Second}, {Name: "a minute", Limit: 60, Per: 20 * time.Second, Reserve: 7},
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
	got, err := h.inRedis().Acquire(h.t.Context(), ask)
	if err != nil {
		h.t.Fatal(err)
	}
	got.Wait, want.Wait = got.Wait.Round(time.Millisecond), want.Wait.Round(time.Millisecond)
	if got != want {
		h.t.Fatalf("after %d granted and %d refused the log answers %+v, the ledger %+v", h.granted, h.refused, got, want)
	}
	if h.held = want.Held; h.decided != nil {
		h.decided(want)
	}
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
