// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

func (c *configured) goneWarning(ref engine.Ref, assessment string) diag.Diagnostic {
	return newWarning("Position assessment is gone", fmt.Sprintf(
		"Position assessment %q (assessment %s) is no longer attached to position %s. It was removed outside this "+
			"configuration, or the position was. The next apply attaches it again, unless you remove it from the configuration.",
		ref.ID, c.AssessmentLabel(assessment), c.PositionLabel(ref.Position)))
}

// incomplete warns that the profile could not be read after a write.
func incomplete(what string, err error) diag.Diagnostic {
	return newWarning("Could not read the profile", explain(
		fmt.Sprintf(
			"%s, but the status and address of its profile could not be read. The next refresh reads them.", what,
		),
		err,
	))
}

// attachFailure words why an assessment was not attached, or may not have been.
func (c *configured) attachFailure(creation engine.Creation, err error) diag.Diagnostic {
	assessment, position := c.AssessmentLabel(creation.Assessment), c.PositionLabel(creation.Position)
	what := fmt.Sprintf("Could not attach assessment %s to position %s.", assessment, position)
	var (
		unresolved *engine.UnresolvedError
		duplicate  *engine.DuplicateError
	)
	switch {
	case errors.As(err, &duplicate):
		return newError(rules.Summaries[rules.Duplicate], fmt.Sprintf("%s The position already has it, with "+
			"the same configuration, as position assessment %q. Nothing was sent.\n\nTo fix this: import it:\n\n%s",
			what, duplicate.ID, rules.ImportBlock(position.ID, duplicate.ID)))
	case errors.As(err, &unresolved):
		reason := unresolved.Reason + "."
		if unresolved.Err != nil {
			reason += " " + answered(unresolved.Err)
		}
		return newError("Unknown whether the assessment was attached", fmt.Sprintf(
			"The request to attach assessment %s to position %s was sent, but its response was lost. %s\n\nWhether it was "+
				"attached is unknown: %s It was not sent again, because that could attach it twice.\n\nTo fix this: look at the "+
				"position in the service. If it has the assessment, import it. If not, apply again.\n\n%s",
			assessment,
			position,
			answered(unresolved.Lost),
			reason,
			rules.ImportBlock(position.ID, "POSITION_ASSESSMENT_ID"),
		))
	}
	return failure("Could not attach the assessment", what, err)
}

func (c *configured) updateFailure(ref engine.Ref, err error) diag.Diagnostic {
	const summary = "Could not update the position assessment"
	what := "Could not update " + c.named(ref) + "."
	if errors.Is(err, engine.ErrProfileCompleted) {
		return newError(summary, what+" A supervisor has completed the profile since the plan was made, and "+
			"the update would discard that work. Nothing was sent.\n\nTo fix this: plan again, and decide with the new plan.")
	}
	return failure(summary, what, err)
}

// removalFailure words a refusal to remove, and how to drop the resource without
// removing anything.
func (c *configured) removalFailure(ref engine.Ref, assessment string, err error) diag.Diagnostic {
	const summary = "Could not remove the position assessment"
	const invited = "An assessment can be removed only while no candidate has been invited to it."
	const forget = "To keep it in the service and drop it from the state, run state rm 'ADDRESS' and remove the " +
		"resource from the configuration. For a resource without count and for_each, a block does the same:\n\n  removed " +
		"{\n    from = <address>\n    lifecycle {\n      destroy = false\n    }\n  }"
	what := fmt.Sprintf(
		"Could not remove position assessment %q (assessment %s) from position %s.",
		ref.ID, c.AssessmentLabel(assessment), c.PositionLabel(ref.Position),
	)
	var (
		unconfirmed *engine.UnconfirmedError
		refused     *assessapi.Error
	)
	if errors.As(err, &unconfirmed) || !errors.As(err, &refused) {
		return failure(summary, what, err)
	}
	switch refused.Class() {
	case assessapi.Conflict:
		return newError(summary, what+"\n\n"+answered(err)+" "+invited+"\n\n"+forget)
	case assessapi.Forbidden: // the service may mean the key, or the removal
		return newError(summary, what+"\n\n"+answered(err)+" "+invited+"\n\n"+fix(err)+"\n\n"+forget)
	case assessapi.NotOffered:
		return newError(summary, what+"\n\n"+answered(err)+" This service offers no removal.\n\n"+forget)
	default:
		return failure(summary, what, err)
	}
}

// forgotten says that the resource was dropped from the state instead of being
// removed.
func (c *configured) forgotten(ref engine.Ref, assessment string, err error) diag.Diagnostic {
	return newWarning("Position assessment was not removed", fmt.Sprintf(
		"Position assessment %q (assessment %s) of position %s stays in the service. Because on_refused_removal is "+
			"\"forget\", it was dropped from the state.\n\n%s",
		ref.ID, c.AssessmentLabel(assessment), c.PositionLabel(ref.Position), answered(err)))
}

// importFailure says what the position has instead of what was to be imported.
// The list was read to look for it.
func (r *positionAssessmentResource) importFailure(ctx context.Context, ref engine.Ref, gone error) diag.Diagnostic {
	const summary = "Could not import the position assessment"
	what := "Could not import " + r.engine.named(ref) + "."
	all, offered, err := r.engine.Attached(ctx, ref.Position)
	if err != nil || !offered {
		return failure(summary, what, gone)
	}
	has := make([]description, len(all))
	for i, pa := range all {
		has[i] = r.engine.describe(pa)
	}
	return newError(summary, fmt.Sprintf("%s\n\n%s\n\nThe position has: %s.\n\nTo fix this: correct the "+
		"import ID.",
		what, answered(gone), rules.OneOf(has)))
}

// importedAndDestroyed refuses a plan that would remove what it imports.
func (c *configured) importedAndDestroyed(ref engine.Ref) diag.Diagnostic {
	return newError("Import of what is going to be destroyed", fmt.Sprintf(
		"This plan imports %s under one address and destroys it under another. The "+
			"apply would remove it from the position.\n\nTo fix this: remove the import block, and move the resource:\n\n  "+
			"moved {\n    from = <old address>\n    to   = <new address>\n  }", c.named(ref)))
}
