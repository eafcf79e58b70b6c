// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// visibility is what this run knows of assumption A22: whether reads return
// packages, benchmark and tests. A service that never does is mute. Muteness must
// be proven; what an answer to a write contains proves nothing (assumption A27).
type visibility struct {
	shown   atomic.Bool // a read has contained at least one of the three
	mute    atomic.Bool // a read has lacked what must be there
	probing lock        // held while the first written benchmark is read back
	probed  bool
}

// observe learns from a read.
func (v *visibility) observe(pa assessapi.PositionAssessment) {
	if pa.Metadata.Configured() {
		v.shown.Store(true)
	}
}

func (v *visibility) provenMute() bool { return v.mute.Load() && !v.shown.Load() }

// Memory is what the private state remembers about a position assessment.
type Memory struct {
	// Shown: a read has contained packages, benchmark or tests, so that their
	// absence from a later read is a change.
	Shown bool `json:"shown,omitempty"`
	// Supervised: a supervisor has completed the profile, and the service returns
	// none.
	Supervised bool `json:"supervised,omitempty"`
}

// hides reports whether a read leaves out what is there. configured is what the
// state holds. If no read has ever shown it, it is what we wrote ourselves, and a
// read after our own write that lacks it proves the service mute.
func (e *Engine) hides(pa assessapi.PositionAssessment, configured assessapi.Metadata, memory Memory) bool {
	switch {
	case pa.Metadata.Configured(), !configured.Configured():
		return false
	case memory.Shown, e.metadata.shown.Load():
		return false
	}
	e.metadata.mute.Store(true)
	return true
}

// comparable reports whether a position assessment from a list can be compared
// with a configuration. On a mute service it cannot, unless its assessment accepts
// none of the three blocks.
func (e *Engine) comparable(ctx context.Context, pa assessapi.PositionAssessment) bool {
	if pa.Metadata.Configured() || pa.Metadata.ProfileStatus != nil || e.metadata.shown.Load() {
		return true
	}
	if e.metadata.mute.Load() {
		return e.acceptsNothing(ctx, pa.AssessmentID)
	}
	requires, err := e.requiresBlock(ctx, pa.AssessmentID)
	if requires {
		e.metadata.mute.Store(true) // it must have packages or tests, and shows none
	}
	return err == nil && !requires
}

// requiresBlock reports whether an assessment cannot be attached without packages
// or tests (assumption A29). A list that the service does not show requires nothing.
func (e *Engine) requiresBlock(ctx context.Context, assessment string) (bool, error) {
	packages, err := e.Packages(ctx, assessment)
	if err != nil && !assessapi.IsNoList(err) {
		return false, err
	}
	if len(packages) > 0 {
		return true, nil
	}
	for _, active := range []bool{true, false} {
		tests, err := e.SkillsTests(ctx, assessment, active)
		if err != nil && !assessapi.IsNoList(err) {
			return false, err
		}
		if len(tests) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// acceptsNothing reports whether an assessment has neither benchmarks nor packages
// nor skills tests.
func (e *Engine) acceptsNothing(ctx context.Context, assessment string) bool {
	benchmarks, err := e.Benchmarks(ctx, assessment)
	if err != nil || len(benchmarks) > 0 {
		return false
	}
	requires, err := e.requiresBlock(ctx, assessment)
	return err == nil && !requires
}

// probe reads a position assessment back after the first write of a benchmark in
// a run. An assessment need not have a benchmark, so without this read the next
// run could not tell a benchmark that was removed from a mute service.
func (e *Engine) probe(ctx context.Context, ref Ref, written assessapi.Metadata) {
	if written.Benchmark == nil || len(written.Packages) > 0 {
		return
	}
	e.metadata.probing.Lock()
	defer e.metadata.probing.Unlock()
	if e.metadata.probed || e.metadata.shown.Load() {
		return
	}
	e.metadata.probed = true
	pa, err := e.attached.fresh(ctx, ref)
	if err == nil && !pa.Metadata.Configured() {
		e.metadata.mute.Store(true)
	}
}
