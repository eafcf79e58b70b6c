// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fourAtOnce runs n calls in the way of Terraform, four at once, and returns their errors.
func fourAtOnce(n int, call func(i int) error) []error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				errs[i-1] = call(int(i))
			}
		})
	}
	workers.Wait()
	return errs
}

// The service rejects the key in the middle of an apply: at most one request for each call in progress gets a 401, one
// error is whole, and the others refer to it. A new run sends requests again.
func TestKeyIsRevoked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
			time.Sleep(50 * time.Millisecond)
			if requests.Add(1) <= 60 {
				return responds(201, attached)(req)
			}
			return responds(401, `{"message":"unknown key"}`)(req)
		}))
		attach := func(int) error {
			_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
			return err
		}
		errs := fourAtOnce(120, attach)
		const want = "POST /positions/{position}/assessments: 401 Unauthorized: unknown key"
		first := c.Ended()
		if n := requests.Load(); n > 64 || first == nil || first.Error() != want {
			t.Fatalf("%d requests, and the run has ended with %v", n, first)
		}
		whole, short := 0, 0
		for _, err := range errs {
			switch fmt.Sprint(err) {
			case want:
				whole++
			case "POST /positions/{position}/assessments: stopped, because the run has ended: " + want:
				short++
			}
		}
		if whole != 1 || short != 59 {
			t.Errorf("%d whole errors, and %d refer to the first one", whole, short)
		}
		sent := requests.Load()
		c.Reset()
		if err := attach(0); OutcomeOf(err) != Rejected || requests.Load() != sent+1 {
			t.Errorf("%d requests of the new run: %v", requests.Load()-sent, err)
		}
	})
}

// The service goes down in the middle of an apply. All calls wait for its end together, so the run ends after
// retry_timeout. A call that was not sent refers to the error that has ended the run.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]step{
		"503": responds(503, "down"), "rejected": rejectsConnection(), "maintenance page": unsigned(200, "<p>back soon</p>"),
	} {
		virtual(t, name, func(t *testing.T) {
			var requests atomic.Int64
			c := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
				if requests.Add(1) <= 60 {
					time.Sleep(50 * time.Millisecond)
					return responds(200, attached)(req)
				}
				return down(req)
			}))
			start := time.Now()
			errs := fourAtOnce(120, func(i int) error { return operations[i%2].run(t.Context(), c) }) // GET and PUT
			if took := time.Since(start); took > retryTimeout+20*time.Second || c.Ended() == nil {
				t.Fatalf("it took %s, want retry_timeout once, and the run has ended with %v", took, c.Ended())
			}
			refer := 0
			for _, err := range errs {
				e, _ := errors.AsType[*Error](err)
				if e != nil && e.Attempts == 0 && (e.First != c.Ended() || e.Outcome != Stopped) {
					t.Errorf("outcome %d of a call that sent nothing: %v", e.Outcome, err)
				}
				if e != nil && e.First != nil {
					refer++
				}
			}
			if refer < 25 {
				t.Errorf("only %d errors refer to the error that has ended the run", refer)
			}
		})
	}
}

// While other requests succeed, a request that fails again and again ends nothing, also if none succeeds between its
// only attempt and its end. If no other request succeeds, that is an outage, also without a second attempt.
func TestFailingRouteIsNoOutage(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step         step
		retryTimeout time.Duration
		isOutage     bool // if no other request succeeds
	}{
		"503":                       {responds(503, ""), retryTimeout, true},
		"a slow response, no retry": {takes(time.Hour, nil), 0, true},
		"a hold":                    {responds(429, "", "Retry-After", "180"), 2 * time.Minute, false},
	} {
		virtual(t, name, func(t *testing.T) {
			c := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
				if strings.Contains(req.URL.Path, "/results") {
					return row.step(req)
				}
				return responds(200, "[]")(req)
			}), func(cfg *Config) { cfg.RetryTimeout = row.retryTimeout })
			read := func() { _, _ = c.Assessments(t.Context()) }
			read()
			defer time.AfterFunc(time.Second, read).Stop()
			_, err := c.Results(t.Context(), "p", nil, nil)
			if e := as[*Error](t, err); e.First != nil || e.Outcome != Unknown || c.Ended() != nil {
				t.Errorf("%v after %d attempts, and the run has ended with %v", err, e.Attempts, c.Ended())
			}
			alone := newClient(t, newStub(row.step), func(cfg *Config) { cfg.RetryTimeout = row.retryTimeout })
			_, err = alone.Results(t.Context(), "p", nil, nil)
			if isOutage := alone.Ended() != nil; isOutage != row.isOutage {
				t.Errorf("without other requests, it is an outage: %t: %v", isOutage, err)
			}
		})
	}
}

// The end of the run ends a call that waits for a slot, and one that pauses, at once.
func TestEndOfRunEndsWaits(t *testing.T) {
	t.Parallel()
	for name, acquire := range map[string]Acquire{
		"slot": func(ctx context.Context, _ Limits) (func(time.Duration), error) {
			<-ctx.Done() // the limits are used up
			return nil, ctx.Err()
		},
		"pause": nil,
	} {
		virtual(t, name, func(t *testing.T) {
			c := newClient(t, newStub(responds(503, "", "Retry-After", "60")), func(cfg *Config) { cfg.Acquire = acquire })
			first := &Error{Status: 401}
			start := time.Now()
			time.AfterFunc(time.Second, func() { _ = c.run.Load().breaker.open(first) })
			_, err := c.Assessments(t.Context())
			since(t, start, time.Second)
			if as[*Error](t, err).First != first {
				t.Error(err)
			}
		})
	}
}

// If the call is interrupted while its slot is granted, nothing is sent, and the slot is given back.
func TestUnusedSlot(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	released, network := 0, newStub(responds(200, attached))
	c := newClient(t, network, func(cfg *Config) {
		cfg.Acquire = func(context.Context, Limits) (func(time.Duration), error) {
			cancel(errors.New("terraform was interrupted"))
			return func(time.Duration) { released++ }, nil
		}
	})
	for range 2 { // the second call asks for no slot
		_, err := c.Attach(ctx, "p", "asm-1", Configuration{})
		if OutcomeOf(err) != Stopped || !strings.HasSuffix(err.Error(), "terraform was interrupted") ||
			released != 1 || len(network.arrivals()) != 0 {
			t.Errorf("%d slots released, %d requests: %v", released, len(network.arrivals()), err)
		}
	}
}

// A limiter that is not available ends the run.
func TestLimiterIsLost(t *testing.T) {
	t.Parallel()
	network := newStub(responds(200, "[]"))
	reason := errors.New("Redis at redis.example.com does not answer")
	c := newClient(t, network, func(cfg *Config) {
		cfg.Acquire = func(context.Context, Limits) (func(time.Duration), error) { return nil, reason }
	})
	_, first := c.Assessments(t.Context())
	_, second := c.Attach(t.Context(), "p", "asm-1", Configuration{})
	if e := as[*Error](t, first); !errors.Is(first, reason) || e.Outcome != Stopped || c.Ended() != e {
		t.Errorf("%+v", e)
	}
	if e := as[*Error](t, second); e.First != c.Ended() || len(network.arrivals()) != 0 {
		t.Errorf("%+v after %d requests", e, len(network.arrivals()))
	}
}
