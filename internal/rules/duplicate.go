// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"
	"net/url"
	"slices"
)

// Presence is what a position already has of an assessment that is going to be
// attached.
type Presence struct {
	// PlannedSame is whether the run has planned the same creation before,
	// PlannedOther one of the same assessment with other metadata.
	PlannedSame, PlannedOther bool
	// PlannedAgain is whether that may have been the same instance, not another one.
	PlannedAgain bool
	Attached     []Existing
}

// Existing is a position assessment of the same assessment on the same position.
type Existing struct {
	ID string
	// Comparable is whether its metadata is known, Same whether it equals what is
	// planned.
	Comparable, Same bool
	// Known is whether the run has seen it in a state, Replaced whether a plan
	// made on this machine replaces it.
	Known, Replaced bool
}

var atAssessment = []string{"assessment_id"}

// NoDuplicate refuses to attach what the position already has. The service would
// accept it, and candidates would be asked to take the assessment twice.
//
// What the run knows about other resources can only turn a refusal into a
// warning.
func NoDuplicate(position, assessment string, p Presence) []Finding {
	var fs findings
	switch {
	case p.PlannedAgain:
		fs.warn("This run has already planned to attach assessment %q to position %q with the same configuration. If "+
			"another resource does so, the apply attaches it twice: remove one of the two.",
			assessment, position)
	case p.PlannedSame:
		fs.refuse(Duplicate, atAssessment, "Another resource of this configuration attaches assessment %q to position %q "+
			"with the same packages, benchmark, profile and tests.\n\nTo fix this: remove one of the two resources.",
			assessment, position)
		return fs
	case p.PlannedOther:
		fs.warn("Another resource of this configuration also attaches assessment %q to position %q, with a different "+
			"configuration. The apply attaches both, and candidates take both.", assessment, position)
	}
	for _, e := range p.Attached {
		fs.judge(position, assessment, e)
	}
	return fs
}

// judge says what a creation means for one position assessment that exists.
func (fs *findings) judge(position, assessment string, e Existing) {
	has := fmt.Sprintf("Position %q already has assessment %q, as position assessment %q", position, assessment, e.ID)
	const twice = "the apply attaches a second one, and candidates take both"
	switch same := e.Same || !e.Comparable; {
	case e.Known && same:
		fs.warn("%s. This configuration has it under another address, or replaces it. If it is replaced, nothing needs to "+
			"be done. If not, %s. %s", has, twice, moved)
	case e.Replaced && same:
		fs.warn("%s. A plan made on this machine replaces it. If this is not the apply of that plan, %s: remove the "+
			"resource, or import the existing one.", has, twice)
	case !e.Comparable:
		fs.warn("%s. The service does not show packages, benchmark and tests, so the two cannot be compared. Compare them "+
			"yourself: if they are the same, %s.", has, twice)
	case !e.Same && e.Known:
		fs.warn("%s, with a different configuration. If that one is not replaced, %s.", has, twice)
	case !e.Same:
		fs.warn("%s, with a different configuration. If that one is not replaced, %s.\n\nTo configure that one instead, "+
			"import it:\n\n%s", has, twice, ImportBlock(position, e.ID))
	default:
		fs.refuse(Duplicate, atAssessment, "%s, with the same configuration. Attaching it again would ask candidates to "+
			"take it twice.\n\nTo fix this:\n\n%s\n\nIf no state has it, import it:\n\n%s\n\nDo not import it while a "+
			"resource under the old address is destroyed: that would remove it.\n\nIf a \"count\" has shifted, use for_each "+
			"with stable keys. If this run replaces the existing one, run the apply on the machine that made the plan, or set "+
			"ASSESS_PLAN_CHECKS=false for it.", has, moved, ImportBlock(position, e.ID))
	}
}

const moved = "If a state has it under another address, move it:\n\n  moved {\n    from = <old address>\n    to   = " +
	"<address>\n  }"

// ImportBlock is the configuration that imports a position assessment.
func ImportBlock(position, id string) string {
	return fmt.Sprintf("  import {\n    to = <address>\n    id = %q\n  }", url.PathEscape(position)+"/"+url.PathEscape(id))
}

// UnknownDuplicate warns of what the position already has, if the configuration
// is not known yet.
func UnknownDuplicate(position, assessment string, ids []string) []Finding {
	var fs findings
	for _, id := range ids {
		fs.warn("Position %q already has assessment %q, as position assessment %q. The configuration of this resource is "+
			"not known yet, so the two cannot be compared. If that one is not replaced, the apply attaches a second one.",
			position, assessment, id)
	}
	return fs
}

// PositionNotListed judges a 404 to the list of a position's assessments (rule 2).
// giveUp is called if the position exists all the same, so that the service has no
// such lists. It returns false if a list has answered before.
func PositionNotListed(ctx context.Context, facts Facts, id string, giveUp func() bool) []Finding {
	var fs findings
	path := []string{"position_id"}
	all, err := facts.Positions(ctx)
	if err != nil {
		if facts.ListsPositionAssessments() { // otherwise nothing is proven, and the service decides
			fs = append(fs, Finding{Rule: LookupFailed, Path: path, Err: err, Detail: fmt.Sprintf(
				"Position %q seems not to exist, and the positions of the organization could not be listed.", id)})
		}
		return fs
	}
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	switch {
	case !slices.Contains(ids, id):
		fs.refuse(UnknownPosition, path, "The organization has no position %q. Its positions: %s.\n\nTo fix this: correct "+
			"position_id, or check that the credentials belong to the right organization.", id, Near(id, ids))
	case !giveUp():
		fs.refuse(LookupFailed, path, "The organization has position %q, but the service answered 404 to the list of its "+
			"assessments. Whether the position already has this assessment is unknown.\n\nTo fix this: run it again.", id)
	}
	return fs
}
