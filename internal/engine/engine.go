// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
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
	// BaseURL is the address of the service. ClientID, APIKey and UserAgent are sent with
	// each request (section 5 of the specification).
	BaseURL                     *url.URL
	ClientID, APIKey, UserAgent string
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
	// Place identifies the working directory and workspace. A plan and its apply have the
	// same Place.
	Place string
	// OnAttempt is called after each attempt, OnWait after each wait for a slot. Both are
	// for the log and may be nil.
	OnAttempt func(context.Context, assessapi.Observation)
	OnWait    func(ctx context.Context, waited time.Duration, window string)
}

// Transport sends one request to the service and returns its response.
type Transport = http.RoundTripper

// Engine is one configured provider during one run.
type Engine struct {
	cfg         Config
	client      *assessapi.Client
	throttle    *throttle.Transport
	lists       lists
	names       names
	attached    attachedLists
	metadata    visibility
	skills      skillsTests
	results     resultLists
	invitations invitations
	notes       planNotes
	notices     notices
	evidence    evidence
	signals     signals

	confirming    sync.Mutex
	confirmations atomic.Int64 // number of reads of the list of assessments to confirm a 404
}

// New returns the engine of one run. It sends nothing to the service. It opens the store of
// the rate limits, which may connect to a Redis server.
//
// Requests pass through these layers, outermost first:
//
//	assessapi method -> retry -> throttle -> attempt -> Transport
//
// Retry is outside the throttle, so that each attempt counts. The throttle is outside the
// attempt, so that the wait for a slot does not count as time of the attempt.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	e := &Engine{cfg: cfg, signals: signals{reused: cfg.Reused}}
	store, err := e.openBudget(ctx)
	if err != nil {
		return nil, err
	}
	bottom := cfg.Transport
	if bottom == nil {
		bottom = assessapi.Network()
	}
	e.throttle = throttle.New(throttle.Config{
		Next:    &assessapi.Attempt{Next: bottom, Timeout: cfg.RequestTimeout, Observe: cfg.OnAttempt},
		Windows: cfg.Budget.windows(cfg.BaseURL), Share: cfg.Budget.Share, Store: store, OnWait: cfg.OnWait,
		MaxInFlight: cfg.RequestTimeout + storeTime,
	})
	var top http.RoundTripper = e.throttle
	if cfg.ReadOnly {
		top = readOnly{next: top}
	}
	e.client = assessapi.New(assessapi.Config{
		BaseURL: cfg.BaseURL, ClientID: cfg.ClientID, APIKey: cfg.APIKey, UserAgent: cfg.UserAgent,
		Transport: top, RequestTimeout: cfg.RequestTimeout, RetryTimeout: cfg.RetryTimeout,
		Timeout: throttle.WithTimeout,
		Notice: func(summary, detail string) {
			e.notices.add(Notice{Kind: ServiceLimitation, Summary: summary, Detail: detail})
		},
	})
	e.lists = lists{positions: positionPages{names: &e.names, reading: newLock()}}
	e.metadata.probing = newLock()
	e.attached = attachedLists{client: e.client, observe: e.metadata.observe, first: newLock()}
	e.notes = planNotes{dir: cfg.CacheDir, scope: fmt.Sprintf("%q", []any{cfg.Place, cfg.Budget.Key, cfg.BaseURL})}
	return e, nil
}

// Client returns the client of the service, which stays within the rate limits of the
// run. It caches nothing. Use it only to read each list once.
func (e *Engine) Client() *assessapi.Client { return e.client }

// Host returns the host of the service, with the port if the address has one.
func (e *Engine) Host() string { return e.cfg.BaseURL.Host }

// PlanChecks reports whether plans may read lists of the service.
func (e *Engine) PlanChecks() bool { return e.cfg.PlanChecks }

// LooksUp reports whether a plan call may read lists now. During an apply, the CLI plans
// each resource again. These calls do not repeat the checks of the plan.
func (e *Engine) LooksUp() bool { return e.cfg.PlanChecks && e.signals.phase() != Applying }

// Begin records that the CLI has begun to apply. It returns a [ReadOnlyError] if the
// provider must not change anything.
func (e *Engine) Begin() error {
	e.signals.applied.Store(true)
	if e.cfg.ReadOnly {
		return &ReadOnlyError{Method: "a write"}
	}
	return nil
}
