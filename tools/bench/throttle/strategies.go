// SPDX-License-Identifier: MPL-2.0

package main

import (
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// strategy is a way to stay within the limits. transport creates the part of one process that
// is between its retries and the network. The processes of a scenario share a folder.
type strategy struct {
	name, text string
	transport  func(folder string, next http.RoundTripper) http.RoundTripper
}

var strategies = []strategy{
	{"ours", "`internal/throttle` with a budget file", func(folder string, next http.RoundTripper) http.RoundTripper {
		virtual := func() time.Duration { return time.Duration(time.Now().UnixNano()) }
		windows := []throttle.Window{
			{Name: "second", Limit: 20, Per: time.Second},
			{Name: "minute", Limit: 500, Per: time.Minute},
		}
		return throttle.New(throttle.Config{
			Next:    next,
			Windows: func(*http.Request) []throttle.Window { return windows },
			Store:   throttle.OpenFile(folder, "key", throttle.Clock{Now: virtual}),
		})
	}},
	{"x/time/rate", "`golang.org/x/time/rate` at 500/60 a second, burst 20", bucket(500.0/60, 20)},
	{
		"safe bucket", "the same at 8 a second, burst 12, which never exceeds 20 in a second and 500 in a minute",
		bucket(8, 12),
	},
	{
		"only retries", "`hashicorp/go-retryablehttp` with its defaults and no limiter",
		func(_ string, next http.RoundTripper) http.RoundTripper { return next },
	},
}

// bucket is a token bucket per process.
func bucket(perSecond rate.Limit, burst int) func(string, http.RoundTripper) http.RoundTripper {
	return func(_ string, next http.RoundTripper) http.RoundTripper {
		return &limited{next, rate.NewLimiter(perSecond, burst)}
	}
}

type limited struct {
	next    http.RoundTripper
	limiter *rate.Limiter
}

func (l *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := l.limiter.Wait(request.Context()); err != nil {
		return nil, err
	}
	return l.next.RoundTrip(request)
}
