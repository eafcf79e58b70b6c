// SPDX-License-Identifier: MPL-2.0

// Package run contains what all nouns share during one run of the CLI: the connection, the lists that were read, what
// core is doing, and the texts about requests that failed. It does not use Terraform types.
package run

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
)

// Config configures a [Run].
type Config struct {
	// Config configures the connection. While a setting is unknown, BaseURL is nil, and the run sends nothing.
	connection.Config
	// PlanChecks is whether plans read lists to refuse what the service would refuse.
	PlanChecks bool
	// AdoptExisting is whether a creation takes over an equal position assessment instead of failing.
	AdoptExisting bool
	// Reused is whether the CLI may use this value for several runs, as "terraform test" does.
	Reused bool
}

// Run is one configured provider during one plan or one apply. It is safe for concurrent use, because the CLI plans and
// applies up to ten resources at the same time.
type Run struct {
	Config
	activity
	Client *assessapi.Client // nil while a setting is unknown

	connection *connection.Connection // nil while a setting is unknown
	notices    connection.NoticeQueue[finding.Finding]
	applies    atomic.Bool // something was about to be created, changed or deleted, so that this is an apply
	known      atomic.Pointer[known]
}

// known is what a run knows about the service. A reused run replaces all of it at once.
type known struct {
	catalog *catalog.Catalog
	nouns   sync.Map // by type, what each noun knows
}

// New returns a run. It sends nothing, but may connect to a Redis server (see [connection.Open]).
func New(ctx context.Context, cfg Config) (*Run, error) {
	r := &Run{Config: cfg}
	if cfg.BaseURL != nil {
		var err error
		if r.connection, err = connection.Open(ctx, cfg.Config); err != nil {
			return nil, err
		}
		r.Client = r.connection.Client
	}
	r.forget()
	return r, nil
}

func (r *Run) forget() {
	r.vain.Store(false)
	r.known.Store(&known{catalog: catalog.New(r.Client, func(list string, err error) {
		r.Notice("list "+list, warning("Could not check the "+list, fmt.Sprintf("This service does not list %s. %s\n\nSo "+
			"the plan does not check them, and the service decides during the apply. You do not need to do anything.",
			list, Answer(err))))
	})})
}

// Catalog contains the lists that this run has read.
func (r *Run) Catalog() *catalog.Catalog { return r.known.Load().catalog }

// Of returns what a noun knows in a run. It is made when it is first asked for.
func Of[T any](r *Run, create func(*Run) *T) *T {
	nouns := &r.known.Load().nouns
	noun, ok := nouns.Load(reflect.TypeFor[T]())
	if !ok {
		noun, _ = nouns.LoadOrStore(reflect.TypeFor[T](), create(r))
	}
	known, _ := noun.(*T)
	return known
}

// Connected reports whether all settings are known, so that requests can be sent.
func (r *Run) Connected() bool { return r.Client != nil }

// ChecksPlan reports whether a plan call may read lists. It decides alone whether the CLI may be planning, which the
// protocol does not tell. An apply starts a new provider, and its first planning calls look the same as those of a
// plan. A reused one may plan after an apply.
func (r *Run) ChecksPlan() bool {
	return r.PlanChecks && r.Connected() && (r.Reused || !r.applies.Load())
}

// BeginApply records that the CLI has begun to apply. If nothing may change, it returns a [connection.ReadOnlyError].
func (r *Run) BeginApply() error {
	r.applies.Store(true)
	if r.ReadOnly {
		return &connection.ReadOnlyError{Method: "a write"}
	}
	return nil
}

// Refreshes records a call that only plans make. If a reused run has applied something, it begins another run, which
// knows nothing about the last one.
func (r *Run) Refreshes() {
	if r.Reused && r.applies.CompareAndSwap(true, false) {
		r.forget()
	}
}
