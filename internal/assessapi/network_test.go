// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestNetworkRefuses checks that a refused connection is tried again, also for a POST,
// because nothing was sent.
func TestNetworkRefuses(t *testing.T) {
	t.Parallel()
	refused := "connection refused"
	if runtime.GOOS == "windows" {
		refused = "refused" // the text before this word differs
	}
	for _, op := range operations {
		t.Run(op.method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				// The system may give a port that was just closed to another test, but never this one.
				c, _ := counted(t, "http://127.0.0.1:1/v1", Network(requestTimeout))
				c.cfg.RetryTimeout = time.Minute
				err := op.run(t.Context(), c)
				broken := as[*CallError](t, err)
				var lost *LostError
				if broken.Sent || broken.Attempts < 2 || errors.As(err, &lost) || !strings.Contains(err.Error(), refused) {
					t.Errorf("%T %+v", err, broken)
				}
				if strings.Contains(err.Error(), "pas-there") {
					t.Errorf("the error contains an ID: %v", err)
				}
			})
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
				if _, err := c.List(t.Context(), Assessments, ""); err != nil {
					t.Fatal(err)
				}
			}
			start := time.Now()
			err := operations[3].run(t.Context(), c)
			took := time.Since(start)
			var lost *LostError
			if err == nil || errors.As(err, &lost) || took < tc.least || took > tc.most {
				t.Errorf("%v after %s", err, took)
			}
		})
	}
}

// TestRedirects checks that reads follow redirects within the origin, but never send
// credentials to another origin. A write is sent only once and only to its own address.
func TestRedirects(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		to    string
		fails string // the error of a read; "" if the redirect is followed
	}{
		"the same origin":    {"/v1/moved?x=1", ""},
		"a relative path":    {"moved", ""},
		"another port":       {"https://sandbox.assess.invalid:444/v1/moved", "another origin, https://sandbox.assess.invalid:444"},
		"another name":       {"https://localhost.example/", "another origin, https://localhost.example:443"},
		"another scheme":     {"http://sandbox.assess.invalid/", "another origin, http://sandbox.assess.invalid:80"},
		"no address":         {"https://[::1", "30"},
		"redirect loop":      {"/v1/loop", "more than 10 redirects"},
		"unsupported scheme": {"gopher://sandbox.assess.invalid/", "another origin, gopher://"},
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			for _, op := range operations {
				network := newStub(func(req *http.Request) (*http.Response, error) {
					if strings.HasSuffix(req.URL.Path, "/moved") {
						return answers(http.StatusOK, wireFile(t, "position-assessment-without-id.json"))(req)
					}
					return answers(status, "", "Location", row.to)(req)
				})
				err := op.run(t.Context(), newClient(t, network))
				sent := network.arrivals()
				for _, a := range sent {
					if !strings.HasPrefix(a.address, sandbox.BaseURL) || a.header.Get("Authorization") == "" {
						t.Errorf("%s %d %s: sent to %s with %v", name, status, op.method, a.address, a.header)
					}
				}
				var lost *LostError
				switch {
				case op.method != http.MethodGet:
					if refused := as[*Error](t, err); refused.Status != status || errors.As(err, &lost) || len(sent) != 1 {
						t.Errorf("%s %d %s: %v after %d requests", name, status, op.method, err, len(sent))
					}
				case row.fails == "" && (err != nil || len(sent) != 2):
					t.Errorf("%s %d: the read did not follow the redirect: %v", name, status, err)
				case row.fails != "" && (err == nil || !strings.Contains(err.Error(), row.fails)):
					t.Errorf("%s %d: the read ended with %v, want %q", name, status, err, row.fails)
				}
			}
		}
	}
}

// Row 28: connecting leaves time for another address and for the request itself.
func TestDialLeavesTime(t *testing.T) {
	t.Parallel()
	for _, timeout := range []time.Duration{3 * time.Second, 10 * time.Second, 30 * time.Second} {
		if got := dialer(timeout).Timeout; got > timeout/3 || got <= 0 {
			t.Errorf("%s to connect, of %s", got, timeout)
		}
	}
	// The transport uses this dialer: an address that never answers ends in time.
	network := Network(3 * time.Second)
	if network.DialContext == nil {
		t.Error("the transport has another dialer")
	}
}
