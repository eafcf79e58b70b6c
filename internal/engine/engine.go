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

// Config says which service an Engine speaks to, and how.
type Config struct {
	// BaseURL, ClientID, APIKey and UserAgent are sent with every request
	// (section 5 of the specification).
	BaseURL                     *url.URL
	ClientID, APIKey, UserAgent string
	// Transport carries requests below the throttle: the network, the embedded
	// service, or what a test injects. Nil is the network.
	Transport Transport
	// RequestTimeout bounds one attempt, RetryTimeout one call with all its
	// attempts. Waiting for a slot counts for neither.
	RequestTimeout, RetryTimeout time.Duration
	// PlanChecks is whether plans look things up to refuse early.
	PlanChecks bool
	// ReadOnly refuses every request that is not a GET.
	ReadOnly bool
	// Reused is whether the CLI may use this engine for several runs, as
	// "terraform test" does.
	Reused bool
	// Snapshot is whether the service is a snapshot of another one. It does not have
	// the position assessments of that service, so that it lacks one proves nothing.
	Snapshot bool
	// Budget says with whom the run shares the rate limits.
	Budget Budget
	// CacheDir is where runs on this machine leave notes for each other. Empty
	// means that there is no such directory.
	CacheDir string
	// Place names the working directory and workspace: a plan and its apply
	// have the same one.
	Place string
	// OnAttempt is told of every attempt, OnWait of every wait for a slot. Both
	// are for the log and may be nil.
	OnAttempt func(context.Context, assessapi.Observation)
	OnWait    func(ctx context.Context, waited time.Duration, window string)
}

// Transport carries one request to the service and returns its response.
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
	confirmations atomic.Int64 // reads of the list of assessments that were started to confirm a 404
}

// New returns the engine of one run. It sends nothing to the service. It opens
// the store of the rate limits, which may ask a Redis server.
//
// Requests pass through these layers, outermost first:
//
//	assessapi method -> retry -> throttle -> attempt -> Transport
//
// Retry is above the throttle, so that every attempt is charged. The throttle is
// above the attempt, so that waiting for a slot is not part of its time.
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
		MaxInFlight: cfg.RequestTimeout + time.Second,
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

// Client sends requests within the limits of the run. It caches nothing: it is for
// what reads each list only once.
func (e *Engine) Client() *assessapi.Client { return e.client }

// Host is the host of the service, with a port if the address has one.
func (e *Engine) Host() string { return e.cfg.BaseURL.Host }

// PlanChecks reports whether plans may look things up.
func (e *Engine) PlanChecks() bool { return e.cfg.PlanChecks }

// LooksUp reports whether a plan call looks things up now. The CLI plans each
// resource again while it applies; what the plan has checked is not checked again.
func (e *Engine) LooksUp() bool { return e.cfg.PlanChecks && e.signals.phase() != Applying }

// Begin says that the CLI has begun to apply. The error is a [ReadOnlyError] if
// the provider must not change anything.
func (e *Engine) Begin() error {
	e.signals.applied.Store(true)
	if e.cfg.ReadOnly {
		return &ReadOnlyError{Method: "a write"}
	}
	return nil
}
