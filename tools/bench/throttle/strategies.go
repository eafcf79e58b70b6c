// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/ratelimit"
	"golang.org/x/time/rate"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// strategy is a way to stay within the limits. Its transport function makes what
// one process has between its retries and the network.
type strategy struct {
	name, text string
	transport  func(dir string, next http.RoundTripper) http.RoundTripper
}

var strategies = []strategy{
	{"ours", "`internal/throttle` with the machine's budget file", func(dir string, next http.RoundTripper) http.RoundTripper {
		windows := []throttle.Window{}
		for _, l := range limits {
			windows = append(windows, throttle.Window{Name: l.per.String(), Limit: l.requests, Per: l.per})
		}
		return throttle.New(throttle.Config{
			Next:    next,
			Windows: func(*http.Request) []throttle.Window { return windows },
			Store:   throttle.OpenFile(dir, "key"),
		})
	}},
	{"x/time/rate", "`golang.org/x/time/rate` at 500/60 a second, burst 20", bucket(500.0/60, 20)},
	{"safe bucket", "the same at 8 a second, burst 12: 20 in no second and 500 in no minute are exceeded", bucket(8, 12)},
	{"uber", "`go.uber.org/ratelimit` at 500 a minute, its default slack", func(_ string, next http.RoundTripper) http.RoundTripper {
		limiter := ratelimit.New(500, ratelimit.Per(time.Minute))
		return before(next, func(context.Context) error {
			limiter.Take()
			return nil
		})
	}},
	{"retries alone", "`hashicorp/go-retryablehttp` with its defaults and no limiter", func(_ string, next http.RoundTripper) http.RoundTripper {
		return next
	}},
	{"delay", "a fixed delay of 120 ms between requests", func(_ string, next http.RoundTripper) http.RoundTripper {
		turn := make(chan struct{}, 1) // not a mutex: virtual time stands still while one is waited for
		return before(next, func(context.Context) error {
			turn <- struct{}{}
			time.Sleep(120 * time.Millisecond)
			<-turn
			return nil
		})
	}},
}

// bucket is a token bucket per process.
func bucket(perSecond rate.Limit, burst int) func(string, http.RoundTripper) http.RoundTripper {
	return func(_ string, next http.RoundTripper) http.RoundTripper {
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

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
