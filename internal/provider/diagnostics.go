// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

// This is the only place that words an error of the service. A detail says what
// was asked, what came instead, and what to do next.

// foreignError says that a 404 is not to be believed: the list of assessments
// could not be read, or does not hold the resource's own.
type foreignError struct{ err error }

func (e *foreignError) Error() string { return "the list of assessments does not confirm a 404" }

// Unwrap returns why the list could not be read, if it could not.
func (e *foreignError) Unwrap() error { return e.err }

// failure words an error; asked says what was asked, with names and ids.
func failure(summary, asked string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summary, explain(asked, err))
}

func explain(asked string, err error) string {
	return asked + "\n\n" + came(err) + "\n\n" + next(err)
}

// came says what the service answered, or that it did not.
func came(err error) string {
	var (
		foreign *foreignError
		refused *assessapi.Error
		call    *assessapi.CallError
		shape   *assessapi.ShapeError
	)
	switch {
	case errors.As(err, &foreign) && foreign.err != nil:
		return "The service answered 404, and the list of assessments, which would confirm it, could not be read. " + came(foreign.err)
	case errors.As(err, &foreign):
		return "The service answered 404, but it does not know the resource's assessment either."
	case errors.As(err, &refused):
		s := fmt.Sprintf("The service answered %s with %d %s", request(refused.Method, refused.Route, refused.Address), refused.Status, http.StatusText(refused.Status))
		if refused.Message != "" {
			s += ": " + refused.Message
		}
		var asides []string
		if refused.Code != "" {
			asides = append(asides, "code "+refused.Code)
		}
		if refused.Location != "" {
			asides = append(asides, "to "+refused.Location)
		}
		if refused.ConversationID != "" {
			asides = append(asides, "Conversation-Id "+refused.ConversationID)
		}
		if len(asides) > 0 {
			s += " (" + strings.Join(asides, ", ") + ")"
		}
		return s + "." + tries(refused.Attempts, refused.Elapsed)
	case errors.As(err, &call):
		return fmt.Sprintf("%s got no usable answer: %v.%s", request(call.Method, call.Route, call.Address), call.Err, tries(call.Attempts, call.Elapsed))
	case errors.As(err, &shape):
		return fmt.Sprintf("The service answered %s with something else than was asked for: %s.", request(shape.Method, shape.Route, shape.Address), shape.Problem)
	}
	return "It failed: " + err.Error() + "."
}

// request names a request, and its address: the user may not know which
// base_url is in force.
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

// next says what a user can do about it.
func next(err error) string {
	const checkAddress = "Check the provider's base_url (environment variable ASSESS_BASE_URL)"
	var (
		foreign  *foreignError
		refused  *assessapi.Error
		redirect *assessapi.RedirectError
		shape    *assessapi.ShapeError
		call     *assessapi.CallError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return "The run was interrupted. Run it again."
	case isRedisError(err):
		return checkBudget
	case errors.As(err, &foreign):
		return checkAddress + " and the credentials client_id and api_key (ASSESS_CLIENT_ID, ASSESS_API_KEY): " +
			"they may belong to another service or organisation. The state was left as it is."
	case errors.As(err, &redirect):
		return checkAddress + ": it must be the service's own address."
	case errors.As(err, &shape) && shape.Changed:
		return "Run it again: lists change while people work. If it stays, the service repeats itself, and its support should know."
	case errors.As(err, &shape):
		return checkAddress + ". If it is right, the service differs from what the provider knows of it: see the guide \"Assumptions about the service\"."
	case errors.As(err, &refused):
		return nextAfter(refused)
	case errors.Is(err, http.ErrSchemeMismatch):
		return checkAddress + ": what listens there speaks plain http, and an address without a scheme means https. " +
			"Write http:// before a loopback address, such as http://127.0.0.1:8377/v1. Any other must be reached by https."
	case errors.As(err, &call):
		return checkAddress + ", the network and the proxy settings, then run it again."
	}
	return "Correct the configuration, or report this as a defect of the provider."
}

func nextAfter(refused *assessapi.Error) string {
	switch {
	case refused.Status == http.StatusUnauthorized, refused.Status == http.StatusForbidden:
		return "Check the credentials: client_id and api_key of the provider, or the environment variables ASSESS_CLIENT_ID and ASSESS_API_KEY."
	case refused.Status == http.StatusTooManyRequests:
		return "Another program uses the same API key. Wait for it, or raise retry_timeout, or give this run a smaller share in the block rate_limit."
	case refused.Status == http.StatusNotFound, refused.Status == http.StatusGone:
		return "Check the ids in the configuration, and the provider's base_url (environment variable ASSESS_BASE_URL), its path included."
	case refused.Status >= 500:
		return "The service has a problem of its own. Run it again later; its support asks for the Conversation-Id."
	case refused.Status >= 300 && refused.Status < 400:
		return "The service redirects. Check the provider's base_url (environment variable ASSESS_BASE_URL): writes are never sent to another address."
	}
	return "Correct what the service names, then run it again."
}

// listFailure words the failure to list what can be chosen from for an
// assessment. Not every service shows each of these lists, and not for every
// assessment (assumptions A8, A9 and A23).
func listFailure(what string, assessment types.String, err error) diag.Diagnostic {
	summary, asked := "Cannot list the "+what, fmt.Sprintf("The %s of the assessment %s were to be listed.", what, assessment)
	if !assessapi.IsNoList(err) {
		return failure(summary, asked, err)
	}
	return diag.NewErrorDiagnostic(summary, asked+"\n\n"+came(err)+"\n\n"+
		fmt.Sprintf("Check assessment_id. If it is right, this service shows no list of %s for this assessment: write ids in the configuration instead of looking them up.", what))
}

// mostShown is how many right values a message lists.
const mostShown = 10

// near lists right values for a message in place of a wrong one. Where not all
// are shown, those that are spelt most alike come first.
func near(wrong string, values []string) string {
	if len(values) > mostShown {
		values = slices.Clone(values)
		slices.SortStableFunc(values, func(a, b string) int {
			return levenshtein.Distance(wrong, a, nil) - levenshtein.Distance(wrong, b, nil)
		})
	}
	return oneOf(values)
}

// oneOf lists right values for a message: at most ten, then a count.
func oneOf(values []string) string {
	if len(values) == 0 {
		return "there is none"
	}
	quoted := make([]string, 0, mostShown)
	for _, v := range values[:min(len(values), mostShown)] {
		quoted = append(quoted, fmt.Sprintf("%q", v))
	}
	s := strings.Join(quoted, ", ")
	if len(values) > mostShown {
		s += fmt.Sprintf(" and %d more", len(values)-mostShown)
	}
	return s
}

// removalFailure words a refusal to remove, and how to let go of the resource
// without removing anything.
func removalFailure(asked string, err error) diag.Diagnostic {
	const forget = "To leave it in the service and forget it here, replace the resource in the configuration by a block with its address:\n\n" +
		"  removed {\n    from = <address>\n    lifecycle {\n      destroy = false\n    }\n  }"
	const summary = "Cannot remove the assessment from the position"
	const invited = "An assessment can be removed only while no candidate has been invited to it."
	var (
		foreign *foreignError
		refused *assessapi.Error
	)
	if errors.As(err, &foreign) || !errors.As(err, &refused) {
		return failure(summary, asked, err)
	}
	switch refused.Status {
	case http.StatusBadRequest, http.StatusConflict:
		return diag.NewErrorDiagnostic(summary, asked+"\n\n"+came(err)+" "+invited+"\n\n"+forget)
	case http.StatusForbidden: // the service may mean the key, or the removal
		return diag.NewErrorDiagnostic(summary, asked+"\n\n"+came(err)+" "+invited+"\n\n"+next(err)+"\n\n"+forget)
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return diag.NewErrorDiagnostic(summary, asked+"\n\n"+came(err)+" This service offers no removal.\n\n"+forget)
	}
	return failure(summary, asked, err)
}

// importedAndDestroyed refuses a plan that would remove what it has just
// imported.
func importedAndDestroyed(what attachment) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Cannot import what is about to be destroyed",
		fmt.Sprintf("The position assessment %q of the position %q is imported under one address while this plan destroys it under another: "+
			"the apply would remove it from the position.\n\n"+
			"Remove the import block, and move the resource instead:\n\n  moved {\n    from = <old address>\n    to   = <new address>\n  }", what.id, what.position))
}

// throttleNotice words what the throttle has to say.
func throttleNotice(n throttle.Notice) diag.Diagnostic {
	switch n.Kind {
	case throttle.Waiting:
		return waiting(n.Stats)
	case throttle.StoreUnusable:
		if isRedisError(n.Err) {
			return fellBack(n.Err)
		}
		return diag.NewWarningDiagnostic("Cannot share the budget of the API key",
			fmt.Sprintf("The file in which the runs on this machine share the key's rate limits cannot be used: %v. This run counts for itself, and runs beside it may be refused with 429.", n.Err))
	default: // throttle.StoreRebuilt
		if isRedisError(n.Err) {
			return diag.NewWarningDiagnostic("The budget of the API key was counted anew",
				fmt.Sprintf("%v. It was rebuilt as if the limits had just been used up, so the runs that share it wait for a minute at most. "+
					"Nothing is to be done, unless this happens often: the server may lack memory, or keep nothing when it restarts.", sentence(n.Err)))
		}
		return diag.NewWarningDiagnostic("The budget of the API key was counted anew",
			fmt.Sprintf("The file in which the runs on this machine share the key's rate limits was damaged: %v. It was rebuilt as if the limits had just been used up, so this run starts with a wait.", n.Err))
	}
}

// checkBudget says what can be done about a shared budget that cannot be reached.
const checkBudget = "Check that address (\"coordination\" in the provider's block \"rate_limit\", or the environment variable ASSESS_RATE_LIMIT_URL), " +
	"the credentials in it, the server and the network, then run it again. To go on with the budget of this machine in such a case, set fallback = \"host\" beside it."

// noSharedBudget words that a run cannot begin.
func noSharedBudget(err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Cannot reach the shared budget of the API key",
		fmt.Sprintf("The rate limits of the API key are shared through a server, and it cannot be used. %v.\n\nNothing was sent to the service. %s", sentence(err), checkBudget))
}

// fellBack words that a run goes on with the budget of its machine.
func fellBack(err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Cannot reach the shared budget of the API key",
		fmt.Sprintf("The rate limits of the API key are shared through a server, and it cannot be used. %v.\n\n"+
			"As \"fallback\" says, this run shares the budget of this machine until it ends. While runs on other machines use the same key, they and this one may be refused with 429.", sentence(err)))
}

func isRedisError(err error) bool {
	var budget *redis.Error
	return errors.As(err, &budget)
}

// sentence makes one of an error, without its full stop.
func sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	return strings.ToUpper(text[:1]) + text[1:]
}

// waiting says why a run takes its time, with the numbers of the moment.
func waiting(stats throttle.Stats) diag.Diagnostic {
	binds := fmt.Sprintf("What binds is the service's limit of %s, which is not adjustable.", stats.Window)
	switch {
	case stats.Held:
		binds = "What binds is the service itself: it has answered 429, so another program uses the same API key."
	case stats.OwnShare:
		binds = fmt.Sprintf("What binds is this run's share of the limit of %s: raise share in the block rate_limit to use more of it.", stats.Window)
	}
	return diag.NewWarningDiagnostic("Waiting for the service's rate limits",
		fmt.Sprintf("Requests of this run have been waiting for 30 seconds: %d were sent so far, and %d are known to be waiting. %s\n\n"+
			"Nothing is wrong, and nothing is lost. Fewer data sources that read results, a share for every run that works at the same time, or an API key of its own would help.",
			stats.Sent, stats.Waiting, binds))
}
