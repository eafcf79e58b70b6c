// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// labeled names a position assessment, its assessment, and the position that it is on, or removed from.
func labeled(c *tf.Run, ref Ref, assessment, on string) string {
	return fmt.Sprintf("position assessment %q of assessment %s %s position %s",
		ref.ID, c.Catalog().AssessmentLabel(assessment), on, c.Catalog().PositionLabel(ref.Position))
}

// goneWarning warns that a position assessment of the state no longer exists.
func goneWarning(c *tf.Run, ref Ref, assessment string) diag.Diagnostic {
	return tf.WarningIn(tf.Gone, "Position assessment is gone", words.Sentence(labeled(c, ref, assessment, "on")+" is no "+
		"longer attached, because it was removed outside this configuration, or the position was deleted. If the position "+
		"still exists, the next apply attaches the assessment again.\n\nTo fix this: if the assessment must stay removed, "+
		"or if the position was deleted, remove the resource from the configuration. If another message says that the "+
		"position already has the assessment, follow that one."))
}

// incomplete warns that the profile could not be read after a write.
func incomplete(what string, err error) diag.Diagnostic {
	return tf.Warning("Could not read the profile", run.Explain(what+". After that, the provider could not read the "+
		"status of the profile and the link to it. The next refresh reads them.", err))
}

// attachFailure is the diagnostic for an assessment that was not attached, or may not have been attached.
func attachFailure(c *tf.Run, wanted Creation, err error) diag.Diagnostic {
	assessment, position := c.Catalog().AssessmentLabel(wanted.Assessment), c.Catalog().PositionLabel(wanted.Position)
	what := fmt.Sprintf("attach assessment %s to position %s", assessment, position)
	var duplicate *duplicateError
	switch {
	case errors.As(err, &duplicate):
		return duplicateFailure("Could not "+what+".", position.ID, duplicate)
	case errors.Is(err, errPositionGone):
		return tf.Error(rules.UnknownPosition.Summary,
			"Could not "+what+". Nothing was sent.\n\n"+rules.PositionMissing(position.ID))
	case errors.Is(err, assessapi.ErrCached), errors.Is(err, assessapi.ErrForeign):
		return tf.Failure("Could not attach the assessment", "Could not "+what+". The provider first reads the assessments "+
			"of the position. It could not get a current list, so nothing was sent.", err)
	}
	return creationWords.Failure(what, position.ID, err)
}

// creationWords are the words of messages about creations.
var creationWords = tf.CreationWords{
	Owner: "position", AnOwner: "a position", Thing: "assessment", Object: "position assessment",
	Create: "attach", Created: "attached",
}

// duplicateFailure is the diagnostic for an assessment that the position already has.
func duplicateFailure(what, position string, e *duplicateError) diag.Diagnostic {
	existing := `as position assessment "` + strings.Join(e.IDs, `", position assessment "`) + `"`
	switch {
	case e.Own:
		has := "has attached it or taken it over, " + existing
		if len(e.IDs) == 0 {
			has = "is attaching it"
		}
		return tf.Error(rules.Duplicate.Summary, what+" Another resource of this run "+has+", with the same "+
			"configuration. Nothing was sent.\n\nTo fix this: remove one of the two.")
	case e.Other:
		if e.Differs != "" {
			existing += ". What differs: " + e.Differs
		}
		return tf.Error(rules.AttachedTwice.Summary, what+" That would attach it a second time, with a different "+
			"configuration: the position already has it, "+existing+". Because adopt_existing is set, nothing was sent.\n\n"+
			"To fix this: import the existing one. If candidates must take both, unset adopt_existing "+
			"(ASSESS_ADOPT_EXISTING).\n\n"+words.ImportBlock(position, e.IDs[0]))
	}
	if e.Again {
		return tf.Again(rules.Duplicate.Summary, fmt.Sprintf("%s The position already has it, %s (import ID %q). "+
			"Nothing was sent. The error with an import block says how to fix this.",
			what, existing, words.JoinImportID(position, e.IDs[0])))
	}
	fix := "import it"
	more := "\n\nAfter a lost state, or with create_before_destroy, set ASSESS_ADOPT_EXISTING=true for one apply."
	if len(e.IDs) > 1 {
		fix, more = "import one, and remove the others in the service", ""
	}
	return tf.Error(rules.Duplicate.Summary, what+" The position already has it, with the same configuration, "+
		existing+". Nothing was sent.\n\nTo fix this: if this run was removing it, apply again. Otherwise, "+fix+":\n\n"+
		words.ImportBlock(position, e.IDs[0])+more)
}

// changeFailure is the diagnostic for a change that failed. supervised says what it would do to a supervisor's work.
func changeFailure(summary, what, supervised string, err error) diag.Diagnostic {
	switch {
	case errors.Is(err, errProfileCompleted):
		sent := "nothing was sent"
		if errors.As(err, new(*assessapi.NotSentAgainError)) {
			sent = "the request was not repeated after a failure"
		}
		return tf.Error(summary, what+" "+supervised+" that work, so "+sent+".\n\nTo fix this: plan again, without "+
			"-refresh=false, and review the new plan.")
	case errors.Is(err, errTaken):
		return tf.Error(summary, what+" This run has removed it at another address, or another resource has "+
			"taken it over. So nothing was sent.\n\nTo fix this: run "+words.StateRm+" with the address that "+
			"you no longer need. Then remove it from the configuration, if it is still there.")
	}
	return tf.Failure(summary, what, err)
}

// removalFailure is the diagnostic for a failed removal. After a refusal, it says how to drop the resource from the
// state.
func removalFailure(c *tf.Run, o ManagedObject, err error) diag.Diagnostic {
	const summary = "Could not remove the position assessment"
	const keep = "leave the assessment in the service, and stop managing it: " + run.DropFromState +
		"If this apply replaces it, the next apply then creates the new one. Otherwise, also remove the resource from the " +
		"configuration."
	what := "Could not remove " + labeled(c, o.Ref, o.Assessment, "from") + "."
	why, first := "An assessment can be removed only while no candidate has been invited to it.", ""
	var refused *assessapi.Error
	class := assessapi.ServiceFault
	if errors.As(err, &refused) && refused.Method == http.MethodDelete && !errors.As(err, new(*catalog.UnconfirmedError)) {
		class = refused.Class()
	}
	switch class {
	case assessapi.Conflict:
	case assessapi.Forbidden: // the service may refuse the key or the removal
		first = "find out in the service whether a candidate has been invited. If not, ask the operator of the service for " +
			"the right to remove position assessments. If a candidate has been invited, "
	case assessapi.NotOffered:
		why = "This service does not support removal."
	default:
		return changeFailure(summary, what,
			"A supervisor has completed its profile since the plan was made. The removal would delete", err)
	}
	return tf.Error(summary, what+"\n\n"+run.Answer(err)+" "+why+"\n\nTo fix this: "+first+keep)
}

// forgottenWarning warns that the resource was only dropped from the state.
func forgottenWarning(c *tf.Run, o ManagedObject, err error) diag.Diagnostic {
	return tf.Warning("Position assessment was not removed", words.Sentence(labeled(c, o.Ref, o.Assessment, "on")+
		" stays attached, because the service refused to remove it. Because on_refused_removal is \"forget\", it was "+
		"dropped from the state.\n\n"+run.Answer(err)+"\n\nTo manage it again, import it."))
}

// named is how a message names a position assessment.
func named(c *tf.Run, ref Ref) string {
	return fmt.Sprintf("position assessment %q of position %s", ref.ID, c.Catalog().PositionLabel(ref.Position))
}
