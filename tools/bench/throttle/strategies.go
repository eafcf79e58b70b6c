// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"golang.org/x/time/rate"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

// strategy is a way to stay within the limits. transport creates the part of one process that
// is between its retries and the network.
type strategy struct {
	name, text string
	transport  func(shared shared, next http.RoundTripper) http.RoundTripper
}

// shared is shared by the processes of a scenario.
type shared struct {
	dir   string               // of the machine
	redis *miniredis.Miniredis // if each process has its own machine
}

// store opens the budget of one process.
func (s shared) store() throttle.Store {
	if s.redis == nil {
		virtual := func() time.Duration { return time.Duration(time.Now().UnixNano()) }
		return throttle.OpenFile(s.dir, "key", throttle.Clock{Now: virtual})
	}
	store, err := redis.Open(context.Background(), redis.Config{
		URL: "redis://server.test", Key: "key",
		Dial: func(context.Context, string, string) (net.Conn, error) {
			conn, err := s.redis.Dial()
			s.redis.Server().SetPreHook(runsForLong)
			return conn, err
		},
	})
	if err != nil {
		panic(err) // the server runs in this process
	}
	return store
}

// runsForLong simulates a server with a long uptime. The provider waits before it uses a
// server that was started recently.
func runsForLong(peer *server.Peer, command string, args ...string) bool {
	switch {
	case command != "INFO":
		return false
	case args[0] == "server":
		peer.WriteBulk("redis_version:7.0.0\r\nrun_id:1\r\nuptime_in_seconds:1000000\r\n")
	default:
		peer.WriteBulk("second_repl_offset:-1\r\n")
	}
	return true
}

var strategies = []strategy{
	{"ours", "`internal/throttle` with a budget file, or with Redis for processes on several " +
		"machines", func(shared shared, next http.RoundTripper) http.RoundTripper {
		windows := []throttle.Window{
			{Name: "second", Limit: 20, Per: time.Second},
			{Name: "minute", Limit: 500, Per: time.Minute},
		}
		return throttle.New(throttle.Config{
			Next:    next,
			Windows: func(*http.Request) []throttle.Window { return windows },
			Store:   shared.store(),
		})
	}},
	{"x/time/rate", "`golang.org/x/time/rate` at 500/60 a second, burst 20", bucket(500.0/60, 20)},
	{
		"safe bucket", "the same at 8 a second, burst 12, which never exceeds 20 in a second and 500 in a minute",
		bucket(8, 12),
	},
	{
		"only retries", "`hashicorp/go-retryablehttp` with its defaults and no limiter",
		func(_ shared, next http.RoundTripper) http.RoundTripper { return next },
	},
	{"delay", "a fixed delay of 120 ms between requests", func(_ shared, next http.RoundTripper) http.RoundTripper {
		turn := make(chan struct{}, 1) // not a mutex, because virtual time does not advance while a goroutine waits for one
		return before(next, func(context.Context) error {
			turn <- struct{}{}
			time.Sleep(120 * time.Millisecond)
			<-turn
			return nil
		})
	}},
}

// bucket is a token bucket per process.
func bucket(perSecond rate.Limit, burst int) func(shared, http.RoundTripper) http.RoundTripper {
	return func(_ shared, next http.RoundTripper) http.RoundTripper {
		return before(next, rate.NewLimiter(perSecond, burst).Wait)
	}
}

// before waits before each request.
func before(next http.RoundTripper, wait func(context.Context) error) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if err := wait(req.Context()); err != nil {
			return nil, err
		}
		return next.RoundTrip(req)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
