// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
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
		_, err := c.PositionAssessment(ctx, "pos-backend-london", "pas-there")
		return err
	}},
	{http.MethodPut, func(ctx context.Context, c *Client) error {
		_, err := c.UpdatePositionAssessment(ctx, "pos-backend-london", "pas-there", "asm-lumen", Metadata{})
		return err
	}},
	{http.MethodDelete, func(ctx context.Context, c *Client) error {
		return c.RemovePositionAssessment(ctx, "pos-backend-london", "pas-there")
	}},
	{http.MethodPost, func(ctx context.Context, c *Client) error {
		_, err := c.AddAssessment(ctx, "pos-backend-london", "asm-tally", Metadata{})
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

var noLocation = http.Header{"Location": {""}}

// Outcomes for GET, PUT, DELETE, and POST.
var (
	onlyPostIsLost = [4]outcome{again, again, again, lost}
	allAgain       = [4]outcome{again, again, again, again}
	allRefused     = [4]outcome{refusal, refusal, refusal, refusal}
	allAccepted    = [4]outcome{accept, accept, accept, accept}
)

// faults is the retry policy: the outcomes of one fault.
var faults = []struct {
	name  string
	fault fault
	want  [4]outcome
}{
	{"500", fault{Status: 500}, onlyPostIsLost},
	{"502", fault{Status: 502}, onlyPostIsLost},
	{"503", fault{Status: 503}, onlyPostIsLost},
	{"504", fault{Status: 504}, onlyPostIsLost},
	{"HTML 502", fault{Status: 502, Body: []byte("<html><body>Bad Gateway</body></html>")}, onlyPostIsLost},
	{"502 after the effect", fault{Status: 502, When: after}, onlyPostIsLost},
	{"429 with Retry-After", fault{Status: 429, Header: http.Header{"Retry-After": {"2"}}}, allAgain},
	{"429 without", fault{Status: 429}, allAgain},
	{"400", fault{Status: 400}, allRefused},
	{"401", fault{Status: 401}, allRefused},
	{"403", fault{Status: 403}, allRefused},
	{"404", fault{Status: 404}, allRefused},
	{"408", fault{Status: 408}, onlyPostIsLost},
	{"499", fault{Status: 499}, [4]outcome{refusal, refusal, refusal, lost}},
	{"425", fault{Status: 425}, [4]outcome{again, again, again, refusal}},
	{"520", fault{Status: 520}, onlyPostIsLost},
	{"523", fault{Status: 523}, onlyPostIsLost},
	{"409", fault{Status: 409}, allRefused},
	{"410", fault{Status: 410}, allRefused},
	{"501", fault{Status: 501}, [4]outcome{refusal, refusal, refusal, lost}},
	{"302 to nowhere", fault{Status: 302}, allRefused},
	{"302 to no address", fault{Status: 302, Header: http.Header{"Location": {"http://[::1"}}}, allRefused},
	{
		"302 elsewhere",
		fault{Status: 302, Header: http.Header{"Location": {"https://elsewhere.example/"}}},
		[4]outcome{failure, refusal, refusal, refusal},
	},
	{"connection refused", fault{Refuse: true}, allAgain},
	{"reset before the effect", fault{Reset: true}, onlyPostIsLost},
	{"reset after the effect", fault{Reset: true, When: after}, onlyPostIsLost},
	{"hung up before the effect", fault{Hangup: true}, onlyPostIsLost},
	{"hung up after the effect", fault{Hangup: true, When: after}, onlyPostIsLost},
	{"body cut short", fault{CutBody: true, Status: 200, When: after, Body: []byte(`{"id":"pas-there"}`)}, onlyPostIsLost},
	{"garbage", fault{Status: 200, When: after, Header: noLocation, Body: []byte("\x00\xfegarbage")}, [4]outcome{again, accept, accept, lost}},
	{"HTML 200", fault{Status: 200, When: after, Header: noLocation, Body: []byte("<p>Sign in</p>")}, [4]outcome{again, accept, accept, lost}},
	{
		"empty body",
		fault{Status: 200, When: after, Header: noLocation, Body: []byte{}},
		[4]outcome{again, accept, accept, lost},
	},
	{"wrong content type", fault{When: after, Header: http.Header{"Content-Type": {"text/plain"}}}, allAccepted},
	{"slow header", fault{Delay: requestTimeout + time.Second}, onlyPostIsLost},
	{"slow header after the effect", fault{Delay: requestTimeout + time.Second, When: after}, onlyPostIsLost},
	{"header just in time", fault{Delay: requestTimeout - time.Second}, allAccepted},
}

// TestRetryPolicy applies each fault once to each method.
func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	for _, tc := range faults {
		for i, op := range operations {
			sandboxtest.Virtual(t, tc.name+"/"+op.method, func(t *testing.T) {
				attempts := 0
				service := sandboxtest.NewService(t,
					sandboxtest.Options{Options: sandbox.Options{NoLimits: true, Seed: smallState}})
				c := newClient(t, nil, func(cfg *Config) {
					cfg.Transport = &Attempt{
						Next:    service,
						Timeout: requestTimeout,
						Observe: func(context.Context, Observation) { attempts++ },
					}
				})
				service.Inject(tc.fault)
				err := op.run(t.Context(), c)
				checkOutcome(t, op.method, tc.fault, tc.want[i], attempts, err)
			})
		}
	}
}

func checkOutcome(t *testing.T, method string, fault sandboxtest.Fault, want outcome, attempts int, err error) {
	t.Helper()
	wantAttempts := 1
	var (
		refused *Error
		broken  *CallError
		gone    *LostError
	)
	switch want {
	case again:
		wantAttempts = 2
		removed := method == http.MethodDelete && fault.When == sandboxtest.AfterEffect && IsNotFound(err)
		if err != nil && !removed {
			t.Errorf("the second attempt ended with %v", err)
		}
	case accept:
		if err != nil {
			t.Errorf("the response was not accepted: %v", err)
		}
	case refusal:
		if fault.Status == http.StatusForbidden && method == http.MethodGet {
			wantAttempts = 2 // another request finds out whether the key is refused
		}
		if !errors.As(err, &refused) || refused.Status != fault.Status || refused.Attempts != 1 || errors.As(err, &gone) {
			t.Errorf("the error is a %T: %v", err, err)
		}
	case failure:
		if !errors.As(err, &broken) || broken.Attempts != 1 || errors.As(err, &gone) {
			t.Errorf("the error is a %T: %v", err, err)
		}
	case lost:
		unanswered := fault.Status == 0 || fault.CutBody || fault.Status >= 408
		settles := map[bool]time.Duration{true: requestTimeout}[unanswered]
		if !errors.As(err, &gone) || gone.Settles != settles {
			t.Errorf("the error is a %T: %v, %+v", err, err, gone)
		}
	}
	if attempts != wantAttempts {
		t.Errorf("%d attempts, want %d", attempts, wantAttempts)
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
		var lost *LostError
		if broken := as[*CallError](t, err); !errors.Is(err, errTooLarge) || broken.Attempts != 1 {
			t.Errorf("%v after %d attempts", err, broken.Attempts)
		}
		if errors.As(err, &lost) != (operations[op].method == http.MethodPost) {
			t.Errorf("%s: the error is a %T", operations[op].method, err)
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
		"an answer": {answers(http.StatusServiceUnavailable, "closed for today", "Conversation-Id", "conv-7"), "GET /assessments: 503 Service Unavailable: closed for today"},
		"429": {answers(http.StatusTooManyRequests, "slow down"), "GET /assessments: 429 Too Many " +
			"Requests: slow down"},
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
			attempts, elapsed := effort(t, err)
			if sent := len(network.arrivals()); attempts != sent || sent < 5 || elapsed != took {
				t.Errorf("the error says %d attempts in %s, want %d in %s", attempts, elapsed, sent, took)
			}
		})
	}
}

// effort returns the number of attempts and the time in an error.
func effort(t *testing.T, err error) (int, time.Duration) {
	t.Helper()
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Attempts, refused.Elapsed
	}
	broken := as[*CallError](t, err)
	return broken.Attempts, broken.Elapsed
}
