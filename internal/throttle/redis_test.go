// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

const (
	serverAddress  = "redis://server.test:6379/0"
	serverPassword = "a-very-secret-password"
	serverURL      = "redis://:" + serverPassword + "@server.test"
)

// fakeRedis is a server in memory. It and its clients live in the bubble of
// the test, and so does its clock.
type fakeRedis struct {
	*miniredis.Miniredis
	sent atomic.Int64 // messages from clients
}

func newFakeRedis(t *testing.T) *fakeRedis {
	t.Helper()
	s := &fakeRedis{Miniredis: miniredis.NewMiniRedis()}
	s.ClockTTL(true)
	s.RequireAuth(serverPassword)
	t.Cleanup(s.Close)
	return s
}

// dial connects a client over a pipe.
func (s *fakeRedis) dial(context.Context, string, string) (net.Conn, error) {
	conn, err := s.Dial()
	return countingConn{conn, &s.sent}, err
}

type countingConn struct {
	net.Conn
	sent *atomic.Int64
}

func (c countingConn) Write(b []byte) (int, error) {
	c.sent.Add(1)
	return c.Conn.Write(b)
}

// opensRedis opens a store on the server.
func opensRedis(t *testing.T, s *fakeRedis, cfg RedisConfig) *redisStore {
	t.Helper()
	cfg.URL, cfg.Dial = serverURL, s.dial
	store, err := OpenRedis(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := store.(*redisStore)
	if !ok {
		t.Fatal("no store in Redis")
	}
	t.Cleanup(r.close)
	return r
}

// wantRedisError fails the test where the error does not name the server, or
// holds the password.
func wantRedisError(t *testing.T, err error) {
	t.Helper()
	var failed *RedisError
	if !errors.As(err, &failed) || failed.Address != serverAddress || !strings.Contains(err.Error(), serverAddress) ||
		strings.Contains(err.Error(), serverPassword) {
		t.Errorf("error %v, want a RedisError that names %s", err, serverAddress)
	}
}

// TestNeverRefused, with fewer seeds.
func TestRedisNeverRefused(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { weather(t, rand.New(rand.NewPCG(seed, 0)), redisStores(t)) })
		})
	}
}

// The script keeps the same rules as the ledger: whatever lines ask, in whatever
// order, and whatever becomes of their places, both answer alike.
func TestRedisFollowsTheLedger(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { compare(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

// compare is one run of TestRedisFollowsTheLedger. Everything happens on whole
// milliseconds, so that a nanosecond there and a microsecond here decide alike.
func compare(t *testing.T, random *rand.Rand) {
	t.Helper()
	memory, script := NewMemory(), redisStores(t)()
	own := Window{"a run's own", 3, 2 * time.Second}
	sets := [][]Window{keyWindows, resultsWindows, {own}, append([]Window{own}, keyWindows...)}
	type pair struct {
		places  [2]Place
		windows []Window
	}
	var flying []pair
	granted, refused, gated, closed := 0, 0, 0, false
	refusing := 0.05 * random.Float64()
	for step := range 1500 {
		if random.Float64() < 0.2 {
			time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		}
		if len(flying) > 0 && random.Float64() < 0.45 {
			i := len(flying) - 1 // often the latest: the probe, where there is one
			if random.Float64() < 0.5 {
				i = random.IntN(len(flying))
			}
			p := flying[i]
			flying = slices.Delete(flying, i, i+1)
			if random.Float64() < 0.1 {
				continue // its process died
			}
			outcome := Outcome{Result: Answered}
			switch {
			case random.Float64() < refusing || closed && random.Float64() < 0.2: // seldom one alone
				outcome = Outcome{Result: Refused, RetryAfter: time.Duration(random.IntN(4)) * 500 * time.Millisecond}
			case random.Float64() < 0.3:
				outcome.Result = []Result{Failed, Unsent}[random.IntN(2)]
			}
			memory.Release(p.places[0], p.windows, outcome)
			script.Release(p.places[1], p.windows, outcome)
			continue
		}
		line := random.IntN(6) // which may have died since it was told to come back
		windows := sets[line%len(sets)]
		ask := Ask{Line: uint64(line), Waiting: 1 + random.IntN(5), Windows: windows, MaxInFlight: 3 * time.Second}
		want, err := memory.Acquire(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		got, err := script.Acquire(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if (got.Place == 0) != (want.Place == 0) || got.Gate != want.Gate || got.Window != want.Window ||
			got.Wait.Round(time.Millisecond) != want.Wait.Round(time.Millisecond) {
			t.Fatalf("step %d: the script answers %+v, the ledger %+v", step, got, want)
		}
		closed = want.Gate
		switch {
		case want.Place != 0:
			granted++
			flying = append(flying, pair{[2]Place{want.Place, got.Place}, windows})
		case want.Gate:
			gated++
		default:
			refused++
		}
	}
	t.Logf("%d granted, %d refused, %d behind a gate", granted, refused, gated)
	if granted < 100 || refused < 50 {
		t.Errorf("%d granted and %d refused, want some of each", granted, refused)
	}
}

// The address loses its credentials; what cannot be read is not repeated.
func TestRedisAddress(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"redis://localhost":                           "redis://localhost:6379/0",
		"redis://someone:secret@cache.example:6380/3": "redis://cache.example:6380/3",
		"rediss://:se%2Fcret@[::1]":                   "rediss://[::1]:6379/0",
		"":                                            "",
		"host":                                        "",
		"http://someone:secret@localhost":             "",
		"redis://":                                    "",
		"redis://secret@localhost":                    "", // would go in as nobody
		"redis://:12#secret@localhost":                "",
		"redis://:12?secret@localhost":                "",
		"redis://user:12?secret@localhost":            "",
		"redis://:se/cret@localhost":                  "",
		"redis://:12/secret@localhost":                "",
		"redis://secret/secret":                       "",
		"redis://localhost/0?password=secret":         "",
	} {
		got, err := RedisAddress(raw)
		if got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %q, error %v, want %q", raw, got, err, want)
		}
	}
}

// The key bears the name of the file, on one node of a cluster, and is gone a day
// after its last use.
func TestRedisKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		grants(t, OpenFile(dir, "client:secret"), true)
		name := strings.TrimSuffix(filepath.Base(budgetFile(t, dir)), ".budget")

		s := newFakeRedis(t)
		grants(t, opensRedis(t, s, RedisConfig{Key: "client:secret"}), true)
		if keys := s.Keys(); len(keys) != 1 || !strings.HasSuffix(keys[0], ":{"+name+"}") {
			t.Errorf("keys %q, want one that ends in {%s}", keys, name)
		}
		time.Sleep(23 * time.Hour)
		if len(s.Keys()) != 1 {
			t.Error("the budget was gone before its time")
		}
		time.Sleep(time.Hour)
		if keys := s.Keys(); len(keys) != 0 {
			t.Errorf("keys %q a day later, want none", keys)
		}
	})
}

// Once the server knows the script, a place costs two messages.
func TestRedisRoundTrips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opensRedis(t, s, RedisConfig{})
		before := s.sent.Load()
		for range 10 {
			answer, err := store.Acquire(t.Context(), ask())
			if err != nil {
				t.Fatal(err)
			}
			store.Release(answer.Place, keyWindows, Outcome{})
		}
		if n := s.sent.Load() - before; n != 20 {
			t.Errorf("%d messages for 10 places, want 20", n)
		}
	})
}

// Who waits asks once, when a place can be free, and not before.
func TestRedisIsNotPolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		transport := New(Config{Next: &service{}, Windows: windowsOf, Store: opensRedis(t, s, RedisConfig{})})
		apply(t, transport, "/", 20, 20)
		before := s.sent.Load()
		apply(t, transport, "/", 1, 1)
		if n := s.sent.Load() - before; n != 3 {
			t.Errorf("%d messages for a place that was waited for, want 3: refused, granted, released", n)
		}
	})
}

// A place of a process that died is free a window after its request would have
// been given up.
func TestRedisPlacesOfTheDeadExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		if n, _ := grants(t, opensRedis(t, s, RedisConfig{}), false); n != 20 {
			t.Fatalf("granted %d, want 20", n)
		}
		other := opensRedis(t, s, RedisConfig{})
		time.Sleep(30*time.Second + 900*time.Millisecond)
		wantGrants(t, other, 0, 100*time.Millisecond)
		time.Sleep(101 * time.Millisecond)
		wantGrants(t, other, 20, time.Second)
	})
}

// A server whose clock is set back, or which hands over to one whose clock is
// behind, frees no place early and holds none for longer than if it were taken at
// the last look.
func TestRedisClockIsSetBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opensRedis(t, s, RedisConfig{})
		grants(t, store, true)
		time.Sleep(600 * time.Millisecond)
		wantGrants(t, store, 0, 400*time.Millisecond)
		s.SetTime(time.Now().Add(-30 * 365 * 24 * time.Hour))
		wantGrants(t, store, 0, 400*time.Millisecond)
		s.SetTime(time.Now().Add(-30*365*24*time.Hour + 300*time.Millisecond))
		wantGrants(t, store, 0, 100*time.Millisecond)
		wantGrants(t, opensRedis(t, s, RedisConfig{}), 0, 100*time.Millisecond)
		s.SetTime(time.Now().Add(-30*365*24*time.Hour + 500*time.Millisecond))
		wantGrants(t, store, 20, time.Second)
		wantNotices(t, store)
	})
}

// A budget that was lost, or set back to what it was before, is rebuilt with one
// notice: until what was sent before cannot count any more, every window is full.
// A run that came in between and knew nothing of the loss does not hide it.
func TestRedisIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, s *fakeRedis, before string){
		"lost":     func(_ *testing.T, s *fakeRedis, _ string) { s.FlushAll() },
		"set back": func(_ *testing.T, s *fakeRedis, before string) { _ = s.Set(redisKey(""), before) },
		"lost, and begun by another": func(t *testing.T, s *fakeRedis, _ string) {
			s.FlushAll()
			time.Sleep(time.Millisecond)
			wantGrants(t, opensRedis(t, s, RedisConfig{}), 20, time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFakeRedis(t)
				one, two := opensRedis(t, s, RedisConfig{}), opensRedis(t, s, RedisConfig{})
				before, err := s.Get(redisKey(""))
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
				grants(t, two, true)
				grants(t, one, true)
				for range 2 {
					lose(t, s, before)
					wantGrants(t, one, 0, time.Minute)
				}
				wantNotices(t, one, StoreRebuilt)
				wantGrants(t, two, 0, time.Minute)
				wantGrants(t, one, 0, time.Minute)
				wantGrants(t, opensRedis(t, s, RedisConfig{}), 0, time.Minute)
				wantNotices(t, two)
				time.Sleep(time.Minute + time.Microsecond)
				wantGrants(t, two, 20, time.Second)
				wantNotices(t, one)
			})
		})
	}
}

// A server that cannot be reached, or that refuses us, is an error at once.
func TestRedisUnreachableAtStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		strict, echo := newFakeRedis(t), newFakeRedis(t)
		strict.RequireAuth("another")
		echo.SetError("ERR unknown command `HELLO`, with args beginning with: `2` `AUTH` `default` `" + serverPassword + "`")
		for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
			"nobody listens": func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("connection refused") },
			"a server that asks for another password":     strict.dial,
			"a server that repeats what it does not know": echo.dial,
		} {
			start := time.Now()
			_, err := OpenRedis(t.Context(), RedisConfig{URL: serverURL, Dial: dial, RetryFor: time.Minute})
			wantRedisError(t, err)
			if took := time.Since(start); took > noAnswer {
				t.Errorf("%s: said after %v", name, took)
			}
			t.Log(err)
		}
		silent := func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			t.Cleanup(func() { _ = server.Close() })
			return client, nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := OpenRedis(ctx, RedisConfig{URL: serverURL, Dial: silent})
		wantRedisError(t, err)
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 100*time.Millisecond {
			t.Errorf("error %v after %v, want the context's at its end", err, took)
		}
	})
}

// A server that comes back in time costs nothing but that time: who waits for it
// goes on, and no timeout that excludes the wait for our own budget runs.
func TestRedisComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opensRedis(t, s, RedisConfig{RetryFor: time.Minute})
		model := &service{roundTrip: 50 * time.Millisecond}
		transport := New(Config{Next: model, Windows: windowsOf, Store: store, MaxInFlight: time.Hour})
		time.AfterFunc(25*time.Millisecond, func() { s.SetError("LOADING") }) // while 20 requests are under way
		time.AfterFunc(50*time.Second, func() { s.SetError("") })
		ctx, cancel := WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		apply(t, transport, "/", 20, 20)
		start := time.Now()
		if status, err := get(ctx, transport, "/"); err != nil || status != http.StatusOK {
			t.Errorf("status %d, error %v", status, err)
		}
		if took := time.Since(start); took < 50*time.Second || took > 52500*time.Millisecond {
			t.Errorf("went on after %v, want 50s, a try and a window", took)
		}
		time.Sleep(latestTry) // for the last release that is tried again
		model.check(t, 21)
		wantNotices(t, store)
	})
}

// A server that does not come back ends everything with an error that names it:
// nothing is sent, and who asks later does not wait for it again.
func TestRedisIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opensRedis(t, s, RedisConfig{RetryFor: time.Minute})
		model := &service{}
		transport := New(Config{Next: model, Windows: windowsOf, Store: store})
		s.SetError("LOADING " + serverPassword)
		start := time.Now()
		for range 3 {
			ctx, cancel := WithTimeout(t.Context(), 10*time.Second)
			_, err := get(ctx, transport, "/")
			wantRedisError(t, err)
			if took := time.Since(start); took != time.Minute {
				t.Errorf("given up after %v, want a minute", took)
			}
			if ctx.Err() == nil {
				t.Error("the call may still be tried again")
			}
			cancel()
		}
		s.SetError("")
		_, err := get(t.Context(), transport, "/")
		wantRedisError(t, err)
		model.check(t, 0)
		wantNotices(t, store)
	})
}

// With a fallback the run goes on there, knowing what it has sent already.
func TestRedisFallsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opensRedis(t, s, RedisConfig{RetryFor: 500 * time.Millisecond, Fallback: OpenFile(t.TempDir(), "key")})
		model := &service{roundTrip: 50 * time.Millisecond, jitter: 0.5}
		transport := New(Config{Next: model, Windows: windowsOf, Store: store})
		time.AfterFunc(20100*time.Millisecond, func() { s.SetError("LOADING") })
		start := time.Now()
		apply(t, transport, "/", 700, 100)
		model.check(t, 700)
		if part := float64(time.Since(start)) / float64(floor(700, model.roundTrip)); part > 1.10 {
			t.Errorf("%.3f of the floor", part)
		}
		notices := transport.Notices()
		if len(notices) != 2 || notices[0].Kind != Waiting || notices[1].Kind != StoreUnusable {
			t.Fatalf("notices %+v, want one of the wait and one of the store", notices)
		}
		wantRedisError(t, notices[1].Err)
		wantNotices(t, store)
	})
}

// Who gives up while the server is silent is not held up by it, and a place that
// is granted after that is given back.
func TestRedisObeysTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeRedis(t)
		store := opensRedis(t, s, RedisConfig{RetryFor: time.Minute})
		var slow atomic.Bool
		s.Server().SetPreHook(func(*server.Peer, string, ...string) bool {
			if slow.Load() {
				time.Sleep(100 * time.Millisecond)
			}
			return false
		})
		slow.Store(true)
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
		start := time.Now()
		if _, err := store.Acquire(ctx, ask()); !errors.Is(err, cause) || time.Since(start) != 10*time.Millisecond {
			t.Errorf("error %v after %v, want %v after 10ms", err, time.Since(start), cause)
		}
		time.Sleep(5 * time.Second)
		slow.Store(false)
		wantGrants(t, store, 20, time.Second)

		// The same while it is tried again and again.
		s.SetError("LOADING")
		ctx, cancel = context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Second, func() { cancel(cause) })
		start = time.Now()
		if _, err := store.Acquire(ctx, ask()); !errors.Is(err, cause) || time.Since(start) != 10*time.Second {
			t.Errorf("error %v after %v, want %v after 10s", err, time.Since(start), cause)
		}
	})
}
