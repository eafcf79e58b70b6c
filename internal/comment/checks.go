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
	removed := p.removed()
	for _, c := range p.Checks {
		if c.Address.Kind != "check" {
			continue
		}
		for _, instance := range c.Instances {
			module := instance.Address.Module
			inModule := func(r row) bool { return module == "" || strings.HasPrefix(r.address, module+".") }
			for _, problem := range instance.Problems {
				if c.Address.Name != byHand {
					if slices.ContainsFunc(rows, inModule) {
						others = append(others, problem.Message)
					}
				} else if text := without(problem.Message, removed); text != "" {
					attached = append(attached, text)
				}
			}
		}
	}
	return attached, others
}

// removed returns POSITION/POSITION_ASSESSMENT of what a plan removes.
func (p plan) removed() (ids []string) {
	for _, r := range p.ResourceChanges {
		if old := r.Change.Before; slices.Contains(r.Change.Actions, "delete") {
			ids = append(ids, textAt(old, "position_id")+"/"+textAt(old, "id"))
		}
	}
	return ids
}

// without drops the lines about removed objects from a finding, because a check sees the service
// before the apply. It returns "" if the finding is about nothing else.
func without(finding string, removed []string) string {
	objects := 0
	lines := slices.DeleteFunc(strings.Split(finding, "\n"), func(line string) bool {
		if !strings.HasPrefix(line, "  ") {
			return false
		}
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,;()", r) })
		drop := slices.ContainsFunc(words, func(word string) bool { return slices.Contains(removed, word) })
		if !drop {
			objects++
		}
		return drop
	})
	if objects == 0 && len(lines) < strings.Count(finding, "\n")+1 {
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
