// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ConfigurationOf returns the configuration that the metadata of a response show. It has no values for the keys that
// the metadata omit.
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
// profile: SUPERVISOR_COMPLETED is shown instead of an ID.
func Difference(existing, here assessapi.Configuration, status string) string {
	var all []string
	after := idsOf(here)
	for i, before := range idsOf(existing) {
		gone, added := withoutIDs(before.ids, after[i].ids), withoutIDs(after[i].ids, before.ids)
		switch {
		case len(gone)+len(added) == 0:
		case before.name == "packages" || before.name == "tests":
			var sides []string
			if len(gone) > 0 {
				sides = append(sides, side("only in the existing one", gone))
			}
			if len(added) > 0 {
				sides = append(sides, side("only here", added))
			}
			all = append(all, fmt.Sprintf("%s (%s)", before.name, strings.Join(sides, "; ")))
		case before.name == "profile" && status == assessapi.SupervisorCompleted:
			all = append(all, fmt.Sprintf("profile (existing: completed by a supervisor, %s)", side("here", added)))
		default:
			all = append(all, fmt.Sprintf("%s (%s, %s)", before.name, side("existing", gone), side("here", added)))
		}
	}
	return strings.Join(all, ", ")
}

// blockIDs are the IDs of one block of a configuration.
type blockIDs struct {
	name string
	ids  []string
	sent bool
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

// withoutIDs returns the IDs that are not among others, sorted and each once.
func withoutIDs(ids, others []string) []string {
	unique := slices.Compact(slices.Sorted(slices.Values(ids)))
	return slices.DeleteFunc(unique, func(id string) bool { return slices.Contains(others, id) })
}

// side returns the name of one side of a difference with up to three of its IDs, such as `here: "a", "b", "c" and 2
// more`, or `here: none`.
func side(name string, ids []string) string {
	const most = 3
	if len(ids) == 0 {
		return name + ": none"
	}
	var quoted []string
	for _, id := range ids[:min(len(ids), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", id))
	}
	text := name + ": " + strings.Join(quoted, ", ")
	if len(ids) > most {
		text += fmt.Sprintf(" and %d more", len(ids)-most)
	}
	return text
}
