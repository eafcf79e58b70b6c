// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"reflect"
	"slices"
	"strings"
)

// Values of profile_status (getPositionAssessment).
const (
	toComplete      = "SUPERVISOR_TO_COMPLETE"
	completed       = "SUPERVISOR_COMPLETED"
	profileAttached = "PROFILE_ATTACHED"
)

// block is a block of a position assessment. It has the ids of objects of one kind.
type block struct{ name, kind string }

var blocks = []block{{"packages", "package"}, {"benchmark", "benchmark"}, {"profile", "profile"}, {"tests", "test"}}

// idsIn returns the ids in a block.
func idsIn(block string, v any) []string {
	if id := textAt(v, block, "id"); id != "" {
		return []string{id}
	}
	return textsAt(v, block, "ids")
}

// knowsIDs reports whether a plan knows all ids in a block.
func knowsIDs(block string, unknown any) bool {
	marks := []any{at(unknown, block), at(unknown, block, "id"), at(unknown, block, "ids")}
	each, _ := at(unknown, block, "ids").([]any)
	return !slices.Contains(append(marks, each...), any(true))
}

// settingTexts lists the settings of an assessment.
func settingTexts(v, unknown any, n planNames) (parts []string) {
	for _, b := range blocks {
		if contents := b.contents(v, unknown, n); contents != none {
			parts = append(parts, b.name+" "+contents)
		}
	}
	return parts
}

// contents returns a text about the objects of the block ([block.objects]). It returns the constant none if the block
// is absent, or "(known after apply)" if the plan does not know all IDs. If a supervisor has completed the profile, it
// returns bySupervisor, because the ID in the block is then the ID of the profile that the supervisor has replaced.
func (b block) contents(v, unknown any, n planNames) string {
	switch {
	case b.name == "profile" && isSupervised(v, unknown):
		return bySupervisor
	case !knowsIDs(b.name, unknown):
		return "(known after apply)"
	case at(v, b.name) == nil:
		return none
	}
	return b.objects(v, n)
}

// objects returns the value of the argument "select", followed by the names of the objects in parentheses. If an object
// has no name, or the block has no IDs, it returns only the value of "select". Without "select", it returns only the
// names, and the IDs of objects without a name.
func (b block) objects(v any, n planNames) string {
	ids, selected := idsIn(b.name, v), n.id(textAt(v, b.name, "select"))
	names := codeSpans(n.ofAll(b.kind, ids))
	switch {
	case selected == "":
		return names
	case len(ids) == 0 || !n.hasNames(b.kind, ids): // without all names, the value of "select" says more than IDs
		return codeSpan(selected)
	}
	return codeSpan(selected) + " (" + names + ")"
}

// differencesOf says which settings differ, or returns "".
func differencesOf(before, after, unknown any, n planNames) string {
	var parts []string
	for _, b := range blocks {
		if difference := b.difference(before, after, unknown, n); difference != "" {
			parts = append(parts, b.name+" "+difference)
		}
	}
	return strings.Join(parts, ", and ")
}

// difference says how the block changes from before to after. It shows both contents or, if these look the same, the
// objects that are added and removed. It returns "" if the IDs stay the same, or if a supervisor's profile stays. If
// the IDs are not known, or are out of date because of a supervisor's profile, it compares only the contents.
func (b block) difference(before, after, unknown any, n planNames) string {
	if b.name == "profile" && isSupervised(before, nil) && profileLoss(before, after, unknown) == "" {
		return ""
	}
	textBefore, textAfter := b.contents(before, nil, n), b.contents(after, unknown, n)
	isOfSupervisor := textBefore == bySupervisor || textAfter == bySupervisor
	moves := ""
	if !isOfSupervisor && knowsIDs(b.name, unknown) {
		moves = movesOf(b.kind, idsIn(b.name, before), idsIn(b.name, after), n)
		if moves == "" {
			return "" // the same IDs, even if the contents differ in the argument select
		}
	}
	switch {
	case textBefore != textAfter:
		return "from " + textBefore + " to " + textAfter
	case moves != "": // the names are equal or not shown
		return "by " + moves
	}
	return ""
}

// movesOf says which objects of a kind are added and removed, or returns "". If an added and a removed object look the
// same, it shows IDs instead of names.
func movesOf(kind string, before, after []string, n planNames) string {
	without := func(all, some []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(some, id) })
	}
	newIDs, oldIDs := without(after, before), without(before, after)
	newNames, oldNames := n.ofAll(kind, newIDs), n.ofAll(kind, oldIDs)
	isOnBothSides := func(name string) bool {
		return slices.ContainsFunc(oldNames, func(old string) bool { return codeSpan(old) == codeSpan(name) })
	}
	if slices.ContainsFunc(newNames, isOnBothSides) {
		newNames, oldNames = n.ids(newIDs), n.ids(oldIDs)
	}
	var parts []string
	if len(newIDs) > 0 {
		parts = append(parts, "adding "+codeSpans(newNames))
	}
	if len(oldIDs) > 0 {
		parts = append(parts, "removing "+codeSpans(oldNames))
	}
	return strings.Join(parts, " and ")
}

// sameSettings reports whether two objects have the same known settings in the service. It ignores arguments that only
// the provider uses, such as select.
func sameSettings(a, b any) bool {
	settings := func(v any) []any {
		all := []any{at(v, "position_id"), at(v, "assessment_id"), at(v, "test_id"), at(v, "active")}
		for _, b := range blocks {
			all = append(all, idsIn(b.name, v))
		}
		return all
	}
	return reflect.DeepEqual(settings(a), settings(b))
}

// isSupervised reports whether a supervisor has completed the profile, which the service then no longer returns.
func isSupervised(v, unknown any) bool {
	return textAt(v, "profile_status") == completed && at(unknown, "profile_status") != true
}

// profileLoss returns profileDeleted or profileMayGo if an update discards or may discard the profile that a supervisor
// has completed, and otherwise "". If a plan does not know the status, the reason can be another setting: an update
// without a profile keeps the supervisor's profile.
func profileLoss(before, after, unknown any) string {
	knowsBlock := knowsIDs("profile", unknown) && at(unknown, "profile", "on_supervisor_change") != true
	switch {
	case !isSupervised(before, nil) || isSupervised(after, unknown):
		return ""
	case at(unknown, "profile_status") != true:
		return profileDeleted
	case !knowsBlock:
		return profileMayGo
	case at(after, "profile") == nil:
		return ""
	}
	return profileDeleted
}
