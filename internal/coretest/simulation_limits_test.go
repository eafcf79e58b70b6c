// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// refusable returns why the plan of the current configuration may be refused, or "" if it must not be.
// Lost objects that a refresh finds may always be planned again, although the apply may fail.
func (w *workspace) refusable(o coretest.Options) string {
	switch {
	case w.refusalReason != "":
		return w.refusalReason
	case w.namesActivatedTest():
		return "a test ID is literal, and core may plan it before its activation"
	case w.atTwoAddresses():
		return "the state has an object at two addresses"
	case w.forgottenStays():
		return "what is replaced stays, because candidates have been invited"
	case w.adopts && w.keptElsewhere():
		return "adopt_existing would take over what another address keeps"
	case o.Refresh != coretest.NoRefresh && w.provesNothing() && w.snapshot().lacks():
		return "a gateway could have answered that an object is gone"
	}
	return w.wrong(o.Refresh != coretest.NoRefresh)
}

// provesNothing reports whether a 404 to the read of an object may remain unproven: nothing in it shows that it comes from
// the service, and no list shows what a position has. Then only another object proves that this route is answered.
func (w *workspace) provesNothing() bool {
	return w.assumptions.NoConversationID && w.assumptions.PositionAssessmentList != 0
}

// namesActivatedTest reports whether an item needs an activation and does not refer to it.
func (w *workspace) namesActivatedTest() bool {
	st := w.serviceState()
	return slices.ContainsFunc(w.wanted(), func(i item) bool {
		return i.literal && i.unacceptable(st, w.activations) == "" && i.unacceptable(st, nil) != ""
	})
}

// atTwoAddresses reports whether the state has an object at two addresses.
func (w *workspace) atTwoAddresses() bool {
	return len(w.core.State.Objects("assess_position_assessment")) != len(w.idsInState())
}

// forgottenStays reports whether an object equals an item, and a run only drops it from the state if the
// service refuses to remove it.
func (w *workspace) forgottenStays() bool {
	st := w.serviceState()
	for _, m := range w.removals() {
		if m.invited && slices.ContainsFunc(w.wanted(), func(i item) bool { return i.key(i.resolved(st)) == m.key }) {
			return true
		}
	}
	return false
}

// keptElsewhere reports whether an address that stays has the assessment of another item.
func (w *workspace) keptElsewhere() bool {
	wanted := w.wanted()
	for _, m := range w.removals() {
		stays := slices.ContainsFunc(wanted, func(i item) bool { return i.addr() == m.addr })
		if stays && slices.ContainsFunc(wanted, func(i item) bool {
			return i.addr() != m.addr && i.position == m.position && i.assessment == m.assessment
		}) {
			return true
		}
	}
	return false
}

// wrong returns what the service would not accept of the current configuration, or "". It does not count
// lost objects if a refresh finds them.
func (w *workspace) wrong(refreshed bool) string {
	if w.retired {
		return "an assessment was retired"
	}
	if w.unchecked && w.namesActivatedTest() {
		return "the plan does not check test IDs"
	}
	st := w.serviceState()
	for _, i := range w.wanted() {
		if refreshed && w.gone(i, st) {
			continue
		}
		if why := i.unacceptable(st, w.activations); why != "" {
			return i.name + ": " + why
		}
		if i.profile != "" && supervised(st)[w.core.State.Object(w.movedFrom(i.addr())).Text("id")] {
			return i.name + ": a supervisor has completed the profile"
		}
		if i.selected == "mandatory" && (w.assumptions.PackageMark == "none" || w.assumptions.RefuseFields == "bare") {
			return i.name + ": the service does not show which packages are mandatory"
		}
	}
	for test := range w.activations {
		if st.Assessment(asmTests) == nil || st.Assessment(asmTests).SkillsTest(test) == nil {
			return "no such test"
		}
	}
	return ""
}

// limit is a known limit: a reason why an apply fails although nothing is wrong. The next apply overcomes
// those that repeat.
type limit struct {
	name    string
	repeats bool
	holds   func(w *workspace, a *application) bool
}

var limits = []limit{
	{"-parallelism=1, and a creation waits for another change", true, (*workspace).waitsAlone},
	{"more creations wait than core makes calls at once", true, (*workspace).allWait},
	{"core plans a literal test ID before its activation", true, (*workspace).plansLiteral},
	{"a removal comes later than the wait", true, (*workspace).comesLate},
	{"create_before_destroy beside an equal one", false, (*workspace).createsBesideOwn},
	{"adopt_existing, and another address changes what was unknown in the plan", false, (*workspace).adoptsChanged},
}

// limited returns the known limits that an apply has met.
func (w *workspace) limited(a *application) (met []limit) {
	for _, l := range limits {
		if l.holds(w, a) {
			met = append(met, l)
		}
	}
	return met
}

// waiting returns how many creations of a plan wait for a removal, which may never come, or for the activation of a
// test that they name by its literal ID.
func (w *workspace) waiting(a *application) (n int) {
	for _, c := range w.creations(a.Plan) {
		if len(w.equals(c.item, a.now)) > 0 || c.literal && c.unacceptable(a.now.service, nil) != "" {
			n++
		}
	}
	for _, i := range w.wanted() {
		if a.Actions()[i.addr()] == coretest.Update && i.literal {
			n++
		}
	}
	return n
}

func (w *workspace) waitsAlone(a *application) bool { return a.Parallelism == 1 && w.waiting(a) > 0 }

func (w *workspace) allWait(a *application) bool { return w.waiting(a) >= a.Parallelism }

// plansLiteral reports whether an apply has refused to plan a test ID that needs an activation and does not
// refer to it.
func (w *workspace) plansLiteral(a *application) bool {
	return slices.ContainsFunc(w.wanted(), func(i item) bool {
		return i.literal && i.unacceptable(a.now.service, nil) != "" &&
			slices.ContainsFunc(a.result.Diagnostics, func(d coretest.Diagnostic) bool {
				return d.Addr == i.addr() && d.Summary == "Skills test not enabled"
			})
	})
}

// adoptsUnseen reports whether an apply adopts what its plan could not know, so that the plan could not
// refuse it if another address has the same.
func (w *workspace) adoptsUnseen(a *application) bool {
	return w.adopts && slices.ContainsFunc(w.creations(a.Plan), func(c creation) bool {
		return c.later || c.vague || w.unchecked || len(a.Targets) > 0
	})
}

// adoptsChanged reports whether an apply refuses to adopt what its plan could not know, because another address changes
// it.
func (w *workspace) adoptsChanged(a *application) bool {
	return w.adoptsUnseen(a) && slices.ContainsFunc(w.creations(a.Plan), func(c creation) bool {
		return slices.ContainsFunc(w.stays(a, c, a.now), a.changes)
	})
}

// comesLate reports whether the providers of others may take longer than a creation waits.
func (w *workspace) comesLate(a *application) bool {
	if w.waiting(a) == 0 {
		return false
	}
	var all time.Duration
	for addr, action := range a.Actions() {
		if strings.Contains(addr, "terraform_data.") {
			all += latency(addr, a.Options)
			if action == coretest.DeleteCreate || action == coretest.CreateDelete {
				all += latency(addr, a.Options)
			}
		}
	}
	if len(w.blocked(a)) > 0 {
		return all >= 2*time.Second // after a wait for a removal that never came
	}
	return all >= 20*time.Second
}

// createsBesideOwn reports whether core removes an object only after the creation of an equal one.
func (w *workspace) createsBesideOwn(a *application) bool {
	return slices.ContainsFunc(w.creations(a.Plan), func(c creation) bool {
		return slices.ContainsFunc(w.equals(c.item, a.now), func(id string) bool {
			return w.frees(a, id) &&
				(a.now.removals[id].createFirst || a.Actions()[a.now.removals[id].addr] == coretest.CreateDelete)
		})
	})
}

// creation is an item that a plan attaches.
type creation struct {
	item
	replaces bool
}

// creations returns the items that a plan attaches.
func (w *workspace) creations(plan *coretest.Plan) (all []creation) {
	actions := plan.Actions()
	for _, i := range w.wanted() {
		switch actions[i.addr()] {
		case coretest.Create:
			all = append(all, creation{i, false})
		case coretest.DeleteCreate, coretest.CreateDelete:
			all = append(all, creation{i, true})
		default:
		}
	}
	return all
}

// equals returns the IDs of the position assessments in the service that equal an item.
func (w *workspace) equals(i item, s snapshot) (ids []string) {
	st := s.service
	p := st.Position(i.position)
	if p == nil || st.Assessment(i.assessment) == nil {
		return nil
	}
	for _, a := range p.Assessments {
		if keyOf(p.ID, a.Assessment, a.Metadata) == i.key(i.resolved(st)) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// frees reports whether an apply removes an object, as far as the service and a supervisor allow.
func (w *workspace) frees(a *application, id string) bool {
	return a.now.removes(a.Plan, id) && !a.now.removals[id].invited
}

// stays returns the position assessments that equal a creation, and that stay after the apply.
func (w *workspace) stays(a *application, c creation, s snapshot) []string {
	return slices.DeleteFunc(w.equals(c.item, s), func(id string) bool {
		return s.removes(a.Plan, id) && !s.removals[id].invited
	})
}

// excuse returns why an apply may fail although its plan was accepted, besides the known limits. Each
// reason is a fact that the plan could not know, or that it has warned about.
func (w *workspace) excuse(a *application) string {
	switch {
	case a.text != "" && !a.survivable:
		return "the network failed"
	case a.after > 0 || a.result.Killed:
		return "the apply was interrupted"
	case a.result.Says("Cycle"): // OpenTofu has it, too, and it is no work of the provider
		return "the graph has a cycle"
	case w.assumptions.NoRemoval != 0 || w.assumptions.RefuseRemovals:
		return "the service removes nothing"
	case w.assumptions.RefuseFields == "bare" && len(w.activations) > 0:
		return "an update must send all fields of a skills test, but this service shows only IDs"
	case len(a.now.unremovable(a.Plan, w)) > 0:
		return "candidates have been invited to what the plan removes"
	case w.unchecked && slices.ContainsFunc(a.Changes, func(c *coretest.Change) bool {
		return c.Imported && c.Action != coretest.NoOp && c.Action != coretest.Update
	}):
		return "candidates may have been invited to what the plan imports and replaces"
	case a.now.lacks() && (a.meanwhile != nil || a.Refresh == coretest.NoRefresh || a.before.blind):
		return "others have removed what the plan changes"
	}
	for _, i := range w.wanted() {
		if w.isCopied(i) {
			return i.name + " is configured twice"
		}
	}
	for id := range a.now.supervised {
		if a.changes(id) && !a.knowsSupervised(id) {
			return "a supervisor has completed what the plan changes"
		}
	}
	return a.wrong
}

// blocked returns the addresses of creations that an apply must refuse, because something stays that they
// must not be attached beside.
func (w *workspace) blocked(a *application) map[string]bool {
	all := map[string]bool{}
	for _, c := range w.creations(a.Plan) {
		ids := w.stays(a, c, a.now)
		all[c.addr()] = len(ids) > 0 && !w.mustAdopt(a, c, ids) || w.adopts && w.besideOthers(a, c)
	}
	maps.DeleteFunc(all, func(_ string, is bool) bool { return !is })
	return all
}

// knowsSupervised reports whether the state of a plan says that a supervisor has completed a profile.
func (a *application) knowsSupervised(id string) bool {
	return slices.ContainsFunc(a.Prior.Objects("assess_position_assessment"), func(o coretest.Entry) bool {
		return o.Text("id") == id &&
			o.Text("profile_status") == sandbox.SupervisorCompleted
	})
}

// isCopied reports whether another item equals an item.
func (w *workspace) isCopied(i item) bool {
	st := w.serviceState()
	return slices.ContainsFunc(w.wanted(), func(other item) bool {
		return other.name != i.name && other.key(other.resolved(st)) == i.key(i.resolved(st))
	})
}

// changes reports whether a plan removes, replaces or updates an object.
func (a *application) changes(id string) bool {
	addr := a.now.removals[id].addr
	action := a.Actions()[addr]
	return addr != "" && action != "" && action != coretest.Forget || a.now.removes(a.Plan, id)
}

// mustAdopt reports whether a creation must take over an equal position assessment instead of being
// refused: with adopt_existing, if it is the only one.
func (w *workspace) mustAdopt(a *application, c creation, stays []string) bool {
	return w.adopts && len(stays) == 1 && len(w.equals(c.item, a.now)) == 1 && w.showsAttached()
}

// besideOthers reports whether the position of a creation has the assessment with other content.
func (w *workspace) besideOthers(a *application, c creation) bool {
	p := a.now.service.Position(c.position)
	equal := w.equals(c.item, a.now)
	return len(equal) == 0 && p != nil && slices.ContainsFunc(p.Assessments, func(b sandbox.PositionAssessment) bool {
		return b.Assessment == c.assessment && !w.frees(a, b.ID)
	})
}

// stateKey returns [keyOf] for a resource in the state.
func stateKey(resource tftypes.Value) string {
	texts := func(block string) (texts []string) {
		all, _ := coretest.Plain(coretest.At(resource, block, "ids")).([]any)
		for _, text := range all {
			texts = append(texts, fmt.Sprint(text))
		}
		return texts
	}
	return keyOf(coretest.Text(resource, "position_id"), coretest.Text(resource, "assessment_id"), sandbox.Metadata{
		Packages: texts("packages"), Benchmark: coretest.Text(resource, "benchmark", "id"),
		Profile: coretest.Text(resource, "profile", "id"), Tests: texts("tests"),
	})
}
