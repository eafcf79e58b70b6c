// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"net/http"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// run is what the nouns of an engine share.
type run struct {
	cfg      Config
	client   *assessapi.Client // nil while a setting is unknown
	throttle *throttle.Transport
	notices  notices
	signals  signals
	calls    *calls
	forget   func() // clears what a reused engine knows about its last run
}

func (r *run) connect(ctx context.Context) error {
	cfg := r.cfg
	store, err := r.openBudget(ctx)
	if err != nil {
		return err
	}
	bottom := cfg.Transport
	if bottom == nil {
		bottom = assessapi.Network()
	}
	r.throttle = throttle.New(throttle.Config{
		Next:    &assessapi.Attempt{Next: bottom, Timeout: cfg.RequestTimeout, Observe: cfg.OnAttempt},
		Windows: cfg.Budget.windows(cfg.BaseURL), Share: cfg.Budget.Share, Store: store, OnWait: cfg.OnWait,
		MaxInFlight: cfg.RequestTimeout + time.Second,
	})
	var top http.RoundTripper = r.throttle
	if cfg.ReadOnly {
		top = readOnly{next: top}
	}
	r.client = assessapi.New(assessapi.Config{
		BaseURL: cfg.BaseURL, ClientID: cfg.ClientID, APIKey: cfg.APIKey, UserAgent: cfg.UserAgent,
		Headers:   cfg.Headers,
		Transport: top, RequestTimeout: cfg.RequestTimeout, RetryTimeout: cfg.RetryTimeout,
		Timeout: throttle.WithTimeout,
		Refused: func(parameters string, err error) {
			r.notices.add(Notice{Kind: ParametersRefused, Parameters: parameters, Err: err})
		},
	})
	return nil
}

func (r *run) checksPlan() bool {
	return r.cfg.PlanChecks && r.client != nil && r.signals.phase() != Applying
}

func (r *run) beginApply() error {
	if r.signals.applied.CompareAndSwap(false, true) {
		r.calls.changed()
	}
	if r.cfg.ReadOnly {
		return &ReadOnlyError{Method: "a write"}
	}
	return nil
}

// refreshes records a call that only plans make. If a reused engine has applied something
// before, the call begins another run.
func (r *run) refreshes() {
	r.signals.refreshed.Store(true)
	if r.cfg.Reused && r.signals.applied.CompareAndSwap(true, false) {
		r.forget()
	}
	r.calls.changed()
}
