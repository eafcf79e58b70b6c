// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"strings"
	"time"
)

// creation is the shortest time in which runners plan and apply new resources: a request for each
// resource, one for each position in the plan, and the lists of each runner, in its plan and in its
// apply. The lists are that of all assessments, the pages of the positions, and four for each of five
// different assessments.
func creation(resources, perPosition, runners int) time.Duration {
	positions := resources / perPosition
	lists := 1 + (positions+999)/1000 + 4*5
	return scenario{requests: resources + positions + 2*runners*lists, processes: 1}.floor()
}

// largeSetups is the section of the results about many resources.
func largeSetups() string {
	var b strings.Builder
	b.WriteString("\n## How long large setups take\n\nThe shortest times that the limits of one API key allow. The times are " +
		"computed, not measured.\nThey assume 5 position assessments on each position, 5 different assessments for each\n" +
		"runner, and the largest number of lists that a runner can need.\n\n")
	b.WriteString(row([]string{"position assessments", "plans without changes", "created by 1 runner", "by 10", "by 100"}))
	b.WriteString("|---|---|---|---|---|\n")
	for _, resources := range []int{1_000, 5_000, 10_000, 50_000, 100_000} {
		plan := scenario{requests: resources / 5, processes: 1}.floor()
		cells := []string{fmt.Sprint(resources), plan.String()}
		for _, runners := range []int{1, 10, 100} {
			cells = append(cells, creation(resources, 5, runners).String())
		}
		b.WriteString(row(cells))
	}
	return b.String()
}
