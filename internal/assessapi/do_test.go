// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// retry_timeout bounds a read, with pauses that double up to half a minute. The error has the last response, the number
// of attempts, and the time that they took.
func TestRetryEndsInTime(t *testing.T) {
	t.Parallel()
	const gateway = ", probably from a gateway or a firewall: "
	for want, step := range map[string]step{
		"503 Service Unavailable: closed for today":                 responds(503, "closed for today"),
		"429 Too Many Requests: slow down":                          responds(429, "slow down", "Retry-After", "20"),
		"connection reset by peer":                                  breaks(errReset),
		"no response within 30s":                                    takes(time.Hour, nil),
		"no connection within 10s":                                  connects(),
		"200 OK" + gateway + "Wi-Fi Sign in":                        unsigned(200, "<title>Wi-Fi</title><h1>Sign in</h1>"),
		"302 Found" + gateway + "redirected to https://x.example/.": unsigned(302, "", "Location", "https://x.example/"),
		"302 Found" + gateway + repeatsSecret:                       unsigned(302, "", "Location", "https://x.example/"+apiKey),
	} {
		virtual(t, want, func(t *testing.T) {
			start, network := time.Now(), newStub(step)
			_, err := newClient(t, network).Assessments(t.Context())
			took, sent := time.Since(start), len(network.arrivals())
			e := as[*Error](t, err)
			if err.Error() != "GET /assessments: "+want || e.Outcome != Unknown {
				t.Errorf("outcome %d: %v", e.Outcome, err)
			}
			if took < retryTimeout-20*time.Second || took > retryTimeout+requestTimeout || sent < 5 || sent > 30 {
				t.Errorf("gave up after %s and %d attempts", took, sent)
			}
			if e.Attempts != sent || e.Elapsed != took {
				t.Errorf("the error says %d attempts in %s, want %d in %s", e.Attempts, e.Elapsed, sent, took)
			}
		})
	}
}

// TestRetryAfter checks each form of Retry-After (assumption A14). 0 means that the header has no effect. A date counts
// from the header Date, so the clock of this machine does not matter, unless there is no Date.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "6.5": 6500 * time.Millisecond, "3600": longestHold,
		"9223372036854775807": longestHold, "Inf": longestHold, "-5": 0, "0": 0, "soon": 0, "NaN": 0, "": 0,
		"Sat, 21 Nov 2026 08:00:09 GMT": 9 * time.Second, "Sun, 21 Nov 2027 08:00:00 GMT": longestHold,
		"Sat, 21 Nov 2026 07:00:00 GMT": 0,
	} {
		got, ok := retryAfter(http.Header{"Retry-After": {header}, "Date": {"Sat, 21 Nov 2026 08:00:00 GMT"}})
		if got != want || ok != (want > 0) {
			t.Errorf("%q: %s, %t, want %s", header, got, ok, want)
		}
	}
	synctest.Test(t, func(t *testing.T) { // virtual time begins on January 1, 2000
		for header, want := range map[string]time.Duration{
			"Sat, 01 Jan 2000 00:00:09 GMT": 9 * time.Second, "Mon, 01 Jan 2001 00:00:00 GMT": longestHold,
			"Fri, 31 Dec 1999 23:00:00 GMT": 0,
		} {
			if got, ok := retryAfter(http.Header{"Retry-After": {header}}); got != want || ok != (want > 0) {
				t.Errorf("%q without Date: %s, %t, want %s", header, got, ok, want)
			}
		}
	})
}

// A response can ask for a pause: at most three minutes after a 429, and at most one minute after a 503. Without
// Retry-After, the pause after a 429 doubles from a second to a minute. A hold that is longer than the time that is left
// ends the call at once.
func TestPauses(t *testing.T) {
	t.Parallel()
	for want, response := range map[string]step{
		"7s 7s 7s ...":                       responds(429, "", "Retry-After", "7"),
		"3m0s":                               responds(429, "", "Retry-After", "3600"),
		"1m0s 1m0s 1m0s 1m0s 1m0s":           responds(503, "", "Retry-After", "3600"),
		"1s 2s 4s 8s 16s 32s 1m0s 1m0s 1m0s": responds(429, ""),
	} {
		virtual(t, want, func(t *testing.T) {
			network := newStub(response)
			_, err := newClient(t, network).Assessments(t.Context())
			seen := network.arrivals()
			var pauses []string
			for i, a := range seen[1:] {
				pauses = append(pauses, a.at.Sub(seen[i].at).String())
			}
			got := strings.Join(pauses, " ")
			beginning, goesOn := strings.CutSuffix(want, "...")
			if got != want && (!goesOn || !strings.HasPrefix(got, beginning)) || OutcomeOf(err) != Unknown {
				t.Errorf("pauses of %s: %v", got, err)
			}
		})
	}
}

// TestInterrupt checks that an interrupt, as by Ctrl-C, ends a wait of a write at once, and that the error says
// why it waited. If a write was already sent, the attempt is finished, bounded by request_timeout, and not repeated. A
// read ends at once.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	const get, put = 0, 1
	for name, row := range map[string]struct {
		operation int
		steps     []step
		after     time.Duration
		want      Outcome
		says      string // the end of the error
	}{
		"before a connection":        {put, []step{connects()}, time.Second, Stopped, "context canceled"},
		"pause after a failure":      {put, []step{rejectsConnection()}, time.Second, Stopped, "(before that: dial tcp: connect: connection refused)"},
		"read":                       {get, []step{takes(10*time.Second, responds(200, attached))}, time.Second, Stopped, "context canceled"},
		"sent, and succeeds":         {put, []step{takes(10*time.Second, responds(200, attached))}, 10 * time.Second, Succeeded, ""},
		"sent, and gets no response": {put, []step{takes(time.Hour, nil)}, requestTimeout, Unknown, "context canceled"},
		"sent, and is reset":         {put, []step{takes(2*time.Second, breaks(errReset))}, 2 * time.Second, Unknown, "context canceled"},
		"sent, and gets a 503":       {put, []step{takes(2*time.Second, responds(503, "down"))}, 2 * time.Second, Unknown, "(before that: 503 Service Unavailable)"},
		"sent, and gets a 409":       {put, []step{takes(2*time.Second, responds(409, ""))}, 2 * time.Second, Rejected, "409 Conflict"},
	} {
		virtual(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(time.Second, cancel).Stop()
			start, network := time.Now(), newStub(row.steps...)
			err := operations[row.operation].run(ctx, newClient(t, network))
			since(t, start, row.after)
			if n := len(network.arrivals()); strings.HasPrefix(name, "sent") && n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			if OutcomeOf(err) != row.want || err != nil && !strings.HasSuffix(err.Error(), row.says) ||
				row.want == Stopped && !errors.Is(err, context.Canceled) {
				t.Errorf("outcome %d, want %d: %v, want %s", OutcomeOf(err), row.want, err, row.says)
			}
		})
	}
}

// A rejection says nothing about an earlier attempt of a write that may have had an effect. A PUT or a DELETE that
// finds nothing does.
func TestRejectionAfterUnknown(t *testing.T) {
	t.Parallel()
	down, held := responds(503, ""), responds(429, "")
	for _, row := range []struct {
		first step
		last  int
		want  Outcome
		from  func(int, string, ...string) step
	}{
		{down, 400, Unknown, responds},
		{down, 409, Unknown, responds},
		{down, 405, Unknown, responds},
		{down, 404, NotFound, responds},
		{down, 404, Unknown, unsigned}, // a gateway does not know the resource
		{breaks(errReset), 409, Unknown, responds},
		{held, 409, Rejected, responds},
		{rejectsConnection(), 409, Rejected, responds},
	} {
		virtual(t, fmt.Sprint(row.last), func(t *testing.T) {
			network := newStub(row.first, row.from(row.last, `{"message":"no"}`))
			_, err := newClient(t, network).Update(t.Context(), "p", "pas-1", "asm-1", Configuration{}, nil)
			if e := as[*Error](t, err); e.Outcome != row.want || e.Status != row.last || e.Message != "no" || e.Attempts != 2 {
				t.Errorf("outcome %d, want %d: %v", e.Outcome, row.want, err)
			}
		})
	}
}

// TestRoute checks that an ID is exactly one segment of the address. An ID that cannot be one is an error before a
// request is sent.
func TestRoute(t *testing.T) {
	t.Parallel()
	for id, segment := range map[string]string{
		"pos-1": "pos-1", "a/b": "a%2Fb", "../x": "..%2Fx", "...": "...", "%2F": "%252F", "?q=1": "%3Fq=1", "#top": "%23top",
		"a b;c,d": "a%20b%3Bc%2Cd", "\r\n\tHost: x": "%0D%0A%09Host:%20x", "é😀": "%C3%A9%F0%9F%98%80", "\xff": "%FF",
	} {
		r := newRoute("/positions/{position}/results", id)
		if r.err != nil || r.path != "/positions/"+segment+"/results" {
			t.Errorf("%q is requested as %s (%v)", id, r.path, r.err)
		}
	}
	for _, id := range []string{"", ".", ".."} {
		network := newStub(responds(200, attached))
		_, err := newClient(t, network).Update(t.Context(), "p", id, "asm", Configuration{}, nil)
		if OutcomeOf(err) != Stopped || len(network.arrivals()) > 0 ||
			!strings.HasSuffix(err.Error(), fmt.Sprintf("%q cannot be the ID of the position assessment in an address", id)) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// limiter grants each request a slot after an hour, and holds all of them after a 429.
type limiter struct {
	hold     time.Duration
	open     atomic.Int64 // slots that were not released
	kinds    []Limits
	released []time.Duration
}

func (l *limiter) acquire(_ context.Context, limits Limits) (func(time.Duration), error) {
	time.Sleep(time.Hour + l.hold)
	l.kinds = append(l.kinds, limits)
	l.open.Add(1)
	return func(hold time.Duration) {
		l.open.Add(-1)
		l.hold = hold
		l.released = append(l.released, hold)
	}, nil
}

// Each request has one slot, which is released when the headers have arrived. The hold of a 429 is passed on and waited
// for once, and the wait for a slot does not count for retry_timeout.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := &limiter{}
		body := func(req *http.Request) (*http.Response, error) {
			resp, err := responds(200, "")(req)
			resp.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) {
				if limiter.open.Load() != 0 {
					t.Error("the slot is still taken while the body is read")
				}
				return copy(p, "[]"), io.EOF
			}))
			return resp, err
		}
		network := newStub(responds(429, "", "Retry-After", "90"), breaks(errReset), body)
		c := newClient(t, network, func(cfg *Config) { cfg.Acquire, cfg.RetryTimeout = limiter.acquire, 2*time.Minute })
		start := time.Now()
		if _, err := c.Results(t.Context(), "p", nil, nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start) - 3*time.Hour - 90*time.Second; took < 0 || took > 10*time.Second {
			t.Errorf("three waits, a hold, and %s; want a short pause", took)
		}
		if want := []time.Duration{90 * time.Second, 0, 0}; !slices.Equal(limiter.released, want) {
			t.Errorf("released with %v, want %v", limiter.released, want)
		}
		_, err := c.Assessments(t.Context())
		if want := []Limits{ForResults, ForResults, ForResults, Ordinary}; err != nil || !slices.Equal(limiter.kinds, want) {
			t.Errorf("acquired %v, want %v: %v", limiter.kinds, want, err)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A write asks before it is sent again, if and only if an attempt may have had an effect. The error of the question
// ends the call, as it is.
func TestAgain(t *testing.T) {
	t.Parallel()
	type question = func(context.Context) error
	update := func(ctx context.Context, c *Client, again question) error {
		_, err := c.Update(ctx, "p", "pas-1", "asm-1", Configuration{}, again)
		return err
	}
	remove := func(ctx context.Context, c *Client, again question) error {
		_, err := c.Remove(ctx, "p", "pas-1", again)
		return err
	}
	errChanged := errors.New("a supervisor has completed the profile")
	for name, row := range map[string]struct {
		write       func(context.Context, *Client, question) error
		first       step
		reason      error
		asked, sent int
	}{
		"reset":                       {update, breaks(errReset), nil, 1, 2},
		"reset, and changed":          {remove, breaks(errReset), errChanged, 1, 1},
		"503, and changed":            {update, responds(503, ""), errChanged, 1, 1},
		"503, and not to be read":     {remove, responds(503, ""), &Error{Outcome: Rejected, Status: 403}, 1, 1},
		"refused connection, changed": {update, rejectsConnection(), errChanged, 0, 2},
		"429, and changed":            {remove, responds(429, ""), errChanged, 0, 2},
	} {
		virtual(t, name, func(t *testing.T) {
			asked, network := 0, newStub(row.first, responds(200, ""))
			again := func(context.Context) error { asked++; return row.reason }
			err := row.write(t.Context(), newClient(t, network), again)
			wantErr, want := row.reason, Unknown
			if row.sent == 2 {
				wantErr, want = nil, Succeeded
			}
			if sent := len(network.arrivals()); asked != row.asked || sent != row.sent ||
				!errors.Is(err, wantErr) || OutcomeOf(err) != want {
				t.Errorf("asked %d times, sent %d times, outcome %d: %v", asked, sent, OutcomeOf(err), err)
			}
		})
	}
}

// A dead port is final after ten seconds only while nothing has succeeded. Later, the service is probably restarting.
func TestDeadPort(t *testing.T) {
	t.Parallel()
	for successes, want := range map[int64]time.Duration{0: 10 * time.Second, 1: retryTimeout} {
		virtual(t, want.String(), func(t *testing.T) {
			c := newClient(t, newStub(rejectsConnection()))
			c.run.Load().breaker.successes.Store(successes)
			start := time.Now()
			_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
			since(t, start, want)
			if OutcomeOf(err) != Stopped { // nothing was sent
				t.Errorf("outcome %d: %v", OutcomeOf(err), err)
			}
		})
	}
}

// With read_only, no write is sent.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	network := newStub(responds(200, attached))
	c := newClient(t, network, func(cfg *Config) { cfg.ReadOnly = true })
	for _, op := range operations {
		err := op.run(t.Context(), c)
		if isRead := op.method == http.MethodGet; isRead != (err == nil) || !isRead && !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", op.method, err)
		}
	}
	if n := len(network.arrivals()); n != 1 || c.Ended() != nil {
		t.Errorf("%d requests, and the run has ended with %v", n, c.Ended())
	}
}

// Each request has exactly the headers of the contract, and those of the configuration, which replace none of the
// client's own. Users cannot set the client's own headers, because such a setting would have no effect.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		network := newStub(responds(200, attached))
		c := newClient(t, network, func(cfg *Config) {
			cfg.Headers = map[string]string{"x-gateway-token": "t0ken", "Cache-Control": "max-age=60"}
		})
		want := http.Header{
			"Authorization": {"Basic Y2xpZW50LTc6azN5LTBmLXRoMy10M3N0NQ=="}, "Accept": {"application/json"},
			"User-Agent": {"terraform-provider-assess/test"}, "Cache-Control": {"no-cache"}, "X-Gateway-Token": {"t0ken"},
		}
		if op.method == http.MethodPost || op.method == http.MethodPut {
			want["Content-Type"] = []string{"application/json"}
		}
		err := op.run(t.Context(), c)
		if sent := network.arrivals()[0].header; err != nil || !maps.EqualFunc(sent, want, slices.Equal) {
			t.Errorf("%s: sent %v, want %v; error %v", op.method, sent, want, err)
		}
		for name := range want {
			if isOwn := name != "X-Gateway-Token"; isOwn != (CheckHeaders(map[string]string{name: "a"}) != nil) {
				t.Errorf("can users set %s? %t", name, isOwn)
			}
		}
	}
}
