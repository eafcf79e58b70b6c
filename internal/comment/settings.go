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
)

// blocks are the blocks of a position assessment. Each has the ids of one kind of object.
var blocks = []string{"packages", "benchmark", "profile", "tests"}

// settingTexts lists the settings of an assessment.
func settingTexts(v, unknown any, n planNames) []string {
	var parts []string
	for _, block := range blocks {
		if text := settingText(block, v, unknown, n); text != "none" {
			parts = append(parts, block+" "+text)
		}
	}
	return parts
}

// settingText returns the contents of a block by name, or "none".
func settingText(name string, v, unknown any, n planNames) string {
	block, kind := at(v, name), strings.TrimSuffix(name, "s")
	if name == "profile" && isSupervised(v, unknown) { // the block still has the ID that was replaced
		return bySupervisor
	}
	if block == nil {
		return "none"
	}
	if at(unknown, name, "id") == true || at(unknown, name, "ids") == true {
		return "(known after the apply)"
	}
	if id := textAt(block, "id"); id != "" {
		return codeSpan(n.of(kind, id))
	}
	var found []string
	unnamed := false
	for _, id := range textsAt(block, "ids") {
		found = append(found, n.of(kind, id))
		unnamed = unnamed || n.of(kind, id) == id
	}
	slices.Sort(found)
	word := n.id(textAt(block, "select"))
	switch {
	case word == "":
		return codeSpans(found)
	case unnamed || len(found) == 0:
		return codeSpan(word)
	}
	return codeSpan(word) + " (" + codeSpans(found) + ")"
}

// differencesOf says which settings differ.
func differencesOf(before, after, unknown any, n planNames) string {
	var parts []string
	for _, block := range blocks {
		was, is := settingText(block, before, nil, n), settingText(block, after, unknown, n)
		had, has := idsOf(block, before), idsOf(block, after)
		moved, replaced := movesOf(block, had, has, n), was == bySupervisor || is == bySupervisor
		switch {
		case was != is && (moved != "" || len(had) == 0 || replaced):
			parts = append(parts, block+" from "+was+" to "+is)
		case was == is && moved != "" && !replaced: // with equal names, behind the same word, or not shown
			parts = append(parts, block+" by "+moved)
		}
	}
	return strings.Join(parts, ", and ")
}

// idsOf returns the ids in a block.
func idsOf(block string, v any) []string {
	if id := textAt(v, block, "id"); id != "" {
		return []string{id}
	}
	return textsAt(v, block, "ids")
}

// movesOf says which ids are added and removed, or returns "".
func movesOf(block string, before, after []string, n planNames) string {
	without := func(all, some []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(some, id) })
	}
	shown := func(ids []string, name func(id string) string) string {
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = name(id)
		}
		return codeSpans(names)
	}
	name := func(id string) string { return n.of(strings.TrimSuffix(block, "s"), id) }
	added, removed := without(after, before), without(before, after)
	if shown(added, name) == shown(removed, name) {
		name = n.id
	}
	var parts []string
	if len(added) > 0 {
		parts = append(parts, "adding "+shown(added, name))
	}
	if len(removed) > 0 {
		parts = append(parts, "removing "+shown(removed, name))
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
