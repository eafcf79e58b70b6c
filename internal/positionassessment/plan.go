// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// action is what a plan does with a position assessment.
type action int

// The CLI plans a replacement with two calls: Replace (Update, if the reason is its own), and Create with its object.
const (
	Create action = iota
	Update
	Replace
	Remove
	Import
)

// intent is what a plan intends for one position assessment.
type intent struct {
	Action action
	// Object is the object of the state. With Create, it is the object that is replaced, or zero.
	Object ManagedObject
	// Gone is whether Read has found that the instance is gone. A refusal would then stop the destroy of all others.
	Gone bool
	// Before and Desired are the configuration of the state and of the plan.
	Before, Desired rules.Desired
	Select          string // how the packages are selected, or empty
	// Supervised and Reattaches are what [rules.ChangeOf] needs to know of an update besides the configuration.
	Supervised, Reattaches bool
}

// Plan records what a plan does with a position assessment. It refuses what is wrong in any plan, and what
// contradicts an earlier record. It warns about what another resource may still change, and never waits for that.
// packages are the ids that Select means, or nil if they are not known yet.
func (a *positionAssessments) Plan(ctx context.Context, i intent) (found []finding.Finding, packages []string) {
	found, packages = a.selectPackages(ctx, &i)
	switch i.Action {
	case Import:
		a.run.Refreshes()
		a = of(a.run)
		a.intents.object(i.Object.Ref, func(o *planned) { o.imports++ })
	case Remove:
		found = append(found, a.leave(ctx, i)...)
	case Replace:
		found = append(found, a.leave(ctx, i)...)
		effects := a.supervised(ctx, i.Desired)
		if a.run.ChecksPlan() {
			// With ignore_changes, only the second call has the values that are sent, but the CLI drops its warnings.
			effects = append(effects, rules.CheckCreation(ctx, a.catalog, a.desired(i))...)
			if c, known := creationOf(i.Desired); known {
				effects = append(effects, a.beside(ctx, i, c)...)
			}
		}
		found = append(found, slices.DeleteFunc(effects, func(f finding.Finding) bool { return !f.Warning })...)
	case Update:
		found = append(found, a.planUpdate(ctx, i)...)
	case Create:
		if i.Object.Ref != (Ref{}) {
			found = append(found, a.leave(ctx, i)...)
		}
		if !finding.Refuses(found) {
			found = append(found, a.create(ctx, i)...)
		}
	}
	return found, packages
}

// selectPackages replaces Select by the packages that it means.
func (a *positionAssessments) selectPackages(ctx context.Context, i *intent) (found []finding.Finding, ids []string) {
	if i.Select == "" {
		return nil, nil
	}
	i.Desired.Packages.Known = false
	if i.Desired.Assessment == "" || !a.run.Connected() {
		return nil, nil
	}
	ids, found = rules.Select(ctx, a.catalog, i.Desired.Assessment, i.Select, a.run.ChecksPlan())
	if i.Gone {
		found = finding.AsWarnings(found)
	}
	if len(found) == 0 {
		i.Desired.Packages.Known, i.Desired.Packages.IDs = true, ids
	}
	return found, ids
}

// desired adds the tests whose activations are planned by now.
func (a *positionAssessments) desired(i intent) rules.Desired {
	d := i.Desired
	d.Activations = map[string]bool{}
	for _, test := range d.Tests.IDs {
		d.Activations[test] = a.activations.IsPlanned(catalog.TestRef{Assessment: d.Assessment, Test: test})
	}
	return d
}

// atTwoAddresses refuses a plan that removes at one address what another address imports or keeps.
func (a *positionAssessments) atTwoAddresses(o ManagedObject, p planned) []finding.Finding {
	position := a.catalog.PositionLabel(o.Position)
	switch {
	case a.run.Reused:
	case !p.stays():
	case p.leaves || p.replaced > 0:
		if p.imports > 0 {
			return rules.ImportedAndRemoved(position, o.ID)
		}
		return rules.KeptAndRemoved(position, o.ID)
	case p.isShared():
		return rules.KeptTwice(position, o.ID)
	}
	return nil
}

// leave refuses a removal or a replacement that the service would refuse, and warns if it deletes a supervisor's work.
// The second call of a replacement refuses instead if the first one was an update, because the CLI drops its warnings.
func (a *positionAssessments) leave(ctx context.Context, i intent) []finding.Finding {
	removal := a.removal(ctx, i)
	second := i.Action == Create
	unannounced := second && !a.run.Reused && a.intents.get(i.Object.Ref).kept > 0
	refused := removal.Forget && removal.Invited > 0
	p, again := a.intents.leave(i.Object.Ref, contentOf(i.Before), second, refused)
	found := a.atTwoAddresses(i.Object, p)
	switch {
	case finding.Refuses(found):
		return found
	case refused && again && !a.run.Reused:
		return rules.ForgottenDuplicate(removal)
	}
	found = append(found, rules.CheckRemoval(removal)...)
	return append(found, rules.CheckSupervised(removal, unannounced)...)
}

func (a *positionAssessments) removal(ctx context.Context, i intent) rules.Removal {
	o := i.Object
	r := rules.Removal{
		Names: a.names(o.Position, o.Assessment), Candidates: a.invited(ctx, o.Ref, o.Assessment, false), ID: o.ID,
		Forget: o.Forget, Supervised: o.Supervised(), Replaces: i.Action != Remove,
	}
	switch {
	case i.Action != Replace:
	case i.Desired.Position == "":
		r.Unknown = "position_id"
	case i.Desired.Assessment == "":
		r.Unknown = "assessment_id"
	}
	return r
}

// planUpdate refuses what the service would refuse, and a change into what another resource has. It also warns about
// scores.
func (a *positionAssessments) planUpdate(ctx context.Context, i intent) []finding.Finding {
	ref := i.Object.Ref
	i.Desired.Position, i.Desired.Assessment = ref.Position, i.Object.Assessment
	names := a.names(ref.Position, i.Object.Assessment)
	p, clashes := a.intents.keep(ref, contentOf(i.Before), contentOf(i.Desired), a.run.AdoptExisting, names)
	found := a.atTwoAddresses(i.Object, p)
	if !a.run.Reused {
		found = append(found, clashes...)
	}
	has, _ := i.Before.Metadata() // everything is known in a state
	wants, known := i.Desired.Metadata()
	if !a.run.ChecksPlan() || known && !rules.ChangeOf(has, wants, i.Supervised, i.Reattaches).Send {
		return found
	}
	found = append(found, rules.CheckUpdate(ctx, a.catalog, i.Before, a.desired(i))...)
	if i.Before.SameScores(i.Desired) {
		return found
	}
	invited := a.invited(ctx, ref, i.Object.Assessment, true)
	return append(found, rules.CheckScores(names, invited.Completed)...)
}

// creationOf returns the creation that a configuration describes, and whether all of it is known.
func creationOf(d rules.Desired) (Creation, bool) {
	metadata, known := d.Metadata()
	return Creation{d.Position, d.Assessment, metadata}, known && d.Position != "" && d.Assessment != ""
}

// contentOf returns the content of a configuration. It is empty while a part of it is unknown.
func contentOf(d rules.Desired) content {
	if c, known := creationOf(d); known {
		return c.content()
	}
	return content{}
}

func (a *positionAssessments) names(position, assessment string) rules.Names {
	return rules.Names{Position: a.catalog.PositionLabel(position), Assessment: a.catalog.AssessmentLabel(assessment)}
}

// create returns what the service would refuse to attach, and what the position already has.
func (a *positionAssessments) create(ctx context.Context, i intent) []finding.Finding {
	c, known := creationOf(i.Desired)
	var found, clashes []finding.Finding
	gone := i.Gone || known && i.Object.Ref == Ref{} && a.intents.wasGone(c)
	if known && !a.run.Reused {
		clashes = a.intents.create(c, i.Object.Ref, a.run.AdoptExisting, a.names(c.Position, c.Assessment))
	}
	if a.run.ChecksPlan() {
		found = rules.CheckCreation(ctx, a.catalog, a.desired(i))
		if known && a.adoptsOne(ctx, c) { // an existing position assessment needs no enabled test
			found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Rule == rules.TestNotEnabled })
		}
		if i.Desired.Position != "" {
			found = append(found, a.beside(ctx, i, c)...)
		}
	}
	if gone {
		found = finding.AsWarnings(found)
	}
	found = append(found, a.supervised(ctx, i.Desired)...)
	return append(found, clashes...)
}

// adoptsOne reports whether the apply takes over an existing position assessment, as far as this run has seen.
func (a *positionAssessments) adoptsOne(ctx context.Context, c Creation) bool {
	if !a.run.AdoptExisting {
		return false
	}
	existing, _ := a.existing(ctx, c)
	same := slices.DeleteFunc(existing, func(e rules.Existing) bool { return !e.Same })
	return len(same) == 1 && !a.intents.get(Ref{c.Position, same[0].ID}).leaves
}

// beside returns what the position of a creation has of the same assessment.
func (a *positionAssessments) beside(ctx context.Context, i intent, c Creation) []finding.Finding {
	existing, err := a.existing(ctx, c)
	switch {
	case assessapi.IsNotFound(err):
		return rules.PositionNotListed(ctx, a.catalog, c.Position, i.Gone, a.lists.Offered(), a.lists.GiveUp)
	case err != nil:
		return finding.RefuseFor(finding.LookupFailed, []string{"position_id"}, err, "Could not list the assessments of "+
			"position %s to check for duplicates.", a.catalog.PositionLabel(c.Position))
	}
	names := a.names(c.Position, c.Assessment)
	existing = slices.DeleteFunc(existing, func(e rules.Existing) bool { return e.ID == i.Object.ID })
	if _, known := creationOf(i.Desired); !known {
		return rules.UnknownDuplicate(names, existing, a.run.AdoptExisting)
	}
	found := rules.CheckAttached(names, existing, a.run.AdoptExisting)
	for _, e := range existing {
		if o := a.intents.get(Ref{c.Position, e.ID}); o.isUnplanned() && e.Same && !o.object.Supervised() {
			found = append(found, rules.MaybeReplaced(a.removal(ctx, intent{Object: o.object}))...)
		}
	}
	return found
}

// supervised warns about a supervisor's work on a position assessment that no call has planned yet, because core plans
// a tainted instance as a creation.
func (a *positionAssessments) supervised(ctx context.Context, d rules.Desired) (found []finding.Finding) {
	for _, o := range a.intents.unplanned(d.Position, d.Assessment) {
		if o.Supervised() {
			found = append(found, rules.MaybeReplaced(a.removal(ctx, intent{Object: o}))...)
		}
	}
	return found
}

// existing lists what a position has of an assessment. The service may offer no list.
func (a *positionAssessments) existing(ctx context.Context, c Creation) (found []rules.Existing, err error) {
	all, err := a.lists.List(ctx, c.Position)
	if errors.Is(err, catalog.ErrNotListed) {
		return nil, nil // the apply warns
	}
	for _, pa := range all {
		if pa.AssessmentID != c.Assessment {
			continue
		}
		o := a.saw(c.Position, pa)
		e := rules.Existing{ID: pa.ID, InState: o.loads+o.imports > 0}
		e.Comparable, _ = a.lists.Comparable(ctx, pa) // after an error, the apply attaches nothing
		if e.Same = e.Comparable && pa.Metadata.Equal(c.Metadata); e.Comparable {
			e.Differs = rules.Difference(pa.Metadata, c.Metadata)
		}
		found = append(found, e)
	}
	return found, err
}

// invited reads whether candidates have been invited to an assessment of a position (assumption A28). If plan checks
// are off, it sends nothing. If it cannot say, it adds one notice in each run. scores is whether only completed
// assessments matter.
func (a *positionAssessments) invited(ctx context.Context, ref Ref, assessment string, scores bool) rules.Candidates {
	if !a.run.ChecksPlan() {
		return rules.Candidates{}
	}
	seen, err := a.invitations.Count(ctx, ref.Position, assessment)
	switch {
	case errors.Is(err, errManyPositions):
		a.warnUnchecked("invitations", manyRemovals)
	case assessapi.IsNotFound(err): // a position that does not exist has no candidates
	case err != nil, seen.AtLeast && (seen.Invited == 0 || scores && seen.Completed == 0):
		a.warnUnchecked("invitations of a position", unreadInvitations(a.catalog.PositionLabel(ref.Position), err))
	}
	return seen
}
