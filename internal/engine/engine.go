// SPDX-License-Identifier: MPL-2.0

// Package engine contains what one configured provider plans and changes during one run of the CLI. It records what the
// run has seen and planned, refuses what would duplicate or lose something, and recovers lost responses. It does not
// use Terraform types.
//
// An [Engine] has one part for each noun:
//
//   - [catalog.Catalog] lists what configurations refer to, [catalog.Results] reads results;
//   - [Attachments] reads, plans, attaches, changes and removes position assessments;
//   - [Activations] enables skills tests.
//
// It is safe for concurrent use, because the CLI plans and applies up to ten resources at the same time.
package engine

import (
	"context"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
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

// New returns the engine of one run. It sends nothing, but may connect to a Redis server (see [connection.Open]).
func New(ctx context.Context, cfg Config) (*Engine, error) {
	r := &run{cfg: cfg, activity: newActivity()}
	if cfg.BaseURL != nil {
		var err error
		if r.connection, err = connection.Open(ctx, cfg.Config); err != nil {
			return nil, err
		}
		r.client = r.connection.Client
	}
	lists := catalog.New(r.client, func(list string, err error) {
		r.notices.Once("list "+list, Notice{Kind: ListNotShown, List: list, Err: err})
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

// ChecksPlan reports whether a plan call may read lists. After the first change of an apply, it does not check again.
func (e *Engine) ChecksPlan() bool { return e.run.checksPlan() }

// BeginApply records that the CLI has begun to apply. If nothing may change, it returns a [connection.ReadOnlyError].
func (e *Engine) BeginApply() error { return e.run.beginApply() }

// BeginCall records a call of the CLI, because [Attachments.Attach] waits for other calls. The caller calls end
// afterwards.
func (e *Engine) BeginCall() (end func()) { return e.run.activity.begin() }

// Notices returns the notices since the last call, with those of the connection.
func (e *Engine) Notices() (about []Notice, connected []connection.Notice) {
	if e.run.connection != nil {
		connected = e.run.connection.Notices()
	}
	return e.run.notices.Take(), connected
}

// Config configures an [Engine].
type Config struct {
	// Config configures the connection. While a setting is unknown, BaseURL is nil, and the engine sends nothing.
	connection.Config
	// PlanChecks is whether plans read lists to refuse what the service would refuse.
	PlanChecks bool
	// AdoptExisting is whether a creation takes over an equal position assessment instead of failing.
	AdoptExisting bool
	// Reused is whether the CLI may use this engine for several runs, as "terraform test" does.
	Reused bool
}

// run is what the nouns of an engine share.
type run struct {
	cfg        Config
	connection *connection.Connection // nil while a setting is unknown
	client     *assessapi.Client      // nil while a setting is unknown
	notices    connection.Queue[Notice]
	applies    atomic.Bool // something was about to be created, changed or deleted, so that this is an apply
	activity   *activity
	forget     func() // clears what a reused engine knows about its last run
}

// checksPlan decides alone whether the CLI may be planning, which the protocol does not tell. An apply starts a new
// provider, and its first planning calls look the same as those of a plan. A reused one may plan after an apply.
func (r *run) checksPlan() bool {
	return r.cfg.PlanChecks && r.client != nil && (r.cfg.Reused || !r.applies.Load())
}

func (r *run) beginApply() error {
	r.applies.Store(true)
	if r.cfg.ReadOnly {
		return &connection.ReadOnlyError{Method: "a write"}
	}
	return nil
}

// refreshes records a call that only plans make. If a reused engine has applied something, it begins another run.
func (r *run) refreshes() {
	if r.cfg.Reused && r.applies.CompareAndSwap(true, false) {
		r.forget()
	}
}

// NoticeKind is the subject of a [Notice].
type NoticeKind int

// Kinds of notices. Each comment starts with the fields of the Notice that are set.
const (
	ListNotShown        NoticeKind = iota // List, Err: plans skip the checks that require this list
	AttachedWithoutLook                   // Ref: the service does not list what a position has already
	InvitationsUnknown                    // Ref, maybe Err: a plan cannot say whether a removal will be refused
	ManyRemovals                          // the plan does not check all positions
	Adopted                               // Objects: creations have taken them over (adopt_existing)
)

// Notice is something that the user should know although nothing failed. Each notice is returned once.
type Notice struct {
	Kind NoticeKind
	List string
	Ref  Ref
	Err  error

	Objects []Object
}
