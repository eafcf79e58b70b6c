// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// redisServer is the store of a shared budget.
const redisServer = "the Redis or Valkey server at redis://r"

// Each advice fits the cause of the error, and no text of the service is changed.
func TestExplain(t *testing.T) {
	t.Parallel()
	refused := func(method, route string, status int, message string) error {
		return &assessapi.Error{Method: method, Route: route, Status: status, Message: message, Address: "https://s/v1/x"}
	}
	broken := func(err error) error {
		return &assessapi.CallError{Method: http.MethodGet, Route: "/positions", Address: "https://s/v1/positions", Err: err}
	}
	const results = "/positions/{position}/results"
	page := func(method string, status int, text string) error {
		return &assessapi.Error{
			Method: method, Route: results, Status: status, Message: text, Address: "https://s/v1/x", IsWebPage: true,
		}
	}
	for name, row := range map[string]struct {
		err  error
		says []string // a text after "!" must be absent
	}{
		"a value of a read": {
			refused(http.MethodGet, results, 400, "candidate c-1 is unknown"),
			[]string{"GET https://s/v1/x with 400 Bad Request: candidate c-1 is unknown.", "correct what the service reports", "!support"},
		},
		"a read without values": {
			refused(http.MethodGet, "/positions", 400, "not this one"),
			[]string{"check the provider's base_url", "ask the support of the service", "!correct what"},
		},
		"a change": {
			refused(http.MethodPut, "/assessments", 400, "not this one"),
			[]string{"correct what the service reports", "!support"},
		},
		"a status without a name": {refused(http.MethodGet, "/positions", 524, "late"), []string{"with 524: late."}},
		"words of the service": {
			refused(http.MethodGet, "/positions", 503, "upstream: context canceled"),
			[]string{"503 Service Unavailable: upstream: context canceled.", "!interrupted"},
		},
		"words of a gateway": {
			broken(errors.New("upstream: context canceled")),
			[]string{"no usable answer: upstream: context canceled.", "!interrupted"},
		},
		"interrupted": {
			broken(fmt.Errorf("%w (before that: 503)", context.Canceled)),
			[]string{"GET https://s/v1/positions received no usable answer: it was canceled (before that: 503). The run was interrupted."},
		},
		"interrupted while waiting": {context.Canceled, []string{"The run was interrupted.", "!canceled", "run the command again"}},
		"a proxy with a password": {
			broken(&assessapi.ProxyError{Host: "p", Status: 407}), []string{"the user and the password of the proxy", "!can reach"},
		},
		"a proxy without a way": {
			broken(&assessapi.ProxyError{Host: "p", Status: 502}), []string{"can reach the host of base_url", "!password"},
		},
		"a page of a firewall": {
			page(http.MethodGet, 403, "Access denied"),
			[]string{"403 Forbidden: Access denied", "web page, which probably comes from a gateway or a firewall", "!API key", "!invited"},
		},
		"an import of what does not exist": {catalog.ErrGone, []string{"does not list this object", "correct the import ID", "!report"}},
		"a page about the size": {
			page(http.MethodPost, 413, "413 Request Entity Too Large"),
			[]string{"web page", "gateway or the firewall in front of base_url", "!correct what"},
		},
		"a page of an outage": {
			page(http.MethodGet, 503, "Maintenance"), []string{"503 Service Unavailable: Maintenance", "web page", "!Conversation-Id"},
		},
		"a sign-in page for a change": {
			&assessapi.UnsureError{Answer: &assessapi.Error{
				Method: http.MethodPost, Route: results, Status: 200, IsWebPage: true, Message: "Sign in to Example",
			}},
			[]string{"200 OK", "web page", "Sign in to Example", "!API key"},
		},
		"not the service": {
			&catalog.UnprovenError{Err: page(http.MethodDelete, 404, "nothing here"), Remains: true},
			[]string{"404 Not Found: nothing here", "still as it was before", "The state was not changed.", "!correct what"},
		},
		"not certainly the service": {
			&catalog.UnprovenError{Err: refused(http.MethodGet, results, 404, "")},
			[]string{"404 Not Found", "proves nothing", "The state was not changed."},
		},
		"the key is refused again": {
			&assessapi.RepeatedError{Err: refused(http.MethodGet, "/positions", 401, "no")},
			[]string{"another request of this run with 401 Unauthorized", "sends no more requests", "!api_key", "!https://"},
		},
		"an outage again": {
			&assessapi.RepeatedError{Err: refused(http.MethodGet, "/positions", 504, "no")},
			[]string{"Another request of this run has failed for the same reason: 504 Gateway Timeout.", "!sends no more"},
		},
		"unreachable again": {
			&assessapi.RepeatedError{Err: broken(errors.New("no such host"))},
			[]string{"could not be reached, as another error of this run says", "!no such host", "!base_url"},
		},
		"the shared budget is lost": {
			broken(&connection.WaitError{Cause: &throttle.UnavailableError{
				Store: redisServer, Err: errors.New("WRONGPASS disabled."),
			}}),
			[]string{"was not sent: could not use the Redis or Valkey server at redis://r: WRONGPASS disabled.\n", `unset ASSESS_RATE_LIMIT_URL, or set coordination = "host"`},
		},
		"the shared budget is lost again": {
			&assessapi.RepeatedError{Err: broken(&throttle.UnavailableError{Store: redisServer, Err: errors.New("NOAUTH.")})},
			[]string{"The provider could not use the Redis or Valkey server at redis://r: NOAUTH, as another", "!coordination", "see the first error"},
		},
		"a test that is not shown": {
			&assessapi.IncompleteError{Missing: []string{"description"}},
			[]string{"The service does not show description of this skills test", "nothing was sent", "website of the service"},
		},
		"a sentence of a Redis server": {
			errors.New("WRONGPASS user is disabled."), []string{"The error was: WRONGPASS user is disabled.\n"},
		},
		"a cached list": {assessapi.ErrCached, []string{"A cache in front of the service answered", "none from a cache"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := Explain("Could not do it.", row.err)
			for _, says := range row.says {
				says, absent := strings.CutPrefix(says, "!")
				if strings.Contains(text, says) == absent {
					t.Errorf("%q is in the message: %t\n%s", says, !absent, text)
				}
			}
		})
	}
}

// An error that only repeats an earlier one names its cause.
func TestWhyStopped(t *testing.T) {
	t.Parallel()
	for says, err := range map[string]error{
		"the service answered 401 Unauthorized":                               &assessapi.Error{Status: http.StatusUnauthorized},
		"could not use the Redis or Valkey server at redis://r: user is gone": &throttle.UnavailableError{Store: redisServer, Err: errors.New("user is gone.")},
		"the service cannot be reached":                                       &assessapi.CallError{Err: errors.New("no such host")},
	} {
		if got := WhyStopped(&assessapi.RepeatedError{Err: err}); got != says {
			t.Errorf("%q, want %q", got, says)
		}
	}
}
