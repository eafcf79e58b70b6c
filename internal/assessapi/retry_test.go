// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// operations has one call for each method.
var operations = []struct {
	method string
	run    func(context.Context, *Client) error
}{
	{http.MethodGet, func(ctx context.Context, c *Client) error {
		_, err := c.PositionAssessments().Read(ctx, "pos-backend-london", "pas-there")
		return err
	}},
	{http.MethodPut, func(ctx context.Context, c *Client) error {
		_, err := c.PositionAssessments().Update(ctx, "pos-backend-london", "pas-there", PositionAssessment{AssessmentID: "asm-lumen"})
		return err
	}},
	{http.MethodDelete, func(ctx context.Context, c *Client) error {
		return c.PositionAssessments().Remove(ctx, "pos-backend-london", "pas-there")
	}},
	{http.MethodPost, func(ctx context.Context, c *Client) error {
		_, err := c.PositionAssessments().Create(ctx, "pos-backend-london", PositionAssessment{AssessmentID: "asm-tally"})
		return err
	}},
}

// smallState is the state that the operations need.
func smallState() *sandbox.State {
	return &sandbox.State{
		Assessments: []sandbox.Assessment{
			{ID: "asm-lumen", Kind: sandbox.CognitiveAbility},
			{ID: "asm-tally", Kind: sandbox.NumericalReasoning},
		},
		Positions: []sandbox.Position{{
			ID: "pos-backend-london", Assessments: []sandbox.PositionAssessment{{ID: "pas-there", Assessment: "asm-lumen"}},
		}},
	}
}

// outcome is the result of a single fault.
type outcome int

const (
	again   outcome = iota // sent again, successfully
	refusal                // the service's answer, as an *Error
	failure                // no answer, as a *CallError
	lost                   // a lost response, as a *LostError
	accept                 // accepted like an answer without the fault
)

type fault = sandboxtest.Fault

const after = sandboxtest.AfterEffect

// Outcomes for GET, PUT, DELETE, and POST.
var (
	onlyPostIsLost = [4]outcome{again, again, again, lost}
	allAgain       = [4]outcome{again, again, again, again}
	allRefused     = [4]outcome{refusal, refusal, refusal, refusal}
	allAccepted    = [4]outcome{accept, accept, accept, accept}
)

// statuses returns faults that answer with each of the statuses.
func statuses(all ...int) (faults []fault) {
	for _, status := range all {
		faults = append(faults, fault{Status: status})
	}
	return faults
}

// answered returns a fault that answers with a body after the effect.
func answered(body string) []fault {
	return []fault{{Status: 200, When: after, Header: http.Header{"Location": {""}}, Body: []byte(body)}}
}

// policy is the retry policy: the outcomes of one fault for GET, PUT, DELETE, and POST.
var policy = []struct {
	faults []fault
	want   [4]outcome
}{
	{statuses(408, 500, 502, 503, 504, 520, 523), onlyPostIsLost},
	{[]fault{{Status: 502, When: after, Body: []byte("<html><body>Bad Gateway</body></html>")}}, onlyPostIsLost},
	{[]fault{{Status: 429}, {Status: 429, Header: http.Header{"Retry-After": {"2"}}}, {Refuse: true}}, allAgain},
	{statuses(302, 400, 401, 403, 404, 409, 410), allRefused},
	{[]fault{{Status: 302, Header: http.Header{"Location": {"http://[::1"}}}}, allRefused},
	{
		[]fault{{Status: 302, Header: http.Header{"Location": {"https://elsewhere.example/"}}}},
		[4]outcome{failure, refusal, refusal, refusal},
	},
	{statuses(425), [4]outcome{again, again, again, refusal}},
	{statuses(499, 501), [4]outcome{refusal, refusal, refusal, lost}},
	{[]fault{{Reset: true}, {Reset: true, When: after}, {Hangup: true}, {Hangup: true, When: after}}, onlyPostIsLost},
	{[]fault{{CutBody: true, Status: 200, When: after, Body: []byte(`{"id":"pas-there"}`)}}, onlyPostIsLost},
	{answered("\x00\xfegarbage"), [4]outcome{again, accept, accept, lost}},
	{answered("<p>Sign in</p>"), [4]outcome{again, accept, accept, lost}},
	{answered(""), [4]outcome{again, accept, accept, lost}},
	{[]fault{{When: after, Header: http.Header{"Content-Type": {"text/plain"}}}}, allAccepted},
	{[]fault{{Delay: requestTimeout + time.Second}, {Delay: requestTimeout + time.Second, When: after}}, onlyPostIsLost},
	{[]fault{{Delay: requestTimeout - time.Second}}, allAccepted},
}

// TestRetryPolicy applies each fault once to each method.
func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	for _, row := range policy {
		for _, fault := range row.faults {
			for i, op := range operations {
				sandboxtest.Virtual(t, fmt.Sprintf("%+v/%s", fault, op.method), func(t *testing.T) {
					attempts := 0
					service := sandboxtest.NewService(t,
						sandboxtest.Options{Options: sandbox.Options{NoLimits: true, Seed: smallState}})
					c := newClient(t, nil, func(cfg *Config) {
						observe := func(context.Context, Observation) { attempts++ }
						cfg.Transport = &Attempt{Next: service, Timeout: requestTimeout, Observe: observe}
					})
					service.Inject(fault)
					err := op.run(t.Context(), c)
					checkOutcome(t, op.method, fault, row.want[i], attempts, err)
				})
			}
		}
	}
}

func checkOutcome(t *testing.T, method string, fault fault, want outcome, attempts int, err error) {
	t.Helper()
	refused, _ := errors.AsType[*Error](err)
	broken, _ := errors.AsType[*CallError](err)
	gone, isLost := errors.AsType[*LostError](err)
	wantAttempts, fine := 1, false
	switch want {
	case again:
		wantAttempts = 2
		fine = err == nil || method == http.MethodDelete && fault.When == after && IsNotFound(err)
	case accept:
		fine = err == nil
	case refusal:
		if fault.Status == http.StatusForbidden && method == http.MethodGet {
			wantAttempts = 2 // another request finds out whether the key is refused
		}
		fine = refused != nil && refused.Status == fault.Status && refused.Attempts == 1 && !isLost
	case failure:
		fine = broken != nil && broken.Attempts == 1 && !isLost
	case lost:
		unanswered := fault.Status == 0 || fault.CutBody || fault.Status >= 408
		fine = isLost && gone.Settles == map[bool]time.Duration{true: requestTimeout}[unanswered]
	}
	if !fine || attempts != wantAttempts {
		t.Errorf("%d attempts, want %d: %T %+v", attempts, wantAttempts, err, err)
	}
}

// TestEndlessBody checks that a body of more than 64 MiB fails and is not requested
// again. The next body would be as long.
func TestEndlessBody(t *testing.T) {
	t.Parallel()
	for _, op := range []int{0, 3} { // GET and POST: the body is read first, whatever the method
		network := newStub(func(req *http.Request) (*http.Response, error) {
			resp, err := answers(http.StatusOK, "")(req)
			resp.Body = io.NopCloser(endless{})
			return resp, err
		})
		err := operations[op].run(t.Context(), newClient(t, network))
		isPost := operations[op].method == http.MethodPost
		if broken := as[*CallError](t, err); !errors.Is(err, errTooLarge) || broken.Attempts != 1 || isLost(err) != isPost {
			t.Errorf("%T %v after %d attempts", err, err, broken.Attempts)
		}
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestRetryEndsInTime checks that retry_timeout bounds a call, and that the last error
// is shown with the number of attempts and the time that they took.
func TestRetryEndsInTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		step step
		want string
	}{
		"an answer":         {answers(http.StatusServiceUnavailable, "closed for today", "Conversation-Id", "conv-7"), "GET /assessments: 503 Service Unavailable: closed for today"},
		"429":               {answers(429, "slow down"), "GET /assessments: 429 Too Many Requests: slow down"},
		"no answer":         {breaks(errors.New("connection reset by peer")), "GET /assessments: connection reset by peer"},
		"no connection":     {refuses(), "GET /assessments: dial tcp: connect: connection refused"},
		"slowness":          {takes(time.Hour, nil), "GET /assessments: no answer within 30s"},
		"a hung connection": {connects(), "GET /assessments: no answer within 30s"},
		"a page":            {answers(http.StatusOK, "<html><title>Wi-Fi</title><h1>Sign in</h1> to go on"), "GET /assessments: the service answered 200 OK with a web page instead of JSON, which probably comes from a gateway or a firewall: Wi-Fi Sign in to go on"},
		"data": {answers(http.StatusOK, `[{"name":"Somebody"`), "GET /assessments: the service answered " +
			"200 OK with a body that is not JSON"},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			start, network := time.Now(), newStub(tc.step)
			_, err := newClient(t, network).List(t.Context(), Assessments, "")
			took := time.Since(start)
			if err == nil || err.Error() != tc.want {
				t.Fatalf("%v, want %s", err, tc.want)
			}
			about := retryTimeout
			if name == "no connection" { // this is probably a mistake in the address
				about = mistakeTime
			}
			if took > about*3/2 || took > retryTimeout || took < about-longestPause {
				t.Errorf("gave up after %s, want about %s", took, about)
			}
			attempts, elapsed := 0, time.Duration(0)
			if refused, ok := errors.AsType[*Error](err); ok {
				attempts, elapsed = refused.Attempts, refused.Elapsed
			} else if broken, ok := errors.AsType[*CallError](err); ok {
				attempts, elapsed = broken.Attempts, broken.Elapsed
			}
			if sent := len(network.arrivals()); attempts != sent || sent < 5 || elapsed != took {
				t.Errorf("the error says %d attempts in %s, want %d in %s", attempts, elapsed, sent, took)
			}
		})
	}
}

// TestRetryPauses checks that pauses double, with jitter, from half a second to half a
// minute.
func TestRetryPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newStub(answers(http.StatusBadGateway, ""))
		_, err := newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = time.Hour }).List(t.Context(), Assessments, "")
		_ = as[*Error](t, err)
		seen := network.arrivals()
		for i, a := range seen[1:] {
			most := min(firstPause<<min(i, 10), longestPause)
			if pause := a.at.Sub(seen[i].at); pause < most/2 || pause > most {
				t.Errorf("pause %d took %s, want between %s and %s", i+1, pause, most/2, most)
			}
		}
	})
}

// TestRetryAfter checks that Retry-After is followed up to a minute, except after a
// 429, when the throttle waits. 0 means that the header has no effect.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "6.5": 7 * time.Second, "3600": time.Minute,
		"9223372036854775807": time.Minute, "-5": 0, "0": 0, "soon": 0, "NaN": 0, "": 0,
		"Sat, 21 Nov 2026 08:00:09 GMT": 9 * time.Second, "Sun, 21 Nov 2027 08:00:00 GMT": time.Minute,
		"Sat, 21 Nov 2026 07:00:00 GMT": 0,
	} {
		for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
			synctest.Test(t, func(t *testing.T) {
				network := newStub(answers(status, "", "Retry-After", header, "Date", "Sat, 21 Nov 2026 08:00:00 GMT"),
					answers(http.StatusOK, "[]"))
				if _, err := newClient(t, network).List(t.Context(), Assessments, ""); err != nil {
					t.Fatal(err)
				}
				least, most := want, want
				if want == 0 || status == http.StatusTooManyRequests {
					least, most = firstPause/2, firstPause
				}
				seen := network.arrivals()
				if pause := seen[1].at.Sub(seen[0].at); pause < least || pause > most {
					t.Errorf("%d with Retry-After %q: waited %s, want %s to %s", status, header, pause, least, most)
				}
			})
		}
	}
}

// TestObservation checks what a log entry may contain: no ID, no header, no body.
func TestObservation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []Observation
		network := newStub(
			takes(time.Second, answers(http.StatusBadGateway, "secret words")),
			takes(2*time.Second, answers(http.StatusOK, "<p>secret words</p>")),
			takes(3*time.Second, answers(http.StatusFound, "", "Location", "/v2/positions/pos-private/assessments/pas-1")),
			takes(4*time.Second, answers(http.StatusOK, wireFile(t, "added.json"))),
		)
		c := newClient(t, network, func(cfg *Config) {
			observe := func(_ context.Context, o Observation) { seen = append(seen, o) }
			cfg.Transport = &Attempt{Next: network, Timeout: requestTimeout, Observe: observe}
		})
		if _, err := c.PositionAssessments().Read(t.Context(), "pos-private", "pas-1"); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 4 {
			t.Fatalf("%d observations", len(seen))
		}
		for i, want := range []Observation{
			{Status: 502, Attempt: 1}, {Status: 0, Attempt: 2}, {Status: 302, Attempt: 3}, {Status: 200, Attempt: 3},
		} {
			o := seen[i]
			if o.Status != want.Status || o.Attempt != want.Attempt || o.Method != "GET" ||
				o.Route != positionAssessments.oneRoute() ||
				o.Took != time.Duration(i+1)*time.Second {
				t.Errorf("observed %+v", o)
			}
			if (o.Err != nil) != (want.Status == 0) || o.Err != nil && strings.Contains(o.Err.Error(), "secret") {
				t.Errorf("observed the error %v", o.Err)
			}
		}
	})
}

// An address that cannot be sent is an error at once, because repeating it changes nothing.
func TestAddressThatCannotBeSent(t *testing.T) {
	t.Parallel()
	base, err := ParseBaseURL("https://[fe80::1%25eth0]/v1")
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.Virtual(t, "zone", func(t *testing.T) {
		c := New(Config{
			BaseURL: base, ClientID: "id", APIKey: "key", RetryTimeout: 5 * time.Minute,
			Transport: &Attempt{Next: newStub(answers(http.StatusOK, "[]")), Timeout: time.Minute},
		})
		start := time.Now()
		if _, err := c.List(t.Context(), Assessments, ""); err == nil || time.Since(start) > 0 {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}
