// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// named is how a message names a position assessment.
func named(r *run.Run, at ref, assessment string) string {
	return fmt.Sprintf("position assessment %q of assessment %s on position %s", at.ID,
		r.Lists.AssessmentLabel(assessment), r.Lists.PositionLabel(at.Position))
}

// goneWarning warns that a position assessment of the state no longer exists.
func goneWarning(r *run.Run, at ref, assessment string) diag.Diagnostic {
	return tf.Warning("Position assessment is gone", messages.Sentence(named(r, at, assessment)+" is no longer "+
		"attached: it was removed outside this configuration, or the position was deleted. If the position still exists, "+
		"the next apply attaches the assessment again")+"\n\nOptions: if the assessment must stay removed, or if the "+
		"position was deleted, remove the resource from the configuration.")
}

// readFailure returns the error of a failed refresh. The refresh has not changed the state.
func readFailure(r *run.Run, at ref, assessment string, err error) diag.Diagnostic {
	const summary = "Could not read the position assessment"
	what := "Could not read " + named(r, at, assessment) + "."
	unconfirmed, ok := errors.AsType[*notGoneError](err)
	if _, ended := run.EndedBy(err); !ok || ended { // an error that ended the run explains more than the 404
		return tf.Failure(summary, what, err)
	}
	return tf.Error(summary, fmt.Sprintf("%s The service answered 404 (not found), but %s. So the state was not "+
		"changed.\n\n%s\n\nTo fix this: check base_url and the credentials, and run the command again. If the position "+
		"assessment does not exist any more, remove it from the state with %s. To plan everything else meanwhile, use "+
		"-refresh=false.", what, unconfirmed.why, run.Response(unconfirmed.err), messages.StateRm))
}

// importForm says how an import names a position assessment.
const importForm = "POSITION_ID/POSITION_ASSESSMENT_ID or POSITION_ID/ASSESSMENT_ID"

const importFailed = "Could not import the position assessment"

// importFailure is the error of an import that could not read what it names.
func importFailure(r *run.Run, at ref, err error) diag.Diagnostic {
	return tf.Failure(importFailed, fmt.Sprintf("Could not import position assessment %q of position %s. An import ID "+
		"has the form %s.", at.ID, r.Lists.PositionLabel(at.Position), importForm), err)
}

// hiddenImportFailure is the error of an import or a list if the service does not show the assessment.
func hiddenImportFailure(r *run.Run, at ref) diag.Diagnostic {
	return tf.Error(importFailed, fmt.Sprintf("The service does not show which assessment position assessment %q of "+
		"position %s is of.\n\nTo fix this: import nothing from this position, or ask the service operator.",
		at.ID, r.Lists.PositionLabel(at.Position)))
}

// warnUnlisted warns once in a run that creations have attached assessments without a check for duplicates.
func warnUnlisted(r *run.Run, position string) {
	r.Warn("unlisted", "Attached without a check for duplicates", fmt.Sprintf("This service does not list the "+
		"assessments of a position, so the provider cannot look whether position %s and others have an assessment "+
		"already. If one had, candidates take it twice.\n\nOptions: compare the positions in the service with the plan.",
		r.Lists.PositionLabel(position)))
}

// warnKept warns once in a run that a removal has sent nothing, because a creation of this apply has adopted the
// position assessment.
func warnKept(r *run.Run, at ref, assessment string) {
	r.Warn("kept by other", "Adopted at another address", fmt.Sprintf(
		"This apply has adopted %s at another address, or at the same address with create_before_destroy. So the old "+
			"entry was removed from the state, and nothing was sent. The same is true for every other entry that this apply "+
			"removes for this reason.",
		named(r, at, assessment)))
}

// attachFailure returns the error of a creation that has attached nothing, or whose outcome is unknown. It is also the
// error of an adoption whose update has failed.
func attachFailure(r *run.Run, key run.Key, err error) diag.Diagnostic {
	assessment, position := r.Lists.AssessmentLabel(key.Assessment), r.Lists.PositionLabel(key.Position)
	what := fmt.Sprintf("attach assessment %s to position %s", assessment, position)
	var exists *existsError
	var unknown *unknownError
	switch {
	case errors.As(err, &unknown):
		id := key.Assessment
		if unknown.why == noList { // so an import cannot find it by its assessment
			id = "POSITION_ASSESSMENT_ID"
		}
		return tf.Error("Could not confirm the attachment", fmt.Sprintf("The provider sent a request to %s, and "+
			"got no usable response. %s\n\nThe request is not sent again, because %s. So the assessment may be attached "+
			"now.\n\nTo fix this: look at the position in the service. If it does not have the assessment, apply again. If it "+
			"has it, import it:\n\n%s",
			what, run.Response(unknown.lost), unknown.why, messages.ImportBlock(key.Position, id)))
	case errors.As(err, &exists):
		return existsFailure(what, key, exists)
	case errors.Is(err, errPositionMissing):
		return tf.Error(rules.UnknownPosition.Summary, "Could not "+what+". Nothing was sent.\n\n"+
			rules.PositionMissing(key.Position))
	}
	return changeFailure("Could not attach the assessment", "Could not "+what+".", "Adopting it would discard", err)
}

// existsFailure is the error of a creation whose position has the assessment already. what names the creation, such as
// "attach assessment A to position P".
func existsFailure(what string, key run.Key, e *existsError) diag.Diagnostic {
	summary := rules.AlreadyAttached.Summary
	existing := fmt.Sprintf("position assessment %q", e.existing[0])
	switch {
	case e.own:
		return tf.Error("Duplicate position and assessment", fmt.Sprintf("Could not %s. Another resource of "+
			"this configuration has the same position and assessment, and this apply has attached or adopted it as %s. An "+
			"assessment can be attached to a position only once, whatever its configuration. Nothing was sent.\n\nTo fix this: "+
			"remove one of the two resources.", what, existing))
	case len(e.existing) > 1:
		return tf.Error(summary, fmt.Sprintf("Could not %s. The position has it more than once, as %s. Nothing was "+
			"changed.\n\nTo fix this: keep one of them, import it, and remove the others in the service:\n\n%s",
			what, strings.Join(e.existing, ", "), messages.ImportBlock(key.Position, e.existing[0])))
	}
	cause := strings.TrimSpace("The position has it already, as " + existing + ". " + e.why)
	options := "Options: if the resource was only renamed, so that this apply removes the existing one, apply again: " +
		"the second apply completes it. Otherwise, import the existing one:"
	if e.stays {
		options = "To fix this: import the existing one:"
	}
	return tf.Error(summary, fmt.Sprintf("Could not %s. %s Nothing was changed.\n\n%s\n\n%s",
		what, cause, options, messages.ImportBlock(key.Position, e.existing[0])))
}

// recoveredWarning says that an assessment was attached although the response was lost.
func recoveredWarning(r *run.Run, at ref, assessment string, lost error) diag.Diagnostic {
	return tf.Warning("Recovered after a lost response", fmt.Sprintf("The provider sent a request and got no usable "+
		"response. It then found %s in the list of the position, and added it to the state.\n\n%s\n\nUsually, you do not "+
		"need to do anything.", named(r, at, assessment), run.Response(lost)))
}

// otherValuesWarning says that a creation was accepted, and that the service shows other values than were sent.
func otherValuesWarning(r *run.Run, at ref, assessment, differs string) diag.Diagnostic {
	return tf.Warning("Attached with other values", fmt.Sprintf("The service accepted the request, and shows other "+
		"values for %s: %s.\n\nOptions: if the service always adds a value, write it in the configuration. Otherwise, plan "+
		"again, and report this to the service operator.", named(r, at, assessment), differs))
}

// incompleteWarning says that a write succeeded, and that the profile could not be read after it.
func incompleteWarning(what string, err error) diag.Diagnostic {
	return tf.Warning("Could not read the profile", what+" After that, the provider could not read the status of the "+
		"profile and the link to it. The next refresh reads them.\n\n"+run.Response(err))
}

// changeFailure returns the error of a write. summary is used if err has no summary of its own. The parameter what says
// what failed, in whole sentences with names and IDs. discards comes before the words "that work" in a sentence, such
// as "The update would discard".
func changeFailure(summary, what, discards string, err error) diag.Diagnostic {
	// nothing is for the errors of [guard]. Such an error inside an assessapi.Error has stopped a repetition.
	nothing := "nothing was written"
	if errors.As(err, new(*assessapi.Error)) {
		nothing = "the provider did not repeat the request, which may have had an effect"
	}
	var (
		unconfirmed *unconfirmedError
		notUpdated  *notUpdatedError
	)
	switch {
	case errors.Is(err, errStatusNotShown):
		return tf.ErrorIn(tf.Responses, summary, what+" The service no longer shows the status of the profile, so a "+
			"supervisor may have completed it. "+discards+" that work, so "+nothing+".\n\nTo fix this: run the command "+
			"again. If the service still does not show the status, ask the service operator why the response lacks it.")
	case errors.Is(err, errProfileCompleted):
		return tf.Error("Profile completed since the plan", what+" A supervisor has completed the profile since the plan "+
			"was made. "+discards+" that work, so "+nothing+".\n\nTo fix this: plan again, without -refresh=false, and "+
			"review the new plan.")
	case errors.As(err, &unconfirmed):
		return tf.Error("Could not confirm the update", what+" The provider sent a request, and got "+
			"no usable response. The service does not show whether it has made the update, so the state was not "+
			"changed.\n\n"+run.Response(unconfirmed.lost)+"\n\nTo fix this: apply again. This sends the same configuration "+
			"again, unless the service then shows that it has it.")
	case errors.As(err, &notUpdated):
		return tf.Error("Update without effect", what+" The service accepted the update, and still shows other values: "+
			notUpdated.differs+".\n\nTo fix this: if the service always adds a value, write it in the configuration. "+
			"Otherwise, report this to the service operator.")
	}
	return tf.Failure(summary, what, err)
}

// removalFailure is the error of a removal. If the service rejects the removal or offers none, the error says how to
// remove the resource from the state.
func removalFailure(r *run.Run, at ref, assessment string, err error) diag.Diagnostic {
	const summary = "Could not remove the position assessment"
	const later = "\n\nTo fix this: run the command again later. If this does not help, ask the service operator."
	what := "Could not remove " + named(r, at, assessment) + "."
	unclear, isUnclear := errors.AsType[*notGoneError](err)
	if isUnclear {
		what += " The reads after that do not show whether it is gone: " + unclear.why + "."
	}
	switch {
	case errors.As(err, new(*notOfferedError)):
		return tf.Error("Removal not supported", what+" This service does not support removal.\n\n"+run.Response(err)+
			"\n\n"+rules.StopManagingOnly)
	case isRejection(err):
		return tf.Error("Cannot remove: candidates were invited", what+"\n\n"+run.Response(err)+" The service removes an "+
			"assessment only while no candidate has been invited to it. The API key may also lack the right to remove it.\n\n"+
			rules.StopManaging)
	case errors.Is(err, errStillThere):
		return tf.Error(summary, what+" "+messages.Capitalized(err)+". A gateway may have answered, or the service needs "+
			"more time."+later)
	case isUnclear && assessapi.IsNotFound(err): // a 404 after the removal does not mean that an ID is wrong
		return tf.Error(summary, what+"\n\n"+run.Response(err)+later)
	}
	return changeFailure(summary, what, "The removal would delete", err)
}

// forgottenWarning says that a position assessment was only removed from the state.
func forgottenWarning(r *run.Run, at ref, assessment string, why error) diag.Diagnostic {
	return tf.Warning("Position assessment was not removed", messages.Sentence(named(r, at, assessment)+" stays "+
		"attached, because the service rejected its removal. Because on_refused_removal is \"forget\", it was removed from "+
		"the state")+"\n\n"+run.Response(why)+"\n\nTo manage it again, import it.")
}
