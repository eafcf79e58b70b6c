// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// crowd reads 60 lists from ten goroutines, like core with its parallel calls. It returns how many of the errors
// were whole, and how many were short.
func crowd(t *testing.T, call func(i int) error) (whole, short int) {
	t.Helper()
	var next, wholes, shorts atomic.Int64
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for i := next.Add(1); i <= 60; i = next.Add(1) {
				if err := call(int(i)); errors.As(err, new(*RepeatedError)) {
					shorts.Add(1)
				} else if err != nil {
					wholes.Add(1)
				}
			}
		})
	}
	all.Wait()
	return int(wholes.Load()), int(shorts.Load())
}

// packages returns a call for a crowd.
func packages(t *testing.T, c *Client) func(i int) error {
	t.Helper()
	return func(i int) error {
		_, err := c.List(t.Context(), Packages, fmt.Sprint("asm-", i))
		return err
	}
}

// by answers a request with the step that choose returns.
func by(choose func(*http.Request) step) step {
	return func(req *http.Request) (*http.Response, error) { return choose(req)(req) }
}

// All calls together wait once for the end of an outage, and report it once. A mistake in the address is not tried for
// long, except if the address has worked before.
func TestOutageIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	dial := func(err error) step { return breaks(&net.OpError{Op: "dial", Net: "tcp", Err: err}) }
	unknown, failing := dial(&net.DNSError{IsNotFound: true}), dial(&net.DNSError{IsTemporary: true})
	const short, long = 10 * time.Second, retryTimeout - longestPause
	for name, row := range map[string]struct {
		fault              step
		retry, least, most time.Duration
		before             bool // whether the service has answered before
	}{
		"503":                          {gateway(503, "<html>"), short, short / 2, 25 * time.Second, false},
		"503 after an answer":          {gateway(503, ""), retryTimeout, long, retryTimeout + time.Minute, true},
		"a reset":                      {breaks(errors.New("reset")), short, short / 2, 25 * time.Second, false},
		"no answer":                    {takes(time.Hour, nil), short, short / 2, 90 * time.Second, false},
		"no answer after an answer":    {takes(time.Hour, nil), short, short / 2, 90 * time.Second, true},
		"refused":                      {refuses(), retryTimeout, mistakeTime / 2, 15 * time.Second, false},
		"unknown host":                 {unknown, retryTimeout, mistakeTime / 2, 15 * time.Second, false},
		"unknown host after an answer": {unknown, retryTimeout, long, retryTimeout + time.Minute, true},
		"no name server":               {failing, retryTimeout, long, retryTimeout + time.Minute, false},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			c := newClient(t, newStub(row.fault), func(cfg *Config) { cfg.RetryTimeout = row.retry })
			if row.before {
				c, _ = answering(t, []step{row.fault}, func(cfg *Config) { cfg.RetryTimeout = row.retry })
			}
			start := time.Now()
			whole, short := crowd(t, packages(t, c))
			if took := time.Since(start); took < row.least || took > row.most || whole != 1 || short != 59 {
				t.Errorf("%s, %d errors and %d short ones, want 1 and 59", took, whole, short)
			}
		})
	}
}

// If the shared budget is lost, the run says so once. A write that was sent before says what happened to it.
func TestLostBudgetIsReportedOnce(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "", func(t *testing.T) {
		c, _ := answering(t, []step{gateway(503, "")}, func(cfg *Config) {
			attempt := cfg.Transport
			var sent atomic.Int64
			cfg.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
				if sent.Add(1) > 2 {
					return nil, lostBudget{}
				}
				return attempt.RoundTrip(req)
			})
		})
		if err := c.PositionAssessments().Remove(t.Context(), "p", "pa"); err == nil || StopsRun(err) {
			t.Errorf("a write that was sent: %v", err)
		}
		if whole, short := crowd(t, packages(t, c)); whole != 1 || short != 59 {
			t.Errorf("%d errors and %d short ones, want 1 and 59", whole, short)
		}
	})
}

// A write that was sent says what happened to it, even if its check then fails as another error of the run says.
func TestSentWriteIsNoRepeatedError(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "", func(t *testing.T) {
		sent := false
		c, _ := answering(t, []step{gateway(503, "")}, func(cfg *Config) {
			attempt := cfg.Transport
			cfg.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
				if sent {
					return nil, lostBudget{}
				}
				sent = req.Method == http.MethodDelete
				return attempt.RoundTrip(req)
			})
		})
		asks := 0
		checked := WithRepeatCheck(t.Context(), func(ctx context.Context) error {
			_, _ = c.List(ctx, Packages, "asm-1") // it says why
			asks++
			_, err := c.List(ctx, Assessments, "")
			return err
		})
		err := c.PositionAssessments().Remove(checked, "p", "pa")
		if asks != 1 || !errors.As(err, new(*NotSentAgainError)) || StopsRun(err) || !says(err, 503) {
			t.Errorf("asked %d times, and the error is %v", asks, err)
		}
	})
}

// lostBudget is the error of a transport that sends no more requests.
type lostBudget struct{}

func (lostBudget) Error() string   { return "lost" }
func (lostBudget) Permanent() bool { return true }
func (lostBudget) EndsRun() bool   { return true }

// When the service is back, calls succeed again. An outage of one route does not affect other calls.
func TestOutageEnds(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "503", func(t *testing.T) {
		down := true
		c := newClient(t, newStub(by(func(*http.Request) step {
			return gateway(map[bool]int{true: 503, false: 200}[down], "[]")
		})))
		if _, err := c.List(t.Context(), Assessments, ""); err == nil {
			t.Fatal("no error")
		}
		down = false
		time.Sleep(RestTime)
		for range 3 {
			if _, err := c.List(t.Context(), Assessments, ""); err != nil {
				t.Error(err)
			}
		}
	})
	sandboxtest.Virtual(t, "one route only", func(t *testing.T) {
		c := newClient(t, newStub(by(func(req *http.Request) step {
			return gateway(map[bool]int{true: 503, false: 200}[IsResults(req)], "[]")
		})))
		whole, short := crowd(t, func(i int) error {
			if i == 1 {
				_, _, err := c.FirstResults(t.Context(), "p")
				return err
			}
			time.Sleep(time.Minute)
			_, err := c.List(t.Context(), Assessments, "")
			return err
		})
		if whole != 1 || short != 0 {
			t.Errorf("%d errors, %d short ones", whole, short)
		}
	})
}

// After the first 401 of a key nothing more is sent, and there is one error. A 403 is that of the key if it also forbids
// a list.
func TestRefusedKeyStopsTheRun(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		packages, assessments step
		requests, whole       int // at most
	}{
		"401":             {answers(401, "no"), answers(401, "no"), 2, 1},
		"401 gateway":     {gateway(401, "<html>"), gateway(401, "<html>"), 2, 1},
		"403":             {answers(403, "no"), answers(403, "no"), 4, 2},
		"403 gateway":     {gateway(403, "<html>"), gateway(403, "<html>"), 4, 2},
		"403 then 401":    {answers(403, ""), answers(401, ""), 4, 2},
		"403 of one list": {answers(403, ""), answers(200, "[]"), 62, 60},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			network := newStub(takes(time.Second, by(func(req *http.Request) step {
				if req.URL.Path == "/v1/assessments" {
					return row.assessments
				}
				return row.packages
			})))
			whole, short := crowd(t, packages(t, newClient(t, network)))
			if n := len(network.arrivals()); n > row.requests || whole > row.whole || whole+short != 60 {
				t.Errorf("%d requests, %d errors and %d short ones", n, whole, short)
			}
		})
	}
}

// oneByOne lets one request at a time pass, like a throttle with few slots.
type oneByOne struct {
	slot chan struct{}
	next http.RoundTripper
}

func (o oneByOne) RoundTrip(req *http.Request) (*http.Response, error) {
	o.slot <- struct{}{}
	defer func() { <-o.slot }()
	return o.next.RoundTrip(req)
}

// A request that waits for the rate limits when the key is refused is not sent.
func TestRefusedKeyStopsWhatWaits(t *testing.T) {
	t.Parallel()
	for status, requests := range map[int]int{401: 1, 403: 11} { // a 403 counts once another request confirms it
		sandboxtest.Virtual(t, fmt.Sprint(status), func(t *testing.T) {
			c, network := answering(t, []step{takes(time.Second, answers(status, "no"))}, func(cfg *Config) {
				cfg.Transport = oneByOne{make(chan struct{}, 1), cfg.Transport}
			})
			whole, short := crowd(t, func(i int) error {
				return c.PositionAssessments().Remove(t.Context(), "pos-0", fmt.Sprint("pas-", i))
			})
			if n := len(network.arrivals()) - 1; n > requests || whole > 1 || whole+short != 60 {
				t.Errorf("%d requests, %d errors and %d short ones", n, whole, short)
			}
		})
	}
}

// A key may read positions and results, and no list of assessments, in whatever order the answers arrive.
func TestKeyWithoutPermissionForAssessments(t *testing.T) {
	t.Parallel()
	c := newClient(t, newStub(by(func(req *http.Request) step {
		if strings.HasSuffix(req.URL.Path, "/assessments") {
			return answers(403, "")
		}
		return answers(200, `[]`)
	})))
	_, positions := c.Positions(nil).Next(t.Context())
	_, attached := c.PositionAssessments().List(t.Context(), "pos-0")
	_, assessments := c.List(t.Context(), Assessments, "")
	_, results := c.Results(t.Context(), "pos-0", nil, nil)
	if positions != nil || results != nil || attached == nil || assessments == nil {
		t.Errorf("read %v, %v, %v and %v", positions, attached, assessments, results)
	}
}

// A 403 that forbids one write is no refused key, also if the run has read no list and the key may not read one. A
// key that is revoked later is found.
func TestForbiddenWriteIsNoRefusedKey(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"after a read": true, "first": false} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			revoked := false
			network := newStub(by(func(req *http.Request) step {
				switch {
				case revoked || !strings.Contains(req.URL.Path, "/positions/"):
					return answers(403, "")
				case req.Method == http.MethodDelete:
					return answers(403, `{"message":"candidates have been invited"}`)
				}
				return answers(200, `{"id":"pas-0","organizationAssessment":"asm-0"}`)
			}))
			c := newClient(t, network)
			reads := func() {
				if _, err := c.PositionAssessments().Read(t.Context(), "pos-0", "pas-0"); err != nil {
					t.Error(err)
				}
			}
			if before {
				reads()
			}
			for i := range 3 {
				err := c.PositionAssessments().Remove(t.Context(), "pos-0", fmt.Sprint("pas-", i))
				if refused := as[*Error](t, err); refused.Status != http.StatusForbidden || errors.As(err, new(*RepeatedError)) {
					t.Errorf("DELETE: %v", err)
				}
			}
			reads()
			revoked = true
			sent := len(network.arrivals())
			_, _ = crowd(t, func(i int) error {
				_, err := c.PositionAssessments().Create(t.Context(), "pos-0", PositionAssessment{AssessmentID: fmt.Sprint("asm-", i)})
				return err
			})
			if n := len(network.arrivals()) - sent; n > 11 {
				t.Errorf("%d requests with a revoked key", n)
			}
		})
	}
}

// A server without TLS is a mistake at once, whatever it sends.
func TestNoTLS(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"HTTP/", "SSH-2", "220 m", "\x00\x00\x00\x00\x00"} {
		record := tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}
		copy(record.RecordHeader[:], header)
		network := newStub(breaks(record))
		if _, err := newClient(t, network).List(t.Context(), Assessments, ""); err == nil || len(network.arrivals()) != 1 {
			t.Errorf("%q: %v after %d attempts", header, err, len(network.arrivals()))
		}
	}
}
