// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Presence says what a position has of an assessment that a plan attaches.
type Presence struct {
	// PlannedSame is whether the run has already planned the same creation. PlannedOther is
	// whether it has already planned one of the same assessment with other metadata.
	PlannedSame, PlannedOther bool
	// PlannedAgain is whether that creation may have been the same resource instance.
	PlannedAgain bool
	Attached     []Existing
}

// Existing is a position assessment of the same assessment on the same position.
type Existing struct {
	ID string
	// Comparable is whether its metadata is known. Same is whether it equals the planned
	// metadata.
	Comparable, Same bool
	// InState is whether the run has seen it in a state. Replaced is whether the last plan on
	// this machine replaces it. Adopted is whether the apply takes it over.
	InState, Replaced, Adopted bool
}

var atAssessment = []string{"assessment_id"}

// CheckDuplicate refuses a duplicate: an assessment that the position already has, with the
// same configuration (rule 16). The service would accept it, and ask candidates to take the
// assessment twice.
//
// What the run knows about other resources depends on the order in which the CLI plans
// them. So it can only turn a refusal into a warning.
func CheckDuplicate(position, assessment assessapi.Label, p Presence) []Finding {
	var fs findings
	switch {
	case p.PlannedAgain:
		fs.warn("This run has already planned to attach assessment %s to position %s with the same configuration. The "+
			"provider cannot tell whether that was for this resource or for another one. If it was for another one, the apply "+
			"attaches the assessment twice.\n\nTo fix this: if another resource attaches the same assessment, remove one of "+
			"the two.",
			assessment, position)
	case p.PlannedSame:
		fs.refuse(Duplicate, atAssessment, "Another resource of this configuration attaches assessment %s to position %s "+
			"with the same packages, benchmark, profile and tests.\n\nTo fix this: remove one of the two resources.",
			assessment, position)
		return fs
	case p.PlannedOther:
		fs.warn("Another resource of this configuration also attaches assessment %s to position %s, with a different "+
			"configuration. The apply attaches both, and candidates take both.\n\nTo fix this: if candidates must take only "+
			"one, remove one of the two resources.", assessment, position)
	}
	for _, e := range p.Attached {
		fs.compare(position, assessment, e)
	}
	return fs
}

// compare adds the findings about one existing position assessment.
func (fs *findings) compare(position, assessment assessapi.Label, e Existing) {
	has := fmt.Sprintf("Position %s already has assessment %s, as position assessment %q", position, assessment, e.ID)
	const twice = "the apply attaches a second one, and candidates take both"
	imports := ImportBlock(position.ID, e.ID)
	switch same := e.Same || !e.Comparable; {
	case e.InState && e.Same:
		fs.warn("%s. The state of this configuration contains it. If this plan removes or replaces it, you do not need to "+
			"do anything. Otherwise, the apply refuses to attach a second one.\n\nTo fix this: if only the address of the "+
			"resource has changed, %s\n\nIf two resources attach the same assessment, remove one of them.", has, move)
	case e.InState && same:
		fs.warn("%s. The state of this configuration contains it. If this plan removes or replaces it, you do not need to "+
			"do anything. Otherwise, %s.\n\nTo fix this: if only the address of the resource has changed, %s\n\nIf two "+
			"resources attach the same assessment, remove one of them.", has, twice, move)
	case e.Replaced && same:
		fs.warn("%s. The last plan on this machine replaces it. If you are applying that plan, you do not need to do "+
			"anything. Otherwise, the apply refuses to attach a second one.\n\nTo fix this: remove the resource, or import "+
			"the existing position assessment:\n\n%s", has, imports)
	case e.Adopted:
		fs.warn(
			"%s, with the same configuration, and the state of this run does not contain it. Because adopt_existing is "+
				"set, the apply adds it to the state instead of attaching a second one.\n\nTo fix this: if another "+
				"configuration manages it, remove the resource here. If only the address of the resource has changed, %s",
			has,
			move,
		)
	case !e.Comparable:
		fs.warn("%s. Unless this plan replaces the existing one, %s. The provider cannot compare the two, because the "+
			"service does not return packages, benchmark and tests.\n\nTo fix this: compare them in the service. If they are "+
			"the same, import the existing one:\n\n%s", has, twice, imports)
	case !e.Same && e.InState:
		fs.warn("%s, with a different configuration. Unless this plan replaces the existing one, %s.\n\nTo "+
			"fix this: if candidates must take only one, remove one of the two resources.", has, twice)
	case !e.Same:
		fs.warn("%s, with a different configuration. Unless this plan replaces the existing one, %s.\n\nTo "+
			"fix this: if you want to change the existing one instead, import it:\n\n%s", has, twice, imports)
	default:
		fs.refuse(Duplicate, atAssessment, "%s, with the same configuration. Attaching it again would ask candidates to "+
			"take it twice.\n\nTo fix this: choose the case that applies.\n\nIf you have renamed the resource, %s\n\nIf no "+
			"state contains the position assessment, import it with this block. If this plan also destroys it at "+
			"another address, do not import it, because the apply would remove it from the service.\n\n%s\n\nIf an "+
			"interrupted apply has attached several assessments, set ASSESS_ADOPT_EXISTING=true for the next plan and "+
			"apply, which add these assessments to the state.\n\nIf the resource uses count and its index has changed, "+
			"use for_each with stable keys.\n\nIf you are applying a saved plan that replaces the position assessment, "+
			"apply it on the machine that made the plan, or set ASSESS_PLAN_CHECKS=false "+
			"for the apply.", has, move, imports)
	}
}

// move is a part of a sentence that says how to change the address of a resource.
const move = "move it with this block. Addresses can have instance keys.\n\n  moved {\n    from = <old address>\n    " +
	"to   = <new address>\n  }"

// ImportBlock returns the HCL that imports a position assessment.
func ImportBlock(position, id string) string {
	return fmt.Sprintf("  import {\n    to = <address>\n    id = %q\n  }", JoinImportID(position, id))
}

// UnknownDuplicate warns about position assessments that may be duplicates, because the
// configuration is not known yet.
func UnknownDuplicate(position, assessment assessapi.Label, ids []string) []Finding {
	var fs findings
	for _, id := range ids {
		fs.warn("Position %s already has assessment %s, as position assessment %q. The configuration of this resource is "+
			"not known yet, so the provider cannot compare the two. If this plan replaces the existing one, you do not "+
			"need to do anything. Otherwise, the apply attaches a second one, or fails if both are the same.\n\nTo fix "+
			"this: use values that are known when you plan. Or import the existing one:\n\n%s",
			position, assessment, id, ImportBlock(position.ID, id))
	}
	return fs
}

// PositionNotListed explains a 404 to the list of a position's assessments (rule 2). If the
// position exists, the service does not offer such lists, and PositionNotListed calls
// giveUp. offered is whether such a list could be read before. Then giveUp returns false.
func PositionNotListed(ctx context.Context, facts Facts, id string, offered bool, giveUp func() bool) []Finding {
	var fs findings
	path := []string{"position_id"}
	all, err := facts.Positions(ctx)
	if err != nil {
		if offered { // otherwise the 404 proves nothing, and the service decides
			fs = append(fs, Finding{Rule: LookupFailed, Path: path, Err: err, Detail: fmt.Sprintf(
				"Position %q probably does not exist. Could not list the positions of the organization to check that.", id)})
		}
		return fs
	}
	labels := assessapi.Labels(all)
	switch {
	case !has(labels, id):
		fs.refuse(UnknownPosition, path, "The organization has no position %q. The organization's positions: %s.\n\nTo "+
			"fix this: correct position_id, or check that the credentials belong to the right organization.", id,
			Near(id, labels))
	case !giveUp():
		fs.refuse(LookupFailed, path, "The organization has position %s, but the service answered 404 to the request for "+
			"its assessments. It is unknown whether the position already has this assessment.\n\nTo fix this: plan again.",
			facts.PositionLabel(id))
	}
	return fs
}

// ImportedAndRemoved refuses a plan that would remove what it imports.
func ImportedAndRemoved(position assessapi.Label, id string) []Finding {
	return []Finding{{Rule: ImportRemoved, Detail: fmt.Sprintf(
		"This plan imports position assessment %q of position %s under one address, and removes or replaces it under "+
			"another. The apply would remove it from the position.\n\nTo fix this: remove the import block. If the "+
			"old address is no longer in the configuration, move the resource with this block. Addresses can have instance "+
			"keys.\n\n  moved {\n    from = <old address>\n    to   = <new address>\n  }", id, position)}}
}

// KeptAndRemoved refuses a plan that would remove what another address of the state keeps.
func KeptAndRemoved(position assessapi.Label, id string) []Finding {
	return []Finding{{Rule: KeptRemoved, Detail: fmt.Sprintf(
		"The state contains position assessment %q of position %s at two addresses. This plan keeps it under one address, "+
			"and removes or replaces it under the other. The apply would remove it from the position.\n\nTo fix this: run "+
			"the command \"state rm 'ADDRESS'\" with the address that you no longer need. Then remove it from the "+
			"configuration, if it is still there. The service keeps the assessment.", id, position)}}
}

// ElsewhereRefused adds to the refusals of other resources that they are about others.
// The CLI shows them at the resource that has found them.
func ElsewhereRefused(all []Finding) []Finding {
	var fs []Finding
	for _, f := range all {
		if !f.Warning {
			f.Path = nil
			f.Detail = "The resource above is not the cause. Another resource of this plan causes this error: search your " +
				"configuration for the position and the assessment that follow. " + f.Detail
			fs = append(fs, f)
		}
	}
	return fs
}
