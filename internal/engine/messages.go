// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Explain returns the detail of a message about a request that failed: what happened, what
// the service answered, and how to fix it.
func Explain(what string, err error) string {
	return what + "\n\n" + Answer(err) + "\n\n" + Fix(err)
}

// Answer says what the service answered, or why there is no answer.
func Answer(err error) string {
	var (
		unconfirmed *UnconfirmedError
		refused     *assessapi.Error
		call        *assessapi.CallError
		shape       *assessapi.ShapeError
		readOnly    *ReadOnlyError
	)
	switch {
	case errors.As(err, &readOnly):
		return "The provider is read-only (read_only or ASSESS_READ_ONLY), so nothing was sent."
	case errors.Is(err, ErrNotInSnapshot):
		return "This run uses a snapshot of the service, and the snapshot does not contain it."
	case errors.As(err, &unconfirmed) && unconfirmed.Err != nil:
		return "The service answered 404. This could not be confirmed, because the list of assessments could not be read. " +
			Answer(unconfirmed.Err)
	case errors.As(err, &unconfirmed):
		return "The service answered 404, and the resource's assessment is not in the catalog of the organization. Either " +
			"the address or the credentials belong to another service or organization, or the assessment was retired."
	case errors.As(err, &refused):
		return refusalText(refused)
	case errors.As(err, &call):
		return fmt.Sprintf("%s received no usable answer: %v.%s",
			requestText(call.Method, call.Route, call.Address), call.Err, tries(call.Attempts, call.Elapsed))
	case errors.As(err, &shape):
		return fmt.Sprintf("The service answered %s with something unexpected: %s.",
			requestText(shape.Method, shape.Route, shape.Address), shape.Problem)
	}
	return "The error was: " + err.Error() + "."
}

func refusalText(refused *assessapi.Error) string {
	s := fmt.Sprintf("The service answered %s with %d %s",
		requestText(refused.Method, refused.Route, refused.Address), refused.Status, refused.StatusText())
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

// requestText names a request with its address, because the user may not know which
// base_url is used.
func requestText(method, route, address string) string {
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

	// DropFromState is a part of a sentence that says how to drop a resource from the state.
	DropFromState = "drop the resource from the state:\n\n  terraform state rm 'ADDRESS'\n\n"
)

// Fix says what the user can do about an error.
func Fix(err error) string {
	var (
		unconfirmed *UnconfirmedError
		refused     *assessapi.Error
		redirect    *assessapi.RedirectError
		shape       *assessapi.ShapeError
		call        *assessapi.CallError
		readOnly    *ReadOnlyError
	)
	switch {
	case errors.As(err, &readOnly):
		return "To fix this: if this run must change the service, set read_only = false in the provider " +
			"configuration and unset ASSESS_READ_ONLY."
	case errors.Is(err, ErrNotInSnapshot):
		return "To fix this: remove the block \"sandbox\" to use the service itself. If this state belongs to the " +
			"snapshot, " + DropFromState + "The state was not changed."
	case errors.Is(err, context.Canceled):
		return "The run was interrupted. Run it again."
	case IsSharedBudgetError(err):
		return FixBudget
	case errors.As(err, &unconfirmed) && unconfirmed.Err != nil:
		return checkAddress + " and " + checkCredentials + ". The state was not changed."
	case errors.As(err, &unconfirmed):
		return checkAddress + " and " + checkCredentials + ". If they are right, the assessment was retired. Then " +
			DropFromState + "After that, remove it from the configuration. The state was not changed."
	case errors.As(err, &redirect):
		return checkAddress + ". It must be the address of the service itself."
	case errors.As(err, &shape) && shape.Changed:
		return "The list changed while it was read.\n\nTo fix this: run it again. If this happens every time, contact the " +
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
		return "To fix this: wait until the other program that uses the same API key has finished, raise " +
			"retry_timeout, or give this run a smaller share in the block rate_limit."
	case assessapi.NotFound:
		return "To fix this: check the ids in the configuration, and the provider's base_url (environment variable " +
			"ASSESS_BASE_URL) including its path."
	case assessapi.NotOffered:
		return "This service does not offer this operation.\n\nTo fix this: see the guide \"Assumptions about the service\"."
	case assessapi.ServiceFault:
		return "To fix this: run it again later. The service has a problem. If you contact its support, include the " +
			"Conversation-Id."
	case assessapi.Redirected:
		return checkAddress + ". The service redirects to another address, and the provider never sends writes there."
	default:
		return "To fix this: correct what the service reports, then run it again."
	}
}

// FixBudget says how to fix a shared budget that cannot be reached.
const FixBudget = "To fix this: check the address (\"coordination\" in the block \"rate_limit\" of the provider, " +
	"or the environment variable ASSESS_RATE_LIMIT_URL), the credentials, the server and the network. Then run it " +
	"again. To use only the budget of this machine instead, set fallback = \"host\" in the block \"rate_limit\"."
