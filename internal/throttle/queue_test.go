// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// hooked is a store that calls functions after its answers, and instead of a release.
type hooked struct {
	throttle.Store
	answer  func(ask throttle.Ask, g throttle.Grant) (throttle.Grant, error)
	release func()
}

func (h hooked) Acquire(ask throttle.Ask) (throttle.Grant, error) {
	g, err := h.Store.Acquire(ask)
	if h.answer != nil && err == nil {
		return h.answer(ask, g)
	}
	return g, err
}

func (h hooked) Release(op throttle.Operation, token string, hold time.Duration) error {
	if h.release != nil {
		h.release()
	}
	return h.Store.Release(op, token, hold)
}

var errInterrupted = errors.New("interrupted")

// Requests are served in the order in which they came. Those that are given up take no slot and delay nobody.
func TestQueueServesInOrder(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		l := throttle.New(throttle.Config{})
		op := throttle.Operation{{Name: "a second", Limit: 1, Per: time.Second}}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if i%2 == 1 {
					ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, errInterrupted)
					defer cancel()
					_, err := l.Acquire(ctx, op)
					if took := time.Since(start(t)); !errors.Is(err, errInterrupted) || took != 500*time.Millisecond {
						t.Errorf("request %d was given up after %v: %v", i, took, err)
					}
					return
				}
				release, err := l.Acquire(t.Context(), op)
				if err != nil {
					t.Error(err)
					return
				}
				release(0)
				took, want := time.Since(start(t)), time.Duration(i/2)*(time.Second+2*time.Millisecond)
				if took > want || took < want-20*time.Millisecond {
					t.Errorf("request %d was sent after %v, want after %v", i, took, want)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if stats := l.Stats(); stats.Sent != 10 || stats.Waiting != 0 {
			t.Errorf("%+v, want 10 sent", stats)
		}
	})
}

func start(*testing.T) time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) } // of virtual time

// A request whose context has ended takes no slot: before it asks, and while it waits for an answer of the store. A slot
// that is granted meanwhile counts as used.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, 500 * time.Millisecond} {
		throttletest.Virtual(t, after.String(), func(t *testing.T) {
			slow := hooked{Store: throttle.NewMemory(), answer: func(_ throttle.Ask, g throttle.Grant) (throttle.Grant, error) {
				time.Sleep(time.Second)
				return g, nil
			}}
			l := throttle.New(throttle.Config{Store: slow})
			op := throttle.Operation{{Name: "a minute", Limit: 1, Per: time.Minute}}
			ctx, cancel := context.WithCancelCause(t.Context())
			if after == 0 {
				cancel(errInterrupted)
			}
			time.AfterFunc(after, func() { cancel(errInterrupted) })
			_, err := l.Acquire(ctx, op)
			if took := time.Since(start(t)); !errors.Is(err, errInterrupted) || took != after {
				t.Errorf("after %v: %v, want after %v", took, err, after)
			}
			time.Sleep(2 * time.Second)
			grant, err := slow.Store.Acquire(throttle.Ask{Operation: op, Tokens: []string{"x"}, Run: "x", Queue: "x"})
			if isUsed := grant.Granted == 0; err != nil || isUsed != (after > 0) {
				t.Errorf("%+v, error %v, want that the slot is used: %t", grant, err, after > 0)
			}
		})
	}
}

// A grant that is older than five seconds, because the process was stopped or the store is slow, is asked for again
// with the same tokens.
func TestLateGrantsAreAskedForAgain(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		var asked [][]string
		delays := []time.Duration{6 * time.Second, 5*time.Second + 1, 5 * time.Second}
		late := hooked{Store: throttle.NewMemory(), answer: func(ask throttle.Ask, g throttle.Grant) (throttle.Grant, error) {
			time.Sleep(delays[len(asked)])
			asked = append(asked, ask.Tokens)
			return g, nil
		}}
		l := throttle.New(throttle.Config{Store: late})
		if _, err := l.Acquire(t.Context(), throttletest.Key); err != nil {
			t.Fatal(err)
		}
		if len(asked) != 3 || !slices.Equal(asked[0], asked[1]) || !slices.Equal(asked[1], asked[2]) {
			t.Errorf("asked for %v, want the same token three times", asked)
		}
	})
}

// An error of the store ends all requests that wait, and is what later ones get.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lost := &throttle.UnavailableError{Store: "the file x", Err: errors.New("it is gone")}
		broken := hooked{Store: throttle.NewMemory(), answer: func(throttle.Ask, throttle.Grant) (throttle.Grant, error) {
			time.Sleep(time.Second)
			return throttle.Grant{}, lost
		}}
		l := throttle.New(throttle.Config{Store: broken})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := l.Acquire(t.Context(), throttletest.Key); err == nil || err.Error() != "could not use the file x: it is gone" {
					t.Errorf("%v, want that of the store", err)
				}
			})
		}
		all.Wait()
		if took := time.Since(start(t)); took != time.Second || l.Stats().Waiting != 0 {
			t.Errorf("after %v, %d still wait", took, l.Stats().Waiting)
		}
		if _, err := l.Acquire(t.Context(), throttletest.Key); !errors.Is(err, lost) {
			t.Errorf("later: %v", err)
		}
	})
}

// release waits until the store knows it, but two seconds at the most.
func TestReleaseIsBounded(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		slow := hooked{Store: throttle.NewMemory(), release: func() { time.Sleep(time.Minute) }}
		release, err := throttle.New(throttle.Config{Store: slow}).Acquire(t.Context(), throttletest.Key)
		if err != nil {
			t.Fatal(err)
		}
		release(0)
		if took := time.Since(start(t)); took != 2*time.Second {
			t.Errorf("returned after %v, want 2 s", took)
		}
	})
}

// A slot that is never released is free after MaxInFlight, which is 100 seconds at most, and the length of the window.
func TestMaxInFlight(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		l := throttle.New(throttle.Config{MaxInFlight: time.Hour})
		op := throttle.Operation{{Name: "a minute", Limit: 1, Per: time.Minute}}
		for range 2 {
			if _, err := l.Acquire(t.Context(), op); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start(t)); took < 160*time.Second || took > 161*time.Second {
			t.Errorf("free after %v, want 160 s", took)
		}
	})
}

// While a queue sleeps for long, the store learns of the requests that come later, because other runs leave slots to
// them.
func TestLaterRequestsAreAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []int
		full := hooked{Store: throttle.NewMemory(), answer: func(ask throttle.Ask, g throttle.Grant) (throttle.Grant, error) {
			asked = append(asked, len(ask.Tokens))
			return throttle.Grant{Wait: time.Minute, At: g.At}, nil
		}}
		l := throttle.New(throttle.Config{Store: full})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		for range 25 {
			go func() { _, _ = l.Acquire(ctx, throttletest.Key) }()
			time.Sleep(time.Second)
		}
		<-ctx.Done()
		synctest.Wait()
		if len(asked) != 20 || asked[0] != 1 || asked[19] != 20 {
			t.Errorf("asked for %v slots, want 1 to 20", asked)
		}
	})
}
