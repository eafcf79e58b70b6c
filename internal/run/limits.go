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
		{Name: "requests a second", Limit: 20, Per: time.Second},
		{Name: "requests a minute", Limit: 500, Per: time.Minute, Reserve: 40},
	}
	forResults = append(ordinary[:2:2],
		throttle.Window{Name: "requests for results a second", Limit: 2, Per: time.Second},
		throttle.Window{Name: "requests for results a minute", Limit: 30, Per: time.Minute},
	)
)

// grantTime is the time that may pass between the grant of a slot and the beginning of the request.
const grantTime = 10 * time.Second

// openLimits opens the budget, and returns the function with which the client waits for a slot of the rate limits. The
// function is nil if the settings lift the limits. For the errors, see [New].
func (r *Run) openLimits(ctx context.Context) (assessapi.Acquire, error) {
	if r.Budget.Unthrottled && (r.Budget.Sandbox || assessapi.IsLoopback(r.BaseURL)) {
		return nil, nil // no limits
	}
	store, err := r.openStore(ctx)
	if err != nil {
		return nil, err
	}
	limiter := throttle.New(throttle.Config{
		Store: store, Share: r.Budget.Share, MaxInFlight: r.RequestTimeout + grantTime, OnNotice: r.warnLimits,
	})
	return func(ctx context.Context, limits assessapi.Limits) (release func(hold time.Duration), err error) {
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
		return r.hostStore(), nil
	}
	return redis.Open(ctx, redis.Config{URL: r.Budget.Coordination, Key: r.Budget.Key, RetryFor: r.RetryTimeout})
}

// hostStore returns the store that all runs of a user on this machine share. If there is no directory for it, it warns
// and returns a store of this run alone.
func (r *Run) hostStore() throttle.Store {
	if r.CacheDir == "" {
		noDirectory := errors.New("there is no cache directory with an absolute path")
		r.warnLimits(throttle.Notice{Kind: throttle.Alone, Err: noDirectory})
		return throttle.NewMemory()
	}
	return throttle.OpenFile(throttle.FileConfig{
		Dir: r.CacheDir, Key: r.Budget.Key, RetryFor: r.RetryTimeout, OnNotice: r.warnLimits,
	})
}

// CheckBudgetURL returns an error if a value is not the URL of a Redis server. The error does not contain the value.
func CheckBudgetURL(value string) error { return redis.Check(value) }
