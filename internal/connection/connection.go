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

// Default values of [Config.RequestTimeout] and [Config.RetryTimeout].
const (
	DefaultRequestTimeout = 30 * time.Second
	DefaultRetryTimeout   = 5 * time.Minute
)

// grantTime is how much longer than a request its slots are held in flight, because a grant can be that old.
const grantTime = 10 * time.Second

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

	notices NoticeQueue[Notice]
}

// Open returns the connection of one run. It sends nothing to the service. It opens the store
// of the rate limits, which may connect to a Redis server.
//
// Requests pass through these layers, outermost first:
//
//	assessapi call -> limited -> attempt -> Transport
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
	var top http.RoundTripper = &limited{
		limiter: throttle.New(throttle.Config{
			Store: store, Share: cfg.Budget.Share, MaxInFlight: cfg.RequestTimeout + grantTime, OnNotice: c.addBudget,
		}),
		operation: cfg.Budget.operation(cfg.BaseURL), onWait: cfg.OnWait,
		next: &assessapi.Attempt{Next: bottom, Timeout: cfg.RequestTimeout, Observe: cfg.OnAttempt},
	}
	if cfg.ReadOnly {
		top = readOnly{next: top}
	}
	c.Client = assessapi.New(assessapi.Config{
		BaseURL: cfg.BaseURL, ClientID: cfg.ClientID, APIKey: cfg.APIKey, UserAgent: cfg.UserAgent,
		Headers:   cfg.Headers,
		Transport: top, RequestTimeout: cfg.RequestTimeout, RetryTimeout: cfg.RetryTimeout,
		Timeout: WithTimeout,
		Refused: func(parameters string, err error) {
			c.notices.Add(Notice{Kind: ParametersRefused, Parameters: parameters, Err: err})
		},
		Cached: func() { c.notices.Add(Notice{Kind: Cached}) },
	})
	return c, nil
}

// openBudget opens the store of the budget. After an error, the run cannot start.
func (c *Connection) openBudget(ctx context.Context, cfg Config) (throttle.Store, error) {
	switch {
	case cfg.Budget.Coordination == CoordinationNone:
		return throttle.NewMemory(), nil
	case cfg.Budget.Coordination != CoordinationHost:
		return redis.Open(ctx, redis.Config{
			URL: cfg.Budget.Coordination, Key: cfg.Budget.Key, RetryFor: cfg.RetryTimeout,
		})
	case cfg.CacheDir == "":
		c.notices.Add(Notice{Kind: BudgetUnusable, Err: errors.New("there is no cache directory with an absolute path")})
		return throttle.NewMemory(), nil
	}
	clock := throttle.SystemClock()
	if cfg.Now != nil {
		clock = throttle.Clock{Now: cfg.Now}
	}
	return throttle.OpenFile(throttle.FileConfig{
		Dir: cfg.CacheDir, Key: cfg.Budget.Key, Clock: clock, RetryFor: cfg.RetryTimeout, OnNotice: c.addBudget,
	}), nil
}

// addBudget adds a notice of the rate limits.
func (c *Connection) addBudget(n throttle.Notice) {
	kind := map[throttle.NoticeKind]NoticeKind{
		throttle.Waiting: Waiting, throttle.Alone: BudgetUnusable, throttle.Locked: BudgetLocked,
	}[n.Kind]
	c.notices.Add(Notice{Kind: kind, Err: n.Err, Stats: n.Stats})
}
