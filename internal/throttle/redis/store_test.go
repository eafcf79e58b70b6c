// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// Address removes the credentials. An invalid address is not repeated in the error.
func TestAddress(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"redis://localhost":                           "redis://localhost:6379/0",
		"redis://someone:secret@cache.example:6380/3": "redis://cache.example:6380/3",
		"rediss://:se%2Fcret@[::1]":                   "rediss://[::1]:6379/0",
		"":                                            "",
		"host":                                        "",
		"http://someone:secret@localhost":             "",
		"redis://":                                    "",
		"redis://secret@localhost":                    "", // would look like a user
		"redis://:12#secret@localhost":                "",
		"redis://:12?secret@localhost":                "",
		"redis://user:12?secret@localhost":            "",
		"redis://:se/cret@localhost":                  "",
		"redis://:12/secret@localhost":                "",
		"redis://secret/secret":                       "",
		"redis://localhost:63790":                     "redis://localhost:63790/0",
		"redis://localhost:637900":                    "",
		"redis://localhost:0":                         "",
		"redis://localhost/0?password=secret":         "",
	} {
		got, err := Address(raw)
		if got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %q, error %v, want %q", raw, got, err, want)
		}
	}
}

// The key contains the version of the format, and does not reveal the API key. It is on
// one node of a cluster, and expires a day after its last use.
func TestKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		throttletest.Grants(t, opens(t, s, Config{Key: "client:secret"}), true)
		time.Sleep(time.Second) // the check of the rights has its own key
		want := "assess-budget:" + logFormat + ":{" + throttle.BudgetName("client:secret") + "}"
		if keys := s.Keys(); len(keys) != 1 || keys[0] != want || strings.Contains(want, "secret") {
			t.Errorf("keys %q, want %q", keys, want)
		}
		time.Sleep(23 * time.Hour)
		if len(s.Keys()) != 1 {
			t.Error("the budget has expired too early")
		}
		time.Sleep(time.Hour)
		if keys := s.Keys(); len(keys) != 0 {
			t.Errorf("keys %q a day later, want none", keys)
		}
	})
}

// A slot costs two messages. A slot with a wait costs one more.
func TestMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		transport := new(throttletest.Service).Transport(throttle.Config{Store: opens(t, s, Config{})})
		before := s.sent.Load()
		throttletest.Apply(t, transport, "/", 20, 1)
		if n := s.sent.Load() - before; n != 40 {
			t.Errorf("%d messages for 20 slots, want 40", n)
		}
		before = s.sent.Load()
		throttletest.Apply(t, transport, "/", 1, 1)
		if n := s.sent.Load() - before; n != 3 {
			t.Errorf("%d messages for a slot that was waited for, want 3: refused, granted, released", n)
		}
	})
}

// A lost reply takes no second slot, because the question is repeated with the same slot. A
// release that fails is repeated in the background.
func TestRepliesAreLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{RetryFor: time.Minute})
		for n := range 20 {
			ask := throttletest.Ask()
			s.lose.Store(2) // the reply to the first question of the connection, and of the new connection
			decision, err := store.Acquire(t.Context(), ask)
			if err != nil || !decision.Granted {
				t.Fatalf("slot %d: %+v, error %v", n+1, decision, err)
			}
			s.failing.Store("LOADING")
			store.Release(ask, throttle.Outcome{})
			s.failing.Store("")
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		throttletest.WantGrants(t, store, 20, time.Second)
	})
}

// A server that rejects the credentials is an error immediately. If a server cannot be
// reached, Open tries again for ten seconds, because the server may be loading its
// data.
func TestOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		strict, echo, loading := newFakeRedis(t), newFakeRedis(t), newFakeRedis(t)
		strict.RequireAuth("another")
		echo.failing.Store(
			"ERR unknown command `HELLO`, with args beginning with: `2` `AUTH` `default` `" + serverPassword + "`",
		)
		loading.failing.Store("LOADING Redis is loading the dataset in memory")
		for name, row := range map[string]struct {
			dial  func(context.Context, string, string) (net.Conn, error)
			after time.Duration
		}{
			"no server listens":                     {func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("connection refused") }, openFor},
			"the server has another password":       {strict.dial, 0},
			"the server repeats an unknown command": {echo.dial, 0},
			"the server loads its data for long":    {loading.dial, openFor},
		} {
			start := time.Now()
			_, err := Open(t.Context(), Config{URL: serverURL, Dial: row.dial, RetryFor: time.Minute})
			wantError(t, err)
			if took := time.Since(start); took < row.after || took > row.after+noAnswer {
				t.Errorf("%s: reported after %v, want %v", name, took, row.after)
			}
		}
		time.AfterFunc(8*time.Second, func() { loading.failing.Store("") })
		throttletest.WantGrants(t, opens(t, loading, Config{}), 20, time.Second)

		silent := func(ctx context.Context, _, _ string) (net.Conn, error) {
			client, _ := net.Pipe()
			return client, nil
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := Open(ctx, Config{URL: serverURL, Dial: silent}); err == nil || time.Since(start) > noAnswer {
			t.Errorf("error %v after %v, want one within %v", err, time.Since(start), noAnswer)
		}
	})
}

// A server that is too old is refused when the run starts.
func TestOldServer(t *testing.T) {
	t.Parallel()
	for version, supported := range map[string]bool{"6.2.14": false, "": false, "7.0.0": true, "10.1.0": true} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeRedis(t)
			s.version = version
			if supported {
				opens(t, s, Config{})
				return
			}
			_, err := Open(t.Context(), Config{URL: serverURL, Dial: s.dial})
			wantError(t, err)
			want := fmt.Sprintf("the server has version %q, and 7.0 is the oldest supported one", version)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("version %q: %v, want %s", version, err, want)
			}
		})
	}
}

// A server that comes back in time costs only that time.
func TestServerComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{RetryFor: time.Minute})
		model := &throttletest.Service{Trip: 50 * time.Millisecond}
		transport := model.Transport(throttle.Config{Store: store, MaxInFlight: time.Second})
		time.AfterFunc(25*time.Millisecond, func() { s.failing.Store("LOADING") }) // while 20 requests are in flight
		time.AfterFunc(50*time.Second, func() { s.failing.Store("") })
		ctx, cancel := throttle.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		throttletest.Apply(t, transport, "/", 20, 20)
		start := time.Now()
		if status, err := throttletest.Get(ctx, transport, "/"); err != nil || status != http.StatusOK {
			t.Errorf("status %d, error %v", status, err)
		}
		if took := time.Since(start); took < 50*time.Second || took > 53*time.Second {
			t.Errorf("continued after %v, want 50s, an attempt and a window", took)
		}
		time.Sleep(latestTry) // for the retry of the last release
		model.Check(t, 21)
		throttletest.WantNotices(t, store)
	})
}

// If the server does not come back, every request fails with an error that names the
// server and how long it was lost. Nothing is sent, the error is permanent, and later
// requests do not wait again.
func TestServerIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{RetryFor: time.Minute})
		model := &throttletest.Service{}
		transport := model.Transport(throttle.Config{Store: store, MaxInFlight: time.Second})
		s.failing.Store("LOADING " + serverPassword)
		start := time.Now()
		for range 3 {
			ctx, cancel := throttle.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			_, err := throttletest.Get(ctx, transport, "/")
			wantError(t, err)
			waited := new(throttle.WaitError)
			if took := time.Since(start); took != time.Minute || !errors.As(err, &waited) || !waited.Permanent() ||
				!strings.Contains(err.Error(), "no usable answer for 1m0s, in ") {
				t.Errorf("given up after %v, want a minute and a permanent error: %v", took, err)
			}
		}
		s.failing.Store("")
		_, err := throttletest.Get(t.Context(), transport, "/")
		wantError(t, err)
		model.Check(t, 0)
		throttletest.WantNotices(t, store)
	})
}

// Firewalls drop connections that are idle for long. A question does not use such a
// connection.
func TestIdleConnectionIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{RetryFor: time.Minute})
		throttletest.WantGrants(t, store, 20, time.Second)
		time.Sleep(time.Minute)
		s.dropped.Store(time.Now().UnixNano())
		start := time.Now()
		throttletest.WantGrants(t, store, 20, time.Second)
		if took := time.Since(start); took > 0 {
			t.Errorf("20 slots took %v", took)
		}
	})
}

// With a fallback, the run continues as soon as the slots that the server granted no longer
// count. If the server was lost for that long, it continues immediately.
func TestFallsBack(t *testing.T) {
	t.Parallel()
	for retryFor, after := range map[time.Duration]time.Duration{
		500 * time.Millisecond: time.Minute + time.Second, // the window and the time in flight
		150 * time.Second:      150 * time.Second,
	} {
		throttletest.Virtual(t, retryFor.String(), func(t *testing.T) {
			s := newFakeRedis(t)
			store := opens(t, s, Config{RetryFor: retryFor, Fallback: throttle.NewMemory()})
			model := &throttletest.Service{Trip: 900 * time.Millisecond}
			transport := model.Transport(throttle.Config{Store: store, MaxInFlight: time.Second})
			start := time.Now()
			time.AfterFunc(10*time.Millisecond, func() { s.failing.Store("LOADING") })
			done := make(chan bool)
			time.AfterFunc(100*time.Millisecond, func() { // another run of the process, while 20 requests are in flight
				throttletest.Apply(t, model.Transport(throttle.Config{Store: store, MaxInFlight: time.Second}), "/", 1, 1)
				close(done)
			})
			throttletest.Apply(t, transport, "/", 60, 60)
			<-done
			model.Check(t, 61)
			if took := time.Since(start) - after; took < 0 || took > 7*time.Second {
				t.Errorf("61 requests took %v after %v, want two windows and two round trips", took, after)
			}
			notices := transport.Notices()
			if len(notices) != 2 || notices[0].Kind != throttle.Waiting || notices[1].Kind != throttle.StoreUnusable {
				t.Fatalf("notices %+v, want one of the wait and one of the store", notices)
			}
			wantError(t, notices[1].Err)
		})
	}
}

// A silent server counts as lost even if the time of the call is short. The fallback
// takes over.
func TestServerIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{RetryFor: 500 * time.Millisecond, Fallback: throttle.NewMemory()})
		transport := (&throttletest.Service{}).Transport(throttle.Config{Store: store, MaxInFlight: time.Second})
		s.delay.Store(int64(100 * time.Second))
		for range 3 {
			ctx, cancel := throttle.WithTimeout(t.Context(), time.Second)
			if _, err := throttletest.Get(ctx, transport, "/"); err != nil {
				t.Error(err)
			}
			cancel()
		}
		throttletest.WantNotices(t, store, throttle.StoreUnusable)
		time.Sleep(10 * time.Minute) // for the answers of the server
	})
}

// An answer that arrives after the store has given up grants nothing, because the fallback
// does not know its slot.
func TestLateAnswerAfterFallback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{RetryFor: time.Second, Fallback: throttle.NewMemory()})
		throttletest.WantGrants(t, store, 20, time.Second)
		time.Sleep(time.Second + time.Millisecond)
		s.delay.Store(int64(800 * time.Millisecond))
		time.AfterFunc(500*time.Millisecond, func() { _, _ = store.giveUp(errors.New("lost")) })
		decision, err := store.Acquire(t.Context(), throttletest.Ask())
		if err != nil || decision.Granted || decision.Wait == 0 {
			t.Errorf("%+v, error %v, want a wait", decision, err)
		}
	})
}

// A request that is given up while the server is slow or lost ends immediately. A slot that is
// granted after that is returned. The error says how long the server was lost.
func TestObeysTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opens(t, s, Config{RetryFor: time.Minute})
		interrupted := func(after time.Duration) error {
			cause := errors.New("interrupted")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(after, func() { cancel(cause) })
			start := time.Now()
			_, err := store.Acquire(ctx, throttletest.Ask())
			if took := time.Since(start); !errors.Is(err, cause) || took != after {
				t.Errorf("error %v after %v, want %v after %v", err, took, cause, after)
			}
			return err
		}
		throttletest.WantGrants(t, store, 20, time.Second)
		time.Sleep(time.Minute)
		s.delay.Store(int64(100 * time.Millisecond))
		_ = interrupted(10 * time.Millisecond)
		time.Sleep(5 * time.Second)
		s.delay.Store(0)
		throttletest.WantGrants(t, store, 20, time.Second)
		s.failing.Store("LOADING")
		err := interrupted(10 * time.Second)
		if !errors.As(err, new(*OutageError)) {
			t.Errorf("error %v, want the outage", err)
		}
		wantError(t, err)
		s.failing.Store("")
		time.Sleep(time.Minute)
	})
}
