// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Explain returns the detail of a message about a request that failed: what happened, what
// the service answered, and how to fix it.
func Explain(what string, err error) string {
	answer, fix := explain(err)
	return what + "\n\n" + answer + "\n\n" + fix
}

// Answer says what the service answered, or why there is no answer.
func Answer(err error) string {
	answer, _ := explain(err)
	return answer
}

// Fix says what the user can do about a request that failed.
func Fix(err error) string {
	_, fix := explain(err)
	return fix
}

// explain says what the service answered, and what the user can do about it.
func explain(err error) (answer, fix string) {
	answer, fix = explainResult(err)
	switch {
	case errors.Is(err, context.Canceled):
		fix = "To fix this: run the command again."
	case connection.SharedBudgetError(err) != nil && !errors.As(err, new(*assessapi.RepeatedError)):
		fix = fixBudget
	}
	return answer, fix
}

// explainResult explains an error about what the provider found out. All others are about a request.
func explainResult(err error) (answer, fix string) {
	var (
		unconfirmed *catalog.UnconfirmedError
		repeated    *assessapi.RepeatedError
		unproven    *catalog.UnprovenError
		incomplete  *assessapi.IncompleteError
	)
	switch {
	case errors.As(err, new(*connection.ReadOnlyError)):
		return "The provider is read-only (read_only or ASSESS_READ_ONLY), so nothing was changed.",
			"To fix this: if you want to allow changes, set read_only = false in the provider configuration and unset " +
				"ASSESS_READ_ONLY. Then plan again."
	case errors.As(err, &unconfirmed) && unconfirmed.Err != nil:
		answer, fix = explain(unconfirmed.Err)
		if !passes(unconfirmed.Err) {
			fix = checkAddress + " and " + checkCredentials + "."
		}
		return "The service answered 404 (not found). A wrong base_url or api_key can also cause a 404. To rule that " +
			"out, the provider then read the list of the organization's assessments, but that failed, too. " +
			answer, notChanged + fix
	case errors.As(err, &unconfirmed):
		return "The service answered 404 (not found). The list of the organization's assessments does not contain the " +
				"assessment of this resource. There are two possible causes. The base_url or the credentials may belong to " +
				"another organization, or the organization no longer has the assessment.",
			notChanged + checkAddress + " and " + checkCredentials + ". If they are right, the organization no longer " +
				"has the assessment. Then " + DropFromState + "After that, remove it from the configuration."
	case errors.As(err, &repeated):
		return repeatedText(repeated), "To fix this: see the first error of this run."
	case errors.As(err, &unproven):
		if unproven.Remains {
			return Answer(unproven.Err) + " But the object is still as it was before, so the answer did not come from the " +
				"service.", fixGateway
		}
		return Answer(unproven.Err) + " " + notProven, fixGateway
	case errors.Is(err, assessapi.ErrCached):
		return "A cache in front of the service answered, so the answer may be out of date.", fixGateway
	case errors.Is(err, catalog.ErrGone): // of an import, if the noun reads with [catalog.Objects.Current]
		return "The service does not list this object.", "To fix this: correct the import ID. The data sources show the IDs."
	case errors.Is(err, catalog.ErrNotListed):
		return "This service has no such list.", "To fix this: import each object by its ID, with an import block. The " +
			"website of the service shows the IDs."
	case errors.Is(err, assessapi.ErrForeign):
		return "The answer did not come from the service: its other answers have a Conversation-Id, and this one has none.",
			fixGateway
	case errors.As(err, &incomplete):
		return words.Capitalized(incomplete) + ". To enable a test, the provider must send back everything that the " +
				"service has about it, because the service could delete what is missing. So nothing was sent.",
			"To fix this: enable the test on the website of the service, and apply again. If a warning says that the " +
				"service refuses \"fields\", this is the reason."
	}
	return explainRequest(err)
}

// explainRequest explains the failure of a request.
func explainRequest(err error) (answer, fix string) {
	var (
		unsure  *assessapi.UnsureError
		refused *assessapi.Error
		call    *assessapi.CallError
		wait    *connection.WaitError
		shape   *assessapi.ShapeError
	)
	switch {
	case errors.As(err, &unsure):
		said := unsure.Answer
		s := fmt.Sprintf("The answer to %s was %s", requestText(said.Method, said.Route, said.Address), said.StatusLine())
		if said.IsWebPage && said.Message != "" {
			return s + ". " + webPage + ": " + said.Message, fixGateway
		}
		return s + ", but it does not say that it comes from the service.", fixGateway
	case errors.As(err, &refused):
		return refusalText(refused), fixRefusal(refused)
	case errors.As(err, &call) && errors.As(err, &wait):
		answer = fmt.Sprintf("%s was %s.%s", requestText(call.Method, call.Route, call.Address), cause(wait),
			interrupted(err))
	case errors.As(err, &call):
		answer = fmt.Sprintf("%s received no usable answer: %s.%s%s", requestText(call.Method, call.Route, call.Address),
			cause(call.Err), tries(call.Attempts, call.Elapsed), interrupted(err))
	case errors.As(err, &shape):
		answer = fmt.Sprintf("The service answered %s with something unexpected: %s.",
			requestText(shape.Method, shape.Route, shape.Address), shape.Problem)
		if shape.Changed {
			return answer, "To fix this: run the command again. If this happens every time, contact the support of the service."
		}
		return answer, checkAddress + ". If it is right, the service differs from its specification: see the guide " +
			"\"Assumptions about the service\"."
	case errors.Is(err, context.Canceled):
		answer = strings.TrimSpace(interrupted(err))
	default:
		answer = "The error was: " + strings.TrimSuffix(err.Error(), ".") + "."
	}
	if errors.As(err, new(*assessapi.RedirectError)) {
		return answer, checkAddress + ". It must be the address of the service itself, not an address that redirects to it."
	}
	return answer, fixConnection(err)
}

// cause is the text of an error in the words of a user, who does not know what a context is.
func cause(err error) string {
	text := strings.TrimSuffix(err.Error(), ".") // some servers answer with a sentence
	if !errors.Is(err, context.Canceled) {
		return text
	}
	return strings.ReplaceAll(text, context.Canceled.Error(), "it was canceled")
}

// interrupted says that a run was interrupted, if that is the reason of an error.
func interrupted(err error) string {
	if !errors.Is(err, context.Canceled) {
		return ""
	}
	return " The run was interrupted."
}

// repeatedText says that a call has failed for the same reason as an earlier one.
func repeatedText(repeated *assessapi.RepeatedError) string {
	if budget := connection.SharedBudgetError(repeated); budget != nil {
		return fmt.Sprintf("The provider %s, as another error of this run says.", cause(budget))
	}
	refused, ok := errors.AsType[*assessapi.Error](repeated)
	if !ok {
		return "The service could not be reached, as another error of this run says."
	}
	if refused.Class() != assessapi.Unauthorized {
		return "Another request of this run has failed for the same reason: " + refused.StatusLine() + "."
	}
	return fmt.Sprintf("The service answered another request of this run with %s, so this run sends no more requests.",
		refused.StatusLine())
}

// WhyStopped says in a few words why an earlier call of the run has failed.
func WhyStopped(err error) string {
	if budget := connection.SharedBudgetError(err); budget != nil {
		return cause(budget)
	}
	if refused, ok := errors.AsType[*assessapi.Error](err); ok {
		return "the service answered " + refused.StatusLine()
	}
	return "the service cannot be reached"
}

const (
	webPage   = "The answer is a web page, which probably comes from a gateway or a firewall"
	notProven = "This proves nothing, because a gateway or a firewall in front of the service can answer the same, " +
		"and no other answer of the service confirms it."
)

func refusalText(refused *assessapi.Error) string {
	s := fmt.Sprintf("The service answered %s with %s",
		requestText(refused.Method, refused.Route, refused.Address), refused.StatusLine())
	if refused.Message != "" {
		s += ": " + strings.TrimSuffix(refused.Message, ".")
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
	s += "." + tries(refused.Attempts, refused.Elapsed)
	switch {
	case refused.IsWebPage && !refused.IsOwn():
		s += " " + webPage + "."
	case refused.IsForeign():
		s += " This answer did not come from the service: its other answers have a Conversation-Id, and this one has none."
	}
	return s
}

// requestText names a request by its address, because the user may not know which base_url is
// used. If the address is not known, it names the route.
func requestText(method, route, address string) string {
	if address == "" {
		return method + " " + route
	}
	return method + " " + address
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

	notChanged = "The state was not changed.\n\n"

	networksGuide = "See the guide \"Organizations, keys and networks\"."

	// DropFromState is the end of a sentence that says how to drop a resource from the state.
	DropFromState = "drop the resource from the state with " + words.StateRm + ". "
)

// fixConnection says what to do if no answer arrived.
func fixConnection(err error) string {
	var proxy *assessapi.ProxyError
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return checkAddress + ". The server uses http, but an address without a scheme means https. For a server on this " +
			"machine, write http:// before the address, such as http://127.0.0.1:8377/v1. All other servers require https."
	case errors.As(err, &proxy):
		check := "check that the proxy in the environment variable HTTPS_PROXY can reach the host of base_url"
		if proxy.Status == http.StatusProxyAuthRequired {
			check = "check the user and the password of the proxy in the environment variable HTTPS_PROXY"
		}
		return "To fix this: " + check + ". If the service can be reached without the proxy, add its host to NO_PROXY. " +
			networksGuide
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "To fix this: if a gateway or your organization uses its own certificate authority, let this machine trust " +
			"it. On Linux, set the environment variable SSL_CERT_FILE to the file of the certificate (PEM). " +
			networksGuide
	case errors.As(err, new(*assessapi.CallError)):
		return checkAddress + ", the network and the proxy settings. Then run the command again."
	}
	return "To fix this: correct the configuration, or report a bug in the provider."
}

// passes reports whether an error may not occur again if the command is run again later.
func passes(err error) bool {
	if refused, ok := errors.AsType[*assessapi.Error](err); ok {
		return refused.Class() == assessapi.ServiceFault || refused.Class() == assessapi.TooManyRequests
	}
	return errors.As(err, new(*assessapi.CallError))
}

// fixGateway says what to do about an answer that does not come from the service.
const fixGateway = notChanged + "To fix this: ask the operator of the gateway or the firewall in front of base_url " +
	"whether it lets all requests of the provider through, and answers none from a cache. The provider sends GET, POST, " +
	"PUT and DELETE. " + networksGuide

func fixRefusal(refused *assessapi.Error) string {
	if refused.Class() == assessapi.Foreign || refused.IsWebPage && !refused.IsOwn() && refused.Status/100 == 4 &&
		refused.Class() != assessapi.Unauthorized {
		return fixGateway
	}
	hasID := strings.Contains(refused.Route, "{")
	switch refused.Class() {
	case assessapi.Unauthorized:
		return "To fix this: " + checkCredentials + "."
	case assessapi.Forbidden:
		return "To fix this: ask the operator of the service for the right to make this request, because the API key does " +
			"not have it."
	case assessapi.TooManyRequests:
		return "To fix this: if another program uses the same API key, wait until it has finished. Otherwise, set a longer " +
			"retry_timeout in the provider configuration, or a smaller share in its block rate_limit."
	case assessapi.NotFound:
		if !hasID {
			return checkAddress + ", including its path."
		}
		return "To fix this: check the IDs in the configuration. Also check the provider's base_url (environment variable " +
			"ASSESS_BASE_URL), including its path."
	case assessapi.NotOffered:
		return "This service does not offer this operation.\n\nTo fix this: see the guide \"Assumptions about the service\"."
	case assessapi.ServiceFault:
		if refused.ConversationID == "" {
			return "To fix this: run the command again later, because the service or a gateway in front of it has a problem."
		}
		return "To fix this: run the command again later, because the service has a problem. If you contact its support, " +
			"include the Conversation-Id."
	case assessapi.Redirected:
		return checkAddress + ". The service redirects to another address, and the provider does not send changes there."
	default:
		if refused.Method == http.MethodGet && !hasID { // the request contains nothing to correct
			return checkAddress + ". If it is right, ask the support of the service why it refuses this request."
		}
		return "To fix this: correct what the service reports. Then run the command again."
	}
}

// fixBudget says how to fix a shared budget that cannot be reached.
const fixBudget = "To fix this: check the address (\"coordination\" in the block \"rate_limit\" of the provider, " +
	"or the environment variable ASSESS_RATE_LIMIT_URL), the credentials, the server and the network. Then run the " +
	"command again. To continue without Redis, unset ASSESS_RATE_LIMIT_URL, or set coordination = \"host\". Then only " +
	"the runs on this machine share the rate limits."
