// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// Names contains the names of an assessment and its position for messages.
type Names struct{ Position, Assessment assessapi.Label }

// Candidates are the numbers of candidates who have been invited to a position assessment, and who have completed it.
type Candidates struct {
	Invited, Completed int
	AtLeast            bool // there may be more
}

// Removal is a position assessment that a plan removes or replaces.
type Removal struct {
	Names
	Candidates
	ID       string
	Replaces bool // whether the plan replaces it
	// Unknown is the attribute whose value is not known yet, if the plan replaces the position assessment only for this
	// reason.
	Unknown    string
	Forget     bool // on_refused_removal is "forget", so a rejected removal only changes the state
	Supervised bool // a supervisor has completed the profile
}

// The method what returns a sentence that says which position assessment the plan removes or replaces.
func (r Removal) what() string {
	verb, reason := "removes", ""
	if r.Replaces {
		verb = "replaces"
	}
	if r.Unknown != "" {
		reason = fmt.Sprintf(", only because %s is not known yet", r.Unknown)
	}
	return fmt.Sprintf("This plan %s position assessment %q of assessment %s on position %s%s.",
		verb, r.ID, r.Assessment, r.Position, reason)
}

// keep says how to keep what the plan removes or replaces.
func (r Removal) keep() string {
	if r.Unknown == "" {
		return "undo the change that removes or replaces it. If only its address has changed, use a moved block."
	}
	return fmt.Sprintf("make %s known when you plan. Remove depends_on from its data source or module, or first apply "+
		"what it depends on, with -target='ADDRESS'.", r.Unknown)
}

// CheckRemoval rejects the removal of a position assessment to which candidates have been invited (assumption A28).
// With on_refused_removal = "forget", it warns instead.
func CheckRemoval(r Removal) []messages.Finding {
	if r.Invited == 0 {
		return nil
	}
	why := fmt.Sprintf("%s %s. The service removes an assessment only while no candidate has been invited to it.",
		r.what(), r.counted())
	if r.Forget {
		return messages.Warn(RejectedRemoval, nil, "%s If the service rejects the removal, the apply only removes it from "+
			"the state, because on_refused_removal is \"forget\".\n\nOptions: to keep it in the state, %s", why, r.keep())
	}
	return messages.Reject(RejectedRemoval, nil, "%s Nothing was changed.\n\nOptions: to keep it, %s\n\n"+StopManaging,
		why, r.keep())
}

const moved = "  moved {\n    from = <old address>\n    to   = <new address>\n  }"

// StopManaging says how to remove a position assessment from the state without removing it from the service. It first
// suggests a "removed" block, because reviewers can see this block in the configuration.
const StopManaging = removedBlock + "Or first apply on_refused_removal = \"forget\". " + orStateRm

// StopManagingOnly does what StopManaging does, for a service that offers no removal: "forget" has no effect there.
const StopManagingOnly = removedBlock + orStateRm

const (
	removedBlock = "To leave it in the service and stop managing it, replace the resource by this block:\n\n" +
		"  removed {\n    from = <address>\n    lifecycle {\n      destroy = false\n    }\n  }\n\n"
	orStateRm = "Or run " + messages.StateRm + ". For single instances of count or for_each, do not use the block, " +
		"because a block removed accepts no instance keys."
)

// CheckSupervised warns that a plan deletes the profile that a supervisor has completed.
func CheckSupervised(r Removal) []messages.Finding {
	if !r.Supervised {
		return nil
	}
	keep := r.keep()
	if !r.Replaces { // perhaps only the address has changed, and no other message shows the moved block
		keep += "\n\n" + moved
	}
	return messages.Warn(ProfileDeleted, nil, "%s A supervisor has completed its profile. The apply permanently deletes "+
		"that work.\n\nOptions: to keep it, %s", r.what(), keep)
}

// CheckScores warns that scores before and after a change cannot be compared, if a candidate has completed the
// assessment before the change. c are the candidates of this assessment.
func CheckScores(n Names, c Candidates) []messages.Finding {
	if c.Completed == 0 {
		return nil
	}
	return messages.Warn(ScoresDiffer, nil, "%s completed assessment %s on position %s. This plan changes its packages, "+
		"benchmark or tests, or their IDs are not known yet. Scores before and after a change cannot be compared.\n\n"+
		"Options: if you can, wait until hiring is over.",
		messages.Upper(candidatesHave(c.Completed, c.AtLeast)), n.Assessment, n.Position)
}

func (c Candidates) counted() string {
	invited := messages.Upper(candidatesHave(c.Invited, c.AtLeast)) + " been invited to it"
	switch {
	case c.Completed > 0:
		return invited + ", and " + candidatesHave(c.Completed, c.AtLeast) + " completed it"
	case c.AtLeast: // so others may have completed it
		return invited
	}
	return invited + ", and none has completed it"
}

func candidatesHave(n int, atLeast bool) string {
	text := fmt.Sprintf("%d candidates have", n)
	if n == 1 {
		text = "1 candidate has"
	}
	if atLeast {
		return "at least " + text
	}
	return text
}
