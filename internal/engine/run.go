// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
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

// storeTime is how long the store of the rate limits may take to grant a slot without
// taking time from the request.
const storeTime = 5 * time.Second

// Config configures an [Engine].
type Config struct {
	// BaseURL is the address of the service. It is nil while a setting is unknown: then the
	// engine sends nothing, and only records what a plan does. ClientID, APIKey and UserAgent
	// are sent with each request.
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
	// PlanChecks is whether plans read lists to refuse what the service would refuse.
	PlanChecks bool
	// ReadOnly refuses every request that is not a GET.
	ReadOnly bool
	// AdoptExisting is whether a creation takes over an identical position assessment that no
	// state of this run contains, instead of attaching a second one.
	AdoptExisting bool
	// Reused is whether the CLI may use this engine for several runs, as "terraform test"
	// does.
	Reused bool
	// Snapshot is whether the service is a snapshot of another one. A snapshot contains no
	// position assessments, so a 404 from it proves nothing.
	Snapshot bool
	// Budget configures with which runs this run shares the rate limits.
	Budget Budget
	// CacheDir is the directory in which runs on this machine share files. Empty means that
	// there is no such directory.
	CacheDir string
	// Now returns the time since the machine was started, for the budget in CacheDir. Nil means
	// the clock of the machine.
	Now func() time.Duration
	// Place identifies the working directory, workspace and backend. A plan and its apply
	// have the same Place.
	Place string
	// OnAttempt is called after each attempt, OnWait after each wait for a slot. Both are
	// for the log and may be nil.
	OnAttempt func(context.Context, assessapi.Observation)
	OnWait    func(ctx context.Context, waited time.Duration, window string)
}

// Transport sends one request to the service and returns its response.
type Transport = http.RoundTripper

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
		MaxInFlight: cfg.RequestTimeout + storeTime,
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

func (r *run) takeNotices() []Notice {
	if r.client == nil {
		return r.notices.take()
	}
	var all []Notice
	for _, n := range r.throttle.Notices() {
		kind := BudgetRebuilt
		switch {
		case n.Kind == throttle.Waiting:
			kind = Waiting
		case n.Kind == throttle.StoreUnusable && IsSharedBudgetError(n.Err):
			kind = FellBackToHost
		case n.Kind == throttle.StoreUnusable:
			kind = BudgetUnusable
		}
		all = append(all, Notice{Kind: kind, Err: n.Err, Stats: n.Stats})
	}
	return append(all, r.notices.take()...)
}

// openBudget opens the store of the budget. After an error, the run cannot start.
func (r *run) openBudget(ctx context.Context) (throttle.Store, error) {
	b := r.cfg.Budget
	switch b.Coordination {
	case CoordinationNone:
		return throttle.NewMemory(), nil
	case CoordinationHost:
		if r.cfg.CacheDir == "" {
			r.notices.add(Notice{Kind: NoCacheDirectory})
		}
		return r.hostBudget(), nil
	}
	shared := redis.Config{URL: b.Coordination, Key: b.Key, RetryFor: r.cfg.RetryTimeout}
	if b.FallBack { // before the requests that wait time out
		shared.Fallback, shared.RetryFor = r.hostBudget(), r.cfg.RetryTimeout/2
	}
	store, err := redis.Open(ctx, shared)
	if err != nil && b.FallBack {
		r.notices.add(Notice{Kind: FellBackToHost, Err: err})
		return shared.Fallback, nil
	}
	return store, err
}

// hostBudget returns a store that all runs of this user on this machine share in a file.
// Without a directory for the file, the store is in memory and not shared.
func (r *run) hostBudget() throttle.Store {
	if r.cfg.CacheDir == "" {
		return throttle.NewMemory()
	}
	clock := throttle.SystemClock()
	if r.cfg.Now != nil {
		clock = throttle.Clock{Now: r.cfg.Now}
	}
	return throttle.OpenFile(r.cfg.CacheDir, r.cfg.Budget.Key, clock)
}
