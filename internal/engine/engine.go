// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
)

// Engine is one configured provider during one run.
type Engine struct {
	Catalog     *catalog.Catalog
	Results     *catalog.Results
	Attachments *Attachments
	Activations *Activations

	run *run
}

// New returns the engine of one run. It sends nothing to the service, but may connect to the
// server of the shared rate limits (see [connection.Open]).
func New(ctx context.Context, cfg Config) (*Engine, error) {
	r := &run{cfg: cfg, signals: signals{reused: cfg.Reused}, activity: newActivity()}
	if cfg.BaseURL != nil {
		var err error
		if r.connection, err = connection.Open(ctx, cfg.Config); err != nil {
			return nil, err
		}
		r.client = r.connection.Client
	}
	lists := catalog.New(r.client, cfg.Snapshot, func(list string, err error) {
		r.notices.once("list "+list, Notice{Kind: ListNotShown, List: list, Err: err})
	})
	results := &catalog.Results{Client: r.client}
	activations := &Activations{run: r, catalog: lists}
	attachments := newAttachments(r, lists, activations, results)
	r.forget = func() {
		lists.Clear()
		results.Clear()
		activations.planned.Clear()
		attachments.clear()
	}
	return &Engine{Catalog: lists, Results: results, Attachments: attachments, Activations: activations, run: r}, nil
}

// Connected reports whether all settings are known, so that requests can be sent.
func (e *Engine) Connected() bool { return e.run.client != nil }

// Host returns the host of the service, with the port if the address has one.
func (e *Engine) Host() string { return e.run.cfg.BaseURL.Host }

// ChecksPlan reports whether a plan call may read lists now. During an apply, the CLI plans
// each resource again. After the first change, these calls do not repeat the checks.
func (e *Engine) ChecksPlan() bool { return e.run.checksPlan() }

// BeginApply records that the CLI has begun to apply. It returns a
// [connection.ReadOnlyError] if the provider must not change anything.
func (e *Engine) BeginApply() error { return e.run.beginApply() }

// BeginCall records that the CLI has called the provider. The caller calls end after the
// call. See [Attachments.Attach] for its purpose.
func (e *Engine) BeginCall() (end func()) { return e.run.activity.begin() }

// Notices returns the notices since the last call, with those of the connection.
func (e *Engine) Notices() (about []Notice, connected []connection.Notice) {
	if e.run.connection != nil {
		connected = e.run.connection.Notices()
	}
	return e.run.notices.take(), connected
}
