// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// row is one change, as the table shows it. Its texts are safe to print.
type row struct {
	address    string
	id         string // of a changed object before the apply, or ""
	isDeposed  bool   // whether it is about a deposed object, which has the address of the current object
	position   string
	assessment string
	what       string
	attention  []string // why a person should look at it
	final      bool     // whether it cannot be undone
	drift      string   // what happened in the service, if the change only reverts or records it
	kind       changeKind
	steps      int  // number of events "apply_complete" when it is done
	oldStays   bool // whether the service keeps the old object of a replacement
}

// changeKind is a kind of change. A headline counts the changes of each kind, such as "2 assessments to attach" before
// the apply and "2 assessments attached" after the apply. thing is the noun in the singular. The fields before and
// after are the texts that follow the noun before and after the apply.
type changeKind struct{ thing, before, after string }

var (
	attached     = changeKind{"assessment", "to attach", "attached"}
	changed      = changeKind{"assessment", "to change", "changed"}
	settingsOnly = changeKind{"assessment", "to manage differently", "managed differently"} // no change in the service
	replaced     = changeKind{"assessment", "to replace", "replaced"}
	removed      = changeKind{"assessment", "to remove", "removed"}
	// keptByService is removed by the plan, but probably not by the service.
	keptByService = changeKind{"assessment", "that the service will probably not remove", "removed"}
	rejected      = changeKind{"assessment", "to correct", "corrected"}
	adopted       = changeKind{"assessment", "to adopt", "adopted"}
	imported      = changeKind{"object", "to import", "imported"}
	enabled       = changeKind{"skills test", "to enable", "enabled"}
	unmanaged     = changeKind{"object", "to stop managing", "no longer managed"} // kept in the service
	renamed       = changeKind{"object", "to rename", "renamed"}
	other         = changeKind{"other object", "to change", "changed"}
	problem       = changeKind{thing: "error"} // no headline counts it
	// Drift that the apply reverts, or only writes to the state.
	reverted = changeKind{"change", "in the service to undo", "in the service undone"}
	recorded = changeKind{"change", "to record from the service", "recorded from the service"}
)

// kinds are what a headline counts, in this order.
var kinds = []changeKind{
	attached, changed, settingsOnly, replaced, removed, keptByService, rejected, adopted, imported, enabled, unmanaged,
	renamed, other, reverted, recorded,
}

// Types of resources.
const (
	positionAssessment = "assess_position_assessment"
	activation         = "assess_skills_test_activation"
)

// rowTable collects rows.
type rowTable struct {
	plan  plan
	names planNames
	rows  []*row
}

// rowsOf returns the changes of a plan, and the errors about other objects. rejections are the reasons why
// changes must be corrected, by address. [row.rank] determines the order.
func rowsOf(p plan, diagnostics []diagnostic, rejections map[string]string, n planNames) []*row {
	t := rowTable{plan: p, names: n}
	t.addChanges(rejections)
	t.addDrift()
	for i, d := range diagnostics {
		t.addMessage(d, numberOf(i, diagnostics))
	}
	slices.SortStableFunc(t.rows, func(a, b *row) int { return a.rank() - b.rank() })
	return t.rows
}

// find returns the row about the current object at an address, or about a deposed object there, or nil.
func (t *rowTable) find(address string, isDeposed bool) *row {
	for _, r := range t.rows {
		if r.address == address && r.isDeposed == isDeposed {
			return r
		}
	}
	return nil
}

// about returns the row at an address that a message is about, or nil. If the plan also removes a deposed object there,
// a message about a removal is about the deposed object if it contains the ID of this object, or if the current object
// is neither removed nor replaced.
func (t *rowTable) about(d diagnostic, address string) *row {
	current, deposed := t.find(address, false), t.find(address, true)
	isRemoved := current != nil && (current.kind == removed || current.kind == keptByService || current.steps == 2)
	isOfRemoval := d.warns(messages.RejectedRemoval, messages.NotRemoved, messages.ProfileDeleted)
	if deposed != nil && (current == nil || isOfRemoval && (!isRemoved || d.contains(deposed.id))) {
		return deposed
	}
	return current
}

// addChanges adds a row for each change. The row of a creation says whether it adopts a position assessment. If the
// change must be corrected, the row says why. Otherwise, it says what has happened to the object in the service since
// the last apply. After an apply, the row of a removal or a replacement also says if the apply has adopted the object.
func (t *rowTable) addChanges(rejections map[string]string) {
	for _, c := range t.plan.ResourceChanges {
		r := rowOf(c, t.names)
		if r == nil {
			continue
		}
		if t.plan.adopted[c.Address] && r.kind == attached {
			r.willBeAdopted()
		}
		r.id = textAt(c.Change.Before, "id")
		if address := t.plan.adoptedAt(c); address != "" {
			r.isAdopted(address)
		}
		why, drift := rejections[c.Address], t.plan.driftOf(c)
		switch {
		case why != "" && !r.isDeposed: // the reason is about the current object
			r.kind, r.attention = rejected, slices.Insert(r.attention, 0, why)
		case drift != nil:
			r.explainDrift(c, drift, t.names)
		}
		t.rows = append(t.rows, r)
	}
}

// addDrift adds rows for drift that the apply only writes to the state. These are profiles that a supervisor has
// replaced and, with -refresh-only, all changed settings and removed objects.
func (t *rowTable) addDrift() {
	isRefresh := len(t.plan.ResourceChanges) == 0 // a plan with -refresh-only contains no resources
	for _, d := range t.plan.ResourceDrift {
		happened := happenedTo(d, t.names)
		isRecorded := happened == bySupervisorNow || isRefresh && happened != ""
		if t.find(d.Address, d.DeposedKey != "") != nil || !isRecorded {
			continue
		}
		r := newRow(d, d.Change.Before, t.names)
		r.kind, r.what, r.drift = recorded, "Record what was changed in the service", happened
		t.rows = append(t.rows, r)
	}
}

// addMessage adds a message to the rows of the objects that it is about. If an error is about a resource without a row,
// it adds a row. It ignores other messages without a row. It also ignores the warning that an object is gone if the row
// already says that the object was removed or disabled.
func (t *rowTable) addMessage(d diagnostic, number int) {
	for _, address := range t.plan.addressesOf(d) {
		_, resourceType, _ := parseAddress(address)
		if t.about(d, address) == nil && d.isError() && resourceType != "" {
			t.rows = append(t.rows, problemRow(address, t.names))
		}
		r := t.about(d, address)
		if r != nil && (r.drift == "" || !strings.HasSuffix(d.code(), "-is-gone")) {
			r.addMessage(d, number)
		}
	}
}

// addressesOf returns the addresses of the objects that a message is about. A message about an adoption can have the
// address of another resource, so addressesOf searches the created position assessments for those whose ID and position
// the message contains. A message without an address can be about a removal, so addressesOf searches the removed
// position assessments. It searches only for the ID if the plan does not contain the position.
func (p plan) addressesOf(d diagnostic) (addresses []string) {
	isAboutAdoption := d.warns(messages.Adopted)
	if d.Address != "" && !isAboutAdoption {
		return []string{d.Address}
	}
	for _, c := range p.ResourceChanges {
		id, position := "", ""
		switch {
		case c.Type != positionAssessment, isAboutAdoption && c.DeposedKey != "": // not created
			continue
		case isAboutAdoption:
			id, position = p.created[c.Address], textAt(c.Change.After, "position_id")
		case slices.Contains(c.Change.Actions, tfjson.ActionDelete): // also as a part of a replacement
			id, position = textAt(c.Change.Before, "id"), textAt(c.Change.Before, "position_id")
		}
		if id != "" && d.contains(id) && (position == "" || d.contains(position)) {
			addresses = append(addresses, c.Address)
		}
	}
	return addresses
}

// rank returns a number for sorting rows. The lowest number comes first: errors and rejected changes, then changes that
// cannot be undone, and then changes that need attention.
func (r *row) rank() int {
	switch {
	case r.kind == rejected || r.kind == problem:
		return 0
	case r.final:
		return 1
	case r.needsAttention():
		return 2
	}
	return 3
}

func (r *row) needsAttention() bool { return len(r.attention) > 0 }

// problemRow returns a row for an object that has an error but no planned change. If nothing names the object, the row
// shows its address.
func problemRow(address string, n planNames) *row {
	_, kind, index := parseAddress(address)
	r := newRow(&tfjson.ResourceChange{Address: address, Type: kind, Index: index}, n.stored[address], n)
	r.kind, r.what = problem, "❌ Error"
	if r.assessment == "" && (index != "" || r.position == "") {
		r.assessment = codeSpan(cmp.Or(index, address))
	}
	return r
}

// addMessage adds a message of the CLI or of the provider, and corrects the row. If a reason of the row already ends
// with the text of the message, it adds only the reference to the message.
func (r *row) addMessage(d diagnostic, number int) {
	r.correct(d)
	text, reference := r.textOf(d), fmt.Sprintf(" (see message %d)", number)
	if slices.Contains(r.attention, text+reference) { // several requests for one object can stop for the same reason
		return
	}
	i := slices.IndexFunc(r.attention, func(said string) bool { return strings.HasSuffix(said, text) })
	if i < 0 {
		r.attention = append(r.attention, text+reference)
		return
	}
	r.attention[i] += reference
}

// correct changes the row if a message says that something else happens, or that the change cannot be undone.
func (r *row) correct(d diagnostic) {
	switch {
	case d.warns(messages.RejectedRemoval):
		r.mayStay()
	case d.code() == messages.ScoresDiffer:
		r.final = true
	case d.warns(messages.NotRemoved) && r.kind == replaced:
		r.what, r.oldStays = r.what+". The service has kept the old one", true
	case d.warns(messages.NotRemoved) && (r.kind == removed || r.kind == keptByService): // see also [row.isAdopted]
		r.kind, r.what = unmanaged, "Stop managing. The service has kept it"
	case d.warns(messages.ProfileMaybeReplaced):
		r.final = true
		for i, why := range r.attention {
			r.attention[i] = strings.Replace(why, profileDeleted, profileMayGo, 1)
		}
	case d.losesProfile():
		r.final = true
		// Plans of Terraform 1.9 to 1.11 show the state before the refresh, in which the profile is not completed.
		// Any plan may lack the ID of the new profile, but "reattach" discards the old profile whatever the ID is.
		deleted := strings.NewReplacer(linkStops, profileDeleted, profileMayGo, profileDeleted)
		for i, why := range r.attention {
			r.attention[i] = deleted.Replace(why)
		}
	case d.warns(messages.Adopted) && strings.Contains(d.Detail, messages.ConfigurationSent):
		r.adopts("Its settings were different or not shown, and have been set")
	case d.warns(messages.Adopted):
		r.adopts("Its settings were right")
	}
}

// adopts changes the row of a creation or a replacement that has adopted a position assessment.
func (r *row) adopts(settings string) {
	if r.kind == replaced {
		r.what += ". The apply has adopted what was already attached. " + settings
		return
	}
	r.kind, r.what = adopted, "Adopt what was already attached. "+settings
}

// textOf returns the text about a message for a row that [row.correct] has changed. For most messages, this is the
// summary.
func (r *row) textOf(d diagnostic) string {
	saysDeleted := func(text string) bool { return strings.HasSuffix(text, profileDeleted) }
	switch {
	case d.code() == messages.RejectedRemoval:
		return "Candidates have been invited"
	case d.code() == messages.RankingEnds:
		return "Candidates lose their ranking until they have completed this assessment, too"
	case d.code() == messages.ScoresDiffer:
		return "Candidates have completed it. You cannot compare their scores with scores after the change"
	case d.warns(messages.WillBeAdopted) && r.kind == adopted:
		return checkOthers
	case d.warns(messages.ProfileMaybeReplaced) && slices.Contains(r.attention, profileMayGo):
		return profileMayGo
	case d.losesProfile() && slices.ContainsFunc(r.attention, saysDeleted):
		return profileDeleted
	}
	return codeSpan(d.Summary)
}

// mayStay changes the row of a removal or a replacement, because the service will probably reject the removal. The
// removal then only warns, because the resource has on_refused_removal = "forget". Other rows stay as they are.
func (r *row) mayStay() {
	why := "The service will probably reject the removal. The assessment then stays attached, and is no longer managed"
	switch r.kind {
	case removed:
		r.kind = keptByService
	case replaced:
		why = "The service will probably reject the removal of the old one, which then stays attached"
	default:
		return
	}
	expected := []string{why}
	for _, text := range r.attention {
		switch {
		case text == itIsRemoved || text == itIsReplaced:
			continue // the service will probably not remove it
		case strings.HasPrefix(text, profileDeleted) || strings.HasPrefix(text, linkStops):
			text = "If it is removed: " + text
		}
		expected = append(expected, text)
	}
	r.attention = expected
}

// willBeAdopted changes the row of a creation that adopts a position assessment. It removes the reminder to complete
// the profile, because the profile of the existing position assessment may already be complete.
func (r *row) willBeAdopted() {
	r.kind, r.attention = adopted, []string{checkOthers}
	r.what = "Adopt what is already attached. If its settings differ, the apply changes them"
}

// isAdopted changes the row of a removal or a replacement whose old object the apply has adopted at an address.
func (r *row) isAdopted(address string) {
	switch {
	case r.kind == removed:
		r.kind, r.what = renamed, "Remove only from the state. The apply has adopted it, so it stays attached"
	case r.kind == replaced && r.address == address:
		r.kind, r.what = adopted, "Adopt the old one again, which stays attached"
	case r.kind == replaced:
		r.what, r.oldStays = r.what+". The apply has adopted the old one at another address", true
	}
}

// explainDrift adds to a row what happened to the object in the service since the last apply. If the change only
// reverts what happened, the row is about drift.
func (r *row) explainDrift(c, drift *tfjson.ResourceChange, n planNames) {
	happened, before, after := happenedTo(drift, n), drift.Change.Before, c.Change.After
	// For example, -replace does more than to undo what happened.
	again := r.kind == replaced && keyOf(c.Change.Before) == keyOf(after)
	reverts := !again && sameSettings(before, after) && differencesOf(before, after, c.Change.AfterUnknown, n) == ""
	switch {
	case happened == "":
		return
	case reverts:
		r.drift = happened
	default:
		r.attention = append(r.attention, "Also changed in the service since the last apply: "+happened)
	}
}

// happenedTo returns what happened in the service to an object since the last apply. It returns "" if the settings are
// the same as before, unless a supervisor has replaced the profile. It returns "" for an object of another provider.
func happenedTo(drift *tfjson.ResourceChange, n planNames) string {
	before, after := drift.Change.Before, drift.Change.After
	isSame := sameSettings(before, after)
	switch {
	case !strings.HasPrefix(drift.Type, "assess_"):
		return ""
	case isSame && textAt(before, "profile_status") == profileAttached && isSupervised(after, nil):
		return bySupervisorNow
	case isSame:
		return ""
	case after == nil:
		return "Removed"
	case drift.Type == activation && at(after, "active") == true:
		return "Enabled"
	case drift.Type == activation:
		return "Disabled"
	}
	return "Changed " + cmp.Or(differencesOf(before, after, nil, n), "settings")
}

// Texts in rows, or parts of them.
const (
	none            = "none" // a block that is absent
	itIsRemoved     = "The assessment is removed"
	itIsReplaced    = "It is replaced"
	profileDeleted  = "The profile that a supervisor has completed is deleted"
	profileMayGo    = "The profile that a supervisor has completed may be deleted"
	linkStops       = "The link with which a supervisor can complete the profile stops working"
	bySupervisor    = "the supervisor's profile"
	bySupervisorNow = "A supervisor replaced the attached profile"
	checkOthers     = "Check that no other repository manages it"
	importing       = "Import what already exists. "
	nothingChanges  = "Nothing changes in the service"
)
