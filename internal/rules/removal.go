// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Removal is a position assessment that a plan removes or replaces, with the progress of
// its candidates.
type Removal struct {
	Position, Assessment assessapi.Label
	ID                   string
	// Invited and Completed are numbers of candidates. AtLeast is whether there may be more.
	Invited, Completed int
	AtLeast            bool
	// Forget is whether on_refused_removal allows dropping the resource from the state
	// instead.
	Forget bool
}

// CheckRemoval refuses the removal of a position assessment to which candidates have been
// invited (rule 15, assumption A28).
func CheckRemoval(r Removal) []Finding {
	if r.Invited == 0 {
		return nil
	}
	why := fmt.Sprintf("This plan removes or replaces position assessment %q of assessment %s on position %s. %s. The "+
		"service removes an assessment only while no candidate has been invited to it.",
		r.ID, r.Assessment, r.Position, counted(r))
	if r.Forget {
		return []Finding{{Rule: RefusedRemoval, Warning: true, Detail: why + " The apply tries to " +
			"remove it. If the service refuses, the apply only drops it from the state, because on_refused_removal is " +
			"\"forget\". The assessment then stays attached in the service.\n\nTo fix this: if you want to keep it in " +
			"the state, undo the change that removes or replaces it."}}
	}
	return []Finding{{Rule: RefusedRemoval, Detail: why + " Nothing was changed.\n\nTo fix this: do " +
		"one of the following.\n\nTo keep it, undo the change that removes or replaces it.\n\nTo stop managing it and " +
		"leave it in the service, drop it from the state with the command \"state rm 'ADDRESS'\". Then remove it from the " +
		"configuration, unless the plan was to replace it.\n\nTo do the same without this command, first undo the " +
		"change that removes or replaces it, set on_refused_removal = \"forget\" in the resource, and apply. Then make the " +
		"change again, and apply."}}
}

// CheckScores warns that scores before and after a change cannot be compared, because
// candidates have already completed the assessment (rule 19).
func CheckScores(position, assessment assessapi.Label, completed int) []Finding {
	if completed == 0 {
		return nil
	}
	return []Finding{{Rule: ScoresDiffer, Warning: true, Detail: fmt.Sprintf(
		"%s completed assessment %s on position %s. This plan changes its packages, benchmark or tests, so scores "+
			"before and after the change cannot be compared.\n\nTo fix this: if you can, "+
			"make the change after hiring is over.", have(completed), assessment, position)}}
}

func counted(r Removal) string {
	atLeast := ""
	if r.AtLeast {
		atLeast = "At least "
	}
	completed := "none has"
	if r.Completed > 0 {
		completed = have(r.Completed)
	}
	return fmt.Sprintf("%s%s been invited to it, and %s completed it", atLeast, have(r.Invited), completed)
}

func have(n int) string {
	if n == 1 {
		return "1 candidate has"
	}
	return fmt.Sprintf("%d candidates have", n)
}

// MaybeReplaced warns that a creation may replace a tainted position assessment that the
// service refuses to remove. The CLI does not tell the provider whether it does.
func MaybeReplaced(r Removal) []Finding {
	if r.Invited == 0 {
		return nil
	}
	return []Finding{{Rule: RefusedRemoval, Warning: true, Detail: fmt.Sprintf("Position assessment %q of "+
		"assessment %s on position %s may be tainted. %s. If it is tainted, this plan says so beside its address, and "+
		"replaces it. But the service refuses to remove it, and the apply fails.\n\nTo fix this: if it is tainted and "+
		"you want to keep it, run the command \"untaint 'ADDRESS'\".",
		r.ID, r.Assessment, r.Position, counted(r))}}
}
