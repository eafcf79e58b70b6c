// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// CheckAttached warns that the position of a planned creation already has the assessment. id is the ID of the existing
// position assessment. This is not an error, because the same plan may remove it.
func CheckAttached(n Names, id string) []messages.Finding {
	return messages.Warn(AlreadyAttached, []string{"assessment_id"}, "Position %s has assessment %s already, as position "+
		"assessment %q. The apply fails, unless it first removes what exists.\n\nOptions: if the resource has only a new "+
		"address, add a block moved. If no resource manages the existing one, import it:\n\n%s",
		n.Position, n.Assessment, id, messages.ImportBlock(n.Position.ID, id))
}

// Existing is a position assessment that a planned creation may adopt.
type Existing struct {
	ID      string
	Hidden  bool   // the service may not show how it is configured
	Unknown bool   // the planned configuration is not completely known, so Differs says nothing
	Differs string // how it differs from the planned configuration, or empty
}

// CheckAdoption warns that the apply adopts an existing position assessment, and says what the apply may send. It also
// says that the apply may attach a new one, because the same plan may remove what exists.
func CheckAdoption(n Names, existing Existing) []messages.Finding {
	const sends = " the apply also sends this configuration. If a candidate has been invited to the existing one, or a " +
		"supervisor has completed its profile, or the service does not show this, the apply fails instead, and changes " +
		"nothing."
	change := "It sends nothing, because both have the same configuration."
	switch {
	case existing.Hidden:
		change = "The service does not show how the existing one is configured, so" + sends
	case existing.Unknown:
		change = "What differs: perhaps the values that are not known yet. If anything differs," + sends
	case existing.Differs != "":
		change = "What differs: " + existing.Differs + ". So" + sends
	}
	return messages.Warn(WillBeAdopted, []string{"assessment_id"}, "Position %s has assessment %s already, as position "+
		"assessment %q (import ID %q). Because adopt_existing is set, the apply adopts it. %s If this plan also removes "+
		"it, the apply may remove it first, and then attach a new one.\n\nOptions: review it like an import. With -target, "+
		"remove its old address from the state first, with %s.", n.Position, n.Assessment, existing.ID,
		messages.JoinImportID(n.Position.ID, existing.ID), change, messages.StateRm)
}

// CheckRanking warns that candidates lose their suitability, because they have not completed the assessment that the
// plan attaches (section 2.8). ranked is the number of candidates who have a suitability. If atLeast is set, there may
// be more.
func CheckRanking(n Names, ranked int, atLeast bool) []messages.Finding {
	return messages.Warn(RankingLost, []string{"assessment_id"}, "%s a suitability on position %s. The service shows a "+
		"suitability only for candidates who have completed all assessments of the position. So after this plan attaches "+
		"assessment %s, none of them is ranked until they have completed it.\n\nOptions: attach it after hiring is over, or "+
		"invite these candidates to it.", messages.Upper(candidatesHave(ranked, atLeast)), n.Position, n.Assessment)
}

// CheckPosition rejects a position that the organization does not have, or that could not be looked up. It is for a
// position whose assessments the service has not listed. If the service does not list positions either, it only calls
// [Facts.SkipList].
func CheckPosition(ctx context.Context, facts Facts, id string) []messages.Finding {
	path := []string{"position_id"}
	all, err := facts.Positions(ctx)
	labels := assessapi.Labels(all)
	switch {
	case assessapi.IsNoList(err):
		facts.SkipList("positions", err)
		return nil
	case err != nil:
		return messages.RejectFor(messages.LookupFailed, path, err, "Could not list the positions of the organization to "+
			"check whether it has position %q.", id)
	case messages.Has(labels, id): // so the service lacks only the list of its assessments
		return nil
	}
	return messages.Reject(UnknownPosition, path, "The organization has no position %q. Its positions: %s.\n\n"+
		fixPosition, id, messages.Near(id, labels))
}

// PositionMissing returns the detail of an error about a position that the organization does not have.
func PositionMissing(id string) string {
	return fmt.Sprintf("The organization has no position %q.\n\n"+fixPosition, id)
}

const fixPosition = "To fix this: correct position_id, or check that the credentials belong to the right " +
	"organization. If the position was deleted in the service, remove the resources of this position from the " +
	"configuration. If it was created again, set position_id to its new ID."
