// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/notes"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// Action is what a plan does with a position assessment.
type Action int

// The CLI plans a replacement with two calls: Replace, or Update if it replaces for a reason
// of its own, and then Create with the object that is replaced.
const (
	Create Action = iota
	Update
	Replace
	Remove
	Import
)

// Object is a position assessment of a state.
type Object struct {
	Ref
	Assessment string
	Forget     bool // on_refused_removal is "forget"
}

// Intent is what a plan intends for one position assessment.
type Intent struct {
	Action Action
	// Object is the object of the state. With Create, it is the object that is replaced, or
	// zero.
	Object Object
	// Gone is whether Read has found that the instance no longer exists. Then nothing is
	// refused, because a refusal would stop the destroy of all other resources.
	Gone bool
	// Before and Desired are the configuration of the state and of the plan.
	Before, Desired rules.Desired
	// Select is how the packages are selected, or empty.
	Select string
}

// Outcome is the answer to an [Intent].
type Outcome struct {
	Findings []rules.Finding
	// Packages are the ids that Select means, or nil if they are not known yet.
	Packages []string
}

func (o *Outcome) add(found []rules.Finding) { o.Findings = append(o.Findings, found...) }

// Plan records what a plan does with a position assessment, and returns what the service
// would refuse. Everything that the apply has to know is noted for it.
//
// Whether a creation is refused may depend on resources that the CLI has not planned yet: the
// state may contain the existing position assessment under another address. So such creations
// wait until the CLI plans nothing else. The CLI has a limited number of calls in progress. If
// only one is left, further creations return with a warning, and those that wait decide.
func (a *Attachments) Plan(ctx context.Context, i Intent) Outcome {
	var o Outcome
	switch i.Action {
	case Import:
		a.run.refreshes()
		o.add(a.record(i.Object.Ref, func(o *object) { o.imported = true }))
	case Remove:
		o.add(a.leave(ctx, i.Object, true))
	case Replace:
		o.add(a.leave(ctx, i.Object, true))
		a.selectPackages(ctx, &i, &o)
		if a.run.checksPlan() {
			// With ignore_changes, only the second call has the values that the apply sends. But the
			// CLI drops the warnings of that call.
			o.add(slices.DeleteFunc(rules.CheckCreation(ctx, a.catalog, a.desired(i, false)), refuses))
		}
	case Update:
		a.selectPackages(ctx, &i, &o)
		o.add(a.update(ctx, i))
	case Create:
		if i.Object.Ref != (Ref{}) {
			o.add(a.leave(ctx, i.Object, false))
		}
		a.selectPackages(ctx, &i, &o)
		if !rules.Refuses(o.Findings) {
			o.add(a.create(ctx, i))
		}
	}
	return o
}

func refuses(f rules.Finding) bool { return !f.Warning }

// selectPackages replaces Select by the packages that it means.
func (a *Attachments) selectPackages(ctx context.Context, i *Intent, o *Outcome) {
	if i.Select == "" {
		return
	}
	i.Desired.Packages.Known = false
	if i.Desired.Assessment == "" || a.run.client == nil {
		return
	}
	ids, found := rules.Select(ctx, a.catalog, i.Desired.Assessment, i.Select, a.run.checksPlan())
	if i.Gone {
		found = rules.AsWarnings(found)
	}
	o.add(found)
	if len(found) == 0 {
		o.Packages, i.Desired.Packages.Known, i.Desired.Packages.IDs = ids, true, ids
	}
}

// desired adds the tests whose activations are planned by now. enables is whether all are.
func (a *Attachments) desired(i Intent, enables bool) rules.Desired {
	d := i.Desired
	d.Activations = map[string]bool{}
	for _, test := range d.Tests.IDs {
		d.Activations[test] = enables || !a.activations.isMissing(catalog.TestRef{Assessment: d.Assessment, Test: test})
	}
	return d
}

// record changes the record of an object, and corrects the notes that depend on it. It
// refuses a plan that removes what another address keeps or imports.
func (a *Attachments) record(ref Ref, change func(*object)) (found []rules.Finding) {
	for _, c := range a.records.update(ref, change) {
		a.note(c)
	}
	a.run.calls.changed()
	position, o := a.catalog.PositionLabel(ref.Position), a.records.get(ref)
	switch {
	case a.run.cfg.Reused:
	case o.removesImport():
		found = rules.ImportedAndRemoved(position, ref.ID)
	case o.kept && o.left:
		found = rules.KeptAndRemoved(position, ref.ID)
	}
	if a.run.signals.phase() != Applying {
		a.notes.Protect(ref.Position, ref.ID, o.isProtected() && found == nil)
	}
	return found
}

// notePlanned corrects the notes that depend on the activation of a test.
func (a *Attachments) notePlanned(test catalog.TestRef) {
	for _, c := range a.records.needing(test) {
		a.note(c)
	}
}

// leave records that a plan removes or replaces an object. It refuses a removal that the
// service would refuse. certain is false if another call may have planned an update of the
// same instance.
func (a *Attachments) leave(ctx context.Context, old Object, certain bool) []rules.Finding {
	found := a.record(old.Ref, func(o *object) {
		o.inState, o.fate, o.left = true, leaves, o.left || certain
	})
	if found != nil {
		return found
	}
	return rules.CheckRemoval(a.removal(ctx, old))
}

func (a *Attachments) removal(ctx context.Context, old Object) rules.Removal {
	invited := a.invited(ctx, old.Ref, old.Assessment, false)
	return rules.Removal{
		Position: a.catalog.PositionLabel(old.Position), Assessment: a.catalog.AssessmentLabel(old.Assessment),
		ID: old.ID, Forget: old.Forget,
		Invited: invited.Candidates, Completed: invited.Completed, AtLeast: invited.AtLeast,
	}
}

// update returns what the service would refuse about an update, and refuses a change into what
// another resource of the plan has. It warns if candidates have completed the assessment.
func (a *Attachments) update(ctx context.Context, i Intent) []rules.Finding {
	d, ref := i.Desired, i.Object.Ref
	d.Position, d.Assessment = ref.Position, i.Object.Assessment
	after, known := creationOf(d)
	before, _ := creationOf(i.Before)
	found := a.record(ref, func(o *object) {
		o.inState, o.kept, o.fate, o.keeps = true, true, keeps, notes.Content{}
		if known {
			o.keeps = after.content()
		}
	})
	var record *creation
	twice := false
	switch {
	case !known:
	case after.content() == before.content():
		twice = !a.records.mayKeep(after, ref)
	default:
		record = a.records.change(after, ref)
		twice = record == nil
	}
	if twice && !a.run.cfg.Reused {
		found = append(found, a.noDuplicate(after, rules.Presence{PlannedSame: true})...)
	}
	if !a.run.checksPlan() {
		return found
	}
	check := func(ctx context.Context, facts rules.Facts, d rules.Desired) []rules.Finding {
		return rules.CheckUpdate(ctx, facts, i.Before, d)
	}
	if i.Before.SameScores(i.Desired) {
		return append(found, check(ctx, a.catalog, i.Desired)...)
	}
	v := &activating{
		Attachments: a, Intent: i, check: check,
		earlier: a.earlier(after.content()), disabled: a.activations.disabled(ctx, after),
	}
	found = append(found, a.settled(ctx, v)...)
	if record != nil {
		a.records.compare(record, comparison{disabled: v.disabled})
		a.note(record)
	}
	invited := a.invited(ctx, ref, i.Object.Assessment, true)
	return append(found, rules.CheckScores(a.catalog.PositionLabel(ref.Position),
		a.catalog.AssessmentLabel(i.Object.Assessment), invited.Completed)...)
}

// creationOf returns the creation that a configuration describes, and whether all of it is known.
func creationOf(d rules.Desired) (Creation, bool) {
	metadata, known := d.Metadata()
	return Creation{d.Position, d.Assessment, metadata}, known && d.Position != "" && d.Assessment != ""
}

func (a *Attachments) noDuplicate(c Creation, p rules.Presence) []rules.Finding {
	return rules.CheckDuplicate(a.catalog.PositionLabel(c.Position), a.catalog.AssessmentLabel(c.Assessment), p)
}

// create returns what the service would refuse to attach, and refuses duplicates.
func (a *Attachments) create(ctx context.Context, i Intent) []rules.Finding {
	c, known := creationOf(i.Desired)
	if !known {
		return a.createUnknown(ctx, i)
	}
	if a.run.checksPlan() && !a.isGone(i, c) {
		if found := rules.CheckCreation(ctx, a.catalog, a.desired(i, true)); rules.Refuses(found) {
			return found // whatever else is planned
		}
	}
	record, same := a.records.create(c, i.Object.Ref)
	v := &creating{Attachments: a, Intent: i, creation: record, same: same && !a.run.cfg.Reused}
	v.compare(ctx)
	waits := v.waits() // before the judgment, which may know more
	found := v.judge(ctx)
	if waits && (rules.Refuses(found) || v.adopts(record) == Ref{}) {
		found = a.verdicts.settle(ctx, a.run, v)
	}
	record.refused.Store(rules.Refuses(found))
	a.note(record)
	return found
}

// isGone reports whether Read has found that the instance no longer exists. Another instance may
// have had the same content: the two cannot be told apart if one of them is tainted.
func (a *Attachments) isGone(i Intent, c Creation) bool {
	return i.Gone || i.Object.Ref == Ref{} && a.records.wasGone(c.content())
}

// createUnknown is create for an assessment whose configuration is not completely known.
func (a *Attachments) createUnknown(ctx context.Context, i Intent) []rules.Finding {
	d, replaces := i.Desired, i.Object.Ref != Ref{}
	record := a.records.createUnknown(d.Position)
	a.records.compare(record, comparison{twins: a.inTheWay(d.Position, i.Object)})
	a.note(record)
	if !a.run.checksPlan() {
		return nil
	}
	tests := Creation{d.Position, d.Assessment, assessapi.Metadata{Tests: d.Tests.IDs}}
	found := a.settled(ctx, &activating{
		Attachments: a, Intent: i, disabled: a.activations.disabled(ctx, tests), check: rules.CheckCreation,
	})
	if d.Position != "" && (i.Gone || !rules.Refuses(found)) {
		all, _, err := a.List(ctx, d.Position)
		found = append(found, a.listFailed(ctx, d.Position, err)...)
		var ids []string
		for _, pa := range all {
			if pa.AssessmentID == d.Assessment && !replaces {
				ids = append(ids, pa.ID)
			}
		}
		found = append(found, rules.UnknownDuplicate(
			a.catalog.PositionLabel(d.Position), a.catalog.AssessmentLabel(d.Assessment), ids)...)
	}
	if i.Gone {
		found = rules.AsWarnings(found)
	}
	return found
}

// inTheWay returns what a creation that cannot be compared may replace.
func (a *Attachments) inTheWay(position string, replaced Object) []twin {
	if replaced.Ref != (Ref{}) {
		return []twin{{ref: replaced.Ref}}
	}
	return a.records.unplanned(position)
}

// listFailed refuses a plan if the assessments of a position could not be listed.
func (a *Attachments) listFailed(ctx context.Context, position string, err error) []rules.Finding {
	switch {
	case assessapi.IsNotFound(err):
		return rules.PositionNotListed(ctx, a.catalog, position, a.lists.Offered(), a.lists.GiveUp)
	case err != nil:
		return []rules.Finding{{
			Rule: rules.LookupFailed, Path: []string{"position_id"}, Err: err, Detail: fmt.Sprintf(
				"Could not list the assessments of position %s to check for duplicates.", a.catalog.PositionLabel(position)),
		}}
	}
	return nil
}

// settled returns the findings of a verdict. If it refuses, it waits as long as that may change.
func (a *Attachments) settled(ctx context.Context, v verdict) []rules.Finding {
	waits := v.waits() // before the judgment, which may know more
	found := v.judge(ctx)
	if waits && rules.Refuses(found) {
		found = a.verdicts.settle(ctx, a.run, v)
	}
	return found
}

// activating is the verdict about a configuration whose tests other resources may enable.
type activating struct {
	*Attachments
	Intent
	check    func(context.Context, rules.Facts, rules.Desired) []rules.Finding
	disabled []catalog.TestRef
	earlier  notes.Note
}

func (v *activating) judge(ctx context.Context) []rules.Finding {
	return enabled(v.earlier, v.check(ctx, v.catalog, v.desired(v.Intent, false)))
}

func (v *activating) waits() bool { return slices.ContainsFunc(v.disabled, v.activations.isMissing) }

// enabled turns refusals of tests into warnings if the last plan enables them, too.
func enabled(n notes.Note, found []rules.Finding) []rules.Finding {
	for i := range found {
		found[i].Warning = found[i].Warning || n.Enables && found[i].Rule == rules.TestNotEnabled
	}
	return found
}

// earlier returns the note of the last plan, if this run may be its apply. Until the CLI reads
// or applies something, an apply looks the same as a plan.
func (a *Attachments) earlier(c notes.Content) notes.Note {
	if a.run.signals.phase() != Undetermined || a.run.cfg.Reused {
		return notes.Note{}
	}
	return a.notes.Of(c)
}

// creating is the verdict about one creation.
type creating struct {
	*Attachments
	Intent
	creation *creation
	same     bool            // whether this run has planned another creation with the same content
	failed   []rules.Finding // why the creation could not be compared
}

// compare looks for the same assessment on the position.
func (v *creating) compare(ctx context.Context) {
	c := v.creation
	if !v.run.checksPlan() {
		if v.run.client == nil { // any object of the state on this position may be in the way
			v.records.compare(c, comparison{twins: v.inTheWay(c.Position, v.Object), replaces: v.Object.Ref != Ref{}})
		}
		return
	}
	all, offered, err := v.List(ctx, c.Position)
	v.failed = v.listFailed(ctx, c.Position, err)
	found := comparison{
		complete: err == nil, unlisted: !offered, replaces: v.Object.Ref != Ref{},
		disabled: v.activations.disabled(ctx, c.Creation),
	}
	for _, pa := range all {
		if pa.AssessmentID != c.Assessment {
			continue
		}
		t := twin{ref: Ref{c.Position, pa.ID}, comparable: v.lists.Comparable(ctx, pa)}
		t.same = t.comparable && pa.Metadata.Equal(c.Metadata)
		found.complete = found.complete && t.comparable
		found.twins = append(found.twins, t)
	}
	v.records.compare(c, found)
}

func (v *creating) judge(ctx context.Context) []rules.Finding {
	var found []rules.Finding
	if v.run.checksPlan() {
		found = enabled(
			v.earlier(v.creation.content()), rules.CheckCreation(ctx, v.catalog, v.desired(v.Intent, false)),
		)
		found = append(found, v.failed...)
	}
	c, p := v.creation, rules.Presence{}
	if !v.run.cfg.Reused {
		p.PlannedSame, p.PlannedOther = v.same, c.others
		p.PlannedAgain = v.same && v.records.mayBeAgain(c)
	}
	if v.Object.Ref == (Ref{}) { // otherwise, the plan may replace the existing ones, too
		p.Attached = v.existing()
	}
	found = append(found, v.noDuplicate(c.Creation, p)...)
	for _, e := range p.Attached {
		if e.InState && e.Same {
			old := Object{Ref: Ref{c.Position, e.ID}, Assessment: c.Assessment}
			found = append(found, rules.MaybeReplaced(v.removal(ctx, old))...)
		}
	}
	if v.isGone(v.Intent, v.creation.Creation) && (!p.PlannedSame || p.PlannedAgain) {
		found = rules.AsWarnings(found)
	}
	return found
}

// existing describes the twins of the creation by what the run knows now.
func (v *creating) existing() (all []rules.Existing) {
	if !v.run.checksPlan() {
		return nil
	}
	c := v.creation
	earlier, adopts := v.earlier(c.content()), v.adopts(c)
	for _, t := range c.twins() {
		all = append(all, rules.Existing{
			ID: t.ref.ID, Comparable: t.comparable, Same: t.same, InState: v.records.get(t.ref).inState,
			Replaced: earlier.Accepts(t.ref.Position, t.ref.ID),
			Adopted:  t.ref == adopts,
		})
	}
	return all
}

func (v *creating) waits() bool {
	if !v.run.checksPlan() || v.isGone(v.Intent, v.creation.Creation) {
		return false
	}
	missing := func(f rules.Finding) bool { return f.Rule == rules.UnknownPosition }
	unknown := func(t twin) bool { return t.same && !v.records.get(t.ref).inState }
	return v.Object.Ref == Ref{} && slices.ContainsFunc(v.failed, missing) || // what was there may be gone, too
		v.same && v.records.mayBeAgain(v.creation) ||
		v.Object.Ref == Ref{} && !v.same && slices.ContainsFunc(v.creation.twins(), unknown) ||
		slices.ContainsFunc(v.creation.comparison().disabled, v.activations.isMissing)
}

// adopts returns the existing position assessment that a creation takes over, or zero.
func (a *Attachments) adopts(c *creation) Ref {
	var same []Ref
	for _, t := range c.twins() {
		if !t.comparable {
			return Ref{}
		}
		if t.same {
			same = append(same, t.ref)
		}
	}
	if !a.run.cfg.AdoptExisting || c.comparison().replaces || len(same) != 1 || a.records.get(same[0]).inState {
		return Ref{}
	}
	return same[0]
}

// note writes for the apply what this run knows about a creation.
func (a *Attachments) note(c *creation) {
	if a.run.signals.phase() == Applying {
		return
	}
	found := c.comparison()
	n := notes.Note{Compared: found.complete, Unlisted: found.unlisted}
	n.Enables = len(found.disabled) > 0 && !c.refused.Load() &&
		!slices.ContainsFunc(found.disabled, a.activations.isMissing)
	if adopted := a.adopts(c); adopted != (Ref{}) {
		n.Adopts = notes.Object(adopted.Position, adopted.ID)
	}
	for _, t := range found.twins {
		if t.comparable && !t.same {
			continue
		}
		if found.replaces || a.records.get(t.ref).mayLeave(c.content()) {
			n.Beside = append(n.Beside, notes.Object(t.ref.Position, t.ref.ID))
		} else {
			n.Compared = false
		}
	}
	if err := a.notes.Write(c.content(), n); err != nil && len(n.Beside) > 0 {
		a.run.notices.once("note", Notice{Kind: NoteNotWritten, Ref: found.twins[0].ref, Err: err})
	}
}

// invited reads whether candidates have been invited to an assessment of a position
// (assumption A28). It sends at most one results request for each position, and none if
// plan checks are off. If it cannot say, it adds one notice in each run.
//
// plannedAgain is whether the CLI plans the change again in the apply. Then a note
// prevents a second request in the apply.
func (a *Attachments) invited(ctx context.Context, ref Ref, assessment string, plannedAgain bool) catalog.Invited {
	noted := notes.Invited.Of(ref.Position, ref.ID)
	if !a.run.checksPlan() ||
		plannedAgain && a.run.signals.phase() == Undetermined && a.notes.Of(noted).Compared {
		return catalog.Invited{}
	}
	seen, err := a.invitations.Count(ctx, ref.Position, assessment)
	switch {
	case errors.Is(err, catalog.ErrManyPositions):
		a.run.notices.once("invitations", Notice{Kind: ManyRemovals})
		return seen
	case assessapi.IsNotFound(err): // a position that does not exist has no candidates
	case err != nil, seen.AtLeast && (seen.Candidates == 0 || plannedAgain && seen.Completed == 0):
		a.run.notices.once("invitations of a position", Notice{Kind: InvitationsUnknown, Ref: ref, Err: err})
	}
	if plannedAgain {
		_ = a.notes.Write(noted, notes.Note{Compared: true}) // without the note, the apply checks again
	}
	return seen
}
