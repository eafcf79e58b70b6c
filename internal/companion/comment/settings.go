// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"reflect"
	"slices"
	"strings"
)

// Values of profile_status (getPositionAssessment).
const (
	toComplete = "SUPERVISOR_TO_COMPLETE"
	completed  = "SUPERVISOR_COMPLETED"

	profileAttached = "PROFILE_ATTACHED"
)

// blocks are the blocks of a position assessment. Each has the ids of objects of one kind.
var blocks = []struct{ name, kind string }{
	{"packages", "package"}, {"benchmark", "benchmark"}, {"profile", "profile"}, {"tests", "test"},
}

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

// none is the text of a block that is absent.
const none = "none"

// settingTexts lists the settings of an assessment.
func settingTexts(v, unknown any, n planNames) (parts []string) {
	for _, block := range blocks {
		if text := settingText(block.name, block.kind, v, unknown, n); text != none {
			parts = append(parts, block.name+" "+text)
		}
	}
	return parts
}

// settingText returns the contents of a block by name. A supervisor's profile comes first, because the block then still
// has the ID that the supervisor has replaced.
func settingText(block, kind string, v, unknown any, n planNames) string {
	if block == "profile" && isSupervised(v, unknown) {
		return bySupervisor
	}
	if !knowsIDs(block, unknown) {
		return "(known after apply)"
	}
	if at(v, block) == nil {
		return none
	}
	ids, selected := idsIn(block, v), n.id(textAt(v, block, "select"))
	names := codeSpans(slices.Sorted(slices.Values(n.ofAll(kind, ids))))
	if selected == "" {
		return names
	}
	if len(ids) == 0 || !n.hasAll(kind, ids) {
		return codeSpan(selected)
	}
	return codeSpan(selected) + " (" + names + ")"
}

// differencesOf says which settings differ.
func differencesOf(before, after, unknown any, n planNames) string {
	var parts []string
	for _, b := range blocks {
		was, is := settingText(b.name, b.kind, before, nil, n), settingText(b.name, b.kind, after, unknown, n)
		had, has := idsIn(b.name, before), idsIn(b.name, after)
		moved, replaced := movesOf(b.kind, had, has, n), was == bySupervisor || is == bySupervisor
		switch {
		case was != is && (moved != "" || len(had) == 0 || replaced || !knowsIDs(b.name, unknown)):
			parts = append(parts, b.name+" from "+was+" to "+is)
		case was == is && moved != "" && !replaced: // with equal names, behind the same word, or not shown
			parts = append(parts, b.name+" by "+moved)
		}
	}
	return strings.Join(parts, ", and ")
}

// movesOf says which objects of a kind are added and removed, or returns "".
func movesOf(kind string, before, after []string, n planNames) string {
	without := func(all, some []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(some, id) })
	}
	added, removed := without(after, before), without(before, after)
	shown := func(ids []string) string { return codeSpans(n.ofAll(kind, ids)) }
	if shown(added) == shown(removed) {
		kind = "" // without names: the ids tell them apart
	}
	var parts []string
	if len(added) > 0 {
		parts = append(parts, "adding "+shown(added))
	}
	if len(removed) > 0 {
		parts = append(parts, "removing "+shown(removed))
	}
	return strings.Join(parts, " and ")
}

// sameSettings reports whether two objects have the same settings in the service. select is only how the provider
// finds the ids of packages.
func sameSettings(a, b any) bool {
	settings := func(v any) []any {
		return []any{
			at(v, "position_id"), at(v, "assessment_id"), at(v, "packages", "ids"), at(v, "benchmark"), at(v, "profile"),
			at(v, "tests"), at(v, "test_id"), at(v, "active"),
		}
	}
	return reflect.DeepEqual(settings(a), settings(b))
}

// isSupervised reports whether a supervisor has completed the profile, which the service then no longer returns.
func isSupervised(v, unknown any) bool {
	return textAt(v, "profile_status") == completed && at(unknown, "profile_status") != true
}
