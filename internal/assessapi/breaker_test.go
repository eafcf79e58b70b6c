// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// all runs calls in the way of Terraform: four at once, until n calls have returned. It returns their errors.
func all(n int, call func(i int) error) []error {
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

// TestKeyIsRevoked lets the service reject the key in the middle of an apply of 120: at most one request for each call
// in progress gets a 401, one message is whole, and the others refer to it.
func TestKeyIsRevoked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var requests, rejected atomic.Int64
		c := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
			time.Sleep(50 * time.Millisecond)
			if requests.Add(1) <= 60 {
				return responds(201, attached)(req)
			}
			rejected.Add(1)
			return responds(401, `{"message":"unknown key","conversationId":"conv-9"}`)(req)
		}))
		errs := all(120, func(int) error {
			_, err := c.Attach(t.Context(), "p", "asm-1", Configuration{})
			return err
		})
		if n := rejected.Load(); n > 4 || requests.Load() > 64 {
			t.Errorf("%d requests got a 401, %d were sent", n, requests.Load())
		}
		first := c.Ended()
		const want = "POST /positions/{position}/assessments: 401 Unauthorized: unknown key"
		if first == nil || first.Error() != want || first.ConversationID != "conv-1" {
			t.Fatalf("the run has ended with %v", first)
		}
		whole, short := 0, 0
		for _, err := range errs {
			switch e, failed := errors.AsType[*Error](err); {
			case !failed:
			case e == first:
				whole++
			case e.First == first && e.Outcome == Stopped &&
				err.Error() == "POST /positions/{position}/assessments: stopped, because the run has ended: "+want:
				short++
			default:
				t.Errorf("outcome %d: %v", e.Outcome, err)
			}
		}
		if whole != 1 || short != 59 {
			t.Errorf("%d whole errors, and %d refer to the first one", whole, short)
		}
	})
}

// TestOutage lets the service go down in the middle of an apply of 120. All calls wait for its end together, and once.
// Only what was sent and may have had an effect has an error of its own.
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
			errs := all(120, func(i int) error { return operations[i%2].run(t.Context(), c) }) // GET and PUT
			if took := time.Since(start); took > retryTimeout+20*time.Second {
				t.Errorf("it took %s, want retry_timeout once", took)
			}
			ended := c.Ended()
			if ended == nil {
				t.Fatal("the run goes on")
			}
			waited := 0
			for _, err := range errs {
				e, failed := errors.AsType[*Error](err)
				unsent := failed && (e.Attempts == 0 || e.Method == http.MethodGet || name == "rejected")
				switch {
				case !failed, e == ended:
				case e.First == ended && (e.Outcome == Stopped) == unsent:
				case e.First == nil && e.Elapsed == retryTimeout: // failed before the last success of another call
					waited++
				case e.First == nil && e.Method == http.MethodPut && e.Outcome == Unknown && name == "maintenance page":
				default:
					t.Errorf("outcome %d after %d attempts: %v", e.Outcome, e.Attempts, err)
				}
			}
			if waited > 3 {
				t.Errorf("%d calls have an error of their own", waited)
			}
		})
	}
}

// An outage that is shorter than retry_timeout fails no call.
func TestOutageEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
			if since := time.Since(start); since > time.Second && since < 4*time.Minute {
				return unsigned(503, "")(req)
			}
			time.Sleep(50 * time.Millisecond)
			return responds(200, attached)(req)
		}))
		for _, err := range all(120, func(i int) error { return operations[i%3].run(t.Context(), c) }) {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// While other requests succeed, a failing one ends nothing, also if none succeeds between its only attempt and its end.
func TestFailingRouteIsNoOutage(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step         step
		retryTimeout time.Duration
	}{
		"503":                       {responds(503, ""), retryTimeout},
		"a slow response":           {takes(time.Hour, nil), requestTimeout},
		"a slow response, no retry": {takes(time.Hour, nil), 0},
		"429":                       {responds(429, "", "Retry-After", "180"), 2 * time.Minute},
		"429, no retry":             {responds(429, ""), 0},
	} {
		virtual(t, name, func(t *testing.T) {
			c := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
				if strings.Contains(req.URL.Path, "/results") {
					return row.step(req)
				}
				return responds(200, "[]")(req)
			}), func(cfg *Config) { cfg.RetryTimeout = row.retryTimeout })
			read := func() {
				if _, err := c.Assessments(t.Context()); err != nil {
					t.Error(err)
				}
			}
			read()
			defer time.AfterFunc(time.Second, read).Stop()
			_, err := c.Results(t.Context(), "p", nil, nil)
			if e := as[*Error](t, err); e.First != nil || e.Outcome != Unknown || c.Ended() != nil {
				t.Errorf("%v after %d attempts, and the run has ended with %v", err, e.Attempts, c.Ended())
			}
			read()
		})
	}
}

// An outage is found also if no call is repeated: all requests are too slow, or are held after a 429.
func TestOutageOfSingleAttempts(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step step
		most time.Duration
	}{
		"slow": {takes(time.Hour, nil), requestTimeout},
		"429":  {responds(429, "", "Retry-After", "180"), 180 * time.Second},
	} {
		virtual(t, name, func(t *testing.T) {
			limiter := &slots{}
			c := newClient(t, newStub(row.step), func(cfg *Config) {
				cfg.RetryTimeout = requestTimeout
				cfg.Acquire = limiter.acquire
			})
			start := time.Now()
			for range 5 {
				_, err := c.Assessments(t.Context())
				_ = as[*Error](t, err)
			}
			since(t, start, row.most)
			if c.Ended() == nil {
				t.Error("the run goes on")
			}
		})
	}
}

// A run that ends while a call waits for a slot, or pauses, ends that call at once.
func TestEndOfRunEndsWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		acquire := func(ctx context.Context, _ Limits) (func(time.Duration), error) {
			if n.Add(1) > 2 {
				<-ctx.Done() // the limits are used up
				return nil, ctx.Err()
			}
			return func(time.Duration) {}, nil
		}
		c := newClient(t, roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/v1/assessments" {
				return takes(100*time.Millisecond, responds(401, ""))(req)
			}
			return responds(503, "", "Retry-After", "60")(req)
		}), func(cfg *Config) { cfg.Acquire = acquire })
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Positions(t.Context(), nil); as[*Error](t, err).First == nil { // pauses
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if _, err := c.Assessments(t.Context()); as[*Error](t, err).Status != 401 {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if _, err := c.Results(t.Context(), "p", nil, nil); as[*Error](t, err).First == nil { // waits for a slot
				t.Error(err)
			}
		})
		wg.Wait()
		since(t, start, 100*time.Millisecond)
	})
}

// A slot that is granted when nothing must be sent any more is given back.
func TestUnusedSlot(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Client, context.CancelFunc){
		"interrupt":  func(_ *Client, cancel context.CancelFunc) { cancel() },
		"end of run": func(c *Client, _ context.CancelFunc) { _ = c.run.Load().breaker.open(&Error{}) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var c *Client
		released, network := 0, newStub(responds(200, attached))
		c = newClient(t, network, func(cfg *Config) {
			cfg.Acquire = func(context.Context, Limits) (func(time.Duration), error) {
				end(c, cancel)
				return func(time.Duration) { released++ }, nil
			}
		})
		_, err := c.Attach(ctx, "p", "asm-1", Configuration{})
		if OutcomeOf(err) != Stopped || released != 1 || len(network.arrivals()) != 0 {
			t.Errorf("%s: %d slots released, %d requests: %v", name, released, len(network.arrivals()), err)
		}
	}
}

// A limiter that is not available ends the run. The end of a context ends only its call.
func TestLimiterIsLost(t *testing.T) {
	t.Parallel()
	network := newStub(responds(200, "[]"))
	reason := errors.New("Redis at redis.example.com does not answer")
	c := newClient(t, network, func(cfg *Config) {
		cfg.Acquire = func(ctx context.Context, _ Limits) (func(time.Duration), error) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, reason
		}
	})
	_, first := c.Assessments(t.Context())
	if e := as[*Error](t, first); !errors.Is(first, reason) || e.Outcome != Stopped || c.Ended() != e {
		t.Errorf("%+v", e)
	}
	_, second := c.Attach(t.Context(), "p", "asm-1", Configuration{})
	if e := as[*Error](t, second); e.First != c.Ended() || e.Outcome != Stopped {
		t.Errorf("%+v", e)
	}
	if n := len(network.arrivals()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A new run sends requests again.
func TestReset(t *testing.T) {
	t.Parallel()
	network := newStub(responds(401, ""), responds(200, "[]"))
	c := newClient(t, network)
	if _, err := c.Assessments(t.Context()); as[*Error](t, err).Status != 401 {
		t.Error(err)
	}
	if _, err := c.Assessments(t.Context()); as[*Error](t, err).First == nil {
		t.Error(err)
	}
	c.Reset()
	if _, err := c.Assessments(t.Context()); err != nil || c.Ended() != nil || len(network.arrivals()) != 2 {
		t.Errorf("%v after %d requests", err, len(network.arrivals()))
	}
}
