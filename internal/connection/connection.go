// SPDX-License-Identifier: MPL-2.0

// Package connection connects one run with the service: it sends requests within the rate
// limits, which it shares with other runs.
package connection

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

// WaitError means that a request was given up while it waited for the rate limits, and was not sent.
type WaitError = throttle.WaitError

// Default values of [Config.RequestTimeout] and [Config.RetryTimeout].
const (
	DefaultRequestTimeout = 30 * time.Second
	DefaultRetryTimeout   = 5 * time.Minute
)

// storeTime is how long the store of the rate limits may take to grant a slot without taking time from the request.
const storeTime = 5 * time.Second

// Config configures a [Connection].
type Config struct {
	// BaseURL is the address of the service. ClientID, APIKey and UserAgent are sent with each request.
	BaseURL                     *url.URL
	ClientID, APIKey, UserAgent string
	// Headers are sent with each request, for a gateway in front of the service.
	Headers map[string]string
	// Transport sends requests after the throttle has admitted them: to the network, the
	// embedded service, or a test. Nil means the network.
	Transport Transport
	// RequestTimeout bounds one attempt. RetryTimeout bounds one call with all its attempts.
	// The time that a request waits for a slot does not count.
	RequestTimeout, RetryTimeout time.Duration
	// ReadOnly refuses every request that is not a GET.
	ReadOnly bool
	// Budget configures with which runs this run shares the rate limits.
	Budget Budget
	// CacheDir is the directory in which runs on this machine share files. Empty means that there is no such directory.
	CacheDir string
	// Now returns the time since the machine was started, for the budget in CacheDir. Nil means the clock of the machine.
	Now func() time.Duration
	// OnAttempt is called after each attempt, OnWait after each wait for a slot. Both are for the log and may be nil.
	OnAttempt func(context.Context, assessapi.Observation)
	OnWait    func(ctx context.Context, waited time.Duration, window string)
}

// Transport sends one request to the service and returns its response.
type Transport = http.RoundTripper

// Connection sends the requests of one run.
type Connection struct {
	// Client stays within the rate limits of the run. It caches nothing.
	Client *assessapi.Client

	throttle *throttle.Transport
	notices  NoticeQueue[Notice]
}

// Open returns the connection of one run. It sends nothing to the service. It opens the store
// of the rate limits, which may connect to a Redis server.
//
// Requests pass through these layers, outermost first:
//
//	assessapi call -> throttle -> attempt -> Transport
//
// A call retries outside the throttle, so that each attempt counts. The throttle is outside the
// attempt, so that the wait for a slot does not count as time of the attempt.
func Open(ctx context.Context, cfg Config) (*Connection, error) {
	c := &Connection{}
	store, err := c.openBudget(ctx, cfg)
	if err != nil {
		return nil, err
	}
	bottom := cfg.Transport
	if bottom == nil {
		bottom = assessapi.Network(cfg.RequestTimeout)
	}
	c.throttle = throttle.New(throttle.Config{
		Next:    &assessapi.Attempt{Next: bottom, Timeout: cfg.RequestTimeout, Observe: cfg.OnAttempt},
		Windows: cfg.Budget.windows(cfg.BaseURL), Share: cfg.Budget.Share, Store: store, OnWait: cfg.OnWait,
		MaxInFlight: cfg.RequestTimeout + storeTime,
	})
	var top http.RoundTripper = c.throttle
	if cfg.ReadOnly {
		top = readOnly{next: top}
	}
	c.Client = assessapi.New(assessapi.Config{
		BaseURL: cfg.BaseURL, ClientID: cfg.ClientID, APIKey: cfg.APIKey, UserAgent: cfg.UserAgent,
		Headers:   cfg.Headers,
		Transport: top, RequestTimeout: cfg.RequestTimeout, RetryTimeout: cfg.RetryTimeout,
		Timeout: throttle.WithTimeout,
		Refused: func(parameters string, err error) {
			c.notices.Add(Notice{Kind: ParametersRefused, Parameters: parameters, Err: err})
		},
		Cached: func() { c.notices.Add(Notice{Kind: Cached}) },
	})
	return c, nil
}

// openBudget opens the store of the budget. After an error, the run cannot start.
func (c *Connection) openBudget(ctx context.Context, cfg Config) (throttle.Store, error) {
	switch cfg.Budget.Coordination {
	case CoordinationNone:
		return throttle.NewMemory(), nil
	case CoordinationHost:
		if cfg.CacheDir == "" {
			c.notices.Add(Notice{Kind: BudgetUnusable, Err: errors.New("there is no cache directory")})
		}
		return cfg.hostBudget(), nil
	}
	shared := redis.Config{URL: cfg.Budget.Coordination, Key: cfg.Budget.Key, RetryFor: cfg.RetryTimeout}
	if cfg.Budget.FallBack { // before the requests that wait time out
		shared.Fallback, shared.RetryFor = cfg.hostBudget(), cfg.RetryTimeout/2
	}
	store, err := redis.Open(ctx, shared)
	if err != nil && cfg.Budget.FallBack {
		c.notices.Add(Notice{Kind: FellBackToHost, Err: err})
		return shared.Fallback, nil
	}
	return store, err
}

// hostBudget returns a store that all runs of this user on this machine share in a file.
// Without a directory for the file, the store is in memory and not shared.
func (cfg Config) hostBudget() throttle.Store {
	if cfg.CacheDir == "" {
		return throttle.NewMemory()
	}
	clock := throttle.SystemClock()
	if cfg.Now != nil {
		clock = throttle.Clock{Now: cfg.Now}
	}
	return throttle.OpenFile(cfg.CacheDir, cfg.Budget.Key, clock)
}
