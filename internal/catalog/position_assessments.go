// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// PositionAssessments reads and changes the assessments of positions. It also knows about assumption A22: whether the
// service returns packages, benchmark and tests, or hides them. That the service hides them must be
// proven by a read. The response to a write proves nothing (assumption A27).
type PositionAssessments struct {
	*Objects[assessapi.PositionAssessment]
	shown  atomic.Bool     // a read has contained at least one of the three
	hidden atomic.Bool     // a read has lacked one that must exist
	probed Cache[struct{}] // whether the first benchmark that was written was read back
}

func newPositionAssessments(c *Catalog) *PositionAssessments {
	p := &PositionAssessments{Objects: ObjectsOf(c, c.client.PositionAssessments())}
	p.observe = func(pa assessapi.PositionAssessment) {
		if pa.Metadata.Configured() {
			p.shown.Store(true)
		}
	}
	p.compare = func(ctx context.Context, wanted, got assessapi.PositionAssessment) assessapi.Likeness {
		// If no read has ever contained a block, the service may hide the blocks. Then a
		// position assessment without them may still be the one that was sent.
		lacks := wanted.Metadata.Configured() && !got.Metadata.Configured() && !p.Shown()
		switch {
		case got.AssessmentID != wanted.AssessmentID:
			return assessapi.Unlike
		case lacks:
			return assessapi.Unclear
		}
		switch isShown, _ := p.Comparable(ctx, got); {
		case !isShown:
			return assessapi.Unclear
		case got.Metadata.Equal(wanted.Metadata):
			return assessapi.Alike
		}
		return assessapi.Unlike
	}
	p.isOwnerGone = func(ctx context.Context, position string) (bool, error) {
		_, exists, err := c.FindPosition(ctx, position)
		return !exists && c.positions.isCurrent(), err
	}
	p.answers = func(ctx context.Context, position string) bool {
		_, _, err := c.client.FirstResults(ctx, position)
		return err == nil
	}
	return p
}

// Shown reports whether a read of this run has contained packages, benchmark or tests.
func (p *PositionAssessments) Shown() bool { return p.shown.Load() }

// ProvenHidden reports whether reads have proven that the service hides them.
func (p *PositionAssessments) ProvenHidden() bool { return p.hidden.Load() && !p.shown.Load() }

// Memory is what the private state of the resource stores about a position assessment.
type Memory struct {
	// Shown is whether a read has contained packages, benchmark or tests. If a later read
	// lacks them, they have been removed.
	Shown bool `json:"shown,omitempty"`
	// Supervised is whether a supervisor has completed the profile, and the service does not return its id.
	Supervised bool `json:"supervised,omitempty"`
	// Unread is whether the state may lack the status of a profile, because nothing has shown one since the last write.
	Unread bool `json:"unread,omitempty"`
	// Created is when this provider attached it. It is zero after an import.
	Created time.Time `json:"created,omitzero"`
}

// Remember returns the memory after the service has returned the position assessment. shown is whether a read has
// contained packages, benchmark or tests.
func (m Memory) Remember(pa assessapi.PositionAssessment, shown bool) Memory {
	return Memory{
		Shown: m.Shown || shown, Supervised: pa.Metadata.IsCompleted() && pa.Metadata.Profile == nil, Created: m.Created,
	}
}

// visible is after what time each read must show what was attached.
const visible = 10 * time.Second

// Appears returns how long reads may still lack the position assessment, because the service may answer them from a
// copy that is out of date. It is short also if the clock was set back since then.
func (m Memory) Appears() time.Duration {
	if age := time.Since(m.Created); age.Abs() < visible {
		return visible - age
	}
	return 0
}

// Hides reports whether a read omits packages, benchmark and tests that exist. configured
// is the metadata of the state. If no read has ever contained them, the state has them
// from our own write, so this read proves that the service hides them.
func (p *PositionAssessments) Hides(
	pa assessapi.PositionAssessment, configured assessapi.Metadata, memory Memory,
) bool {
	switch {
	case pa.Metadata.Configured(), !configured.Configured():
		return false
	case memory.Shown, p.shown.Load():
		return false
	}
	p.hidden.Store(true)
	return true
}

// Comparable reports whether a position assessment of a list can be compared with a
// configuration. If the service hides the three blocks, that is possible only if the
// assessment accepts none of them. The error says why a list that shows this could not be read.
func (p *PositionAssessments) Comparable(ctx context.Context, pa assessapi.PositionAssessment) (bool, error) {
	if pa.Metadata.Configured() || pa.Metadata.ProfileStatus != nil || p.shown.Load() {
		return true, nil
	}
	if p.hidden.Load() {
		return p.acceptsNothing(ctx, pa.AssessmentID)
	}
	requires, err := p.requiresBlock(ctx, pa.AssessmentID)
	if requires {
		p.hidden.Store(true) // it must have packages or tests, and the service returns none
	}
	return err == nil && !requires, err
}

// requiresBlock reports whether an assessment requires packages or tests (assumption
// A29). A list that the service does not offer requires nothing.
func (p *PositionAssessments) requiresBlock(ctx context.Context, assessment string) (bool, error) {
	packages, err := p.catalog.List(ctx, assessapi.Packages, assessment)
	if err != nil && !assessapi.IsNoList(err) {
		return false, err
	}
	if len(packages) > 0 {
		return true, nil
	}
	for _, active := range []bool{true, false} {
		tests, err := p.catalog.SkillsTests(ctx, assessment, active)
		if err != nil && !assessapi.IsNoList(err) {
			return false, err
		}
		if len(tests) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// acceptsNothing reports whether an assessment has no benchmarks, no packages and no skills tests.
func (p *PositionAssessments) acceptsNothing(ctx context.Context, assessment string) (bool, error) {
	benchmarks, err := p.catalog.List(ctx, assessapi.Benchmarks, assessment)
	switch {
	case assessapi.IsNoList(err):
		return false, nil
	case err != nil || len(benchmarks) > 0:
		return false, err
	}
	requires, err := p.requiresBlock(ctx, assessment)
	return err == nil && !requires, err
}

// Probe reads a position assessment after the first write of a benchmark in a run. A benchmark is optional. Without
// this read, the next run could not tell a removed benchmark from a service that hides it.
func (p *PositionAssessments) Probe(ctx context.Context, position, id string, written assessapi.Metadata) {
	if written.Benchmark == nil || len(written.Packages) > 0 {
		return
	}
	_, _ = p.probed.Get(ctx, "", func(ctx context.Context) (none struct{}, _ error) {
		if p.shown.Load() {
			return none, nil
		}
		if pa, doubt, err := p.readNow(ctx, position, id); err == nil && doubt == nil && !pa.Metadata.Configured() {
			p.hidden.Store(true)
		}
		return none, nil
	})
}
