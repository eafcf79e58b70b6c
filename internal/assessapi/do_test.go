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
		"a dead port":       {rejectsConnection(), 10 * time.Second, "GET /assessments: dial tcp: connect: connection refused"},
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
	for succeeded, want := range map[bool]time.Duration{false: 10 * time.Second, true: retryTimeout} {
		for _, op := range operations {
			virtual(t, fmt.Sprint(succeeded, op.method), func(t *testing.T) {
				network := newStub(responds(200, "[]"), rejectsConnection())
				if !succeeded {
					network = newStub(rejectsConnection())
				}
				c := newClient(t, network)
				if succeeded {
					if _, err := c.Assessments(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				start := time.Now()
				err := op.run(t.Context(), c)
				since(t, start, want)
				outcome := Stopped // no write was sent
				if op.method == http.MethodGet {
					outcome = Unknown
				}
				if got := OutcomeOf(err); got != outcome {
					t.Errorf("outcome %d, want %d: %v", got, outcome, err)
				}
			})
		}
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

// TestRetryAfter checks each form of Retry-After (assumption A14), for a 429 and for a 503. 0 means that the header has
// no effect.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Sat, 21 Nov 2026 08:00:00 GMT"
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "6.5": 6500 * time.Millisecond, "3600": time.Hour,
		"9223372036854775807": time.Hour, "-5": 0, "0": 0, "soon": 0, "NaN": 0, "": 0, "Inf": time.Hour,
		"Sat, 21 Nov 2026 08:00:09 GMT": 9 * time.Second, "Sun, 21 Nov 2027 08:00:00 GMT": time.Hour,
		"Sat, 21 Nov 2026 07:00:00 GMT": 0,
	} {
		for status, most := range map[int]time.Duration{503: time.Minute, 429: longestHold} {
			virtual(t, fmt.Sprintf("%d %q", status, header), func(t *testing.T) {
				network := newStub(responds(status, "", "Retry-After", header, "Date", date), responds(200, "[]"))
				if _, err := newClient(t, network).Assessments(t.Context()); err != nil {
					t.Fatal(err)
				}
				low, high := min(want, most), min(want, most)
				switch {
				case want == 0 && status == 429:
					low, high = time.Second, time.Second
				case want == 0:
					low, high = firstPause/2, firstPause
				}
				seen := network.arrivals()
				if pause := seen[1].at.Sub(seen[0].at); pause < low || pause > high {
					t.Errorf("waited %s, want %s to %s", pause, low, high)
				}
			})
		}
	}
}

// Without Retry-After, the pause after a 429 doubles from a second to a minute.
func TestHoldWithoutRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newStub(responds(429, ""))
		_, err := newClient(t, network).Assessments(t.Context())
		_ = as[*Error](t, err)
		var pauses []string
		seen := network.arrivals()
		for i, a := range seen[1:] {
			pauses = append(pauses, a.at.Sub(seen[i].at).String())
		}
		if got := strings.Join(pauses, " "); got != "1s 2s 4s 8s 16s 32s 1m0s 1m0s 1m0s" {
			t.Errorf("pauses of %s", got)
		}
	})
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

// A hold that is longer than the time that is left ends the call at once. It was rejected, and had no effect.
func TestHoldOutlastsRetryTimeout(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		virtual(t, op.method, func(t *testing.T) {
			start, network := time.Now(), newStub(responds(429, "slow down", "Retry-After", "3600"))
			err := op.run(t.Context(), newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = 2 * time.Minute }))
			since(t, start, 0)
			want := Rejected
			if op.method == http.MethodGet {
				want = Unknown
			}
			if e := as[*Error](t, err); e.Status != 429 || e.Attempts != 1 || e.Outcome != want {
				t.Errorf("%+v", e)
			}
		})
	}
}

// interrupted returns a context that is canceled after a second, as by Ctrl-C.
func interrupted(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(time.Second, cancel)
	t.Cleanup(func() { timer.Stop(); cancel() })
	return ctx
}

// TestInterruptEndsWaits checks that an interrupt ends a wait at once, and that the error says why the call waited.
func TestInterruptEndsWaits(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		steps  []step
		before string // the end of the error
	}{
		"for a connection":                    {[]step{connects()}, "context canceled"},
		"for a connection after two failures": {[]step{rejectsConnection(), rejectsConnection(), connects()}, "(before that: dial tcp: connect: connection refused)"},
		"after a refused connection":          {[]step{rejectsConnection()}, "(before that: dial tcp: connect: connection refused)"},
		"after a 429":                         {[]step{responds(429, "", "Retry-After", "9")}, "(before that: 429 Too Many Requests)"},
	} {
		for _, op := range operations {
			virtual(t, name+"/"+op.method, func(t *testing.T) {
				start := time.Now()
				err := op.run(interrupted(t), newClient(t, newStub(row.steps...)))
				since(t, start, time.Second)
				if e := as[*Error](t, err); !errors.Is(err, context.Canceled) || e.Outcome != Stopped ||
					!strings.HasSuffix(err.Error(), row.before) {
					t.Errorf("outcome %d: %v", e.Outcome, err)
				}
			})
		}
	}
}

// TestInterruptDuringAnAttempt checks that an interrupt ends a read at once. A write that was already sent is finished,
// bounded by request_timeout, and not sent again.
func TestInterruptDuringAnAttempt(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step  step
		after time.Duration
		want  Outcome // of a write
	}{
		"success":     {takes(10*time.Second, responds(200, attached)), 10 * time.Second, Succeeded},
		"no response": {takes(time.Hour, nil), requestTimeout, Unknown},
		"a reset":     {takes(2*time.Second, breaks(errReset)), 2 * time.Second, Unknown},
		"a 503":       {takes(2*time.Second, responds(503, "down")), 2 * time.Second, Unknown},
		"a 429":       {takes(2*time.Second, responds(429, "")), 2 * time.Second, Stopped},
		"a 409":       {takes(2*time.Second, responds(409, "")), 2 * time.Second, Rejected},
	} {
		for _, op := range operations {
			virtual(t, name+"/"+op.method, func(t *testing.T) {
				start, network := time.Now(), newStub(row.step)
				err := op.run(interrupted(t), newClient(t, network))
				if n := len(network.arrivals()); n != 1 {
					t.Errorf("%d requests, want 1", n)
				}
				after, want := row.after, row.want
				if op.method == http.MethodGet {
					after, want = time.Second, Stopped
				}
				since(t, start, after)
				if got := OutcomeOf(err); got != want {
					t.Errorf("outcome %d, want %d: %v", got, want, err)
				}
			})
		}
	}
}

// TestInterruptBefore checks that no request is sent if the caller is already canceled, also if the limits grant a slot.
func TestInterruptBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("terraform was interrupted"))
	for _, op := range operations {
		network := newStub(responds(200, attached))
		err := op.run(ctx, newClient(t, network))
		if e := as[*Error](t, err); e.Outcome != Stopped || !strings.HasSuffix(err.Error(), "terraform was interrupted") ||
			len(network.arrivals()) > 0 {
			t.Errorf("%s: outcome %d after %d requests: %v", op.method, e.Outcome, len(network.arrivals()), err)
		}
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

// TestAgain checks that a write asks before it is sent again, if and only if an attempt may have had an effect.
func TestAgain(t *testing.T) {
	t.Parallel()
	errChanged := errors.New("a supervisor has completed the profile")
	for name, row := range map[string]struct {
		first step
		asked int
	}{
		"reset":              {breaks(errReset), 1},
		"503":                {responds(503, ""), 1},
		"refused connection": {rejectsConnection(), 0},
		"429":                {responds(429, ""), 0},
	} {
		virtual(t, name, func(t *testing.T) {
			for _, reason := range []error{nil, errChanged} {
				asked := 0
				check := func(context.Context) error { asked++; return reason }
				for _, write := range []func(*Client) error{
					func(c *Client) error {
						_, err := c.Update(t.Context(), "p", "pas-1", "asm-1", Configuration{}, check)
						return err
					},
					func(c *Client) error {
						_, err := c.Remove(t.Context(), "p", "pas-1", check)
						return err
					},
				} {
					asked = 0
					network := newStub(row.first, responds(200, ""))
					err := write(newClient(t, network))
					sent := 2
					if row.asked > 0 && reason != nil {
						sent = 1
					}
					want := reason // as it is
					if sent == 2 {
						want = nil
					}
					if asked != row.asked || len(network.arrivals()) != sent || err != want { //nolint:errorlint // not wrapped
						t.Errorf("asked %d times, sent %d times: %v", asked, len(network.arrivals()), err)
					}
				}
			}
		})
	}
}

// A rejection says nothing about an earlier attempt of a write that may have had an effect. A PUT or a DELETE that
// finds nothing does.
func TestRejectionAfterUnknown(t *testing.T) {
	t.Parallel()
	type outcomes struct{ alone, later Outcome } // alone is the outcome if no earlier attempt can have had an effect
	for last, want := range map[int]outcomes{
		400: {Rejected, Unknown}, 401: {Rejected, Unknown}, 403: {Rejected, Unknown}, 409: {Rejected, Unknown},
		405: {NotFound, Unknown}, 501: {NotFound, Unknown}, 404: {NotFound, NotFound}, 410: {NotFound, NotFound},
	} {
		for _, op := range operations[1:3] {
			for name, row := range map[string]struct {
				first step
				mayDo bool
			}{
				"503":      {responds(503, ""), true},
				"reset":    {breaks(errReset), true},
				"429":      {responds(429, ""), false},
				"rejected": {rejectsConnection(), false},
			} {
				virtual(t, fmt.Sprint(name, "/", last, "/", op.method), func(t *testing.T) {
					network := newStub(row.first, responds(last, `{"message":"no"}`))
					want := map[bool]Outcome{false: want.alone, true: want.later}[row.mayDo]
					err := op.run(t.Context(), newClient(t, network))
					if e := as[*Error](t, err); e.Outcome != want || e.Status != last || e.Message != "no" || e.Attempts != 2 {
						t.Errorf("outcome %d, want %d: %v", e.Outcome, want, err)
					}
				})
			}
		}
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

// TestInvalidIDs checks that an ID that cannot be a path segment is an error before a request is sent.
func TestInvalidIDs(t *testing.T) {
	t.Parallel()
	network := newStub(responds(200, "{}"))
	c := newClient(t, network)
	for _, id := range []string{"", ".", ".."} {
		_, results := c.Results(t.Context(), id, nil, nil)
		_, attach := c.Attach(t.Context(), id, "asm", Configuration{})
		_, update := c.Update(t.Context(), "p", id, "asm", Configuration{}, nil)
		enable := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{Item: Item{ID: id}, listed: []byte("{}")})
		_, list := c.Items(t.Context(), Packages, id)
		_, remove := c.Remove(t.Context(), "p", id, nil)
		for _, err := range []error{results, attach, update, enable, list, remove} {
			if OutcomeOf(err) != Stopped || !strings.Contains(err.Error(), "cannot be the ID of the") {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	if seen := network.addresses(); len(seen) > 0 {
		t.Errorf("sent %v", seen)
	}
}
