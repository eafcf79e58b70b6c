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
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// interrupted returns a context that is canceled after a second, as by Ctrl-C.
func interrupted(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(time.Second, cancel)
	t.Cleanup(func() { timer.Stop(); cancel() })
	return ctx
}

// TestInterruptFinishesWrites checks that a write that was already sent is finished and
// returns its response.
func TestInterruptFinishesWrites(t *testing.T) {
	t.Parallel()
	for _, op := range operations[1:] {
		synctest.Test(t, func(t *testing.T) {
			service, c := newSandbox(
				t,
				sandboxtest.Options{Latency: 10 * time.Second, Options: sandbox.Options{Seed: smallState}},
			)
			start := time.Now()
			if err := op.run(interrupted(t), c); err != nil {
				t.Errorf("%s: %v", op.method, err)
			}
			since(t, start, 10*time.Second)
			if n := service.Count(op.method, ""); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// TestInterruptEndsReads checks that an interrupt ends a read at once.
func TestInterruptEndsReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c := newSandbox(t, sandboxtest.Options{Latency: 10 * time.Second})
		start := time.Now()
		_, err := c.Assessments(interrupted(t))
		since(t, start, time.Second)
		if broken := as[*CallError](t, err); !errors.Is(broken.Err, context.Canceled) || broken.Attempts != 1 {
			t.Errorf("the error is %+v", broken)
		}
	})
}

// TestInterruptEndsWaits checks that an interrupt ends a wait at once. A request that
// was never sent, or that the service refused unread, is not a lost response.
func TestInterruptEndsWaits(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][]step{
		"for a connection":                    {connects()},
		"for a connection after two refusals": {refuses(), refuses(), connects()},
		"after a refused connection":          {refuses()},
		"after a 429":                         {answers(http.StatusTooManyRequests, "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, op := range operations {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					err := op.run(interrupted(t), newClient(t, newStub(steps...)))
					since(t, start, time.Second)
					broken := as[*CallError](t, err)
					var lost *LostError
					if !errors.Is(err, context.Canceled) || broken.Sent || errors.As(err, &lost) {
						t.Errorf("%s: the error is a %T, %+v", op.method, err, broken)
					}
				})
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := newClient(t, newStub(answers(http.StatusServiceUnavailable, ""))).Assessments(interrupted(t))
		since(t, start, time.Second)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "before that: ") ||
			!strings.Contains(err.Error(), "503") {
			t.Errorf("after a 503: %v", err)
		}
	})
}

// TestInterruptDuringARefusal checks that an interrupt that arrives together with a refusal
// is reported as one. Without the interrupt, the request would have been sent again.
func TestInterruptDuringARefusal(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			_, err := newClient(t, newStub(func(req *http.Request) (*http.Response, error) {
				interrupt()
				return answers(status, "")(req)
			})).Assessments(ctx)
			broken := as[*CallError](t, err)
			if !errors.Is(err, context.Canceled) || broken.Address == "" ||
				!strings.Contains(err.Error(), strconv.Itoa(status)) {
				t.Errorf("%d: %+v", status, err)
			}
		})
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

// TestInterruptIsBounded checks that a write without a response ends after
// request_timeout and is not sent again. If the write fails, the error says how.
func TestInterruptIsBounded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		step  step
		after time.Duration
		text  string
	}{
		"no answer": {takes(time.Hour, nil), requestTimeout, "no answer within 30s"},
		"a reset":   {takes(2*time.Second, breaks(errors.New("reset"))), 2 * time.Second, "reset"},
		"a 503":     {takes(2*time.Second, answers(http.StatusServiceUnavailable, "down")), 2 * time.Second, "503 Service Unavailable: down"},
		"a 429": {takes(2*time.Second, answers(http.StatusTooManyRequests, "")), 2 * time.Second, "429 Too Many " +
			"Requests"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, op := range operations[1:] {
				synctest.Test(t, func(t *testing.T) {
					start, network := time.Now(), newStub(tc.step)
					err := op.run(interrupted(t), newClient(t, network))
					since(t, start, tc.after)
					if n := len(network.arrivals()); n != 1 {
						t.Errorf("%s: %d requests, want 1", op.method, n)
					}
					var lost *LostError
					if got, want := errors.As(err, &lost), op.method == http.MethodPost && name != "a 429"; got != want {
						t.Errorf("%s: lost %t, want %t: %v", op.method, got, want, err)
					}
					if err == nil || len(err.Error()) < len(tc.text) || err.Error()[len(err.Error())-len(tc.text):] != tc.text {
						t.Errorf("%s: %v, want %s", op.method, err, tc.text)
					}
				})
			}
		})
	}
}

// TestRetryTimeoutFinishesWrites checks that the end of retry_timeout does not
// interrupt a write either.
func TestRetryTimeoutFinishesWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, c := newSandbox(
			t,
			sandboxtest.Options{Latency: 20 * time.Second},
			func(cfg *Config) { cfg.RetryTimeout = 5 * time.Second },
		)
		if _, err := c.AddAssessment(t.Context(), "pos-backend-london", "asm-lumen", Metadata{}); err != nil {
			t.Error(err)
		}
		if n := service.Count(http.MethodPost, ""); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		start := time.Now()
		_, err := c.Assessments(t.Context())
		since(t, start, 5*time.Second)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a read ended with %v", err)
		}
	})
}

// TestHoldOutlastsRetryTimeout checks a POST that gets a 429 and then waits for the
// throttle until retry_timeout. That is a refusal, not a lost response. The same
// applies if the wait is interrupted.
func TestHoldOutlastsRetryTimeout(t *testing.T) {
	t.Parallel()
	throttled := func(network http.RoundTripper) func(*Config) {
		return func(cfg *Config) {
			cfg.Transport = throttle.New(throttle.Config{
				Next: &Attempt{Next: network, Timeout: requestTimeout}, MaxInFlight: requestTimeout + time.Second,
				Windows: func(*http.Request) []throttle.Window { return keyWindows },
			})
			cfg.Timeout, cfg.RetryTimeout = throttle.WithTimeout, 2*time.Minute
		}
	}
	for _, op := range operations {
		synctest.Test(t, func(t *testing.T) {
			start, network := time.Now(), newStub(answers(http.StatusTooManyRequests, "slow down", "Retry-After", "3600"))
			err := op.run(t.Context(), newClient(t, nil, throttled(network)))
			since(t, start, 2*time.Minute)
			var lost *LostError
			if refused := as[*Error](
				t,
				err,
			); errors.As(err, &lost) || refused.Status != 429 || refused.Attempts != 1 ||
				refused.Elapsed != 2*time.Minute {
				t.Errorf("%s: %T %+v", op.method, err, refused)
			}
			if n := len(network.arrivals()); n != 1 {
				t.Errorf("%s: %d requests, want 1", op.method, n)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			start, network := time.Now(), newStub(answers(http.StatusTooManyRequests, "slow down", "Retry-After", "3600"))
			err := op.run(interrupted(t), newClient(t, nil, throttled(network)))
			since(t, start, time.Second)
			var lost *LostError
			if broken := as[*CallError](t, err); errors.As(err, &lost) || broken.Sent || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %T %+v", op.method, err, broken)
			}
		})
	}
}
