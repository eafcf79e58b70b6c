// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// goneWarning warns that a position assessment of the state no longer exists.
func (c *configured) goneWarning(ref engine.Ref, assessment string) diag.Diagnostic {
	return newWarning("Position assessment is gone", fmt.Sprintf(
		"Position assessment %q of assessment %s is no longer attached to position %s. It was removed outside this "+
			"configuration, or the position was deleted. If the position still exists, the next apply attaches the assessment "+
			"again.\n\nTo fix this: apply. If the position was deleted, or if the assessment must stay removed, remove the "+
			"resource from the configuration instead.",
		ref.ID, c.Catalog.AssessmentLabel(assessment), c.Catalog.PositionLabel(ref.Position)))
}

// incomplete warns that the profile could not be read after a write.
func incomplete(what string, err error) diag.Diagnostic {
	return newWarning("Could not read the profile", Explain(
		fmt.Sprintf(
			"%s. After that, the provider could not read the status of the profile and the link to it. The next refresh reads "+
				"them.", what,
		),
		err,
	))
}

// attachFailure is the diagnostic for an assessment that was not attached, or may not have
// been attached.
func (c *configured) attachFailure(creation engine.Creation, err error) diag.Diagnostic {
	assessment, position := c.Catalog.AssessmentLabel(creation.Assessment), c.Catalog.PositionLabel(creation.Position)
	what := fmt.Sprintf("Could not attach assessment %s to position %s.", assessment, position)
	var (
		unresolved *engine.UnresolvedError
		duplicate  *engine.DuplicateError
		deleted    *engine.PositionGoneError
	)
	switch {
	case errors.As(err, &duplicate):
		return c.duplicateFailure(what, position.ID, duplicate)
	case errors.As(err, &deleted):
		return newError(rules.Summaries[rules.UnknownPosition], what+" Nothing was sent.\n\n"+rules.PositionDeleted(position.ID))
	case errors.As(err, &unresolved):
		lost := "the response was lost"
		if unresolved.Lost.Accepted {
			lost = "the response has no ID of the new position assessment"
		}
		return newError("Unknown whether the assessment was attached", fmt.Sprintf(
			"The provider sent a request to attach assessment %s to position %s, but %s. %s\n\nThe "+
				"provider could not find out whether the assessment was attached. %s\n\nThe provider did not send the request "+
				"again, because that could attach the assessment twice.\n\n"+
				"To fix this: look at the position in the service. If it does not have the assessment, apply again. If it has "+
				"the assessment, import it:\n\n%s",
			assessment,
			position,
			lost,
			Answer(unresolved.Lost),
			doubt(unresolved),
			rules.ImportBlock(position.ID, "POSITION_ASSESSMENT_ID"),
		))
	case errors.Is(err, assessapi.ErrCached), errors.Is(err, assessapi.ErrForeign):
		what += " The provider first reads what the position has already. It could not get a current list, so nothing was " +
			"sent."
	}
	return failure("Could not attach the assessment", what, err)
}

// duplicateFailure is the diagnostic for an assessment that the position has already.
func (c *configured) duplicateFailure(what, position string, e *engine.DuplicateError) diag.Diagnostic {
	ids := make([]string, len(e.IDs))
	for i, id := range e.IDs {
		ids[i] = fmt.Sprintf("position assessment %q", id)
	}
	existing := "as " + strings.Join(ids, ", ")
	switch {
	case e.Own:
		return newError(rules.Summaries[rules.Duplicate], what+" Another resource of this run has attached it or taken it over, "+
			"with the same configuration, "+existing+". Nothing was sent.\n\nTo fix this: remove one of the two resources.")
	case e.Other:
		return newError(rules.Summaries[rules.AttachedTwice], what+" The position already has it, with a different "+
			"configuration, "+existing+". Because adopt_existing is set, nothing was sent.\n\nTo fix this: import the existing "+
			"one. If candidates must take both, unset adopt_existing (ASSESS_ADOPT_EXISTING).\n\n"+
			rules.ImportBlock(position, e.IDs[0]))
	}
	return newError(rules.Summaries[rules.Duplicate], what+" The position already has it, with the same configuration, "+
		existing+". Nothing was sent.\n\nTo fix this: if this run was removing it, apply again. Otherwise, import it:\n\n"+
		rules.ImportBlock(position, e.IDs[0])+"\n\nIf a resource with create_before_destroy replaces it, applying again does "+
		"not help. Then set ASSESS_ADOPT_EXISTING=true for this one apply, use a moved block, or apply without "+
		"create_before_destroy.")
}

func (c *configured) updateFailure(ref engine.Ref, err error) diag.Diagnostic {
	const summary = "Could not update the position assessment"
	what := "Could not update " + c.named(ref) + "."
	if errors.Is(err, engine.ErrProfileCompleted) {
		return newError(summary, what+" A supervisor has completed the profile since the plan was made. The update would "+
			"discard that work, so nothing was sent.\n\nTo fix this: plan again, and review the new plan.")
	}
	if errors.Is(err, engine.ErrTaken) {
		return newError(summary, what+" Another resource of this run has taken it over (adopt_existing), so nothing was "+
			"sent.\n\nTo fix this: run the command \"state rm 'ADDRESS'\" with the address that you no longer need. Then "+
			"remove it from the configuration, if it is still there.")
	}
	return failure(summary, what, err)
}

// removalFailure is the diagnostic for a position assessment that was not removed. If the
// service refused to remove it, it says how to drop the resource from the state.
func (c *configured) removalFailure(o engine.Object, err error) diag.Diagnostic {
	const summary = "Could not remove the position assessment"
	const invited = "An assessment can be removed only while no candidate has been invited to it."
	const keep = "stop managing the assessment, and leave it in the service.\n\nTo do that, " + dropFromState +
		"If the plan was to replace it, the next apply then creates the new one. Otherwise, also remove the resource from " +
		"the configuration.\n\nIf you remove a resource without count and for_each, you can also replace it with this " +
		"block:\n\n  removed {\n    from = <address>\n    lifecycle {\n      destroy = false\n    }\n  }"
	what := fmt.Sprintf(
		"Could not remove position assessment %q of assessment %s from position %s.",
		o.ID, c.Catalog.AssessmentLabel(o.Assessment), c.Catalog.PositionLabel(o.Position),
	)
	if errors.Is(err, engine.ErrProfileCompleted) {
		return newError(summary, what+" A supervisor has completed its profile since the plan was made. The removal would "+
			"delete that work, so nothing was sent.\n\nTo fix this: plan again, and review the new plan.")
	}
	var (
		unconfirmed *catalog.UnconfirmedError
		refused     *assessapi.Error
	)
	if errors.As(err, &unconfirmed) || !errors.As(err, &refused) {
		return failure(summary, what, err)
	}
	switch refused.Class() {
	case assessapi.Conflict:
		return newError(summary, what+"\n\n"+Answer(err)+" "+invited+"\n\nTo fix this: "+keep)
	case assessapi.Forbidden: // the service may refuse the key or the removal
		return newError(
			summary,
			what+"\n\n"+Answer(err)+" "+invited+"\n\nTo fix this: find out in the service whether a candidate has been "+
				"invited. If not, ask the operator of the service for the right to remove position assessments.\n\n"+
				"If a candidate has been invited, "+keep,
		)
	case assessapi.NotOffered:
		return newError(
			summary,
			what+"\n\n"+Answer(err)+" This service does not support removal.\n\nTo fix this: "+keep,
		)
	default:
		return failure(summary, what, err)
	}
}

// forgotten warns that the resource was dropped from the state, and that the position
// assessment was not removed from the service.
func (c *configured) forgotten(o engine.Object, err error) diag.Diagnostic {
	return newWarning("Position assessment was not removed", fmt.Sprintf(
		"Position assessment %q of assessment %s on position %s stays attached, because the service refused to remove "+
			"it. Because on_refused_removal is \"forget\", it was dropped from the state.\n\n%s\n\nTo "+
			"manage it again, import it.",
		o.ID, c.Catalog.AssessmentLabel(o.Assessment), c.Catalog.PositionLabel(o.Position), Answer(err)))
}

// importFailure is the diagnostic for an import of something that does not exist. It lists
// what the position has.
func (r *positionAssessmentResource) importFailure(ctx context.Context, ref engine.Ref, gone error) diag.Diagnostic {
	const summary = "Could not import the position assessment"
	what := "Could not import " + r.run.named(ref) + "."
	all, offered, err := r.run.Attachments.List(ctx, ref.Position)
	const correct = "\n\nTo fix this: correct the import ID. It is POSITION_ID/POSITION_ASSESSMENT_ID."
	if err != nil || !offered {
		return newError(summary, what+"\n\n"+Answer(gone)+correct+" Also check the provider's base_url (environment "+
			"variable ASSESS_BASE_URL), including its path.")
	}
	has := make([]description, len(all))
	for i, pa := range all {
		has[i] = r.run.describe(pa)
	}
	return newError(summary, fmt.Sprintf("%s\n\n%s\n\nPosition assessments of the position: %s."+correct,
		what, Answer(gone), rules.OneOf(has)))
}

// doubt says why it is unknown what a lost response did.
func doubt(e *engine.UnresolvedError) string {
	ids := strings.Join(e.IDs, ", ")
	switch e.Doubt {
	case engine.Interrupted:
		return "The run was interrupted while the request might still be in progress."
	case engine.ListFailed:
		return "The provider could not read the list of the position's assessments. " + Answer(e.Err)
	case engine.NotListed:
		return "This service does not list the assessments of a position."
	case engine.NotShown:
		return "The position has position assessment \"" + ids + "\" of this assessment, but the service does not show " +
			"how it is configured."
	case engine.Several:
		return "The position has the assessment more than once, as " + ids + "."
	default: // engine.Vanished
		return "The service confirmed the request, but its list of the position's assessments does not " +
			"contain the assessment."
	}
}
