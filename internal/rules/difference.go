// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Difference says in which blocks a position assessment differs from the configuration of a resource, such as
// `benchmark (existing: "bmk-1", here: none)`.
func Difference(existing, here assessapi.Metadata) string {
	one := func(id *string) []string {
		if id == nil {
			return nil
		}
		return []string{*id}
	}
	var all []string
	for _, block := range []struct {
		name           string
		existing, here []string
	}{
		{"packages", existing.Packages, here.Packages},
		{"benchmark", one(existing.Benchmark), one(here.Benchmark)},
		{"profile", one(existing.Profile), one(here.Profile)},
		{"tests", existing.Tests, here.Tests},
	} {
		missing, added := without(block.existing, block.here), without(block.here, block.existing)
		if len(missing)+len(added) == 0 {
			continue
		}
		there := quoted(missing)
		if block.name == "profile" && existing.IsCompleted() {
			there = "completed by a supervisor"
		}
		all = append(all, fmt.Sprintf("%s (existing: %s, here: %s)", block.name, there, quoted(added)))
	}
	return strings.Join(all, ", ")
}

// without returns the ids that are not among others.
func without(ids, others []string) (rest []string) {
	for _, id := range ids {
		if !slices.Contains(others, id) {
			rest = append(rest, id)
		}
	}
	return rest
}

// quoted lists ids, but not more than a few.
func quoted(ids []string) string {
	const most = 3
	if len(ids) == 0 {
		return "none"
	}
	texts := make([]string, 0, most)
	for _, id := range ids[:min(len(ids), most)] {
		texts = append(texts, fmt.Sprintf("%q", id))
	}
	if more := len(ids) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, " ")
}
