// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"errors"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

// The limits of the service (section 8), which cannot be changed.
var (
	ordinary = throttle.Operation{
		{Name: "20 requests a second", Limit: 20, Per: time.Second},
		{Name: "500 requests a minute", Limit: 500, Per: time.Minute},
	}
	forResults = append(ordinary[:2:2],
		throttle.Window{Name: "2 requests for results a second", Limit: 2, Per: time.Second},
		throttle.Window{Name: "30 requests for results a minute", Limit: 30, Per: time.Minute},
	)
)

// storeTime is how long the store of the rate limits may take to grant a slot without taking time from the request.
const storeTime = 10 * time.Second

// acquireFrom returns what the client asks for a slot. It is nil if there are no limits.
func (r *Run) acquireFrom(ctx context.Context) (assessapi.Acquire, error) {
	if r.Budget.Unthrottled && (r.Budget.Sandbox || assessapi.IsLoopback(r.BaseURL)) {
		return nil, nil
	}
	store, err := r.openStore(ctx)
	if err != nil {
		return nil, err
	}
	limiter := throttle.New(throttle.Config{
		Store: store, Share: r.Budget.Share, MaxInFlight: r.RequestTimeout + storeTime,
		OnNotice: func(n throttle.Notice) { r.Notice("limits "+limitsWarning(n).Summary, limitsWarning(n)) },
	})
	return func(ctx context.Context, limits assessapi.Limits) (func(time.Duration), error) {
		if limits == assessapi.ForResults {
			return limiter.Acquire(ctx, forResults)
		}
		return limiter.Acquire(ctx, ordinary)
	}, nil
}

// openStore opens the store of the budget, which may connect to a Redis server.
func (r *Run) openStore(ctx context.Context) (throttle.Store, error) {
	switch r.Budget.Coordination {
	case CoordinationNone:
		return throttle.NewMemory(), nil
	case CoordinationHost:
		if r.CacheDir == "" {
			alone := throttle.Notice{Kind: throttle.Alone, Err: errors.New("there is no cache directory")}
			r.Notice("limits alone", limitsWarning(alone))
			return throttle.NewMemory(), nil
		}
		clock := throttle.SystemClock()
		if r.Now != nil {
			clock = throttle.Clock{Now: r.Now}
		}
		return throttle.OpenFile(r.CacheDir, r.Budget.Key, clock), nil
	}
	return redis.Open(ctx, redis.Config{URL: r.Budget.Coordination, Key: r.Budget.Key, RetryFor: r.RetryTimeout})
}

// CheckBudgetURL returns an error if a value is not the URL of a Redis server. The error does not contain the value.
func CheckBudgetURL(value string) error {
	_, err := redis.Address(value)
	return err
}

// budgetError returns the part of an error that is about the shared budget, or nil.
func budgetError(err error) error {
	if about, ok := errors.AsType[*throttle.UnavailableError](err); ok {
		return about
	}
	return nil
}
