// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
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
	// Metadata is the planned metadata. Known is whether all of it is known.
	Metadata assessapi.Metadata
	Known    bool
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
		o.add(a.leave(ctx, i.Object))
	case Replace:
		o.add(a.leave(ctx, i.Object))
		a.selectPackages(ctx, &i, &o)
		if a.run.checksPlan() {
			// With ignore_changes, only the second call has the values that the apply sends. But the
			// CLI drops the warnings of that call.
			o.add(slices.DeleteFunc(rules.Creation(ctx, a.catalog, a.desired(i, false)), refuses))
		}
	case Update:
		a.selectPackages(ctx, &i, &o)
		o.add(a.update(ctx, i))
	case Create:
		if i.Object.Ref != (Ref{}) {
			o.add(a.leave(ctx, i.Object))
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
	known := i.Known
	i.Known, i.Desired.Packages.Known = false, false
	if i.Desired.Assessment == "" || a.run.client == nil {
		return
	}
	ids, found := rules.Select(ctx, a.catalog, i.Desired.Assessment, i.Select, a.run.checksPlan())
	if i.Gone {
		found = rules.AsWarnings(found)
	}
	o.add(found)
	if len(found) == 0 {
		o.Packages, i.Metadata.Packages = ids, ids
		i.Known, i.Desired.Packages.Known, i.Desired.Packages.IDs = known, true, ids
	}
}

// desired adds the tests whose activations are planned by now. enables is whether all are.
func (a *Attachments) desired(i Intent, enables bool) rules.Desired {
	d := i.Desired
	d.Activations = map[string]bool{}
	for _, test := range d.Tests.IDs {
		d.Activations[test] = enables || !a.activations.isMissing(TestRef{d.Assessment, test})
	}
	return d
}

// record changes the record of an object, and corrects the notes that depend on it. It
// refuses a plan that removes what it imports.
func (a *Attachments) record(ref Ref, change func(*object)) []rules.Finding {
	for _, c := range a.records.update(ref, change) {
		a.note(c)
	}
	a.run.calls.changed()
	if a.records.get(ref).removesImport() && !a.run.cfg.Reused {
		return rules.ImportedAndRemoved(a.catalog.PositionLabel(ref.Position), ref.ID)
	}
	return nil
}

// notePlanned corrects the notes that depend on the activation of a test.
func (a *Attachments) notePlanned(test TestRef) {
	for _, c := range a.records.needing(test) {
		a.note(c)
	}
}

// leave records that a plan removes or replaces an object. It refuses a removal that the
// service would refuse.
func (a *Attachments) leave(ctx context.Context, old Object) []rules.Finding {
	if found := a.record(old.Ref, func(o *object) { o.inState, o.fate = true, leaves }); found != nil {
		return found
	}
	return rules.Removable(a.removal(ctx, old))
}

func (a *Attachments) removal(ctx context.Context, old Object) rules.Removal {
	invited := a.invited(ctx, old.Ref, old.Assessment, false)
	return rules.Removal{
		Position: a.catalog.PositionLabel(old.Position), Assessment: a.catalog.AssessmentLabel(old.Assessment),
		ID: old.ID, Forget: old.Forget,
		Invited: invited.Candidates, Completed: invited.Completed, AtLeast: invited.AtLeast,
	}
}

// update returns what the service would refuse about an update, and warns if candidates have
// completed the assessment that changes.
func (a *Attachments) update(ctx context.Context, i Intent) []rules.Finding {
	var after content
	if i.Known {
		after = Creation{i.Object.Position, i.Object.Assessment, i.Metadata}.content()
	}
	found := a.record(i.Object.Ref, func(o *object) { o.inState, o.fate, o.keeps = true, keeps, after })
	if !a.run.checksPlan() {
		return found
	}
	desired := a.desired(i, false)
	found = append(found, rules.Update(ctx, a.catalog, i.Before, desired)...)
	if i.Before.SameScores(desired) {
		return found
	}
	invited := a.invited(ctx, i.Object.Ref, i.Object.Assessment, true)
	return append(found, rules.Comparable(a.catalog.PositionLabel(i.Object.Position),
		a.catalog.AssessmentLabel(i.Object.Assessment), invited.Completed)...)
}

// create returns what the service would refuse to attach, and refuses duplicates.
func (a *Attachments) create(ctx context.Context, i Intent) []rules.Finding {
	d := i.Desired
	if !i.Known || d.Position == "" || d.Assessment == "" {
		return a.createUnknown(ctx, i)
	}
	c := Creation{d.Position, d.Assessment, i.Metadata}
	i.Gone = i.Gone || i.Object.Ref == Ref{} && a.records.wasGone(c.content())
	if a.run.checksPlan() && !i.Gone {
		if found := rules.Creation(ctx, a.catalog, a.desired(i, true)); rules.Refuses(found) {
			return found // whatever else is planned
		}
	}
	record, same := a.records.create(c, i.Object.Ref)
	v := &verdict{Attachments: a, Intent: i, creation: record, same: same && !a.run.cfg.Reused}
	v.compare(ctx)
	waits := v.waits() // before the judgment, which may know more
	found := v.judge(ctx)
	if waits && !v.Gone && (rules.Refuses(found) || v.adopts(record) == Ref{}) {
		found = a.verdicts.settle(ctx, a.run, v)
	}
	if v.Gone {
		found = rules.AsWarnings(found)
	}
	a.note(record)
	return found
}

// createUnknown is create for an assessment whose configuration is not completely known.
func (a *Attachments) createUnknown(ctx context.Context, i Intent) []rules.Finding {
	d, replaces := i.Desired, i.Object.Ref != Ref{}
	record := a.records.createUnknown(d.Position)
	a.records.compare(record, comparison{twins: a.inTheWay(d.Position, i.Object), replaces: replaces})
	a.note(record)
	if !a.run.checksPlan() {
		return nil
	}
	found := rules.Creation(ctx, a.catalog, a.desired(i, false))
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
		return rules.PositionNotListed(ctx, a.catalog, position, a.lists.offered(), a.lists.giveUp)
	case err != nil:
		return []rules.Finding{{
			Rule: rules.LookupFailed, Path: []string{"position_id"}, Err: err, Detail: fmt.Sprintf(
				"Could not list the assessments of position %s to check for duplicates.", a.catalog.PositionLabel(position)),
		}}
	}
	return nil
}

// verdict decides whether one creation is refused.
type verdict struct {
	*Attachments
	Intent
	creation *creation
	same     bool            // whether this run has planned another creation with the same content
	failed   []rules.Finding // why the creation could not be compared
}

// compare looks for the same assessment on the position.
func (v *verdict) compare(ctx context.Context) {
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
		t := twin{ref: Ref{c.Position, pa.ID}, comparable: v.metadata.comparable(ctx, pa)}
		t.same = t.comparable && pa.Metadata.Equal(c.Metadata)
		found.complete = found.complete && t.comparable
		found.twins = append(found.twins, t)
	}
	v.records.compare(c, found)
}

// judge returns the findings by what the run knows now.
func (v *verdict) judge(ctx context.Context) []rules.Finding {
	var found []rules.Finding
	if v.run.checksPlan() {
		found = append(rules.Creation(ctx, v.catalog, v.desired(v.Intent, v.earlier().Enables)), v.failed...)
	}
	c, p := v.creation, rules.Presence{}
	if !v.run.cfg.Reused {
		p.PlannedSame, p.PlannedOther = v.same, c.others
		p.PlannedAgain = v.same && v.records.mayBeAgain(c)
	}
	if v.Object.Ref == (Ref{}) { // otherwise, the plan may replace the existing ones, too
		p.Attached = v.existing()
	}
	found = append(found, rules.NoDuplicate(
		v.catalog.PositionLabel(c.Position), v.catalog.AssessmentLabel(c.Assessment), p)...)
	for _, e := range p.Attached {
		if e.InState && e.Same {
			old := Object{Ref: Ref{c.Position, e.ID}, Assessment: c.Assessment}
			found = append(found, rules.MaybeReplaced(v.removal(ctx, old))...)
		}
	}
	return found
}

// existing describes the twins of the creation by what the run knows now.
func (v *verdict) existing() (all []rules.Existing) {
	if !v.run.checksPlan() {
		return nil
	}
	c := v.creation
	earlier, adopts := v.earlier(), v.adopts(c)
	for _, t := range c.twins() {
		all = append(all, rules.Existing{
			ID: t.ref.ID, Comparable: t.comparable, Same: t.same, InState: v.records.get(t.ref).inState,
			Replaced: earlier.accepts(t.ref),
			Adopted:  t.ref == adopts,
		})
	}
	return all
}

// earlier returns the note of the last plan, if this run may be its apply. Until the CLI reads
// or applies something, an apply looks the same as a plan.
func (v *verdict) earlier() note {
	if v.run.signals.phase() != Undetermined || v.run.cfg.Reused {
		return note{}
	}
	return v.notes.of(v.creation.content())
}

// waits reports whether the verdict may change when the CLI plans other resources.
func (v *verdict) waits() bool {
	if !v.run.checksPlan() {
		return false
	}
	unknown := func(t twin) bool { return t.same && !v.records.get(t.ref).inState }
	return v.same && v.records.mayBeAgain(v.creation) ||
		v.Object.Ref == Ref{} && !v.same && slices.ContainsFunc(v.creation.twins(), unknown) ||
		slices.ContainsFunc(v.creation.comparison().disabled, v.activations.isMissing)
}

// verdicts lets creations wait for the others of a plan.
type verdicts struct {
	mu      sync.Mutex
	waiting int        // how many creations wait
	rounds  int        // how often the CLI was silent
	open    []*verdict // creations that have returned with warnings, and that the others decide
}

// settle waits until the verdict is final. If the CLI could not plan anything else while this
// creation waits, too, it returns at once, with warnings, and another creation decides.
func (s *verdicts) settle(ctx context.Context, r *run, own *verdict) []rules.Finding {
	s.mu.Lock()
	if s.waiting > 0 && s.waiting >= r.calls.most()-1 {
		s.open = append(s.open, own)
		s.mu.Unlock()
		return rules.AsWarnings(own.judge(ctx))
	}
	s.waiting++
	round := s.rounds
	s.mu.Unlock()
	silent := r.calls.await(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open = slices.DeleteFunc(s.open, func(v *verdict) bool { return !v.waits() })
		return s.rounds != round || !own.waits() && (s.waiting > 1 || len(s.open) == 0)
	})
	s.mu.Lock()
	s.waiting--
	var open []*verdict
	if silent {
		s.rounds++
		open, s.open = s.open, nil
	}
	s.mu.Unlock()
	r.calls.changed() // the other creations that wait have seen the same silence
	found := own.judge(ctx)
	for _, v := range open {
		found = append(found, rules.ElsewhereRefused(v.judge(ctx))...)
	}
	return found
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
	n := note{Compared: found.complete, Unlisted: found.unlisted}
	n.Enables = len(found.disabled) > 0 && !slices.ContainsFunc(found.disabled, a.activations.isMissing)
	if adopted := a.adopts(c); adopted != (Ref{}) {
		n.Adopts = adopted.hash()
	}
	for _, t := range found.twins {
		if t.comparable && !t.same {
			continue
		}
		if found.replaces || a.records.get(t.ref).mayLeave(c.content()) {
			n.Beside = append(n.Beside, t.ref.hash())
		} else {
			n.Compared = false
		}
	}
	if err := a.notes.write(c.content(), c.unknown, n); err != nil && len(n.Beside) > 0 {
		a.run.notices.once("note", Notice{Kind: NoteNotWritten, Ref: found.twins[0].ref, Err: err})
	}
}

// invited reads whether candidates have been invited to an assessment of a position
// (assumption A28). It sends at most one results request for each position, and none if
// plan checks are off. If it cannot say, it adds one notice in each run.
//
// plannedAgain is whether the CLI plans the change again in the apply. Then a note
// prevents a second request in the apply.
func (a *Attachments) invited(ctx context.Context, ref Ref, assessment string, plannedAgain bool) Invited {
	looked := content{ref.Position, "invitations", ref.ID}
	if !a.run.checksPlan() || plannedAgain && a.run.signals.phase() == Undetermined && a.notes.of(looked).Compared {
		return Invited{}
	}
	if !a.invitations.count(ref.Position, &a.run.notices) {
		return Invited{}
	}
	page, _ := a.invitations.pages.get(ctx, ref.Position, func(ctx context.Context) (resultsPage, error) {
		candidates, whole, err := a.run.client.FirstResults(ctx, ref.Position)
		return resultsPage{candidates, whole, err}, nil
	})
	invited := page.invited(assessment)
	if page.err != nil || invited.AtLeast && (invited.Candidates == 0 || plannedAgain && invited.Completed == 0) {
		if !assessapi.IsNotFound(page.err) { // a position that does not exist has no candidates
			a.run.notices.once("invitations of a position", Notice{Kind: InvitationsUnknown, Ref: ref, Err: page.err})
		}
	}
	if plannedAgain {
		_ = a.notes.write(looked, 0, note{Compared: true}) // without the note, the apply checks again
	}
	return invited
}
