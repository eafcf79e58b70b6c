// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// ConfigurationOf returns the configuration that the metadata of a response show. It has no values for the keys that
// the metadata omit or show as empty.
func ConfigurationOf(m assessapi.Metadata) (c assessapi.Configuration) {
	if packages, ok := m.Packages.Get(); ok && len(packages) > 0 {
		c.Packages = packages
	}
	if tests, ok := m.Tests.Get(); ok && len(tests) > 0 {
		c.Tests = tests
	}
	c.Benchmark, c.Profile = m.Benchmark.Value, m.Profile.Value
	return c
}

// Equal compares two configurations. IDs are compared as sets.
func Equal(a, b assessapi.Configuration) bool {
	return Difference(a, b, "") == ""
}

// Keys returns the keys of metadata that a write sends.
func Keys(c assessapi.Configuration) (keys []string) {
	for _, block := range idsOf(c) {
		if block.sent {
			keys = append(keys, block.name)
		}
	}
	return keys
}

// Difference returns how two configurations differ, such as `benchmark (existing: "bmk-1", here: none)`, or "" if they
// are equal. For packages and tests, it lists the IDs that only one side has. status is the status of the existing
// profile. If it is SUPERVISOR_COMPLETED, the text for the profile says so instead of naming the existing ID.
func Difference(existing, here assessapi.Configuration, status string) string {
	var all []string
	blocksHere := idsOf(here)
	for i, block := range idsOf(existing) {
		if text := block.difference(blocksHere[i].ids, status); text != "" {
			all = append(all, fmt.Sprintf("%s (%s)", block.name, text))
		}
	}
	return strings.Join(all, ", ")
}

// difference returns how one block of the existing configuration differs from the same block of the other
// configuration, or "". The parameter here contains the IDs of that other block. For status, see [Difference].
func (b blockIDs) difference(here []string, status string) string {
	onlyExisting, onlyHere := withoutIDs(b.ids, here), withoutIDs(here, b.ids)
	isList := b.name == "packages" || b.name == "tests"
	switch {
	case len(onlyExisting)+len(onlyHere) == 0:
		return ""
	case b.name == "profile" && status == assessapi.SupervisorCompleted:
		return "existing: completed by a supervisor, " + side("here", onlyHere)
	case !isList:
		return side("existing", onlyExisting) + ", " + side("here", onlyHere)
	case len(onlyExisting) == 0:
		return side("only here", onlyHere)
	case len(onlyHere) == 0:
		return side("only in the existing one", onlyExisting)
	}
	return side("only in the existing one", onlyExisting) + "; " + side("only here", onlyHere)
}

// blockIDs are the IDs of one block of a configuration.
type blockIDs struct {
	name string
	ids  []string
	sent bool // whether a write sends the key
}

func idsOf(c assessapi.Configuration) []blockIDs {
	one := func(name string, id *string) blockIDs {
		if id == nil {
			return blockIDs{name: name}
		}
		return blockIDs{name, []string{*id}, true}
	}
	return []blockIDs{
		{"packages", c.Packages, c.Packages != nil},
		one("benchmark", c.Benchmark), one("profile", c.Profile),
		{"tests", c.Tests, c.Tests != nil},
	}
}

// withoutIDs returns the IDs in ids that are not in the parameter others. The result is sorted and has each ID once.
func withoutIDs(ids, others []string) []string {
	unique := slices.Compact(slices.Sorted(slices.Values(ids)))
	return slices.DeleteFunc(unique, func(id string) bool { return slices.Contains(others, id) })
}

// side returns the name of one side of a difference with its IDs, such as `here: "a", "b"`, or `here: none`.
func side(name string, ids []string) string {
	var labels []assessapi.Label
	for _, id := range ids {
		labels = append(labels, assessapi.Label{ID: id})
	}
	return name + ": " + messages.OneOf(labels)
}
