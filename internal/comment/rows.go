// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/messagecode"
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
	settingsOnly // of the provider: the service does not see the change
	replaced
	removed
	keptByService // removed by the plan, but the service will probably refuse it
	refused
	adopted
	imported
	enabled
	managed   // added to the state, unchanged in the service
	unmanaged // dropped from the state, kept in the service
	renamed
	other
	reverted // drift that the apply reverts
	problem  // an error, not a change
)

// words are how a headline counts a kind: before the apply, and after it.
var words = [...]struct{ thing, before, after string }{
	attached:      {"assessment", "to attach", "attached"},
	changed:       {"assessment", "to change", "changed"},
	settingsOnly:  {}, // see countSettings
	replaced:      {"assessment", "to replace", "replaced"},
	removed:       {"assessment", "to remove", "removed"},
	keptByService: {"assessment", "that the service will probably refuse to remove", "removed"},
	refused:       {"assessment", "that it would refuse", "refused"}, // the apply, which the headline names
	adopted:       {"assessment", "to adopt", "adopted"},
	imported:      {"assessment", "to import", "imported"},
	enabled:       {"skills test", "to enable", "enabled"},
	managed:       {"object", "to manage", "managed"},
	unmanaged:     {"object", "to stop managing", "no longer managed"},
	renamed:       {"object", "to rename", "renamed"},
	other:         {"other object", "to change", "changed"},
	reverted:      {"change", "in the service to undo", "in the service undone"},
}

// Types of resources.
const (
	positionAssessment = "assess_position_assessment"
	activation         = "assess_skills_test_activation"
)

// Values of profile_status (getPositionAssessment).
const (
	toComplete = "SUPERVISOR_TO_COMPLETE"
	completed  = "SUPERVISOR_COMPLETED"
)

// rowsOf returns the changes of a plan, and the errors about other objects. What cannot be undone
// comes first, then what needs attention.
func rowsOf(p plan, diagnostics []diagnostic, refusals map[string]string, n names) []row {
	drift := map[string]*tfjson.ResourceChange{}
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
			if _, ok := p.adopted[c.Address]; ok && r.kind == attached {
				r.adopt(checkOthers)
			}
			if why := refusals[c.Address]; why != "" {
				r.kind, r.attention = refused, append([]string{why}, r.attention...)
			} else if d, ok := drift[c.Address]; ok && changes(d.Change) {
				r.compare(c, d, n)
			}
			byAddress[c.Address] = len(rows)
			rows = append(rows, r)
		}
	}
	for i, d := range diagnostics {
		if d.warns(messagecode.Adopted) { // one message for all, in the response for one of them
			for _, address := range p.adoptedBy(d) {
				if number, ok := byAddress[address]; ok {
					rows[number].explain(d, i+1, n)
				}
			}
			continue
		}
		if d.Address == "" { // the CLIs do not name what could not be removed
			d.Address = p.removalOf(d)
		}
		number, ok := byAddress[d.Address]
		if _, kind, _ := parse(d.Address); !ok && (kind == "" || !d.isError()) {
			continue
		}
		if !ok {
			number, byAddress[d.Address] = len(rows), len(rows)
			r := problemRow(d.Address, n)
			if module, _, index := parse(d.Address); module+index == "" && n.stored[d.Address] == nil { // it has no names
				r.position, r.assessment = "", code(d.Address)
			}
			rows = append(rows, r)
		}
		if r := &rows[number]; r.drift == "" || d.isError() { // the row says that it is gone
			r.explain(d, i+1, n)
		}
	}
	rows = append(rows, renamedPositions(p)...)
	slices.SortStableFunc(rows, func(a, b row) int { return a.rank() - b.rank() })
	return rows
}

// rank is lower for what is more important. What stops a run comes first.
func (r row) rank() int {
	return slices.Index([]bool{r.kind == refused || r.kind == problem, r.final, len(r.attention) > 0, true}, true)
}

const attachedAgain = "The same assessment is removed and attached again. To keep it, set \"formerly\" in the file, " +
	"or add a \"moved\" block"

// attachedAgain returns the addresses at which a plan removes an assessment from a position, or attaches it
// there, if it does both.
func (p plan) attachedAgain() map[string]bool {
	type step struct{ action, position, assessment string }
	planned, again := map[step][]string{}, map[string]bool{}
	for _, c := range p.ResourceChanges {
		if v := objectOf(c.Change); c.Type == positionAssessment {
			s := step{actionsOf(c.Change), textAt(v, "position_id"), textAt(v, "assessment_id")}
			planned[s] = append(planned[s], c.Address)
		}
	}
	for s, created := range planned {
		if removed := planned[step{"delete", s.position, s.assessment}]; s.action == "create" && removed != nil {
			for _, address := range slices.Concat(created, removed) {
				again[address] = true
			}
		}
	}
	return again
}

// removalOf returns the address of the removal that a message is about. The message quotes the ID of the object.
func (p plan) removalOf(d diagnostic) string {
	quoted := d.quoted()
	for _, c := range p.ResourceChanges {
		id, position := textAt(c.Change.Before, "id"), textAt(c.Change.Before, "position_id")
		if c.Change.Actions.Delete() && id != "" && slices.Contains(quoted, id) && slices.Contains(quoted, position) {
			return c.Address
		}
	}
	return ""
}

// adoptedBy returns the addresses at which an apply has adopted what a message names.
func (p plan) adoptedBy(d diagnostic) (addresses []string) {
	quoted := d.quoted()
	for _, c := range p.ResourceChanges {
		id, position := p.created[c.Address], textAt(c.Change.After, "position_id")
		if c.Type == positionAssessment && id != "" && slices.ContainsFunc(quoted, func(text string) bool {
			on, is, found := strings.Cut(text, "/")
			return found && is == url.PathEscape(id) && (position == "" || on == url.PathEscape(position))
		}) {
			addresses = append(addresses, c.Address)
		}
	}
	return addresses
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
				what: "Renamed from " + code(was) + ". " + nothingChanges,
			})
		}
	}
	return rows
}

// problemRow is the row of an object with an error, for which nothing is planned.
func problemRow(address string, n names) row {
	_, kind, index := parse(address)
	r := row{address: address, kind: problem, what: "❌ Error"}
	if index != "" {
		r.assessment = code(index)
	}
	r.name(&tfjson.ResourceChange{Address: address, Type: kind, Index: index}, n.stored[address], n)
	return r
}

// explain adds a message of the CLI or of the provider.
func (r *row) explain(d diagnostic, number int, n names) {
	text, before := code(d.Summary), ""
	switch {
	case d.code() == messagecode.RefusedRemoval:
		text = "Candidates have been invited"
		if !d.isError() {
			r.mayStay()
		}
	case d.code() == messagecode.ScoresDiffer:
		text, r.final = "Candidates have completed it. You cannot compare their scores with scores after the change", true
	case d.warns(messagecode.NotRemoved) && (r.kind == removed || r.kind == keptByService):
		r.kind, r.what = unmanaged, "Stop managing. The service has kept it"
	case d.warns(messagecode.ProfileDeleted, messagecode.ProfileReplaced, messagecode.ProfileMaybeReplaced):
		before, r.final = profileDeleted, true // the plan may show it, too
	case d.warns(messagecode.Adopted) && r.kind == attached:
		r.adopt()
	case d.warns(messagecode.WillBeAdopted) && r.kind == adopted:
		before = checkOthers
	}
	message := fmt.Sprintf(" (see message %d)", number)
	if i := slices.Index(r.attention, before); i >= 0 {
		r.attention[i] += message
	} else {
		r.attention = append(r.attention, text+message)
	}
	if n.unchanged(d) {
		r.attention = append(r.attention, "This pull request did not cause the error: the service has changed since the "+
			"last apply. To fix it, correct this entry of the file")
	}
}

// mayStay changes a row whose removal the service will probably refuse, which on_refused_removal = "forget" accepts.
func (r *row) mayStay() {
	why := "The service will probably refuse this"
	switch r.kind {
	case removed:
		r.kind = keptByService
	case replaced:
		why = "The service will probably refuse to remove the old one"
	default:
		return
	}
	for i, text := range r.attention {
		switch text {
		case itIsRemoved, itIsReplaced:
			r.attention[i] = why + ". It then stays attached, and is no longer managed"
		case profileDeleted, linkStops:
			r.attention[i] = "If it does not, t" + text[1:]
		}
	}
}

// adopt changes a row that attaches an assessment into one that takes over an existing one.
func (r *row) adopt(attention ...string) {
	r.kind, r.what, r.attention = adopted, "Adopt what is already attached. "+nothingChanges, attention
}

// compare looks at what happened in the service since the last apply. If the change only reverts
// that, it is drift.
func (r *row) compare(c, drift *tfjson.ResourceChange, n names) {
	if !strings.HasPrefix(c.Type, "assess_") || sameSettings(drift.Change.Before, drift.Change.After) {
		return
	}
	happened := "Removed"
	switch after := drift.Change.After; {
	case after == nil:
	case c.Type == activation:
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

// Parts of what happens.
const (
	itIsRemoved    = "The assessment is removed"
	itIsReplaced   = "It is replaced"
	profileDeleted = "The profile that a supervisor has completed is deleted"
	linkStops      = "The link with which a supervisor can complete the profile stops working"
	bySupervisor   = "that of the supervisor"
	checkOthers    = "Check that no other repository manages it"
	importing      = "Import what is already attached. "
	nothingChanges = "Nothing changes in the service"
)

// rowOf returns the row of a change, and whether there is one.
func rowOf(c *tfjson.ResourceChange, n names) (row, bool) {
	r := row{address: c.Address, assessment: code(c.Address), steps: 1}
	r.name(c, objectOf(c.Change), n)
	actions := actionsOf(c.Change)
	verb, usual := map[string]string{"create": "Create", "update": "Change settings", "delete": "Delete"}[actions]
	switch {
	case !changes(c.Change):
		if c.Change.Importing == nil && !renames(c) {
			return r, false
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
		r.kind, r.what, r.attention = other, code(actions), []string{"This action is unusual"}
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
		if actions == "update" || !changes(c.Change) {
			r.kind = imported
		}
		r.what = importing + r.what
	}
	if renames(c) {
		r.what = "Renamed in the configuration. " + r.what
	}
	return r, true
}

func actionsOf(c *tfjson.Change) string { return strings.Join(texts(c.Actions), " ") }

// name sets the names of an object with the values v.
func (r *row) name(c *tfjson.ResourceChange, v any, n names) {
	module, _, _ := parse(c.Address)
	index, _ := c.Index.(string)
	position, assessment, test := textAt(v, "position_id"), textAt(v, "assessment_id"), textAt(v, "test_id")
	r.position = code(cmp.Or(n.byID["position "+position], module, position))
	switch name := n.byID["assessment "+assessment]; {
	case c.Type == activation:
		r.position = "every position"
		r.assessment = "skills test " + code(cmp.Or(textAt(v, "title"), n.byID["test "+test], index, test))
	case c.Type != positionAssessment || v == nil:
	case name == "":
		r.assessment = code(cmp.Or(index, assessment))
	default:
		r.assessment = code(name)
		if index != "" && index != name {
			r.assessment += " (" + code(index) + ")"
		}
	}
}

// describe completes the row of a position assessment that is created, updated or deleted.
func (r *row) describe(c *tfjson.ResourceChange, actions string, n names) {
	before, after, unknown := c.Change.Before, c.Change.After, c.Change.AfterUnknown
	switch actions {
	case "create":
		r.kind, r.what = attached, "Attach"
		if s := settings(after, unknown, n); len(s) > 0 {
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
		if supervised(before, nil) && !supervised(after, unknown) {
			r.lose(c)
		}
	case "delete":
		r.kind, r.what, r.attention = removed, "Remove from the position", []string{itIsRemoved}
		r.lose(c)
	}
}

// differencesOf says which settings differ.
func differencesOf(before, after, unknown any, n names) string {
	var parts []string
	for _, block := range blocks {
		if was, is := say(block, before, nil, n), say(block, after, unknown, n); was != is {
			parts = append(parts, block+" from "+was+" to "+is)
		}
	}
	return strings.Join(parts, ", and ")
}

// supervised reports whether a supervisor has completed the profile, which the service then no longer returns.
func supervised(v, unknown any) bool {
	return textAt(v, "profile_status") == completed && at(unknown, "profile_status") != true
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
			why = append(why, cmp.Or(names[attribute], code(attribute)))
		}
	}
	if len(why) == 0 {
		return ""
	}
	return ", because of " + strings.Join(why, " and ")
}

// blocks are the blocks of a position assessment. Each has the ids of one kind of object.
var blocks = []string{"packages", "benchmark", "profile", "tests"}

// settings lists the settings of an assessment.
func settings(v, unknown any, n names) []string {
	var parts []string
	for _, block := range blocks {
		if text := say(block, v, unknown, n); text != "none" {
			parts = append(parts, block+" "+text)
		}
	}
	return parts
}

// say returns the contents of a block by name, or "none".
func say(name string, v, unknown any, n names) string {
	block, kind := at(v, name), strings.TrimSuffix(name, "s")
	if name == "profile" && supervised(v, unknown) { // the block still has the ID that was replaced
		return bySupervisor
	}
	if block == nil {
		return "none"
	}
	if at(unknown, name, "id") == true || at(unknown, name, "ids") == true {
		return "(known after the apply)"
	}
	if id := textAt(block, "id"); id != "" {
		return code(n.of(kind, id))
	}
	var found []string
	unnamed := false
	for _, id := range textsAt(block, "ids") {
		found = append(found, n.of(kind, id))
		unnamed = unnamed || n.of(kind, id) == id
	}
	slices.Sort(found)
	word := textAt(block, "select")
	switch {
	case word == "":
		return codes(found)
	case unnamed || len(found) == 0:
		return code(word)
	}
	return code(word) + " (" + codes(found) + ")"
}

// addressPattern matches the end of the address of a resource: the key of its module, as the CLIs
// quote it, the type, and the key of the instance.
var addressPattern = regexp.MustCompile(
	`(?:\[("(?:[^"\\]|\\.)*")\]\.)?(?:data\.)?(\w+)\.[\w-]+(?:\[("(?:[^"\\]|\\.)*"|\d+)\])?$`)

// parse returns the key of the module, the type and the key of the instance in an address.
func parse(address string) (module, kind, index string) {
	if parts := addressPattern.FindStringSubmatch(address); parts != nil {
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
