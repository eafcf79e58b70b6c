// SPDX-License-Identifier: MPL-2.0

package engine

import "sync/atomic"

// Phase is what the CLI does with the provider: protocol calls do not say it.
type Phase int

// An apply starts a new provider process, which cannot tell its first planning
// calls from those of a plan.
const (
	Undetermined Phase = iota // a plan, or an apply that has not created, changed or deleted anything yet
	Planning
	Applying
)

func (p Phase) String() string { return [...]string{"undetermined", "planning", "applying"}[p] }

// signals are the calls of the CLI that tell one phase from another.
type signals struct {
	reused    bool        // this engine may serve several plans and applies
	refreshed atomic.Bool // a resource was read or imported, which only plans do
	applied   atomic.Bool // a resource was about to be created, changed or deleted
}

// phase is the only place that decides which phase the CLI is in.
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
