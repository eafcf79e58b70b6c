// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"slices"
	"strings"
)

// check is a check block with its results.
type check struct {
	Address struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"address"`
	Instances []struct {
		Address struct {
			Module string `json:"module"`
		} `json:"address"`
		Problems []struct {
			Message string `json:"message"`
		} `json:"problems"`
	} `json:"instances"`
}

// byHand is the name of the check that finds assessments that were attached outside the repository.
// Its message has one line for each, which begins with two spaces and contains
// POSITION/POSITION_ASSESSMENT. Other lines are advice.
const byHand = "attached_elsewhere"

// findings returns what check blocks have found: assessments that were attached by hand, and the
// findings of other checks in the modules that a plan changes.
func (p plan) findings(rows []row) (attached, others []string) {
	for _, c := range p.Checks {
		if c.Address.Kind != "check" {
			continue
		}
		for _, instance := range c.Instances {
			for _, problem := range instance.Problems {
				inModule := func(r row) bool { return strings.HasPrefix(r.address, instance.Address.Module) }
				switch text := p.withoutPlanned(problem.Message); {
				case c.Address.Name != byHand:
					if slices.ContainsFunc(rows, inModule) {
						others = append(others, problem.Message)
					}
				case text != "":
					attached = append(attached, text)
				}
			}
		}
	}
	return attached, others
}

// withoutPlanned drops the lines of a finding about objects that the plan removes, because a check
// sees the service before the apply. It returns "" if none is left.
func (p plan) withoutPlanned(finding string) string {
	before, after := 0, 0
	lines := slices.DeleteFunc(strings.Split(finding, "\n"), func(line string) bool {
		if !strings.HasPrefix(line, "  ") {
			return false
		}
		before++
		removed := slices.ContainsFunc(p.ResourceChanges, func(r resourceChange) bool {
			old := r.Change.Before
			return slices.Contains(r.Change.Actions, "delete") &&
				strings.Contains(line+" ", textAt(old, "position_id")+"/"+textAt(old, "id")+")")
		})
		if !removed {
			after++
		}
		return removed
	})
	if before > 0 && after == 0 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// found reports whether a check has already failed with a message in the plan.
func (p plan) found(message string) bool {
	for _, c := range p.Checks {
		for _, instance := range c.Instances {
			for _, problem := range instance.Problems {
				if problem.Message == message {
					return true
				}
			}
		}
	}
	return false
}
