// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"slices"
	"time"
)

// copied returns a deep copy of the state. Only the text of JSON values is shared,
// because it is never changed in place.
func (st *State) copied() *State {
	c := *st
	c.Version = stateVersion
	c.Windows = st.Windows.copied()
	c.Assessments = copyEach(st.Assessments, Assessment.copied)
	c.Positions = copyEach(st.Positions, Position.copied)
	c.Snapshot = copyOf(st.Snapshot)
	return &c
}

func (w Windows) copied() Windows {
	return Windows{Requests: slices.Clone(w.Requests), Results: slices.Clone(w.Results)}
}

func (a Assessment) copied() Assessment {
	a.Packages = copyEach(a.Packages, func(p Package) Package { p.Extra = slices.Clone(p.Extra); return p })
	a.Benchmarks = copyEach(a.Benchmarks, func(b Benchmark) Benchmark { b.Extra = slices.Clone(b.Extra); return b })
	a.Profiles = copyEach(a.Profiles, func(p Profile) Profile { p.Extra = slices.Clone(p.Extra); return p })
	a.SkillsTests = copyEach(a.SkillsTests, func(t SkillsTest) SkillsTest { return SkillsTest{slices.Clone(t.Object)} })
	a.Refused = slices.Clone(a.Refused)
	a.Extra = slices.Clone(a.Extra)
	return a
}

func (p Position) copied() Position {
	p.Assessments = copyEach(p.Assessments, PositionAssessment.copied)
	p.Candidates = copyEach(p.Candidates, Candidate.copied)
	p.Extra = slices.Clone(p.Extra)
	return p
}

func (a PositionAssessment) copied() PositionAssessment {
	a.Metadata.Packages = slices.Clone(a.Metadata.Packages)
	a.Metadata.Tests = slices.Clone(a.Metadata.Tests)
	a.Metadata.Extra = slices.Clone(a.Metadata.Extra)
	a.Extra = slices.Clone(a.Extra)
	return a
}

func (c Candidate) copied() Candidate {
	c.Results = copyEach(c.Results, Result.copied)
	c.Extra = slices.Clone(c.Extra)
	return c
}

func (r Result) copied() Result {
	r.Percentile = copyOf(r.Percentile)
	r.Invitations = copyEach(r.Invitations, func(i Invitation) Invitation {
		i.Completed = copyOf[time.Time](i.Completed)
		i.Extra = slices.Clone(i.Extra)
		return i
	})
	r.Extra = slices.Clone(r.Extra)
	return r
}

// copyEach returns a slice of copies, or nil for nil.
func copyEach[T any](elements []T, copied func(T) T) []T {
	all := slices.Clone(elements)
	for i := range all {
		all[i] = copied(all[i])
	}
	return all
}

func copyOf[T any](value *T) *T {
	if value == nil {
		return nil
	}
	c := *value
	return &c
}
