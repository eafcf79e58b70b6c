// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// crowd calls a client from several goroutines, like core with its parallel calls. It returns how many of
// the errors were whole, and how many were short.
func crowd(t *testing.T, c *Client, calls, parallel int, call func(i int) error) (whole, short, fine int) {
	t.Helper()
	var next atomic.Int64
	var mu sync.Mutex
	var all sync.WaitGroup
	for range parallel {
		all.Go(func() {
			for i := next.Add(1); i <= int64(calls); i = next.Add(1) {
				err := call(int(i))
				mu.Lock()
				switch {
				case err == nil:
					fine++
				case errors.As(err, new(*RepeatedError)):
					short++
				default:
					whole++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return whole, short, fine
}

// Row 25: all calls together wait once for the end of an outage, and report it once.
func TestOutageIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault step
		retry time.Duration
		most  time.Duration
	}{
		"503":          {gateway(503, "<html>"), 10 * time.Second, 25 * time.Second},
		"503, default": {gateway(503, ""), retryTimeout, retryTimeout + time.Minute},
		"a reset":      {breaks(errors.New("connection reset by peer")), 10 * time.Second, 25 * time.Second},
		"no answer":    {takes(time.Hour, nil), 10 * time.Second, 90 * time.Second},
		"refused":      {refuses(), retryTimeout, 15 * time.Second},
	} {
		for _, before := range []bool{false, true} {
			if before && name == "refused" {
				continue // then retry_timeout counts
			}
			sandboxtest.Virtual(t, fmt.Sprint(name, " after an answer: ", before), func(t *testing.T) {
				steps := []step{tc.fault}
				if before {
					steps = []step{answers(200, "[]"), tc.fault}
				}
				network := newStub(steps...)
				c := newClient(t, network, func(cfg *Config) { cfg.RetryTimeout = tc.retry })
				if before {
					if _, err := c.List(t.Context(), Assessments, ""); err != nil {
						t.Fatal(err)
					}
				}
				start := time.Now()
				whole, short, _ := crowd(t, c, 60, 10, func(i int) error {
					_, err := c.List(t.Context(), Packages, fmt.Sprint("asm-", i))
					return err
				})
				if took := time.Since(start); took > tc.most || whole != 1 || short != 59 {
					t.Errorf("%s, %d errors and %d short ones, want 1 and 59", took, whole, short)
				}
			})
		}
	}
}

// When the service is back, calls succeed again.
func TestOutageEnds(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "503", func(t *testing.T) {
		down := true
		network := newStub(func(req *http.Request) (*http.Response, error) {
			if down {
				return gateway(503, "")(req)
			}
			return answers(200, "[]")(req)
		})
		c := newClient(t, network)
		if _, err := c.List(t.Context(), Assessments, ""); err == nil {
			t.Fatal("no error")
		}
		down = false
		time.Sleep(restTime)
		for range 3 {
			if _, err := c.List(t.Context(), Assessments, ""); err != nil {
				t.Error(err)
			}
		}
	})
	sandboxtest.Virtual(t, "one route only", func(t *testing.T) { // another call is not affected
		network := newStub(func(req *http.Request) (*http.Response, error) {
			if IsResults(req) {
				return gateway(503, "")(req)
			}
			return answers(200, "[]")(req)
		})
		c := newClient(t, network)
		whole, short, fine := crowd(t, c, 100, 4, func(i int) error {
			if i == 1 {
				_, _, err := c.FirstResults(t.Context(), "p")
				return err
			}
			time.Sleep(10 * time.Second)
			_, err := c.List(t.Context(), Assessments, "")
			return err
		})
		if whole != 1 || short != 0 || fine != 99 {
			t.Errorf("%d errors, %d short ones", whole, short)
		}
	})
}

// Issue 49: after the first 401 of a key nothing more is sent, and there is one error.
func TestRefusedKeyStopsTheRun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answers  func(req *http.Request) step
		requests int // at most
		whole    int
		fine     bool
	}{
		"401":         {func(*http.Request) step { return answers(401, "no") }, 2, 1, false},
		"401 gateway": {func(*http.Request) step { return gateway(401, "<html>") }, 2, 1, false},
		"403":         {func(*http.Request) step { return answers(403, "no") }, 4, 2, false},
		"403 gateway": {func(*http.Request) step { return gateway(403, "<html>") }, 4, 2, false},
		"403 then 401": {func(req *http.Request) step {
			if req.URL.Path == "/v1/assessments" {
				return answers(401, "")
			}
			return answers(403, "")
		}, 4, 2, false},
		"403 of one list": {func(req *http.Request) step {
			if req.URL.Path == "/v1/assessments" {
				return answers(200, "[]")
			}
			return answers(403, "")
		}, 62, 60, false},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			network := newStub(func(req *http.Request) (*http.Response, error) {
				return takes(time.Second, tc.answers(req))(req)
			})
			c := newClient(t, network)
			whole, short, _ := crowd(t, c, 60, 10, func(i int) error {
				_, err := c.List(t.Context(), Packages, fmt.Sprint("asm-", i))
				return err
			})
			if n := len(network.arrivals()); n > tc.requests || whole > tc.whole || whole+short != 60 {
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
			network := newStub(answers(200, "[]"), takes(time.Second, answers(status, "no")))
			c := newClient(t, network, func(cfg *Config) {
				cfg.Transport = oneByOne{make(chan struct{}, 1), cfg.Transport}
			})
			if _, err := c.List(t.Context(), Assessments, ""); err != nil {
				t.Fatal(err)
			}
			whole, short, _ := crowd(t, c, 60, 10, func(i int) error {
				return c.RemovePositionAssessment(t.Context(), "pos-0", fmt.Sprint("pas-", i))
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
	sandboxtest.Virtual(t, "", func(t *testing.T) {
		c := newClient(t, newStub(func(req *http.Request) (*http.Response, error) {
			switch {
			case strings.HasSuffix(req.URL.Path, "/assessments"):
				return answers(403, "")(req)
			case strings.HasSuffix(req.URL.Path, "/results"):
				return answers(200, "[]")(req)
			}
			return answers(200, `[{"id":"pos-0","title":"Engineer"}]`)(req)
		}))
		if _, err := c.Positions(nil).Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.PositionAssessments(t.Context(), "pos-0"); err == nil {
			t.Error("a list of assessments without permission")
		}
		if _, err := c.List(t.Context(), Assessments, ""); err == nil {
			t.Error("a list of assessments without permission")
		}
		if _, err := c.Results(t.Context(), "pos-0", nil, nil); err != nil {
			t.Error(err)
		}
	})
}

// A 403 that forbids one write is no refused key, also if the run has read no list and the key may not read one. A
// key that is revoked later is found.
func TestForbiddenWriteIsNoRefusedKey(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"after a read": true, "first": false} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			revoked := false
			network := newStub(func(req *http.Request) (*http.Response, error) {
				switch {
				case req.Method == http.MethodDelete && !revoked:
					return answers(403, `{"message":"candidates have been invited"}`)(req)
				case strings.Contains(req.URL.Path, "/positions/") && !revoked:
					return answers(200, `{"id":"pas-0","organizationAssessment":"asm-0"}`)(req)
				}
				return answers(403, "")(req)
			})
			c := newClient(t, network)
			reads := func(when string) {
				if _, err := c.PositionAssessment(t.Context(), "pos-0", "pas-0"); err != nil {
					t.Errorf("%s: %v", when, err)
				}
			}
			if before {
				reads("before")
			}
			for i := range 3 {
				err := c.RemovePositionAssessment(t.Context(), "pos-0", fmt.Sprint("pas-", i))
				if refused := as[*Error](t, err); refused.Status != http.StatusForbidden || errors.As(err, new(*RepeatedError)) {
					t.Errorf("DELETE: %v", err)
				}
			}
			reads("after a DELETE that is forbidden")

			revoked = true
			sent := len(network.arrivals())
			_, _, _ = crowd(t, c, 60, 10, func(i int) error {
				_, err := c.AddAssessment(t.Context(), "pos-0", fmt.Sprint("asm-", i), Metadata{})
				return err
			})
			if n := len(network.arrivals()) - sent; n > 11 {
				t.Errorf("%d requests with a revoked key", n)
			}
		})
	}
}

// Row 10: a server without TLS is a mistake at once, whatever it sends.
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
