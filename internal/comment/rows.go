// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
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
	final      bool     // whether it cannot be undone
	drift      string   // what happened in the service, if the change only reverts that
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
	problem // an error, not a change
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

// rowsOf returns the changes of a plan, and the errors about other objects. What cannot be undone
// comes first, then what needs attention.
func rowsOf(p plan, diagnostics []diagnostic, n names) []row {
	drift := map[string]resourceChange{}
	for _, d := range p.ResourceDrift {
		drift[d.Address] = d
	}
	var rows []row
	byAddress := map[string]int{}
	again := p.attachedAgain()
	for _, c := range p.ResourceChanges {
		if r, ok := rowOf(c, n); ok {
			if again[c.Address] {
				r.attention = append(r.attention, attachedAgain)
			}
			if d, ok := drift[c.Address]; ok && d.Change.changes() {
				r.compare(c, d, n)
			}
			byAddress[c.Address] = len(rows)
			rows = append(rows, r)
		}
	}
	for i, d := range diagnostics {
		if d.Summary == notRemoved {
			d.Address = p.removalOf(d)
		}
		number, ok := byAddress[d.Address]
		if _, kind, _ := n.parse(d.Address); !ok && (kind == "" || d.Severity != "error") {
			continue
		}
		if !ok {
			number, byAddress[d.Address] = len(rows), len(rows)
			rows = append(rows, problemRow(d.Address, n))
		}
		if r := &rows[number]; r.drift == "" || d.Severity == "error" { // the row says that it is gone
			r.explain(d, i+1, n)
		}
	}
	rows = append(rows, renamedPositions(p)...)
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].urgency() < rows[j].urgency() })
	return rows
}

// Messages of the provider.
const (
	duplicate      = "Duplicate assessment"
	refusedRemoval = "Removal that the service would refuse"
	notRemoved     = "Position assessment was not removed"
)

const attachedAgain = "The same assessment is removed and attached again. To keep it, set \"formerly\" in the file, " +
	"or add a \"moved\" block"

// attachedAgain returns the addresses at which a plan removes an assessment from a position, or attaches it
// there, if it does both.
func (p plan) attachedAgain() map[string]bool {
	type object struct{ position, assessment string }
	byAction := map[string]map[object][]string{"create": {}, "delete": {}}
	for _, c := range p.ResourceChanges {
		if action := strings.Join(c.Change.Actions, " "); c.Type == "assess_position_assessment" && byAction[action] != nil {
			v := c.Change.After
			if v == nil {
				v = c.Change.Before
			}
			o := object{textAt(v, "position_id"), textAt(v, "assessment_id")}
			byAction[action][o] = append(byAction[action][o], c.Address)
		}
	}
	again := map[string]bool{}
	for o, created := range byAction["create"] {
		if removed := byAction["delete"][o]; len(removed) > 0 {
			for _, address := range slices.Concat(created, removed) {
				again[address] = true
			}
		}
	}
	return again
}

// removalOf returns the address of the removal that the service has refused. The CLIs do not name it. The
// message begins with the ID of the object.
func (p plan) removalOf(d diagnostic) string {
	for _, c := range p.ResourceChanges {
		if id := textAt(c.Change.Before, "id"); strings.HasPrefix(d.Detail, fmt.Sprintf("Position assessment %q ", id)) {
			return c.Address
		}
	}
	return d.Address
}

// renamedPositions returns the titles of an output that change. Resources keep their addresses if a
// title is corrected, so only an output of positions by key shows it.
func renamedPositions(p plan) (rows []row) {
	for _, name := range slices.Sorted(maps.Keys(p.OutputChanges)) {
		c := p.OutputChanges[name]
		after, _ := c.After.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(after)) {
			was, is := textAt(c.Before, key, "title"), textAt(after, key, "title")
			if was == "" || is == "" || was == is || c.BeforeSensitive == true || c.AfterSensitive == true {
				continue
			}
			rows = append(rows, row{
				address: "output." + name, position: code(is), kind: renamed,
				what: "Renamed from " + code(was) + ". Nothing is sent",
			})
		}
	}
	return rows
}

// urgency orders rows: the lowest one comes first.
func (r *row) urgency() int {
	switch {
	case r.final:
		return 0
	case len(r.attention) > 0:
		return 1
	}
	return 2
}

// problemRow is the row of an object with an error, for which nothing is planned.
func problemRow(address string, n names) row {
	_, kind, index := n.parse(address)
	c := resourceChange{Address: address, Type: kind, Index: index}
	v := n.stored[address]
	r := row{address: address, kind: problem, what: "❌ Error"}
	r.position = code(positionOf(c, v, n))
	switch {
	case v != nil && kind == "assess_position_assessment":
		r.assessment = assessmentCell(c, v, n)
	case kind == "assess_skills_test_activation":
		r.position, r.assessment = "every position", "skills test "+code(testOf(c, v, n))
	case index != "":
		r.assessment = code(index)
	}
	return r
}

// explain adds a message of the CLI or of the provider.
func (r *row) explain(d diagnostic, number int, n names) {
	if r.kind == removed && d.Severity != "error" {
		switch d.Summary {
		case refusedRemoval:
			r.what += ". If the service refuses, only stop managing it"
		case notRemoved:
			r.kind, r.what = unmanaged, "Stop managing. The service has kept it"
		}
	}
	text, final := meaning(d.Summary)
	if r.kind == attached && d.Severity != "error" && strings.Contains(d.Detail, "adopt_existing is set") {
		r.kind, r.what = adopted, "Import what is already attached. Nothing is sent"
		text = "Check that no other repository manages it"
	}
	r.final = r.final || final
	r.attention = append(r.attention, fmt.Sprintf("%s (message %d)", text, number))
	if n.unchanged(d) {
		r.attention = append(r.attention, "This pull request did not cause it: the service has changed since the last "+
			"apply. To fix it, correct this entry of the file")
	}
}

// meaning explains a message of the provider in a few words, and says if the change cannot be
// undone. If it does not know the message, it returns the summary.
func meaning(summary string) (text string, final bool) {
	switch summary {
	case refusedRemoval:
		return "Candidates have been invited", true
	case "Scores that cannot be compared":
		return "Candidates have completed it. You cannot compare scores before and after the change", true
	}
	return code(summary), false
}

// compare looks at what happened in the service since the last apply. If the change only reverts
// that, it is drift.
func (r *row) compare(c, drift resourceChange, n names) {
	if !strings.HasPrefix(c.Type, "assess_") || sameSettings(drift.Change.Before, drift.Change.After) {
		return
	}
	happened := "Removed"
	switch after := drift.Change.After; {
	case after == nil:
	case c.Type == "assess_skills_test_activation":
		happened = "Disabled"
	default:
		happened = "Changed " + differencesOf(drift.Change.Before, after, nil, n)
	}
	if sameSettings(drift.Change.Before, c.Change.After) {
		r.drift = happened
		return
	}
	r.attention = append(r.attention, "Also changed in the service since the last apply: "+happened)
}

// sameSettings reports whether two objects have the same settings in the service.
func sameSettings(a, b any) bool {
	for _, name := range []string{
		"position_id", "assessment_id", "test_id", "active", "packages", "benchmark", "profile", "tests",
	} {
		before, after := sorted(at(a, name)), sorted(at(b, name))
		if name == "packages" { // select is only how the provider finds the ids
			before, after = at(before, "ids"), at(after, "ids")
		}
		if !reflect.DeepEqual(before, after) {
			return false
		}
	}
	return true
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
		r.kind, r.steps, r.attention = replaced, 2, []string{"Replaced"}
		r.what = "Remove and attach again" + because(c)
		r.lose(c)
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
	if c.renamed() {
		r.what = "Renamed. " + r.what
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
		if c.renamed() {
			r.what = "Renamed. " + r.what
		}
		return r, true
	case c.renamed():
		r.kind, r.what = renamed, "Renamed in the configuration. Nothing is sent"
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
		r.kind, r.what = enabled, "Enable for the whole organization"
		r.cannotUndo("The provider cannot disable it again")
	default:
		r.kind, r.what = other, "Create"
	}
}

func update(r *row, c resourceChange, n names) {
	r.kind, r.what = changed, "Change settings"
	switch c.Type {
	case "assess_position_assessment":
	case "assess_skills_test_activation":
		r.kind, r.what = enabled, "Enable for the whole organization"
		r.cannotUndo("The provider cannot disable it again")
		return
	default:
		r.kind = other
		return
	}
	r.what = "Change how it is managed. The assessment stays as it is"
	if parts := differencesOf(c.Change.Before, c.Change.After, c.Change.AfterUnknown, n); parts != "" {
		r.what = "Change " + parts
	}
	after, unknown := c.Change.After, c.Change.AfterUnknown
	if textAt(c.Change.Before, "profile_status") == completed &&
		(textAt(after, "profile_status") != completed || at(unknown, "profile_status") == true) {
		r.lose(c)
	}
}

// differencesOf says which settings differ.
func differencesOf(before, after, unknown any, n names) string {
	var parts []string
	for _, b := range blocks {
		if was, is := b.say(before, nil, n), b.say(after, unknown, n); was != is {
			parts = append(parts, b.title+" from "+was+" to "+is)
		}
	}
	return strings.Join(parts, ", and ")
}

func removal(r *row, c resourceChange) {
	switch c.Type {
	case "assess_position_assessment":
		r.kind, r.what, r.attention = removed, "Remove from the position", []string{"Removed"}
		r.lose(c)
	case "assess_skills_test_activation":
		r.kind, r.what = unmanaged, "Stop managing. The test stays enabled"
	default:
		r.kind, r.what, r.attention = other, "Delete", []string{"Deleted"}
	}
}

// lose says if a change discards a supervisor's work.
func (r *row) lose(c resourceChange) {
	switch textAt(c.Change.Before, "profile_status") {
	case completed:
		r.cannotUndo("A supervisor has completed the profile. That work is lost")
	case toComplete:
		r.attention = append(r.attention, "A supervisor was asked to complete the profile. The link stops working")
	}
}

func (r *row) cannotUndo(why string) {
	r.final, r.attention = true, append(r.attention, why)
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
	if index, _ := c.Index.(string); index != "" {
		return index
	}
	return id
}

// addressPattern matches the end of the address of a resource: the key of its module, as the CLIs
// quote it, the type, and the key of the instance.
const addressPattern = `(?:\[("(?:[^"\\]|\\.)*")\]\.)?(?:data\.)?(\w+)\.[\w-]+(?:\[("(?:[^"\\]|\\.)*"|\d+)\])?$`

// parse returns the key of the module, the type and the key of the instance in an address.
func (n names) parse(address string) (module, kind, index string) {
	if parts := n.address.FindStringSubmatch(address); parts != nil {
		return unquote(parts[1]), parts[2], unquote(parts[3])
	}
	return "", "", ""
}

func unquote(key string) string {
	text, err := strconv.Unquote(key)
	if err != nil {
		return ""
	}
	return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(text)
}

// positionOf returns the title of a position. If the title is not known, it returns the key of
// the module that configures the position, or the id.
func positionOf(c resourceChange, v any, n names) string {
	id := textAt(v, "position_id")
	if name := n.of("position", id); name != id {
		return name
	}
	if module, _, _ := n.parse(c.Address); module != "" {
		return module
	}
	return id
}
