// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestNetworkRefuses checks that a refused connection is tried again, also for a POST,
// because nothing was sent.
func TestNetworkRefuses(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		sandboxtest.Virtual(t, op.method, func(t *testing.T) {
			// The system may give a port that was just closed to another test, but never this one.
			c, _ := counted(t, "http://127.0.0.1:1/v1", Network(requestTimeout))
			c.cfg.RetryTimeout = time.Minute
			err := op.run(t.Context(), c)
			broken := as[*CallError](t, err)
			isRefused := strings.Contains(err.Error(), "refused") // Windows uses other words before it
			if broken.Sent || broken.Attempts < 2 || isLost(err) || !isRefused || strings.Contains(err.Error(), "pas-there") {
				t.Errorf("%T %+v", err, broken)
			}
		})
	}
}

// TestUnknownHost checks that an unknown host is not tried for long, because the name is
// probably mistyped, except if the host was known before.
func TestUnknownHost(t *testing.T) {
	t.Parallel()
	unknown := net.DNSError{Err: "no such host", Name: "assess.example.com", IsNotFound: true}
	temporary := net.DNSError{Err: "server misbehaving", Name: "assess.example.com", IsTemporary: true}
	for name, tc := range map[string]struct {
		dns         *net.DNSError
		before      bool // whether the service has answered before
		least, most time.Duration
	}{
		"unknown":        {&unknown, false, mistakeTime / 2, mistakeTime * 3 / 2},
		"unknown now":    {&unknown, true, retryTimeout - longestPause, retryTimeout},
		"does not work":  {&temporary, false, retryTimeout - longestPause, retryTimeout},
		"no longer does": {&temporary, true, retryTimeout - longestPause, retryTimeout},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			steps := []step{breaks(&net.OpError{Op: "dial", Net: "tcp", Err: tc.dns})}
			if tc.before {
				steps = append([]step{answers(200, "[]")}, steps...)
			}
			c := newClient(t, newStub(steps...))
			if tc.before {
				if _, err := c.Assessments(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			start := time.Now()
			err := operations[3].run(t.Context(), c)
			took := time.Since(start)
			if err == nil || isLost(err) || took < tc.least || took > tc.most {
				t.Errorf("%v after %s", err, took)
			}
		})
	}
}
