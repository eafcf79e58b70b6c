// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// byHand is the name of the check that finds assessments that were attached outside the repository. Its message has one
// line for each position assessment. The line begins with two spaces and contains POSITION/POSITION_ASSESSMENT. Other
// lines are advice.
const byHand = "attached_elsewhere"

// checkProblem is a failure of a check block.
type checkProblem struct{ check, module, message string }

// checkProblems returns the failures of the check blocks of a plan.
func (p plan) checkProblems() (all []checkProblem) {
	for _, c := range p.Checks {
		if c.Address.Kind != tfjson.CheckKindCheckBlock {
			continue
		}
		for _, instance := range c.Instances {
			for _, problem := range instance.Problems {
				all = append(all, checkProblem{c.Address.Name, instance.Address.Module, problem.Message})
			}
		}
	}
	return all
}

// hasFinding reports whether a check block of a plan has failed with a message.
func (p plan) hasFinding(message string) bool {
	return slices.ContainsFunc(p.checkProblems(), func(f checkProblem) bool { return f.message == message })
}

// contains reports whether a row is about an object in the module of the check. The root module contains all objects.
func (f checkProblem) contains(r *row) bool {
	return f.module == "" || strings.HasPrefix(r.address, f.module+".")
}

// findings returns the messages of failed check blocks. attachedByHand contains the messages of the check byHand,
// without the lines about managed objects. others contains the messages of other checks if one of the rows is about an
// object in the module of the check.
func (p plan) findings(rows []*row) (attachedByHand, others []string) {
	managed := p.managed()
	for _, f := range p.checkProblems() {
		if f.check == byHand {
			if text := withoutManaged(f.message, managed); text != "" {
				attachedByHand = append(attachedByHand, text)
			}
		} else if slices.ContainsFunc(rows, f.contains) {
			others = append(others, f.message)
		}
	}
	return attachedByHand, others
}

// managed returns the import IDs (POSITION/POSITION_ASSESSMENT) of the position assessments in the prior state, each
// without escapes and with escapes.
func (p plan) managed() (ids []string) {
	for _, s := range stateResources(p.PriorState.Values) {
		position, id := textAt(s.AttributeValues, "position_id"), textAt(s.AttributeValues, "id")
		if s.Type == positionAssessment && s.Mode != tfjson.DataResourceMode && id != "" {
			ids = append(ids, position+"/"+id, messages.JoinImportID(position, id))
		}
	}
	return ids
}

// withoutManaged removes the lines about managed objects from a finding. If it removes every line about an object, it
// returns "". A finding can contain lines about managed objects because a check reads the service before the apply, and
// the apply may remove objects that the configuration no longer contains.
func withoutManaged(finding string, managed []string) string {
	isObject := func(line string) bool { return strings.HasPrefix(line, "  ") }
	isManaged := func(line string) bool {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,;()", r) })
		return isObject(line) && slices.ContainsFunc(words, func(word string) bool { return slices.Contains(managed, word) })
	}
	lines := strings.Split(finding, "\n")
	kept := slices.DeleteFunc(slices.Clone(lines), isManaged)
	if len(kept) < len(lines) && !slices.ContainsFunc(kept, isObject) {
		return ""
	}
	return strings.Join(kept, "\n")
}
