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

// TestRetryEndsInTime checks that retry_timeout bounds a read, and that its error has the last response, the number of
// attempts and the time that they took. While nothing has succeeded, what is probably a wrong setting ends sooner.
func TestRetryEndsInTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		step  step
		after time.Duration
		want  string
	}{
		"a response":        {responds(503, "closed for today"), retryTimeout, "GET /assessments: 503 Service Unavailable: closed for today"},
		"429":               {responds(429, "slow down", "Retry-After", "20"), retryTimeout, "GET /assessments: 429 Too Many Requests: slow down"},
		"no response":       {breaks(errReset), retryTimeout, "GET /assessments: connection reset by peer"},
		"slowness":          {takes(time.Hour, nil), retryTimeout, "GET /assessments: no response within 30s"},
		"a hung connection": {connects(), retryTimeout, "GET /assessments: no connection within 10s"},
		"a page":            {unsigned(200, "<title>Wi-Fi</title><h1>Sign in</h1> to go on"), retryTimeout, "GET /assessments: 200 OK, probably from a gateway or a firewall: Wi-Fi Sign in to go on"},
		"a redirect":        {unsigned(302, "", "Location", "https://login.example/"), retryTimeout, "GET /assessments: 302 Found, probably from a gateway or a firewall: redirected to https://login.example/."},
	} {
		virtual(t, name, func(t *testing.T) {
			start, network := time.Now(), newStub(tc.step)
			_, err := newClient(t, network).Assessments(t.Context())
			took := time.Since(start)
			e := as[*Error](t, err)
			if err.Error() != tc.want || e.Outcome != Unknown {
				t.Errorf("outcome %d: %v, want %s", e.Outcome, err, tc.want)
			}
			if took < tc.after-20*time.Second || took > tc.after+requestTimeout {
				t.Errorf("gave up after %s, want about %s", took, tc.after)
			}
			if sent := len(network.arrivals()); e.Attempts != sent || sent < 5 || e.Elapsed != took {
				t.Errorf("the error says %d attempts in %s, want %d in %s", e.Attempts, e.Elapsed, sent, took)
			}
		})
	}
}

// A dead port is final after ten seconds only while nothing has succeeded. Later, the service is probably restarting.
func TestDeadPort(t *testing.T) {
	t.Parallel()
	for want, steps := range map[time.Duration][]step{
		10 * time.Second: {rejectsConnection()},
		retryTimeout:     {responds(200, "[]"), rejectsConnection()},
	} {
		virtual(t, want.String(), func(t *testing.T) {
			c := newClient(t, newStub(steps...))
			if len(steps) > 1 {
				if _, err := c.Assessments(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			start := time.Now()
			_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
			since(t, start, want)
			if OutcomeOf(err) != Stopped { // nothing was sent
				t.Errorf("outcome %d: %v", OutcomeOf(err), err)
			}
		})
	}
}

// TestRetryPauses checks that pauses double, with jitter, from half a second to half a minute.
func TestRetryPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newStub(responds(502, ""))
		_, err := newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = time.Hour }).Assessments(t.Context())
		_ = as[*Error](t, err)
		seen := network.arrivals()
		for i, a := range seen[1 : len(seen)-1] { // the last pause is what is left
			most := min(firstPause<<min(i, 10), longestPause)
			if pause := a.at.Sub(seen[i].at); pause < most/2 || pause > most {
				t.Errorf("pause %d took %s, want between %s and %s", i+1, pause, most/2, most)
			}
		}
		if total := seen[len(seen)-1].at.Sub(seen[0].at); total != time.Hour {
			t.Errorf("the last attempt was after %s", total)
		}
	})
}

// TestRetryAfter checks each form of Retry-After (assumption A14). 0 means that the header has no effect.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "6.5": 6500 * time.Millisecond, "3600": time.Hour,
		"9223372036854775807": day, "Inf": day, "-5": 0, "0": 0, "soon": 0, "NaN": 0, "": 0,
		"Sat, 21 Nov 2026 08:00:09 GMT": 9 * time.Second, "Sun, 21 Nov 2027 08:00:00 GMT": day,
		"Sat, 21 Nov 2026 07:00:00 GMT": 0,
	} {
		got, ok := retryAfter(http.Header{"Retry-After": {header}, "Date": {"Sat, 21 Nov 2026 08:00:00 GMT"}})
		if got != want || ok != (want > 0) {
			t.Errorf("%q: %s, %t, want %s", header, got, ok, want)
		}
	}
}

// TestPauses checks the pauses after a response that asks for one: at most three minutes after a 429, and at most one
// minute after a 503. Without Retry-After, the pause after a 429 doubles from a second to a minute.
func TestPauses(t *testing.T) {
	t.Parallel()
	for want, response := range map[string]step{
		"7s 7s 7s":                           responds(429, "", "Retry-After", "7"),
		"3m0s":                               responds(429, "", "Retry-After", "3600"),
		"1m0s 1m0s 1m0s 1m0s 1m0s":           responds(503, "", "Retry-After", "3600"),
		"1s 2s 4s 8s 16s 32s 1m0s 1m0s 1m0s": responds(429, ""),
	} {
		virtual(t, want, func(t *testing.T) {
			network := newStub(response)
			_, err := newClient(t, network).Assessments(t.Context())
			_ = as[*Error](t, err)
			seen := network.arrivals()
			var pauses []string
			for i, a := range seen[1:] {
				pauses = append(pauses, a.at.Sub(seen[i].at).String())
			}
			if got := strings.Join(pauses, " "); !strings.HasPrefix(got, want) {
				t.Errorf("pauses of %s", got)
			}
		})
	}
}

// slots is a limiter that grants each request after a wait, and holds all after a 429.
type slots struct {
	wait     time.Duration
	until    atomic.Int64 // of the hold
	kinds    []Limits
	open     atomic.Int64 // slots that were not released
	released []time.Duration
}

func (s *slots) acquire(ctx context.Context, limits Limits) (func(time.Duration), error) {
	s.kinds = append(s.kinds, limits)
	hold := time.Until(time.Unix(0, s.until.Load()))
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(max(s.wait, hold)):
	}
	s.open.Add(1)
	return func(hold time.Duration) {
		s.open.Add(-1)
		s.released = append(s.released, hold)
		if hold > 0 {
			s.until.Store(time.Now().Add(hold).UnixNano())
		}
	}, nil
}

// TestSlots checks that each request has one slot, that the slot is released when the headers have arrived, that the
// hold of a 429 is passed on and waited for once, and that the wait for a slot does not count for retry_timeout.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := &slots{wait: time.Hour}
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
		network := newStub(responds(429, "", "Retry-After", "90"), breaks(errReset), responds(503, ""), body)
		c := newClient(t, network, func(cfg *Config) { cfg.Acquire, cfg.RetryTimeout = limiter.acquire, 2*time.Minute })
		start := time.Now()
		if _, err := c.Results(t.Context(), "p", nil, nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 4*time.Hour || took > 4*time.Hour+10*time.Second {
			t.Errorf("it took %s, want four waits and two short pauses", took)
		}
		if want := []time.Duration{90 * time.Second, 0, 0, 0}; !slices.Equal(limiter.released, want) {
			t.Errorf("released with %v, want %v", limiter.released, want)
		}
		if want := []Limits{ForResults, ForResults, ForResults, ForResults}; !slices.Equal(limiter.kinds, want) {
			t.Errorf("acquired %v, want %v", limiter.kinds, want)
		}
		if _, err := c.Assessments(t.Context()); err != nil || limiter.kinds[4] != Ordinary {
			t.Errorf("a list acquired %v: %v", limiter.kinds[4], err)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A hold that is longer than the time that is left ends the call at once. A write was rejected, and had no effect.
func TestHoldOutlastsRetryTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, network := time.Now(), newStub(responds(429, "slow down", "Retry-After", "3600"))
		c := newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = 2 * time.Minute })
		_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
		since(t, start, 0)
		if e := as[*Error](t, err); e.Status != 429 || e.Attempts != 1 || e.Outcome != Rejected {
			t.Errorf("%+v", e)
		}
	})
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
		"before a connection":         {put, []step{connects()}, time.Second, Stopped, "context canceled"},
		"before the third connection": {put, []step{rejectsConnection(), rejectsConnection(), connects()}, time.Second, Stopped, "(before that: dial tcp: connect: connection refused)"},
		"pause after a failure":       {put, []step{rejectsConnection()}, time.Second, Stopped, "(before that: dial tcp: connect: connection refused)"},
		"pause after a 429":           {put, []step{responds(429, "", "Retry-After", "9")}, time.Second, Stopped, "(before that: 429 Too Many Requests)"},
		"read":                        {get, []step{takes(10*time.Second, responds(200, attached))}, time.Second, Stopped, "context canceled"},
		"sent, and succeeds":          {put, []step{takes(10*time.Second, responds(200, attached))}, 10 * time.Second, Succeeded, ""},
		"sent, and gets no response":  {put, []step{takes(time.Hour, nil)}, requestTimeout, Unknown, "context canceled"},
		"sent, and is reset":          {put, []step{takes(2*time.Second, breaks(errReset))}, 2 * time.Second, Unknown, "context canceled"},
		"sent, and gets a 503":        {put, []step{takes(2*time.Second, responds(503, "down"))}, 2 * time.Second, Unknown, "(before that: 503 Service Unavailable)"},
		"sent, and is held by a 429":  {put, []step{takes(2*time.Second, responds(429, ""))}, 2 * time.Second, Stopped, "(before that: 429 Too Many Requests)"},
		"sent, and gets a 409":        {put, []step{takes(2*time.Second, responds(409, ""))}, 2 * time.Second, Rejected, "409 Conflict"},
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

// Nothing is sent if the caller is already canceled.
func TestInterruptBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("terraform was interrupted"))
	network := newStub(responds(200, attached))
	_, err := newClient(t, network).Attach(ctx, "p", "asm-1", Configuration{})
	if OutcomeOf(err) != Stopped || !strings.HasSuffix(err.Error(), "terraform was interrupted") ||
		len(network.arrivals()) > 0 {
		t.Errorf("outcome %d after %d requests: %v", OutcomeOf(err), len(network.arrivals()), err)
	}
}

// With read_only, no write is sent.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		network := newStub(responds(200, attached))
		c := newClient(t, network, func(cfg *Config) { cfg.ReadOnly = true })
		err := op.run(t.Context(), c)
		if op.method == http.MethodGet {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if e := as[*Error](t, err); !errors.Is(err, ErrReadOnly) || e.Outcome != Stopped || len(network.arrivals()) > 0 ||
			c.Ended() != nil {
			t.Errorf("%s: %+v after %d requests", op.method, e, len(network.arrivals()))
		}
	}
}

// TestAgain checks that a write asks before it is sent again, if and only if an attempt may have had an effect. The
// error of the question ends the call, as it is.
func TestAgain(t *testing.T) {
	t.Parallel()
	errChanged := errors.New("a supervisor has completed the profile")
	for name, row := range map[string]struct {
		first       step
		reason      error
		asked, sent int
	}{
		"reset":                       {breaks(errReset), nil, 1, 2},
		"reset, and changed":          {breaks(errReset), errChanged, 1, 1},
		"503, and changed":            {responds(503, ""), errChanged, 1, 1},
		"refused connection, changed": {rejectsConnection(), errChanged, 0, 2},
		"429, and changed":            {responds(429, ""), errChanged, 0, 2},
	} {
		for _, method := range []string{http.MethodPut, http.MethodDelete} {
			virtual(t, name+"/"+method, func(t *testing.T) {
				asked, network := 0, newStub(row.first, responds(200, ""))
				c, again := newClient(t, network), func(context.Context) error { asked++; return row.reason }
				var err error
				if method == http.MethodPut {
					_, err = c.Update(t.Context(), "p", "pas-1", "asm-1", Configuration{}, again)
				} else {
					_, err = c.Remove(t.Context(), "p", "pas-1", again)
				}
				want := row.reason
				if row.sent == 2 {
					want = nil
				}
				if asked != row.asked || len(network.arrivals()) != row.sent || err != want { //nolint:errorlint // not wrapped
					t.Errorf("asked %d times, sent %d times: %v", asked, len(network.arrivals()), err)
				}
			})
		}
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
	}{
		{down, 400, Unknown},
		{down, 401, Unknown},
		{down, 409, Unknown},
		{down, 405, Unknown},
		{down, 501, Unknown},
		{down, 404, NotFound},
		{down, 410, NotFound},
		{breaks(errReset), 409, Unknown},
		{held, 409, Rejected},
		{held, 405, NotFound},
		{rejectsConnection(), 409, Rejected},
	} {
		virtual(t, fmt.Sprint(row.last), func(t *testing.T) {
			network := newStub(row.first, responds(row.last, `{"message":"no"}`))
			_, err := newClient(t, network).Update(t.Context(), "p", "pas-1", "asm-1", Configuration{}, nil)
			if e := as[*Error](t, err); e.Outcome != row.want || e.Status != row.last || e.Message != "no" || e.Attempts != 2 {
				t.Errorf("outcome %d, want %d: %v", e.Outcome, row.want, err)
			}
		})
	}
}

// TestRequestHeaders checks that each request has exactly the headers of the contract, and those of the configuration,
// which replace none of the client's own.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		virtual(t, op.method, func(t *testing.T) {
			network := newStub(responds(429, ""), responds(200, attached))
			c := newClient(t, network, func(cfg *Config) {
				cfg.Headers = map[string]string{"x-gateway-token": "t0ken", "Cache-Control": "max-age=60"}
			})
			if err := op.run(t.Context(), c); err != nil || len(network.arrivals()) != 2 {
				t.Errorf("%v after %d attempts", err, len(network.arrivals()))
			}
			want := http.Header{
				"Authorization": {"Basic Y2xpZW50LTc6azN5LTBmLXRoMy10M3N0NQ=="}, "Accept": {"application/json"},
				"User-Agent": {"terraform-provider-assess/test"}, "Cache-Control": {"no-cache"}, "X-Gateway-Token": {"t0ken"},
			}
			if op.method == http.MethodPost || op.method == http.MethodPut {
				want["Content-Type"] = []string{"application/json"}
			}
			for _, sent := range network.arrivals() {
				if !maps.EqualFunc(sent.header, want, slices.Equal) {
					t.Errorf("sent %v, want %v", sent.header, want)
				}
			}
		})
	}
}

// TestObservation checks what a log entry may contain: no ID, no header, no body.
func TestObservation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []Observation
		network := newStub(
			takes(time.Second, responds(502, "secret words")),
			takes(2*time.Second, responds(200, "<p>secret words</p>")),
			takes(3*time.Second, breaks(errReset)),
			takes(4*time.Second, responds(200, attached)),
		)
		c := newClient(t, network, func(cfg *Config) {
			cfg.Observe = func(_ context.Context, o Observation) { seen = append(seen, o) }
		})
		if _, err := c.PositionAssessment(t.Context(), "pos-private", "pas-1"); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, o := range seen {
			lines = append(lines, fmt.Sprint(o.Attempt, " ", o.Method, " ", o.Route, " ", o.Status, " ", o.Took, " ", o.Err))
		}
		const route = "GET /positions/{position}/assessments/{position assessment}"
		want := []string{
			"1 " + route + " 502 1s <nil>", "2 " + route + " 200 2s <nil>",
			"3 " + route + " 0 3s connection reset by peer", "4 " + route + " 200 4s <nil>",
		}
		if !slices.Equal(lines, want) {
			t.Errorf("observed\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	})
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
