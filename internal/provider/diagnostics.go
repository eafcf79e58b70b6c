// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// guide is the page with a section for each diagnostic.
const guide = "https://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/troubleshooting"

// All diagnostics are built by these four functions, which add a link to the section of the
// guide. "make docs-check" fails if code calls the framework's
// functions instead, or if a summary has no section.

func newError(summary, detail string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summary, detail+"\n\n"+sectionURL(summary))
}

func newWarning(summary, detail string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(summary, detail+"\n\n"+sectionURL(summary))
}

func newAttributeError(at path.Path, summary, detail string) diag.Diagnostic {
	return diag.WithPath(at, newError(summary, detail))
}

func newAttributeWarning(at path.Path, summary, detail string) diag.Diagnostic {
	return diag.WithPath(at, newWarning(summary, detail))
}

// asWarnings turns errors into warnings about an attribute.
func asWarnings(at path.Path, problems diag.Diagnostics) (warnings diag.Diagnostics) {
	for _, p := range problems {
		warnings.Append(diag.WithPath(at, diag.NewWarningDiagnostic(p.Summary(), p.Detail())))
	}
	return warnings
}

// sectionURL returns the address of a section of the guide. Its anchor consists of the
// lower-case letters and digits of the title, with hyphens for spaces.
func sectionURL(title string) string {
	return guide + "#" + strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// Summaries that are used in several files.
const (
	listAssessments = "Could not list the assessments"
	listPositions   = "Could not list the positions"
	listAttached    = "Could not list the position's assessments"
)

// failure is the diagnostic for a request that failed. what is a sentence that says what
// could not be done, with names and ids.
func failure(summary, what string, err error) diag.Diagnostic {
	return newError(summary, explain(what, err))
}

// explain is the detail of a failure: what happened, what the service answered, and how
// to fix it.
func explain(what string, err error) string {
	return what + "\n\n" + answered(err) + "\n\n" + fix(err)
}

// destroyAnyway is part of each refusal that depends on the service. Such a refusal also
// stops a destroy, because the CLI plans everything before it destroys anything.
const destroyAnyway = "To destroy anyway, run:\n\n  terraform destroy -refresh=false"

// addFindings adds a diagnostic for each finding of the rules.
func addFindings(findings []rules.Finding, diags *diag.Diagnostics) {
	for _, f := range findings {
		detail := f.Detail
		if f.Err != nil {
			detail = explain(detail, f.Err)
		}
		if !f.Warning && !f.Static {
			detail += "\n\n" + destroyAnyway
		}
		d := newError(f.Summary(), detail)
		if f.Warning {
			d = newWarning(f.Summary(), detail)
		}
		if len(f.Path) > 0 {
			at := path.Root(f.Path[0])
			for _, name := range f.Path[1:] {
				at = at.AtName(name)
			}
			diags.Append(diag.WithPath(at, d))
		} else {
			diags.Append(d)
		}
	}
}

// answered says what the service answered, or why there is no answer.
func answered(err error) string {
	var (
		unconfirmed *engine.UnconfirmedError
		refused     *assessapi.Error
		call        *assessapi.CallError
		shape       *assessapi.ShapeError
		readOnly    *engine.ReadOnlyError
	)
	switch {
	case errors.As(err, &readOnly):
		return "The provider is read-only (read_only or ASSESS_READ_ONLY), so nothing was sent."
	case errors.Is(err, engine.ErrNotInSnapshot):
		return "This run uses a snapshot of the service, and the snapshot does not contain it."
	case errors.As(err, &unconfirmed) && unconfirmed.Err != nil:
		return "The service answered 404. This could not be confirmed, because the list of assessments could not be read. " +
			answered(unconfirmed.Err)
	case errors.As(err, &unconfirmed):
		return "The service answered 404, and the resource's assessment is not in the catalog of the organization. Either " +
			"the address or the credentials belong to another service or organization, or the assessment was retired."
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &call):
		return fmt.Sprintf("%s received no usable answer: %v.%s",
			request(call.Method, call.Route, call.Address), call.Err, tries(call.Attempts, call.Elapsed))
	case errors.As(err, &shape):
		return fmt.Sprintf("The service answered %s with something unexpected: %s.",
			request(shape.Method, shape.Route, shape.Address), shape.Problem)
	}
	return "The error was: " + err.Error() + "."
}

func refusal(refused *assessapi.Error) string {
	s := fmt.Sprintf("The service answered %s with %d %s",
		request(refused.Method, refused.Route, refused.Address), refused.Status, refused.StatusText())
	if refused.Message != "" {
		s += ": " + refused.Message
	}
	var more []string
	if refused.Code != "" {
		more = append(more, "code "+refused.Code)
	}
	if refused.Location != "" {
		more = append(more, "to "+refused.Location)
	}
	if refused.ConversationID != "" {
		more = append(more, "Conversation-Id "+refused.ConversationID)
	}
	if len(more) > 0 {
		s += " (" + strings.Join(more, ", ") + ")"
	}
	return s + "." + tries(refused.Attempts, refused.Elapsed)
}

// request names a request with its address, because the user may not know which base_url
// is used.
func request(method, route, address string) string {
	if address == "" {
		return method + " " + route
	}
	return method + " " + route + " at " + address
}

func tries(n int, elapsed time.Duration) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" That was the last of %d attempts within %s.", n, elapsed.Round(100*time.Millisecond))
}

const (
	checkAddress     = "To fix this: check the provider's base_url (environment variable ASSESS_BASE_URL)"
	checkCredentials = "check the credentials client_id and api_key (ASSESS_CLIENT_ID, ASSESS_API_KEY)"
	dropFromState    = "drop the resource from the state:\n\n  terraform state rm 'ADDRESS'\n\n"
)

// fix says what the user can do about an error.
func fix(err error) string {
	var (
		unconfirmed *engine.UnconfirmedError
		refused     *assessapi.Error
		redirect    *assessapi.RedirectError
		shape       *assessapi.ShapeError
		call        *assessapi.CallError
		readOnly    *engine.ReadOnlyError
	)
	switch {
	case errors.As(err, &readOnly):
		return "To fix this: set read_only = false in the provider configuration and unset ASSESS_READ_ONLY for runs that " +
			"may write."
	case errors.Is(err, engine.ErrNotInSnapshot):
		return "To fix this: remove the block \"sandbox\" to use the service itself. If this state belongs to the " +
			"snapshot, " + dropFromState + "The state was not changed."
	case errors.Is(err, context.Canceled):
		return "The run was interrupted. Run it again."
	case engine.IsSharedBudgetError(err):
		return checkBudget
	case errors.As(err, &unconfirmed) && unconfirmed.Err != nil:
		return checkAddress + " and " + checkCredentials + ". The state was not changed."
	case errors.As(err, &unconfirmed):
		return checkAddress + " and " + checkCredentials + ". If they are right, the assessment was retired. Then " +
			dropFromState + "After that, remove it from the configuration. The state was not changed."
	case errors.As(err, &redirect):
		return checkAddress + ". It must be the address of the service itself."
	case errors.As(err, &shape) && shape.Changed:
		return "To fix this: run it again. The list changed while it was read. If this happens every time, contact the " +
			"support of the service."
	case errors.As(err, &shape):
		return checkAddress + ". If it is right, the service differs from its specification: see the guide \"Assumptions " +
			"about the service\"."
	case errors.As(err, &refused):
		return fixRefusal(refused)
	case assessapi.IsSchemeMismatch(err):
		return checkAddress + ". The server there speaks plain http, but an address without a scheme means https. For a " +
			"loopback address, write http://, such as http://127.0.0.1:8377/v1. Any other address requires https."
	case errors.As(err, &call):
		return checkAddress + ", the network and the proxy settings. Then run it again."
	}
	return "To fix this: correct the configuration, or report a bug in the provider."
}

func fixRefusal(refused *assessapi.Error) string {
	switch refused.Class() {
	case assessapi.Unauthorized, assessapi.Forbidden:
		return "To fix this: " + checkCredentials + "."
	case assessapi.TooManyRequests:
		return "To fix this: wait for the other program that uses the same API key, raise retry_timeout, or give this run " +
			"a smaller share in the block rate_limit."
	case assessapi.NotFound:
		return "To fix this: check the ids in the configuration, and the provider's base_url (environment variable " +
			"ASSESS_BASE_URL) including its path."
	case assessapi.ServiceFault, assessapi.NotOffered:
		return "To fix this: run it again later. The service has a problem. If you contact its support, include the " +
			"Conversation-Id."
	case assessapi.Redirected:
		return checkAddress + ". The service redirects to another address, and the provider never sends writes there."
	default:
		return "To fix this: correct what the service reports, then run it again."
	}
}

// listFailure is the diagnostic for a list of an assessment that could not be read. Some
// services do not offer some lists (assumptions A8, A9, A23).
func listFailure(list string, assessment assessapi.Label, err error) diag.Diagnostic {
	summary, what := "Could not list the "+list, fmt.Sprintf("Could not list the %s of assessment %s.", list, assessment)
	if !assessapi.IsNoList(err) {
		return failure(summary, what, err)
	}
	return newError(summary, what+"\n\n"+answered(err)+"\n\n"+
		fmt.Sprintf("To fix this: check assessment_id. If it is right, this service does not list %s for this assessment. "+
			"Then write ids in the configuration instead of looking them up.", list))
}
