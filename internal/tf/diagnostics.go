// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// Error returns an error with a link to its section of the guide "Messages". Only the functions of this file create
// diagnostics. The linter rejects other code that calls the framework for this.
func Error(summary, detail string) diag.Diagnostic { return ErrorIn(summary, summary, detail) }

// Warning returns a warning with a link to its section of the guide "Messages".
func Warning(summary, detail string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(summary, detail+"\n\n"+messages.Link(summary))
}

// Responses is the section of the guide "Messages" about requests that failed. It explains what to do after each
// response.
const Responses = "Responses of the service"

// ErrorIn returns an error with a link to a section that has another title than the error.
func ErrorIn(section, summary, detail string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summary, detail+"\n\n"+messages.Link(section))
}

// AttributeError returns an error about an attribute, with a link to its section of the guide "Messages".
func AttributeError(at path.Path, summary, detail string) diag.Diagnostic {
	return diag.WithPath(at, Error(summary, detail))
}

// Summaries that are used in several files.
const (
	ListAssessments = "Could not list the assessments"
	ListPositions   = "Could not list the positions"
	ListAttached    = "Could not list the position's assessments"
)

// Failure returns the diagnostic for a request that failed. The parameter what contains a sentence that says what could
// not be done, with names and IDs. If an earlier error has ended the run, and a message has explained it, the
// diagnostic is one line that refers to it, because core requires an error for each call that failed. Its attribute
// path is empty, so the CLI prints the address of the resource without its source.
func Failure(summary, what string, err error) diag.Diagnostic {
	if first, ended := run.EndedBy(err); ended && first.IsExplained() {
		return diag.WithPath(path.Empty(), diag.NewErrorDiagnostic(Stopped+": "+run.WhyEnded(first), ""))
	}
	return ErrorIn(Responses, summary, run.Explain(what, err))
}

// Stopped begins the summary of an error after the run has ended. An earlier message says what to do.
const Stopped = "Stopped by an earlier error"

// AddFindings adds a diagnostic for each finding of the rules.
func AddFindings(findings []messages.Finding, diags *diag.Diagnostics) {
	for _, f := range findings {
		diags.Append(diagnosticOf(f))
	}
}

// diagnosticOf returns the diagnostic for a finding, with its attribute if it has one. If the finding is an error
// because an earlier error has ended the run, the diagnostic is one line without an attribute (see [Failure]).
func diagnosticOf(f messages.Finding) diag.Diagnostic {
	if _, ended := run.EndedBy(f.Err); ended && !f.Warning {
		return Failure(f.Summary, f.Detail, f.Err)
	}
	create := Error
	if f.Warning {
		create = Warning
	}
	found := create(f.Summary, detailOf(f))
	if len(f.Path) == 0 {
		return found
	}
	at := path.Empty()
	for _, name := range f.Path {
		at = at.AtName(name)
	}
	return diag.WithPath(at, found)
}

// detailOf returns the detail of a finding. It explains the error of a request. If a check of the plan failed but other
// requests may succeed, it also says how to plan without the checks.
func detailOf(f messages.Finding) string {
	detail := f.Detail
	if f.Err != nil {
		detail = run.Explain(detail, f.Err)
	}
	if f.Rule == messages.LookupFailed && !f.Warning && onlyThisRequest(f.Err) {
		detail += "\n\nIf this happens every time, plan without these checks: set plan_checks = false in the provider " +
			"configuration, or the environment variable ASSESS_PLAN_CHECKS=false."
	}
	return detail
}

// onlyThisRequest reports whether other requests may succeed although this request failed. If so, a plan without checks
// may help. If the service cannot be reached or rejects the credentials, the apply fails as well.
func onlyThisRequest(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return !ok || failed.Own && failed.Status != http.StatusUnauthorized && !assessapi.IsNotFound(err)
}

// ListFailure is the diagnostic for a list of an assessment that could not be read. Some services do not offer some
// lists (assumptions A8, A9, A23).
func ListFailure(list string, assessment assessapi.Label, err error) diag.Diagnostic {
	summary := "Could not list the " + list
	what := fmt.Sprintf("Could not list the %s of assessment %s.", list, assessment)
	if !assessapi.IsNoList(err) {
		return Failure(summary, what, err)
	}
	return ErrorIn(Responses, summary, what+"\n\n"+run.Response(err)+"\n\n"+
		fmt.Sprintf("To fix this: check assessment_id. If it is right, this service does not list %s for this assessment. "+
			"Then find the IDs on the website of the service, and write them in the configuration.", list))
}
