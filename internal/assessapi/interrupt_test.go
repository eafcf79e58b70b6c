// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// interrupted returns a context that is canceled after a second, as by Ctrl-C.
func interrupted(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(time.Second, cancel)
	t.Cleanup(func() { timer.Stop(); cancel() })
	return ctx
}

// TestInterruptEndsWaits checks that an interrupt ends a wait at once. A request that
// was never sent, or that the service refused unread, is not a lost response.
func TestInterruptEndsWaits(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		steps  []step
		before string // the end of the error
	}{
		"for a connection":                    {[]step{connects()}, "context canceled"},
		"for a connection after two refusals": {[]step{refuses(), refuses(), connects()}, "connection refused)"},
		"after a refused connection":          {[]step{refuses()}, "(before that: dial tcp: connect: connection refused)"},
		"after a 429":                         {[]step{answers(429, "")}, "429 Too Many Requests)"},
	} {
		for _, op := range operations {
			sandboxtest.Virtual(t, name+"/"+op.method, func(t *testing.T) {
				start := time.Now()
				err := op.run(interrupted(t), newClient(t, newStub(row.steps...)))
				since(t, start, time.Second)
				broken := as[*CallError](t, err)
				if !errors.Is(err, context.Canceled) || broken.Sent || isLost(err) || !strings.HasSuffix(err.Error(), row.before) {
					t.Errorf("the error is a %T, %+v", err, broken)
				}
			})
		}
	}
}

// TestInterruptDuringARefusal checks that an interrupt that arrives together with a refusal, or in the pause after it,
// is reported as one. Without the interrupt, the request would have been sent again.
func TestInterruptDuringARefusal(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		for _, pause := range []time.Duration{0, time.Second} {
			synctest.Test(t, func(t *testing.T) {
				ctx, interrupt := context.WithCancel(t.Context())
				_, err := newClient(t, newStub(func(req *http.Request) (*http.Response, error) {
					if time.AfterFunc(pause, interrupt); pause == 0 {
						<-ctx.Done()
					}
					return answers(status, "")(req)
				})).List(ctx, Assessments, "")
				broken := as[*CallError](t, err)
				if !errors.Is(err, context.Canceled) || broken.Address != sandbox.BaseURL+"/assessments" ||
					!strings.Contains(err.Error(), "before that: ") || !strings.Contains(err.Error(), strconv.Itoa(status)) {
					t.Errorf("%d: %+v", status, err)
				}
			})
		}
	}
}

// TestInterruptBefore checks that no request is sent if the caller is already canceled.
func TestInterruptBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, op := range operations {
		network := newStub(answers(http.StatusOK, "{}"))
		err := op.run(ctx, newClient(t, network))
		if broken := as[*CallError](t, err); !errors.Is(err, context.Canceled) || broken.Sent || len(network.arrivals()) > 0 {
			t.Errorf("%s: %v after %d requests", op.method, err, len(network.arrivals()))
		}
	}
}

// TestRetryTimeoutFinishesWrites checks that the end of retry_timeout does not
// interrupt a write either.
func TestRetryTimeoutFinishesWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, c := newSandbox(t, sandboxtest.Options{Latency: 20 * time.Second},
			func(cfg *Config) { cfg.RetryTimeout = 5 * time.Second })
		pas := c.PositionAssessments()
		if _, err := pas.Create(t.Context(), "pos-backend-london", PositionAssessment{AssessmentID: "asm-lumen"}); err != nil {
			t.Error(err)
		}
		if n := service.Count(http.MethodPost, ""); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		start := time.Now()
		_, err := c.List(t.Context(), Assessments, "")
		since(t, start, 5*time.Second)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a read ended with %v", err)
		}
	})
}

// TestInterruptDuringAnAttempt checks that an interrupt ends a read at once. A write that
// was already sent is finished, bounded by request_timeout, and not sent again.
func TestInterruptDuringAnAttempt(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step  step
		after time.Duration
		fails string // the end of the error of a write, "" if it succeeds
	}{
		"success":   {takes(10*time.Second, answers(http.StatusOK, `{"id":"pas-there"}`)), 10 * time.Second, ""},
		"no answer": {takes(time.Hour, nil), requestTimeout, "no answer within 30s"},
		"a reset":   {takes(2*time.Second, breaks(errors.New("reset"))), 2 * time.Second, "reset"},
		"a 503":     {takes(2*time.Second, answers(503, "down")), 2 * time.Second, "503 Service Unavailable: down"},
		"a 429":     {takes(2*time.Second, answers(429, "")), 2 * time.Second, "429 Too Many Requests"},
	} {
		for _, op := range operations {
			sandboxtest.Virtual(t, name+"/"+op.method, func(t *testing.T) {
				start, network := time.Now(), newStub(row.step)
				err := op.run(interrupted(t), newClient(t, network))
				if n := len(network.arrivals()); n != 1 {
					t.Errorf("%d requests, want 1", n)
				}
				if op.method == http.MethodGet {
					since(t, start, time.Second)
					if broken := as[*CallError](t, err); !errors.Is(broken.Err, context.Canceled) {
						t.Errorf("the read ended with %+v", broken)
					}
					return
				}
				since(t, start, row.after)
				if (err == nil) != (row.fails == "") || err != nil && !strings.HasSuffix(err.Error(), row.fails) {
					t.Errorf("%v, want %s", err, row.fails)
				}
				want := op.method == http.MethodPost && err != nil && name != "a 429"
				if got := isLost(err); got != want {
					t.Errorf("lost %t, want %t: %v", got, want, err)
				}
			})
		}
	}
}
