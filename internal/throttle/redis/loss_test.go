// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// ask asks for slots, always in the name of the same queue.
func ask(t *testing.T, s *store, tokens ...string) throttle.Grant {
	t.Helper()
	g, err := s.Acquire(throttle.Ask{
		Operation: throttletest.Key, Tokens: tokens, MaxInFlight: 40 * time.Second, Run: "run", Age: time.Hour, Queue: "queue",
	})
	if err != nil {
		t.Fatal(err)
	}
	g.At = time.Time{}
	return g
}

// move makes a store use another server, which gets the data of the first one if copied.
func move(t *testing.T, s *store, from, to *redistest.Server, copied bool) {
	t.Helper()
	for _, id := range []string{throttletest.Key[0].ID(), throttletest.Key[1].ID(), "runs"} {
		text, err := redigo.String(from.Do("DUMP", s.keys+id))
		if err != nil {
			t.Fatal(err)
		}
		if copied {
			to.Must("RESTORE", s.keys+id, 0, text)
		}
	}
	a, err := parseURL(to.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.pool.Close()
	s.pool = &redigo.Pool{DialContext: a.dial}
}

// setClock sets the server's clock forward, or back.
func setClock(s *store, by time.Duration) {
	s.now = func() int64 { return time.Now().Add(by).UnixMilli() }
}

// Whatever may have lost requests makes the windows full for 75 seconds. Nothing else does.
func TestLostRequestsCountAsFull(t *testing.T) {
	t.Parallel()
	one, two := redistest.Start(t), redistest.Start(t)
	const full = 75 * time.Second
	lost, slot := throttle.Grant{Wait: full, Cause: throttle.Loss}, throttle.Grant{Granted: 1}
	clock := func(by time.Duration) func(*testing.T, *store) {
		return func(_ *testing.T, s *store) { setClock(s, by) }
	}
	for name, row := range map[string]struct {
		event func(t *testing.T, s *store)
		want  throttle.Grant // for the next request
	}{
		"nothing": {func(*testing.T, *store) {}, slot},
		"all sets": {
			func(_ *testing.T, s *store) { one.Must("DEL", s.keys+"requests-a-second", s.keys+"requests-a-minute") }, lost,
		},
		"an evicted set": {
			func(_ *testing.T, s *store) { one.Must("DEL", s.keys+"requests-a-minute") },
			throttle.Grant{Wait: full, Cause: throttle.Loss, Window: 1},
		},
		"a flushed script":                            {func(*testing.T, *store) { one.Must("SCRIPT", "FLUSH") }, slot},
		"an evicted set of runs":                      {func(_ *testing.T, s *store) { one.Must("DEL", s.keys+"runs", s.keys+"next") }, slot},
		"another server":                              {func(t *testing.T, s *store) { move(t, s, one, two, false) }, lost},
		"a replica or old snapshot":                   {func(t *testing.T, s *store) { move(t, s, one, two, true) }, lost},
		"a clock set forward":                         {clock(2100 * time.Millisecond), lost},
		"a clock set forward by less than is noticed": {clock(1900 * time.Millisecond), slot},
		"a clock set back by an hour":                 {clock(-time.Hour), lost},
		"a clock set back by seconds":                 {clock(-5 * time.Second), slot},
		"questions that take three seconds to arrive": {
			func(t *testing.T, s *store) {
				now := s.now
				s.now = func() int64 { time.Sleep(3 * time.Second); return now() }
				ask(t, s, "slow")
			},
			slot,
		},
		"a clock set forward, noticed after a slow reply": {
			func(t *testing.T, s *store) {
				around := s.around
				s.around = func(ask func() ([]int64, error)) ([]int64, error) {
					reply, err := around(ask)
					time.Sleep(20 * time.Second)
					return reply, err
				}
				setClock(s, 10*time.Second)
				ask(t, s, "slow")
				s.around = around
			},
			lost,
		},
		"a long pause": {func(*testing.T, *store) { time.Sleep(29 * 24 * time.Hour) }, slot},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			s := in(t, one.URL, name, 0)
			if got := ask(t, s, "1"); got != lost {
				t.Fatalf("at the first use, %+v, want %+v", got, lost)
			}
			time.Sleep(full)
			if got := ask(t, s, "1", "2"); got.Granted != 2 {
				t.Fatalf("after the first use, %+v", got)
			}
			row.event(t, s)
			if got := ask(t, s, "3"); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
			time.Sleep(full)
			if got := ask(t, s, tokens(20)...); got.Granted != 20 {
				t.Errorf("after %v, %+v, want 20 slots", full, got)
			}
		})
	}
}

// If the clock is set forward while the windows are full, because it was set before, they are full once more, but only
// once for all runs.
func TestClockIsSetWhileWindowsAreFull(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	throttletest.InVirtualTime(t, func(t *testing.T) {
		one, two := in(t, server.URL, "set", 0), in(t, server.URL, "set", 0)
		used(t, one)
		ask(t, two, "before")
		for _, by := range []time.Duration{10 * time.Second, 80 * time.Second} {
			setClock(one, by)
			if got, want := ask(t, one, "1"), (throttle.Grant{Wait: throttle.Lost, Cause: throttle.Loss}); got != want {
				t.Errorf("after the clock was set by %v, %+v, want %+v", by, got, want)
			}
		}
		setClock(two, 80*time.Second)
		time.Sleep(5 * time.Second)
		want := throttle.Grant{Wait: throttle.Lost - 5*time.Second, Cause: throttle.Loss}
		if got := ask(t, two, "2"); got != want {
			t.Errorf("another run gets %+v, want %+v", got, want)
		}
	})
}

// If several questions are on their way when the clock is set forward, each of them notices it, so no slot is used that
// ended early.
func TestQuestionsOnTheirWayWhenTheClockIsSet(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	throttletest.InVirtualTime(t, func(t *testing.T) {
		s := in(t, server.URL, "two", 0)
		used(t, s)
		if got := ask(t, s, tokens(20)...); got.Granted != 20 {
			t.Fatalf("%+v", got)
		}
		setClock(s, time.Hour)
		around, slow := s.around, true
		s.around = func(ask func() ([]int64, error)) ([]int64, error) {
			reply, err := around(ask)
			if slow {
				slow = false
				time.Sleep(time.Second)
			}
			return reply, err
		}
		grants := make(chan throttle.Grant)
		go func() { grants <- ask(t, s, "first") }()
		synctest.Wait()
		for _, got := range []throttle.Grant{ask(t, s, "second"), <-grants} {
			if got.Granted != 0 || got.Cause != throttle.Loss {
				t.Errorf("%+v, want full windows", got)
			}
		}
	})
}

func tokens(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint("token.", i))
	}
	return all
}

// On a real clock, a restart makes the windows full. To open a budget does not count as another run. Connections that it has broken cost one attempt.
func TestRestart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: servers take real time to start")
	}
	server := redistest.Start(t)
	s := onServer(t, server.URL)
	if got := ask(t, s, "1"); got.Granted != 1 || got.Shared {
		t.Fatalf("%+v, want a slot that no other run shares", got)
	}
	var all sync.WaitGroup
	for range 20 { // connections that will be broken
		all.Go(func() { _ = s.Release(throttletest.Key, "2", 0) })
	}
	all.Wait()
	server.Must("SAVE")
	server.Kill()
	server.Restart()
	attempts := 0
	s.around = func(ask func() ([]int64, error)) ([]int64, error) {
		attempts++
		return ask()
	}
	if got := ask(t, s, "2"); got.Cause != throttle.Loss || got.Wait != throttle.Lost || attempts > 2 {
		t.Errorf("%+v after %d attempts, want full windows, and an attempt with a new connection", got, attempts)
	}
}

// onServer returns a store with the server's clock, for a user of the server. The first use of its budget is over.
func onServer(t *testing.T, url string) *store {
	t.Helper()
	opened, err := Open(t.Context(), Config{URL: url, Key: "key", RetryFor: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := shorten(opened)
	ask(t, s, "1")
	time.Sleep(10 * time.Millisecond) // until the windows are not full on the server's clock, which is real time
	s.full = throttle.Lost
	return s
}

// shorten makes the first use of a budget short.
func shorten(opened throttle.Store) *store {
	s, _ := opened.(*store)
	s.full = time.Millisecond
	return s
}
