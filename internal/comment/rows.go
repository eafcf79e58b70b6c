// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// row is one change, as the table shows it. Its texts are safe to print.
type row struct {
	address    string
	position   string
	assessment string
	what       string
	attention  []string // why a person should look at it
	kind       kind
	steps      int // number of events "apply_complete" when it is done
}

// kind is what a change does. The headline lists kinds in this order.
type kind int

const (
	attached kind = iota
	changed
	replaced
	removed
	adopted
	enabled
	unmanaged // dropped from the state, kept in the service
	renamed
	other
)

// words are how a headline counts a kind: before the apply, and after it.
var words = [...]struct{ thing, before, after string }{
	attached:  {"assessment", "to attach", "attached"},
	changed:   {"assessment", "to change", "changed"},
	replaced:  {"assessment", "to replace", "replaced"},
	removed:   {"assessment", "to remove", "removed"},
	adopted:   {"assessment", "to import", "imported"},
	enabled:   {"skills test", "to enable", "enabled"},
	unmanaged: {"object", "to stop managing", "no longer managed"},
	renamed:   {"object", "to rename", "renamed"},
	other:     {"other object", "to change", "changed"},
}

// Values of profile_status (getPositionAssessment).
const (
	toComplete = "SUPERVISOR_TO_COMPLETE"
	completed  = "SUPERVISOR_COMPLETED"
)

// rowsOf returns the changes of a plan. Changes that need attention come first.
func rowsOf(p plan, diagnostics []diagnostic) []row {
	n := namesOf(p)
	var rows []row
	for _, c := range p.ResourceChanges {
		if c.Mode == "data" {
			continue
		}
		r, ok := rowOf(c, n)
		if !ok {
			continue
		}
		for i, d := range diagnostics {
			if d.Address == c.Address && c.Address != "" {
				r.attention = append(r.attention, meaning(d.Summary)+fmt.Sprintf(" (message %d)", i+1))
			}
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return boolOrder(len(a.attention) == 0) - boolOrder(len(b.attention) == 0)
	})
	return rows
}

func boolOrder(last bool) int {
	if last {
		return 1
	}
	return 0
}

// meaning explains a message of the provider in a few words. If it does not know the message, it
// returns the summary.
func meaning(summary string) string {
	switch summary {
	case "Removal that the service would refuse":
		return "Candidates have been invited"
	case "Scores that cannot be compared":
		return "Candidates have completed it. You cannot compare scores before and after the change"
	}
	return code(summary)
}

func rowOf(c resourceChange, n names) (row, bool) {
	r := row{address: c.Address, steps: 1}
	v := c.Change.After
	if v == nil {
		v = c.Change.Before
	}
	r.position = code(positionOf(c, v, n))
	r.assessment = code(c.Address)
	switch c.Type {
	case "assess_position_assessment":
		r.assessment = assessmentCell(c, v, n)
	case "assess_skills_test_activation":
		r.position = "every position"
		r.assessment = "skills test " + code(testOf(c, v, n))
	}
	actions := strings.Join(c.Change.Actions, " ")
	switch actions {
	case "no-op", "read":
		return noChange(r, c)
	case "create":
		creation(&r, c, n)
	case "update":
		update(&r, c, n)
	case "delete":
		removal(&r, c)
	case "delete create", "create delete":
		r.kind, r.steps = replaced, 2
		r.what = "Remove and attach again" + because(c)
		r.attention = append([]string{"Replaced"}, lost(c)...)
	case "forget":
		r.kind, r.what, r.steps = unmanaged, "Stop managing. It stays in the service", 0
		r.attention = []string{"No longer managed"}
	default:
		r.kind, r.what = other, code(actions)
		r.attention = []string{"Unusual change"}
	}
	if c.Change.Importing != nil {
		if actions == "update" {
			r.kind = adopted
		}
		r.what = "Import what is already attached. " + r.what
	}
	return r, true
}

// noChange completes the row of an object that the service keeps as it is. The row is shown if
// the object is adopted or renamed.
func noChange(r row, c resourceChange) (row, bool) {
	r.steps = 0
	switch {
	case c.Change.Importing != nil:
		r.kind, r.what = adopted, "Import what is already attached. Nothing is sent"
		return r, true
	case c.PreviousAddress != "" && c.PreviousAddress != c.Address:
		r.kind, r.what = renamed, "Rename in the configuration. Nothing is sent"
		return r, true
	}
	return r, false
}

func creation(r *row, c resourceChange, n names) {
	v := c.Change.After
	switch c.Type {
	case "assess_position_assessment":
		r.kind, r.what = attached, "Attach"
		if s := settings(c.Change.After, c.Change.AfterUnknown, n); len(s) > 0 {
			r.what += " with " + strings.Join(s, " and ")
		}
		if at(v, "profile") == nil && n.twoSided[textAt(v, "assessment_id")] {
			r.attention = append(r.attention, "A supervisor must complete the profile")
		}
	case "assess_skills_test_activation":
		r.kind, r.what = enabled, "Enable for the whole organization. The provider cannot disable it again"
	default:
		r.kind, r.what = other, "Create"
	}
}

func update(r *row, c resourceChange, n names) {
	r.kind, r.what = changed, "Change settings"
	if c.Type != "assess_position_assessment" {
		r.kind = other
		return
	}
	var parts []string
	for _, b := range blocks {
		before := b.say(c.Change.Before, nil, n)
		after := b.say(c.Change.After, c.Change.AfterUnknown, n)
		if before != after {
			parts = append(parts, b.title+" from "+before+" to "+after)
		}
	}
	if len(parts) == 0 {
		r.what = "Change how it is managed. The assessment stays as it is"
	} else {
		r.what = "Change " + strings.Join(parts, ", and ")
	}
	after, unknown := c.Change.After, c.Change.AfterUnknown
	if textAt(c.Change.Before, "profile_status") == completed &&
		(textAt(after, "profile_status") != completed || at(unknown, "profile_status") == true) {
		r.attention = append(r.attention, lost(c)...)
	}
}

func removal(r *row, c resourceChange) {
	switch c.Type {
	case "assess_position_assessment":
		r.kind, r.what = removed, "Remove from the position"
		r.attention = append([]string{"Removed"}, lost(c)...)
	case "assess_skills_test_activation":
		r.kind, r.what = unmanaged, "Stop managing. The test stays enabled"
	default:
		r.kind, r.what = other, "Delete"
		r.attention = []string{"Deleted"}
	}
}

// lost says if a change discards a supervisor's work.
func lost(c resourceChange) []string {
	switch textAt(c.Change.Before, "profile_status") {
	case completed:
		return []string{"A supervisor has completed the profile. That work is lost"}
	case toComplete:
		return []string{"A supervisor was asked to complete the profile. The link stops working"}
	}
	return nil
}

// because explains why a plan replaces an object.
func because(c resourceChange) string {
	switch c.ActionReason {
	case "replace_because_tainted":
		return ", because an earlier run failed to create it"
	case "replace_by_request":
		return ", because the plan was made with -replace"
	}
	var why []string
	for _, path := range c.Change.ReplacePaths {
		if len(path) == 0 {
			continue
		}
		switch path[0] {
		case "position_id":
			why = append(why, "another position")
		case "assessment_id":
			why = append(why, "another assessment")
		default:
			why = append(why, code(fmt.Sprint(path[0])))
		}
	}
	if len(why) == 0 {
		return ""
	}
	return ", because of " + strings.Join(why, " and ")
}

// settings lists the settings of an assessment.
func settings(v, unknown any, n names) []string {
	var parts []string
	for _, b := range blocks {
		if text := b.say(v, unknown, n); text != "none" {
			parts = append(parts, b.title+" "+text)
		}
	}
	return parts
}

// blocks are the blocks of a position assessment.
var blocks = []settingBlock{
	{"packages", "packages", "package"},
	{"benchmark", "benchmark", "benchmark"},
	{"profile", "profile", "profile"},
	{"tests", "tests", "test"},
}

type settingBlock struct{ name, title, kind string }

// say returns the contents of a block by name, or "none".
func (b settingBlock) say(v, unknown any, n names) string {
	block := at(v, b.name)
	if block == nil {
		return "none"
	}
	if at(unknown, b.name, "id") == true || at(unknown, b.name, "ids") == true {
		return "(known after the apply)"
	}
	if id := textAt(block, "id"); id != "" {
		return code(n.of(b.kind, id))
	}
	ids := textsAt(block, "ids")
	found := n.all(b.kind, ids)
	if word := textAt(block, "select"); word != "" {
		if len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return n.of(b.kind, id) == id }) {
			return code(word)
		}
		return code(word) + " (" + codes(found) + ")"
	}
	return codes(found)
}

func assessmentCell(c resourceChange, v any, n names) string {
	id := textAt(v, "assessment_id")
	name := n.of("assessment", id)
	index, _ := c.Index.(string)
	switch {
	case index == "" || index == name:
		return code(name)
	case name == id:
		return code(index)
	}
	return code(name) + " (" + code(index) + ")"
}

func testOf(c resourceChange, v any, n names) string {
	if title := textAt(v, "title"); title != "" {
		return title
	}
	id := textAt(v, "test_id")
	if name := n.of("test", id); name != id {
		return name
	}
	if index, ok := c.Index.(string); ok {
		return index
	}
	return id
}

// key matches the last key of the address of a module, as the CLIs quote it.
var key = regexp.MustCompile(`\[("(?:[^"\\]|\\.)*")\]$`)

// positionOf returns the title of a position. If the title is not known, it returns the key of
// the module that configures the position, or the id.
func positionOf(c resourceChange, v any, n names) string {
	id := textAt(v, "position_id")
	if name := n.of("position", id); name != id {
		return name
	}
	if found := key.FindStringSubmatch(c.ModuleAddress); found != nil {
		if title, err := strconv.Unquote(found[1]); err == nil {
			return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(title)
		}
	}
	return id
}
