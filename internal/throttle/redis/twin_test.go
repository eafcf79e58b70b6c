// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

// small are windows that few requests fill, of operations that share two of them.
var small = []throttle.Operation{
	{{Name: "a second", Limit: 4, Per: time.Second}, {Name: "a minute", Limit: 30, Per: time.Minute, Reserve: 6}},
	{
		{Name: "a second", Limit: 4, Per: time.Second},
		{Name: "a minute", Limit: 30, Per: time.Minute, Reserve: 6},
		{Name: "results a second", Limit: 2, Per: time.Second},
		{Name: "results a minute", Limit: 8, Per: time.Minute},
	},
}

// The script gives the same answers as the state in Go to the same random operations, also after sets were lost.
func TestScriptIsTheTwinOfTheState(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			s, err := open(Config{URL: server.URL, Key: fmt.Sprint("twin ", seed)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.pool.Close() }()
			s.patience = time.Hour
			now := int64(1_800_000_000_000)
			s.now = func() int64 { return now }
			state, tokens, causes := &throttle.State{}, []string{}, map[throttle.Cause]int{}
			for step := range 600 {
				now += []int64{0, 1, random.Int64N(300), random.Int64N(2000), random.Int64N(20_000)}[random.IntN(5)]
				state.Full = now + throttle.Lost.Milliseconds() // a set that is missing is full
				s.clock = reading{}                             // the clock of this test does not follow the real time
				op := small[random.IntN(2)]
				switch kind := random.IntN(100); {
				case kind == 0:
					id := op[random.IntN(len(op))].ID()
					server.Must("DEL", s.keys+id)
					delete(state.Windows, id)
				case kind < 30 && len(tokens) > 0:
					hold := max(0, time.Duration(random.IntN(100)-88)*time.Second)
					token := tokens[random.IntN(len(tokens))]
					if err := s.Release(op, token, hold); err != nil {
						t.Fatal(err)
					}
					state.Release(now, op, token, hold)
				default:
					run := random.IntN(4)
					ask := throttle.Ask{
						Operation: op, Run: fmt.Sprint("run", run), Age: time.Duration(random.IntN(900)) * time.Second,
						Queue: fmt.Sprintf("run%dq%d", run, len(op)), Used: random.IntN(12), MaxInFlight: 10 * time.Second,
					}
					for range random.IntN(7) {
						if len(tokens) == 0 || random.IntN(8) > 0 {
							tokens = append(tokens, fmt.Sprint("token.", step, ".", len(tokens)))
							ask.Tokens = append(ask.Tokens, tokens[len(tokens)-1])
						}
					}
					if len(tokens) > 0 && random.IntN(5) == 0 { // again
						ask.Tokens = append([]string{tokens[len(tokens)-1]}, ask.Tokens...)
						if len(ask.Tokens) > 1 {
							ask.Tokens = ask.Tokens[:1]
						}
					}
					got, err := s.Acquire(ask)
					if err != nil {
						t.Fatal(err)
					}
					want := state.Acquire(now, ask)
					got.At, want.At = time.Time{}, time.Time{}
					if got != want {
						t.Fatalf("step %d: the script answers %+v, the state %+v to %+v", step, got, want, ask)
					}
					if got.Granted < len(ask.Tokens) {
						causes[got.Cause]++
					}
				}
			}
			for cause := throttle.Limit; cause <= throttle.Loss; cause++ {
				if causes[cause] == 0 {
					t.Errorf("no request waited for cause %d: %v", cause, causes)
				}
			}
		})
	}
}
