// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"cmp"
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

// Difference returns how two configurations differ, such as `benchmark (existing: "bmk-1", here: none)`. For packages
// and tests, it lists the IDs that only one side has. status is the status of the existing profile. The result is empty
// if both configurations are equal.
func Difference(existing, here assessapi.Configuration, status string) string {
	var all []string
	after := idsOf(here)
	for i, before := range idsOf(existing) {
		gone, added := withoutIDs(before.ids, after[i].ids), withoutIDs(after[i].ids, before.ids)
		switch {
		case len(gone)+len(added) == 0:
		case before.name == "packages" || before.name == "tests":
			sides := []string{side("only in the existing one", gone), side("only here", added)}
			sides = slices.DeleteFunc(sides, func(s string) bool { return s == "" })
			all = append(all, fmt.Sprintf("%s (%s)", before.name, strings.Join(sides, "; ")))
		default:
			there := cmp.Or(side("existing", gone), "existing: none")
			if before.name == "profile" && status == assessapi.SupervisorCompleted {
				there = "existing: completed by a supervisor"
			}
			all = append(all, fmt.Sprintf("%s (%s, %s)", before.name, there, cmp.Or(side("here", added), "here: none")))
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

// side names one side of a difference and up to three of its IDs. It returns "" if there are none.
func side(name string, ids []string) string {
	const most = 3
	quoted := make([]string, 0, most)
	for _, id := range ids[:min(len(ids), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", id))
	}
	switch text := name + ": " + strings.Join(quoted, ", "); {
	case len(ids) == 0:
		return ""
	case len(ids) > most:
		return fmt.Sprintf("%s and %d more", text, len(ids)-most)
	default:
		return text
	}
}
