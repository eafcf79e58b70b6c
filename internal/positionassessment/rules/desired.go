// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// Desired is the configuration of a position assessment (attachAssessment).
type Desired struct {
	// Position and Assessment are ids. They are empty while they are unknown.
	Position, Assessment                string
	Packages, Benchmark, Profile, Tests Block
	// Activations are the IDs of tests that this run already plans to enable. Attached are the IDs of tests that the
	// position assessment has, so these tests need not be enabled.
	Activations map[string]bool
	Attached    []string
}

// Block is one of the blocks that configure an assessment. The zero value is a block that is not set.
type Block struct {
	Set     bool     // the block is certainly in the configuration
	Unknown bool     // it is not known yet whether the block is in the configuration
	Known   bool     // IDs are known
	IDs     []string // exactly one for benchmark and profile
	Null    bool     // the attribute with the IDs is null
}

func (b Block) absent() bool { return !b.Set && !b.Unknown }

// named describes the object in a block, such as `profile "x"`, or the block if the ID of the object is not known.
func (b Block) named(block string) string {
	if !b.Known {
		return fmt.Sprintf("the block %q", block)
	}
	return fmt.Sprintf("%s %q", block, b.IDs[0])
}

// namedBlock is a block with its name.
type namedBlock struct {
	Block
	name string
	key  string // the attribute that the block requires. Empty for "packages", see [CheckSelection]
}

// blocks returns the blocks in a fixed order.
func (d Desired) blocks() []namedBlock {
	return []namedBlock{
		{d.Packages, "packages", ""},
		{d.Benchmark, "benchmark", "id"},
		{d.Profile, "profile", "id"},
		{d.Tests, "tests", "ids"},
	}
}

// Configuration returns what a write sends, and whether all of it is known.
func (d Desired) Configuration() (c assessapi.Configuration, known bool) {
	isUnknown := func(b namedBlock) bool { return b.Unknown || b.Set && !b.Known }
	return assessapi.Configuration{
		Packages: d.Packages.sentIDs(), Benchmark: d.Benchmark.sentID(),
		Profile: d.Profile.sentID(), Tests: d.Tests.sentIDs(),
	}, !slices.ContainsFunc(d.blocks(), isUnknown)
}

// sentIDs returns the IDs that a write sends for a block, or nil without a block.
func (b Block) sentIDs() []string {
	if !b.Set {
		return nil
	}
	return b.IDs
}

// sentID returns the ID that a write sends for a block with one ID, or nil without an ID.
func (b Block) sentID() *string {
	if ids := b.sentIDs(); len(ids) > 0 {
		return &ids[0]
	}
	return nil
}

// SameScores reports whether a change keeps packages, benchmark and tests, so that scores can be compared.
func (d Desired) SameScores(other Desired) bool {
	return d.Packages.same(other.Packages) && d.Benchmark.same(other.Benchmark) && d.Tests.same(other.Tests)
}

// same reports whether two blocks are equal. It compares IDs as sets.
func (b Block) same(other Block) bool {
	return b.Set == other.Set && b.Unknown == other.Unknown && b.Known == other.Known &&
		slices.Equal(slices.Sorted(slices.Values(b.IDs)), slices.Sorted(slices.Values(other.IDs)))
}

// Facts reads the lists of the service. A list is requested only if a rule asks for it.
type Facts interface {
	messages.Lists
	Position(ctx context.Context, id string) (assessapi.Item, bool, error)
	Positions(ctx context.Context) ([]assessapi.Item, error)
	// PositionLabel returns an id with its name, if the name is known.
	PositionLabel(id string) assessapi.Label
	// SkipList records that the service does not offer a list, so that its checks are skipped.
	SkipList(list string, err error)
}
