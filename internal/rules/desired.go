// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Desired is what a configuration wants of a position assessment (section 2.3).
type Desired struct {
	// Position and Assessment are ids. They are empty while they are unknown.
	Position, Assessment                string
	Packages, Benchmark, Profile, Tests Block
	// Activations are the tests whose activations had been planned when the plan
	// of this resource began.
	Activations map[string]bool
}

// Block is one of the blocks that configure an assessment. The zero value is a
// block that is not set.
type Block struct {
	Set     bool     // the block is in the configuration
	Unknown bool     // whether the block is in the configuration is not known yet
	Known   bool     // IDs are known
	IDs     []string // one for benchmark and profile
}

func (b Block) absent() bool { return !b.Set && !b.Unknown }

// labels are the ids for a message, without names.
func (b Block) labels() []assessapi.Label {
	labels := make([]assessapi.Label, len(b.IDs))
	for i, id := range b.IDs {
		labels[i].ID = id
	}
	return labels
}

func (b Block) equal(other Block) bool {
	return b.Set == other.Set && b.Unknown == other.Unknown && b.Known == other.Known && slices.Equal(b.IDs, other.IDs)
}

// Facts are the lists of the service. Each is fetched only if a rule asks for it.
// An error that [assessapi.IsNoList] recognizes says that the service shows no
// such list, which refuses nothing.
type Facts interface {
	Assessments(ctx context.Context) ([]assessapi.Assessment, error)
	Packages(ctx context.Context, assessment string) ([]assessapi.Package, error)
	Benchmarks(ctx context.Context, assessment string) ([]assessapi.Benchmark, error)
	Profiles(ctx context.Context, assessment string) ([]assessapi.Profile, error)
	SkillsTests(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error)
	FindPosition(ctx context.Context, id string) (assessapi.Position, bool, error)
	Positions(ctx context.Context) ([]assessapi.Position, error)
	// AssessmentLabel and PositionLabel return an id with its name, if that is known.
	AssessmentLabel(id string) assessapi.Label
	PositionLabel(id string) assessapi.Label
	// ListsPositionAssessments reports whether a list of a position's assessments
	// has answered in this run.
	ListsPositionAssessments() bool
	// SkipList is told that a list is not shown, so that its checks are skipped.
	SkipList(list string, err error)
}
