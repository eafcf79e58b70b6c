// SPDX-License-Identifier: MPL-2.0

package run

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// ErrCached means that a response comes from a cache in front of the service. Such a response may be out of date, so
// the provider does not base a change on it.
var ErrCached = errors.New("a cache in front of the service has answered (header Age), so the response may be out " +
	"of date")

// Explain returns the detail of a message about a request that failed: what happened, what the response was, and how to
// fix it. If an earlier error has ended the run, it explains the earlier error.
func Explain(what string, err error) string {
	if failed, ok := errors.AsType[*assessapi.Error](err); ok {
		cmp.Or(failed.First, failed).SetExplained()
	}
	return what + "\n\n" + Response(err) + "\n\n" + Fix(err)
}

// EndedBy returns the error that ended the run, if err is the error of a later call.
func EndedBy(err error) (first *assessapi.Error, ended bool) {
	failed, ok := errors.AsType[*assessapi.Error](err)
	if !ok || failed.First == nil {
		return nil, false
	}
	return failed.First, true
}

// WhyEnded says in a few words why the run has ended.
func WhyEnded(first *assessapi.Error) string {
	switch {
	case errors.As(first, new(*throttle.UnavailableError)):
		return "the shared budget cannot be used"
	case first.Status != 0:
		return "the response was " + first.StatusLine()
	}
	return "the service cannot be reached"
}

// Response says what the response to a failed request was, or why there is none. The order of the cases matters,
// because the reason in an [assessapi.Error] may be one of the other errors.
func Response(err error) string {
	failed, isRequest := errors.AsType[*assessapi.Error](err)
	shape, hasOtherShape := errors.AsType[*assessapi.ShapeError](err)
	incomplete, isIncomplete := errors.AsType[*assessapi.IncompleteError](err)
	budget, isBudget := errors.AsType[*throttle.UnavailableError](err)
	switch {
	case errors.Is(err, assessapi.ErrReadOnly):
		return "The provider is read-only (read_only or ASSESS_READ_ONLY), so nothing was changed."
	case isIncomplete:
		return messages.Capitalized(incomplete) + ". To enable a test, the provider must send back everything that the " +
			"service has about it, because the service could delete what is missing. So nothing was sent."
	case isRequest && failed.First != nil:
		return "This run has ended. " + Response(failed.First)
	case isRequest && failed.Status != 0:
		return responseText(failed)
	case isRequest && failed.Attempts == 0:
		return fmt.Sprintf("%s %s was not sent: %s.", failed.Method, failed.Address, cause(failed.Err))
	case isRequest:
		return fmt.Sprintf("%s %s received no usable response: %s.%s", failed.Method, failed.Address, cause(failed.Err),
			tries(failed))
	case isBudget: // of [New]
		return messages.Capitalized(budget) + ". Nothing was sent to the service."
	case hasOtherShape:
		return fmt.Sprintf("The response to %s %s is not what the specification says: %s.", shape.Method, shape.Address,
			shape.Problem)
	case errors.Is(err, context.Canceled):
		return "The run was interrupted."
	}
	return "The error was: " + strings.TrimSuffix(err.Error(), ".") + "."
}

// responseText describes the response of the service or of a gateway: its status and, if they are known, its message,
// its code and its Conversation-Id. Where this applies, it adds how often the request was sent, that the response
// probably comes from a gateway, and the reason in failed.Err.
func responseText(failed *assessapi.Error) string {
	s := fmt.Sprintf("The response to %s %s was %s", failed.Method, failed.Address, failed.StatusLine())
	if failed.Message != "" {
		s += ": " + strings.TrimSuffix(failed.Message, ".")
	}
	var more []string
	if failed.Code != "" {
		more = append(more, "code "+failed.Code)
	}
	if failed.ConversationID != "" {
		more = append(more, "Conversation-Id "+failed.ConversationID)
	}
	if len(more) > 0 {
		s += " (" + strings.Join(more, ", ") + ")"
	}
	s += "." + tries(failed)
	if !failed.Own {
		s += " The response does not come from the service. It probably comes from a gateway or a firewall."
	}
	if failed.Err != nil {
		s += " " + messages.Capitalized(failed.Err) + "."
	}
	return s
}

// Fix says what the user can do about a request that failed. The order of the cases matters, because an error can match
// several of them: the reason in an [assessapi.Error] may be an interruption or the shared budget.
func Fix(err error) string {
	failed, isRequest := errors.AsType[*assessapi.Error](err)
	switch {
	case errors.Is(err, assessapi.ErrReadOnly):
		return "To fix this: to allow changes, set read_only = false in the provider configuration and unset " +
			"ASSESS_READ_ONLY. Then plan again."
	case errors.As(err, new(*assessapi.IncompleteError)):
		return "To fix this: enable the test on the website of the service, and apply again. If a warning says that the " +
			"service rejects \"fields\", this is the reason."
	case errors.Is(err, context.Canceled):
		return "To fix this: run the command again."
	case errors.Is(err, ErrCached):
		return fixGateway
	case errors.Is(err, throttle.ErrLocked):
		return "To fix this: continue the other run, or end it. Then run the command again."
	case errors.As(err, new(*throttle.UnavailableError)):
		return fixBudget
	case isRequest && failed.First != nil:
		return Fix(failed.First)
	case isRequest && failed.Status != 0:
		return fixResponse(failed)
	case errors.As(err, new(*assessapi.ShapeError)):
		return checkAddress + ". If it is right, the service differs from its specification: see the guide \"Assumptions " +
			"about the service\"."
	}
	return fixConnection(err)
}

// cause returns the text of an error. It replaces the text of [context.Canceled], which a user does not understand.
func cause(err error) string {
	if err == nil {
		return "the reason is not known"
	}
	text := strings.TrimSuffix(err.Error(), ".") // the errors of some servers end with a full stop
	return strings.ReplaceAll(text, context.Canceled.Error(), "the run was interrupted")
}

// tries says how often a request was sent, if it was sent more than once.
func tries(failed *assessapi.Error) string {
	if failed.Attempts < 2 {
		return ""
	}
	return fmt.Sprintf(" That was the last of %d attempts within %s.", failed.Attempts,
		failed.Elapsed.Round(100*time.Millisecond))
}

const (
	checkAddress     = "To fix this: check the provider's base_url (environment variable ASSESS_BASE_URL)"
	checkCredentials = "check the credentials client_id and api_key (ASSESS_CLIENT_ID, ASSESS_API_KEY)"
	networksGuide    = "See the guide \"Organizations, keys and networks\"."

	fixGateway = "To fix this: " + askGateway
	askGateway = "ask the operator of the gateway or the firewall in front of base_url whether it lets all requests of " +
		"the provider through, and answers none from a cache. The provider sends GET, POST, PUT and DELETE. " + networksGuide

	fixBudget = "To fix this: check the address (\"coordination\" in the block \"rate_limit\" of the provider, or the " +
		"environment variable ASSESS_RATE_LIMIT_URL), the credentials, the server and the network. Then run the command " +
		"again. To continue without Redis, unset ASSESS_RATE_LIMIT_URL, or set coordination = \"host\". Then only your " +
		"runs on this machine share the rate limits."
)

// fixConnection says what to do if no usable response arrived, or if the error is not about a request.
func fixConnection(err error) string {
	var proxy *assessapi.ProxyError
	const withoutProxy = ". If the service can be reached without the proxy, add its host to NO_PROXY. " + networksGuide
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return checkAddress + ". The server uses http, but an address without a scheme means https. For a server on this " +
			"machine, write http:// before the address, such as http://127.0.0.1:8377/v1. All other servers require https."
	case errors.As(err, &proxy):
		check := "check that the proxy in the environment variable HTTPS_PROXY can reach the host of base_url"
		if proxy.Status == http.StatusProxyAuthRequired {
			check = "check the user and the password of the proxy in the environment variable HTTPS_PROXY"
		}
		return "To fix this: " + check + withoutProxy
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "To fix this: if a gateway or your organization uses its own certificate authority, let this machine trust " +
			"it. On Linux, you can set the environment variable SSL_CERT_FILE to a PEM file with all authorities. " +
			networksGuide
	case assessapi.IsProxyConnection(err):
		return "To fix this: check the address of the proxy in the environment variable HTTPS_PROXY. It usually begins " +
			"with http://, even if the service uses https" + withoutProxy
	case errors.As(err, new(*assessapi.Error)):
		return checkAddress + ", the network and the proxy settings. Then run the command again."
	}
	return "To fix this: correct the configuration, or report a bug in the provider."
}

// fixResponse says what to do about a response. The order of the cases matters: first 401, 3xx and 429 from any sender,
// then all other responses of caches, then outages of the service or a gateway, then all other responses that are not
// the service's own, and then all other responses of the service.
func fixResponse(failed *assessapi.Error) string {
	hasID := strings.Contains(failed.Route, "{") // the route is a template such as /positions/{position}
	switch status := failed.Status; {
	case status == http.StatusUnauthorized && failed.Own:
		return "To fix this: " + checkCredentials + "."
	case status == http.StatusUnauthorized:
		return "To fix this: " + checkCredentials + ". If a gateway has sent the response, also check what it requires, " +
			"such as a header in \"headers\" (ASSESS_HEADERS). " + networksGuide
	case status/100 == 3:
		return checkAddress + ". It must be the address of the service itself, not an address that redirects to it."
	case status == http.StatusTooManyRequests:
		return "To fix this: if another program uses the same API key, wait until it has finished. Otherwise, set a longer " +
			"retry_timeout in the provider configuration, or a smaller share in its block rate_limit."
	case failed.Cached: // the service may answer something else now
		return fixGateway
	case status >= http.StatusInternalServerError && status != http.StatusNotImplemented,
		status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == 499:
		if failed.ConversationID == "" {
			return "To fix this: run the command again later, because the service or a gateway in front of it has a problem. " +
				"If this happens again, ask the operator of the gateway or the service."
		}
		return "To fix this: run the command again later, because the service has a problem. If you contact its support, " +
			"include the Conversation-Id."
	case !failed.Own: // base_url may be the address of another server
		return checkAddress + ", including its path. If it is right, " + askGateway
	case status/100 == 2: // a response that does not show that a write had an effect
		return "To fix this: if the response gives a reason, correct it. Then run the command again. If this happens " +
			"again, ask the service operator."
	case status == http.StatusForbidden:
		return "To fix this: ask the service operator for the right to make this request, because the API key does not " +
			"have it."
	case assessapi.IsNotFound(failed) && !hasID:
		return checkAddress + ", including its path."
	case assessapi.IsNotFound(failed):
		return "To fix this: check the IDs in the configuration. Also check the provider's base_url (environment variable " +
			"ASSESS_BASE_URL), including its path."
	case assessapi.IsNotOffered(failed):
		return "This service does not offer this operation.\n\nTo fix this: see the guide \"Assumptions about the service\"."
	case failed.Method == http.MethodGet && !hasID: // the request contains no ID that could be wrong
		return checkAddress + ". If it is right, ask the service operator why the service rejects this request."
	}
	return "To fix this: correct what the service reports. Then run the command again."
}
