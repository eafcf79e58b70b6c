// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

var (
	attachedWithoutLook = finding.Rule{Summary: "Attached without looking for duplicates"}
	removalsUnchecked   = finding.Rule{Summary: "Could not check all removals"}
	adopted             = finding.Rule{Summary: "Existing position assessment adopted"}
)

// warnUnlisted warns once in a run that the service does not list what a position has already.
func (a *positionAssessments) warnUnlisted(position string) {
	a.run.Notice("unlisted", finding.Finding{Rule: attachedWithoutLook, Warning: true, Detail: fmt.Sprintf(
		"This service does not list the assessments of a position, so the provider cannot see what position %s and others "+
			"already have. If a position already had an assessment that this run attached, candidates take it twice.\n\nTo "+
			"fix this: compare the positions in the service with the plan.", a.catalog.PositionLabel(position))})
}

// adoptions collects what the creations of a run take over, so that one notice names all of it. The last creation in
// progress reports, because core starts more creations before the first ones end.
type adoptions struct {
	creating atomic.Int32 // creations in progress
	mu       sync.Mutex
	taken    []ManagedObject
}

// end adds what a creation has taken over. It returns all of it, if no other creation is in progress that would do so.
func (a *adoptions) end(taken []ManagedObject) (all []ManagedObject) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken = append(a.taken, taken...)
	if a.creating.Add(-1) == 0 {
		all, a.taken = a.taken, nil
	}
	return all
}

// warnAdopted names all that creations have taken over in one warning, because CLIs fold warnings with equal summaries.
func (a *positionAssessments) warnAdopted(taken []ManagedObject) {
	if len(taken) == 0 {
		return
	}
	lines := make([]string, len(taken))
	for i, o := range taken {
		lines[i] = fmt.Sprintf("\n  position %s, assessment %s: %q (import ID %q)", a.catalog.PositionLabel(o.Position),
			a.catalog.AssessmentLabel(o.Assessment), o.ID, words.JoinImportID(o.Position, o.ID))
	}
	slices.Sort(lines)
	a.run.Warn(finding.Finding{Rule: adopted, Warning: true, Detail: "Because adopt_existing is set, this " +
		"run has added to the state what was attached with the same configuration, and has sent nothing for it:\n" +
		strings.Join(lines, "")})
}

// warnUnchecked warns once in a run that a plan cannot say whether the service refuses a removal.
func (a *positionAssessments) warnUnchecked(key, reason string) {
	a.run.Notice(key, finding.Finding{Rule: removalsUnchecked, Warning: true, Detail: reason + " unknown whether " +
		"candidates have been invited. If they have, the service refuses to remove the assessment during the apply, and " +
		"after a change, their scores cannot be compared with later ones.\n\nTo fix this: before you apply, check in the " +
		"service whether candidates have been invited."})
}

const manyRemovals = "This plan removes or changes position assessments on more than 40 positions. It checks only 40 " +
	"of them, because each check is a request for results, and the service allows only 30 of these per minute. For the " +
	"others, it is"

// unreadInvitations says why the invitations of a position are not known, as the beginning of a sentence. err is nil if
// it has too many candidates.
func unreadInvitations(position assessapi.Label, err error) string {
	if err != nil {
		return fmt.Sprintf("Could not read the results of position %s. %s It is", position, run.Answer(err))
	}
	return fmt.Sprintf("Position %s has more than 1000 candidates, and the plan checks only the first 1000. It "+
		"is", position)
}
