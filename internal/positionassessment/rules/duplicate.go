// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Existing is a position assessment of the same assessment on the position of a creation.
type Existing struct {
	ID string
	// Comparable is whether its metadata is known. Same is whether it equals the planned metadata.
	Comparable, Same bool
	InState          bool   // whether this run has seen it in a state
	Differs          string // how it differs from the planned metadata
}

var atAssessment = []string{"assessment_id"}

// CheckAttached warns about what a position has of the assessment that a creation attaches. Another resource of the
// plan may still remove it. The warnings are also true in the planning call of an apply.
func CheckAttached(n Names, all []Existing, adopts bool) (found []finding.Finding) {
	var equal, others, hidden []Existing
	for _, e := range all {
		switch {
		case !e.Comparable:
			hidden = append(hidden, e)
		case e.Same:
			equal = append(equal, e)
		case !e.InState || adopts:
			others = append(others, e)
		}
	}
	add := func(rule finding.Rule, which []Existing, how, effect, fix string) {
		if len(which) == 1 && which[0].Differs != "" {
			effect = "What differs: " + which[0].Differs + ". " + effect
		}
		if fix != "" {
			fix = "\n\nTo fix this: " + fix
		}
		found = append(found, finding.Warn(rule, atAssessment, "Position %s already has assessment %s with %s, as %s. %s%s",
			n.Position, n.Assessment, how, n.list(which), effect, fix)...)
	}
	imports := func(which []Existing) string { return "\n\n" + words.ImportBlock(n.Position.ID, which[0].ID) }
	if len(equal) > 0 {
		rule, fix := AlreadyAttached, "import it, if no other resource has it. If only its address has changed, move it. "+
			"After a lost state, set ASSESS_ADOPT_EXISTING=true for one apply."+imports(equal)
		effect := "The apply fails, unless it removes or changes the existing one first."
		switch {
		case adopts && len(equal) == 1:
			rule, fix = WillBeAdopted, "" // nothing is wrong
			effect = "Because adopt_existing is set, the apply adopts it, or attaches anew if this plan removes or changes it."
		case adopts:
			rule = AttachedOften
			effect = "Although adopt_existing is set, the apply fails, unless it first removes all of them but one."
			fix = "import one of them, and remove the others in the service." + imports(equal)
		}
		if equal[0].InState {
			effect += " The state has it at another address, or this resource is tainted."
			fix = "if this resource is tainted, apply. If only its address has changed, move it:\n\n" + move
		}
		add(rule, equal, "the same configuration", effect, fix)
	}
	switch {
	case len(others) == 0, adopts && len(equal) > 0: // nothing is attached beside an equal one
	case adopts:
		add(WillNotBeAdopted, others, "a different configuration",
			"Because adopt_existing is set, the apply fails, unless it removes the existing one first.",
			"import the existing one, or unset adopt_existing (ASSESS_ADOPT_EXISTING) if candidates must take both:"+
				imports(others))
	case len(equal) > 0:
		add(AttachedTwice, others, "a different configuration", "If the apply succeeds, candidates take both.", "")
	default:
		add(AttachedTwice, others, "a different configuration",
			"The apply attaches a second one, and candidates take both.",
			"if candidates must take only one, and no other resource has the existing one, import it instead:"+imports(others))
	}
	if len(hidden) > 0 {
		add(AttachedTwice, hidden, "a configuration that the service does not show",
			"So the provider cannot compare them. Unless this plan removes it, the apply attaches a second one, and candidates "+
				"take both.",
			"if both are the same, import the existing one:"+imports(hidden))
	}
	return found
}

// list names position assessments, with the import IDs that a program can find in the message.
func (n Names) list(all []Existing) string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = fmt.Sprintf("position assessment %q (import ID %q)", e.ID, words.JoinImportID(n.Position.ID, e.ID))
	}
	return strings.Join(names, ", ")
}

// UnknownDuplicate warns about position assessments that may be duplicates, because the configuration is not known yet.
func UnknownDuplicate(n Names, all []Existing, adopts bool) []finding.Finding {
	if len(all) == 0 {
		return nil
	}
	effect := "If they are equal, the apply fails, unless it removes the existing one first."
	if adopts {
		effect = "Because adopt_existing is set, the apply takes it over if they are equal, and otherwise fails."
	}
	return finding.Warn(AlreadyAttached, atAssessment, "Position %s already has assessment %s, as %s. The configuration "+
		"of this resource is not known yet, so the provider cannot compare them. %s\n\nTo fix this: use values that are "+
		"known when you plan, or import the existing one:\n\n%s",
		n.Position, n.Assessment, n.list(all), effect, words.ImportBlock(n.Position.ID, all[0].ID))
}

const move = "  moved {\n    from = <old address>\n    to   = <new address>\n  }"

// PlannedTwice refuses the second of two resources that have the same content after the apply.
func PlannedTwice(n Names) []finding.Finding {
	return finding.Refuse(Duplicate, atAssessment, "Another resource of this configuration attaches assessment %s to "+
		"position %s with the same packages, benchmark, profile and tests.\n\nTo fix this: remove one of the two resources.",
		n.Assessment, n.Position)
}

// MaybePlannedTwice is [PlannedTwice] if core may have planned the same resource twice.
func MaybePlannedTwice(n Names) []finding.Finding {
	return finding.Warn(Duplicate, atAssessment, "This run has already planned to attach assessment %s to position %s "+
		"with the same configuration, for this resource or for another one. If it was for another one, the apply refuses "+
		"this one.\n\nTo fix this: if another resource attaches the same assessment, remove one of the "+
		"two.", n.Assessment, n.Position)
}

// AdoptsKept refuses a creation that would take over what another address keeps or changes.
func AdoptsKept(n Names) []finding.Finding {
	return finding.Refuse(Duplicate, atAssessment, "Position %s already has assessment %s with the same configuration, "+
		"and another address of the state keeps or changes it. Because adopt_existing is set, this plan would take it over "+
		"for a second address.\n\nTo fix this: remove one of the two resources. If you change the other one, apply that "+
		"change first, or unset adopt_existing (ASSESS_ADOPT_EXISTING).", n.Position, n.Assessment)
}

// ForgottenDuplicate refuses a creation that is equal to something that the plan removes, but that the service keeps
// because candidates have been invited.
func ForgottenDuplicate(r Removal) []finding.Finding {
	return finding.Refuse(Duplicate, nil, "This plan removes or replaces %s, and attaches the same again. Candidates "+
		"have been invited, so the old one would stay attached (on_refused_removal = \"forget\"), "+
		"and the new one would be a duplicate.\n\nTo fix this: undo the replacement. If only the address of the resource "+
		"has changed, move it:\n\n%s", r.object(), move)
}

// PositionNotListed explains a 404 to the list of a position's assessments (rule 2). If the position exists, it calls
// giveUp, which returns false if such a list was offered before. gone is whether Read has found that the resource no
// longer exists.
func PositionNotListed(
	ctx context.Context, facts Facts, id string, gone, offered bool, giveUp func() bool,
) []finding.Finding {
	path := []string{"position_id"}
	all, err := facts.Positions(ctx)
	labels := assessapi.Labels(all)
	switch {
	case err != nil && !offered: // the 404 proves nothing, so the service decides
	case err != nil:
		return finding.RefuseFor(finding.LookupFailed, path, err, "Position %q probably does not exist. Could not list the "+
			"positions of the organization to check that.", id)
	case !finding.Has(labels, id) && gone:
		return finding.Refuse(UnknownPosition, path, "Position %q was deleted in the service, with everything that was "+
			"attached to it. An apply cannot attach anything to it.\n\nTo fix this: remove the resources of this position "+
			"from the configuration. If the position was created again, set position_id to its new ID.", id)
	case !finding.Has(labels, id):
		return finding.Refuse(UnknownPosition, path, "The organization's positions: %s.\n\n%s", words.Near(id, labels),
			PositionMissing(id))
	case !giveUp():
		return finding.Refuse(finding.LookupFailed, path, "The organization has position %s, but the service answered 404 "+
			"to the request for its assessments. It may already have this assessment.\n\nTo fix this: plan "+
			"again.", facts.PositionLabel(id))
	}
	return nil
}

// PositionMissing says that the organization has no position with an ID.
func PositionMissing(id string) string {
	return fmt.Sprintf("The organization has no position %q.\n\nTo fix this: correct position_id, or check that the "+
		"credentials belong to the right organization. If the position was deleted in the service, remove the resources of "+
		"this position from the configuration.", id)
}

// ImportedAndRemoved refuses a plan that would remove what it imports.
func ImportedAndRemoved(position assessapi.Label, id string) []finding.Finding {
	return finding.Refuse(ImportRemoved, nil, "This plan imports position assessment %q of position %s at one address, "+
		"and removes or replaces it at another. The apply would remove it from the position.\n\nTo fix this: remove the "+
		"import block. If the old address is no longer in the configuration, move the resource:\n\n%s", id, position, move)
}

const (
	twoAddresses = "Position assessment %q of position %s is at two addresses. "
	dropOne      = "\n\nTo fix this: if the state has the address that you no longer need, run " + words.StateRm + ". " +
		"Then remove it from the configuration, with its import block. The service keeps the assessment."
)

// KeptAndRemoved refuses a plan that would remove what another address keeps.
func KeptAndRemoved(position assessapi.Label, id string) []finding.Finding {
	return finding.Refuse(KeptRemoved, nil, twoAddresses+"This plan keeps it at one address, and removes or replaces it "+
		"at the other. The apply would remove it from the position."+dropOne, id, position)
}

// KeptTwice warns about what several addresses keep.
func KeptTwice(position assessapi.Label, id string) []finding.Finding {
	return finding.Warn(KeptRemoved, nil,
		twoAddresses+"A later plan that removes it at only one address is refused."+dropOne, id, position)
}
