// SPDX-License-Identifier: MPL-2.0

package engine

import "sync/atomic"

// Phase is what the CLI is doing. The protocol does not tell the provider.
type Phase int

// An apply starts a new provider process. Its first planning calls look the same as those of a plan.
const (
	Undetermined Phase = iota // a plan, or an apply that has not created, changed or deleted anything yet
	Planning
	Applying
)

func (p Phase) String() string { return [...]string{"undetermined", "planning", "applying"}[p] }

// signals records calls of the CLI that only occur in one of the phases.
type signals struct {
	reused    bool        // this engine may serve several plans and applies
	refreshed atomic.Bool // a resource was read or imported, which only plans do
	applied   atomic.Bool // a resource was about to be created, changed or deleted
}

// phase returns the current phase. No other code decides this.
func (s *signals) phase() Phase {
	switch {
	case s.reused:
		return Undetermined // the next plan may follow an apply
	case s.applied.Load():
		return Applying
	case s.refreshed.Load():
		return Planning
	default:
		return Undetermined
	}
}
