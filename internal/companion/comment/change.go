// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"fmt"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// rowOf returns the row of a change, or nil if nothing changes.
func rowOf(c *tfjson.ResourceChange, n planNames) *row {
	r := &row{address: c.Address, assessment: codeSpan(c.Address), steps: 1}
	r.name(c, cmp.Or(c.Change.After, c.Change.Before), n)
	actions := strings.Join(actionTexts(c.Change.Actions), " ")
	verb, usual := map[string]string{"create": "Create", "update": "Change settings", "delete": "Delete"}[actions]
	switch {
	case !isChange(c.Change):
		if c.Change.Importing == nil && !isRename(c) {
			return nil
		}
		r.kind, r.what, r.steps = renamed, nothingChanges, 0
	case actions == "delete create" || actions == "create delete":
		r.kind, r.steps, r.attention = replaced, 2, []string{itIsReplaced}
		r.what = "Remove and attach again" + because(c)
		r.lose(c)
	case actions == "forget":
		r.kind, r.what, r.steps = unmanaged, "Stop managing. It stays in the service", 0
		r.attention = []string{"It is no longer managed"}
	case !usual:
		r.kind, r.what, r.attention = other, codeSpan(actions), []string{"This comment cannot explain this action. Ask the engineers"}
	case c.Type == activation && actions == "delete":
		r.kind, r.what = unmanaged, "Stop managing. The test stays enabled"
	case c.Type == activation && actions == "create" && textAt(c.Change.After, "title") != "":
		// The plan knows a test before the apply only if the test is already enabled.
		r.kind, r.what = managed, "Manage a test that is already enabled. "+nothingChanges
	case c.Type == activation:
		r.kind, r.what = enabled, "Enable for the whole organization"
		r.cannotUndo("The provider cannot disable it again")
	case c.Type == positionAssessment:
		r.describe(c, actions, n)
	default:
		r.kind, r.what = other, verb
		if actions == "delete" {
			r.attention = []string{"It is deleted"}
		}
	}
	if c.Change.Importing != nil {
		if actions == "update" || !isChange(c.Change) {
			r.kind = imported
		}
		r.what = importing + r.what
	}
	if isRename(c) {
		r.what = "Renamed in the configuration. " + r.what
	}
	return r
}

// name sets the names of an object with the values v.
func (r *row) name(c *tfjson.ResourceChange, v any, n planNames) {
	module, _, _ := parseAddress(c.Address)
	index, _ := c.Index.(string)
	position, assessment, test := textAt(v, "position_id"), textAt(v, "assessment_id"), textAt(v, "test_id")
	if shown := cmp.Or(n.name("position", position), module, n.id(position)); shown != "" {
		r.position = codeSpan(shown)
	}
	switch name := n.name("assessment", assessment); {
	case c.Type == activation:
		r.position = "every position"
		r.assessment = "skills test " + codeSpan(cmp.Or(textAt(v, "title"), n.name("test", test), index, n.id(test)))
	case c.Type != positionAssessment || v == nil:
	case name == "":
		r.assessment = codeSpan(cmp.Or(index, n.id(assessment)))
	default:
		r.assessment = codeSpan(name)
		if index != "" && index != name {
			r.assessment += " (" + codeSpan(index) + ")"
		}
	}
}

// describe completes the row of a position assessment that is created, updated or deleted.
func (r *row) describe(c *tfjson.ResourceChange, actions string, n planNames) {
	before, after, unknown := c.Change.Before, c.Change.After, c.Change.AfterUnknown
	switch actions {
	case "create":
		r.kind, r.what = attached, "Attach"
		if s := settingTexts(after, unknown, n); len(s) > 0 {
			r.what += " with " + strings.Join(s, " and ")
		}
		if at(after, "profile") == nil && n.twoSided[textAt(after, "assessment_id")] {
			r.attention = append(r.attention, "A supervisor must complete the profile")
		}
	case "update":
		r.kind, r.what = settingsOnly, "Change how it is managed. The assessment stays as it is"
		if parts := differencesOf(before, after, unknown, n); parts != "" {
			r.kind, r.what = changed, "Change "+parts
		}
		if isSupervised(before, nil) && !isSupervised(after, unknown) {
			r.lose(c)
		}
	case "delete":
		r.kind, r.what, r.attention = removed, "Remove from the position", []string{itIsRemoved}
		r.lose(c)
	}
}

// lose says if a change discards a supervisor's work.
func (r *row) lose(c *tfjson.ResourceChange) {
	switch textAt(c.Change.Before, "profile_status") {
	case completed:
		r.cannotUndo(profileDeleted)
	case toComplete:
		r.attention = append(r.attention, linkStops)
	}
}

func (r *row) cannotUndo(why string) {
	r.final, r.attention = true, append(r.attention, why)
}

// because explains why a plan replaces an object.
func because(c *tfjson.ResourceChange) string {
	if c.ActionReason == tfjson.ActionReasonReplaceBecauseTainted {
		return ", because an earlier run failed to create it"
	}
	if c.ActionReason == tfjson.ActionReasonReplaceByRequest {
		return ", because the plan was made with -replace"
	}
	names := map[string]string{"position_id": "another position", "assessment_id": "another assessment"}
	var why []string
	for _, path := range c.Change.ReplacePaths {
		if path, _ := path.([]any); len(path) > 0 {
			attribute := fmt.Sprint(path[0])
			why = append(why, cmp.Or(names[attribute], codeSpan(attribute)))
		}
	}
	if len(why) == 0 {
		return ""
	}
	return ", because of " + strings.Join(why, " and ")
}
