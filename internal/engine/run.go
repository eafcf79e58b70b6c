// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
)

// Config configures an [Engine].
type Config struct {
	// Config configures the connection. BaseURL is nil while a setting is unknown: then the
	// engine sends nothing, and only records what a plan does.
	connection.Config
	// PlanChecks is whether plans read lists to refuse what the service would refuse.
	PlanChecks bool
	// AdoptExisting is whether a creation takes over an equal position assessment that this run does
	// not remove, instead of failing.
	AdoptExisting bool
	// Reused is whether the CLI may use this engine for several runs, as "terraform test"
	// does.
	Reused bool
	// Snapshot is whether the service is a snapshot of another one. A snapshot contains no
	// position assessments, so a 404 from it proves nothing.
	Snapshot bool
}

// run is what the nouns of an engine share.
type run struct {
	cfg        Config
	connection *connection.Connection // nil while a setting is unknown
	client     *assessapi.Client      // nil while a setting is unknown
	notices    notices
	signals    signals
	activity   *activity
	forget     func() // clears what a reused engine knows about its last run
}

func (r *run) checksPlan() bool {
	return r.cfg.PlanChecks && r.client != nil && r.signals.phase() != Applying
}

func (r *run) beginApply() error {
	r.signals.applied.Store(true)
	if r.cfg.ReadOnly {
		return &connection.ReadOnlyError{Method: "a write"}
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
}
