// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Engine is one configured provider during one run.
type Engine struct {
	Catalog     *Catalog
	Attachments *Attachments
	Activations *Activations
	Results     *Results

	run *run
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
	r := &run{cfg: cfg, signals: signals{reused: cfg.Reused}, calls: newCalls()}
	if cfg.BaseURL != nil {
		if err := r.connect(ctx); err != nil {
			return nil, err
		}
	}
	catalog := newCatalog(r)
	results := &Results{run: r}
	activations := &Activations{run: r, catalog: catalog}
	attachments := newAttachments(r, catalog, activations, results)
	r.forget = func() {
		catalog.clear()
		results.clear()
		activations.clear()
		attachments.clear()
	}
	return &Engine{Catalog: catalog, Attachments: attachments, Activations: activations, Results: results, run: r}, nil
}

// Connected reports whether all settings are known, so that requests can be sent.
func (e *Engine) Connected() bool { return e.run.client != nil }

// Client returns the client of the service, which stays within the rate limits of the
// run. It caches nothing. Use it only to read each list once.
func (e *Engine) Client() *assessapi.Client { return e.run.client }

// Host returns the host of the service, with the port if the address has one.
func (e *Engine) Host() string { return e.run.cfg.BaseURL.Host }

// ChecksPlan reports whether a plan call may read lists now. During an apply, the CLI plans
// each resource again. After the first change, these calls do not repeat the checks.
func (e *Engine) ChecksPlan() bool { return e.run.checksPlan() }

// BeginApply records that the CLI has begun to apply. It returns a [ReadOnlyError] if the
// provider must not change anything.
func (e *Engine) BeginApply() error { return e.run.beginApply() }

// BeginCall records that the CLI has called the provider. The caller calls end after the
// call. See [Attachments.Plan] for its purpose.
func (e *Engine) BeginCall() (end func()) { return e.run.calls.begin() }

// Notices returns the notices since the last call.
func (e *Engine) Notices() []Notice { return e.run.takeNotices() }
