// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Removal is what a plan removes or replaces, and how far candidates have come
// with it.
type Removal struct {
	Position, Assessment assessapi.Label
	ID                   string
	// Invited and Completed count candidates. AtLeast is whether there may be more.
	Invited, Completed int
	AtLeast            bool
	// Forget is whether the resource may be dropped from the state instead
	// (on_refused_removal).
	Forget bool
}

// Removable refuses to remove what candidates have been invited to (rule 15,
// assumption A28).
func Removable(r Removal) []Finding {
	if r.Invited == 0 {
		return nil
	}
	why := fmt.Sprintf("Position assessment %q (assessment %s) of position %s: %s. The service removes an assessment "+
		"only while no candidate has been invited to it.", r.ID, r.Assessment, r.Position, counted(r))
	if r.Forget {
		return []Finding{{Rule: RefusedRemoval, Warning: true, Detail: why + " Because on_refused_removal is \"forget\", " +
			"the apply drops it from the state when the service refuses, and it stays in the service."}}
	}
	return []Finding{{Rule: RefusedRemoval, Static: true, Detail: why + " Nothing was changed.\n\nTo fix this, do one " +
		"of the following:\n  - keep it: undo the change that removes or replaces it\n  - set on_refused_removal = " +
		"\"forget\" and apply that first: then it is dropped from the state and stays in the service\n  - drop it from the " +
		"state yourself: state rm 'ADDRESS'"}}
}

// Comparable warns that scores before and after a change do not compare, because
// candidates have completed the assessment already.
func Comparable(position, assessment assessapi.Label, completed int) []Finding {
	if completed == 0 {
		return nil
	}
	return []Finding{{Rule: ScoresDiffer, Warning: true, Detail: fmt.Sprintf(
		"%s completed assessment %s on position %s already. This plan changes its packages, benchmark or tests, so scores "+
			"before and after the change do not compare.", have(completed), assessment, position)}}
}

func counted(r Removal) string {
	atLeast := ""
	if r.AtLeast {
		atLeast = "at least "
	}
	return fmt.Sprintf("%s%s been invited to it, and %d of them completed it", atLeast, have(r.Invited), r.Completed)
}

func have(n int) string {
	if n == 1 {
		return "1 candidate has"
	}
	return fmt.Sprintf("%d candidates have", n)
}

// MaybeReplaced warns that a creation may be the replacement of a tainted object
// that the service refuses to remove. Core does not show that it is one.
func MaybeReplaced(r Removal) []Finding {
	if r.Invited == 0 {
		return nil
	}
	return []Finding{{Rule: RefusedRemoval, Warning: true, Detail: fmt.Sprintf("Position assessment %q (assessment %s) "+
		"of position %s: %s. If this plan replaces it because it is tainted, the service refuses to remove it, and the "+
		"apply fails.\n\nTo keep it: run untaint 'ADDRESS'.", r.ID, r.Assessment, r.Position, counted(r))}}
}
