// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// rowOf returns a row that describes a change. The row does not say whether the object has drifted, is adopted or is
// rejected, because the change does not contain this. rowOf returns nil for a data source, and if the plan neither
// changes, imports nor renames the object.
func rowOf(c *tfjson.ResourceChange, n planNames) *row {
	changes, imports, renames := isChange(c.Change), c.Change.Importing != nil, isRename(c)
	if c.Mode == tfjson.DataResourceMode || !changes && !imports && !renames {
		return nil
	}
	values := c.Change.After
	if values == nil { // the plan removes the object, or stops managing it
		values = c.Change.Before
	}
	r := newRow(c, values, n)
	r.assessment = cmp.Or(r.assessment, codeSpan(c.Address))
	r.describe(c, n)
	if imports {
		r.what = importing + r.what
		if k := r.kind; k == renamed || k == changed || k == settingsOnly { // other kinds matter more
			r.kind = imported
		}
	}
	if renames {
		r.what = "Renamed in the configuration. " + r.what
	}
	return r
}

// newRow returns a row that contains only the address and the names of an object, and whether it is deposed. v contains
// the values of the object. The assessment is empty for objects other than position assessments and activations of
// skills tests. The position of an activation is "every position". Another object has no position if v has no position
// ID and the address has no module key.
func newRow(c *tfjson.ResourceChange, v any, n planNames) *row {
	r := &row{address: c.Address, isDeposed: c.DeposedKey != ""}
	switch c.Type {
	case activation:
		r.position, r.assessment = "every position", "skills test "+testName(c, v, n)
		return r
	case positionAssessment:
		r.assessment = assessmentName(c, v, n)
	}
	moduleKey, _, _ := parseAddress(c.Address) // often the title of the position
	position := textAt(v, "position_id")
	if shown := cmp.Or(n.name("position", position), moduleKey, n.id(position)); shown != "" {
		r.position = codeSpan(shown)
	}
	return r
}

// assessmentName returns the name of an assessment. If the key of the resource instance is different, the key follows
// in parentheses. If the name is not known, it returns the key, or else the ID, or else the address.
func assessmentName(c *tfjson.ResourceChange, v any, n planNames) string {
	id := textAt(v, "assessment_id")
	index, _ := c.Index.(string)
	name := n.name("assessment", id)
	switch {
	case name == "":
		return codeSpan(cmp.Or(index, n.id(id), c.Address))
	case index == "" || index == name:
		return codeSpan(name)
	}
	return codeSpan(name) + " (" + codeSpan(index) + ")"
}

// testName returns the title of a skills test. If the title is not known, it returns the key of the resource instance,
// or else the ID, or else the address.
func testName(c *tfjson.ResourceChange, v any, n planNames) string {
	id := textAt(v, "test_id")
	index, _ := c.Index.(string)
	return codeSpan(cmp.Or(textAt(v, "title"), n.name("test", id), index, n.id(id), c.Address))
}

// describe sets the text, the kind, the number of steps and the reasons for attention of a row, and whether the change
// is final. It does not describe that the plan imports or renames the object. If the plan does nothing else to the
// object, describe sets the kind to renamed and the number of steps to 0.
func (r *row) describe(c *tfjson.ResourceChange, n planNames) {
	r.steps = 1
	switch actions := c.Change.Actions; {
	case !isChange(c.Change):
		r.kind, r.what, r.steps = renamed, nothingChanges, 0
	case actions.Forget():
		r.kind, r.what, r.steps = unmanaged, "Stop managing. It stays in the service", 0
		r.attention = []string{"It is no longer managed"}
	case slices.Equal(actions, tfjson.Actions{tfjson.ActionForget, tfjson.ActionCreate}): // destroy = false in OpenTofu
		r.kind, r.attention = other, []string{"The old one is no longer managed"}
		if c.Type == positionAssessment {
			r.kind = replaced
		}
		r.what = "Stop managing the old one, which stays in the service, and create a new one" + because(c)
	case !actions.Create() && !actions.Update() && !actions.Delete() && !actions.Replace():
		r.kind, r.what = other, codeSpan(strings.Join(actionTexts(actions), " "))
		r.attention = []string{"This comment cannot explain this action. Ask the engineers"}
	case c.Type == activation:
		r.describeActivation(c.Change)
	case c.Type == positionAssessment:
		r.describePositionAssessment(c, n)
	case actions.Delete():
		r.kind, r.what, r.attention = other, "Delete", []string{"It is deleted"}
	case actions.Update():
		r.kind, r.what = other, "Change settings"
	case actions.Replace():
		r.kind, r.what, r.attention, r.steps = other, "Delete and create again"+because(c), []string{itIsReplaced}, 2
	default:
		r.kind, r.what = other, "Create"
	}
}

// describeActivation sets what happens to the activation of a skills test. If the plan replaces the activation, the row
// has the name of the new test.
func (r *row) describeActivation(c *tfjson.Change) {
	if c.Actions.Delete() {
		r.kind, r.what = unmanaged, "Stop managing. The test stays enabled"
		return
	}
	r.kind, r.what = enabled, "Enable for the whole organization"
	if c.Actions.Replace() {
		r.what, r.steps, r.oldStays = r.what+". The earlier test stays enabled", 2, true
	}
	r.cannotUndo("The provider cannot disable it again")
}

// describePositionAssessment sets what happens to a position assessment that is created, updated, deleted or replaced,
// why it needs attention, and whether the change is final. It changes the number of steps only for a replacement.
func (r *row) describePositionAssessment(c *tfjson.ResourceChange, n planNames) {
	before, after, unknown := c.Change.Before, c.Change.After, c.Change.AfterUnknown
	switch {
	case c.Change.Actions.Create():
		r.kind, r.what = attached, "Attach"
		if settings := settingTexts(after, unknown, n); len(settings) > 0 {
			r.what += " with " + strings.Join(settings, " and ")
		}
	case c.Change.Actions.Update():
		r.kind, r.what = settingsOnly, "Change how it is managed. The assessment stays as it is"
		if differences := differencesOf(before, after, unknown, n); differences != "" {
			r.kind, r.what = changed, "Change "+differences
		}
		if loss := profileLoss(before, after, unknown); loss != "" {
			r.cannotUndo(loss)
		}
	case c.Change.Actions.Replace():
		r.kind, r.what, r.attention, r.steps = replaced, "Remove and attach again"+because(c), []string{itIsReplaced}, 2
		r.lose(c)
	default:
		r.kind, r.what, r.attention = removed, "Remove from the position", []string{itIsRemoved}
		r.lose(c)
	}
	creates := slices.Contains(c.Change.Actions, tfjson.ActionCreate) // also as a part of a replacement
	mayHaveProfile := at(after, "profile") != nil || !knowsIDs("profile", unknown)
	if creates && !mayHaveProfile && n.twoSided[textAt(after, "assessment_id")] {
		r.attention = append(r.attention, "A supervisor must complete the profile")
	}
}

// lose adds a warning if removing the object deletes a profile that a supervisor has completed, or disables the link
// with which a supervisor can complete the profile. It marks the deletion of a completed profile as final.
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

// because returns a clause that says why a plan replaces an object, such as ", because of another position". It returns
// "" if the plan gives no reason that because can explain, for example after -replace.
func because(c *tfjson.ResourceChange) string {
	if c.ActionReason == tfjson.ActionReasonReplaceBecauseTainted {
		return ", because an earlier run failed to create it, or someone tainted it"
	}
	known := map[string]string{"position_id": "another position", "assessment_id": "another assessment"}
	unknown := map[string]string{ // perhaps it stays the same
		"position_id": "a position that is not known yet", "assessment_id": "an assessment that is not known yet",
	}
	var reasons []string
	if c.ActionReason == tfjson.ActionReasonReplaceByTriggers {
		reasons = append(reasons, "replace_triggered_by")
	}
	for _, p := range c.Change.ReplacePaths {
		if path, _ := p.([]any); len(path) > 0 { // path begins with the name of an attribute
			attribute, words := fmt.Sprint(path[0]), known
			if at(c.Change.AfterUnknown, attribute) == true {
				words = unknown
			}
			reason := cmp.Or(words[attribute], codeSpan(attribute))
			if !slices.Contains(reasons, reason) { // several paths can begin with one attribute
				reasons = append(reasons, reason)
			}
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return ", because of " + strings.Join(reasons, " and ")
}
