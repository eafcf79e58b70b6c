// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

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

// A plan without checks is proposed only if other requests may work.
func TestOnlyThisRequest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		want bool
	}{
		{nil, true},
		{&assessapi.Error{Status: 401}, false},
		{&assessapi.Error{Status: 403}, true},
		{&assessapi.Error{Status: 404}, false},
		{&assessapi.Error{Status: 503}, true},
		{&assessapi.ShapeError{Problem: "no array"}, true},
		{&assessapi.CallError{Sent: true, Err: errors.New("no answer within 30s")}, true},
		{&assessapi.CallError{Err: errors.New("connection refused")}, false},
		{&assessapi.CallError{Sent: true, Err: &assessapi.RedirectError{To: "https://elsewhere.example"}}, false},
	} {
		if got := onlyThisRequest(row.err); got != row.want {
			t.Errorf("%v: %t, want %t", row.err, got, row.want)
		}
	}
}
