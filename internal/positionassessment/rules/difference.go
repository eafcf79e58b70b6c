// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Difference says in which blocks a configuration differs from an existing one, such as `benchmark (existing: "bmk-1",
// here: none)`. Of packages and tests, it shows the ids that only one side has. It is empty if both are equal.
func Difference(existing, here assessapi.Metadata) string {
	before, after := idsOf(existing), idsOf(here)
	var all []string
	for i, block := range []string{"packages", "benchmark", "profile", "tests"} {
		gone, added := withoutIDs(before[i], after[i]), withoutIDs(after[i], before[i])
		switch {
		case len(gone)+len(added) == 0:
		case block == "packages" || block == "tests":
			sides := []string{side("only in the existing one", gone), side("only here", added)}
			sides = slices.DeleteFunc(sides, func(s string) bool { return s == "" })
			all = append(all, fmt.Sprintf("%s (%s)", block, strings.Join(sides, "; ")))
		default:
			there := cmp.Or(side("existing", gone), "existing: none")
			if block == "profile" && existing.IsCompleted() {
				there = "existing: completed by a supervisor"
			}
			all = append(all, fmt.Sprintf("%s (%s, %s)", block, there, cmp.Or(side("here", added), "here: none")))
		}
	}
	return strings.Join(all, ", ")
}

// idsOf returns the ids of packages, benchmark, profile and tests.
func idsOf(m assessapi.Metadata) (all [4][]string) {
	all[0], all[3] = m.Packages, m.Tests
	for i, id := range []*string{m.Benchmark, m.Profile} {
		if id != nil {
			all[i+1] = []string{*id}
		}
	}
	return all
}

// withoutIDs returns the ids that are not among others, sorted and each once.
func withoutIDs(ids, others []string) []string {
	unique := slices.Compact(slices.Sorted(slices.Values(ids)))
	return slices.DeleteFunc(unique, func(id string) bool { return slices.Contains(others, id) })
}

// side names one side of a difference and its ids, but not more than three, or returns "" if there are none.
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
