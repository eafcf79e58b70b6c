// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	requestTimeout = 30 * time.Second
	retryTimeout   = 5 * time.Minute
)

// newClient returns a client for the base URL of the embedded service, on top of a
// transport. It has no throttle. The test fails if a request goes to another origin.
func newClient(t *testing.T, network http.RoundTripper, change ...func(*Config)) *Client {
	t.Helper()
	base, err := ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, UserAgent: "terraform-provider-assess/test",
		Transport:      &Attempt{Next: network, Timeout: requestTimeout},
		RequestTimeout: requestTimeout, RetryTimeout: retryTimeout,
	}
	for _, c := range change {
		c(&cfg)
	}
	if attempt, ok := cfg.Transport.(*Attempt); ok {
		attempt.Next = sandboxtest.OneOrigin(t, cfg.BaseURL, attempt.Next)
	}
	return New(cfg)
}

// newSandbox returns a service without limits and a client for it.
func newSandbox(t *testing.T, options sandboxtest.Options, change ...func(*Config)) (*sandboxtest.Service, *Client) {
	t.Helper()
	options.NoLimits = true
	service := sandboxtest.NewService(t, options)
	return service, newClient(t, service, change...)
}

// answering returns a client that the service has answered once, and signed its answer, before a script of what comes
// next.
func answering(t *testing.T, steps []step, change ...func(*Config)) (*Client, *stub) {
	t.Helper()
	network := newStub(append([]step{answers(http.StatusOK, "[]")}, steps...)...)
	c := newClient(t, network, change...)
	if _, err := c.List(t.Context(), Assessments, ""); err != nil {
		t.Fatal(err)
	}
	return c, network
}

// stub is a network that answers from a script. It repeats the last step.
type stub struct {
	steps []step

	mu   sync.Mutex
	seen []arrival
}

// step answers one request.
type step func(*http.Request) (*http.Response, error)

// arrival is a request that reached a stub.
type arrival struct {
	method, address, body string
	header                http.Header
	at                    time.Time
}

func newStub(steps ...step) *stub { return &stub{steps: steps} }

func (s *stub) RoundTrip(req *http.Request) (*http.Response, error) {
	// real time: tests compare it only in bubbles
	a := arrival{method: req.Method, address: req.URL.String(), header: req.Header, at: time.Now()}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		a.body = string(body)
	}
	s.mu.Lock()
	next := s.steps[min(len(s.seen), len(s.steps)-1)]
	s.seen = append(s.seen, a)
	s.mu.Unlock()
	return next(req)
}

func (s *stub) arrivals() []arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// addresses returns the paths and queries of the requests, relative to the base URL.
func (s *stub) addresses() []string {
	var all []string
	for _, a := range s.arrivals() {
		all = append(all, strings.TrimPrefix(a.address, sandbox.BaseURL))
	}
	return all
}

// answers returns a step that answers as the service does, so it signs what it answers. header has names
// and values in turn.
func answers(status int, body string, header ...string) step {
	return gateway(status, body, append([]string{"Conversation-Id", "conv-stub"}, header...)...)
}

// gateway returns a step that answers as a gateway in front of the service does.
func gateway(status int, body string, header ...string) step {
	return func(req *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{
			StatusCode: status, Status: http.StatusText(status), Header: h, Request: req,
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		}, nil
	}
}

// breaks returns a step whose connection fails after the request was sent.
func breaks(err error) step {
	return takes(0, func(*http.Request) (*http.Response, error) { return nil, err })
}

// refuses returns a step whose connection is refused.
func refuses() step {
	return func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
}

// connects returns a step that waits for a connection until the caller gives up.
func connects() step {
	return func(req *http.Request) (*http.Response, error) {
		httptrace.ContextClientTrace(req.Context()).GetConn("")
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
}

// takes returns a step that runs another step after a delay.
func takes(d time.Duration, then step) step {
	return func(req *http.Request) (*http.Response, error) {
		if trace := httptrace.ContextClientTrace(req.Context()); trace != nil {
			trace.GetConn("")
			trace.GotConn(httptrace.GotConnInfo{})
		}
		// real time: only tests with a bubble have steps that take time
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return then(req)
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
}

// wireFile returns the JSON text of an accepted shape.
func wireFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "wire", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// since checks how much virtual time has passed.
func since(t *testing.T, start time.Time, want time.Duration) {
	t.Helper()
	if got := time.Since(start); got != want {
		t.Errorf("it took %s, want %s", got, want)
	}
}

// as returns the error of a type, and fails the test if err has another type.
func as[T error](t *testing.T, err error) T {
	t.Helper()
	var kind T
	if !errors.As(err, &kind) {
		t.Fatalf("the error is a %T (%v), want a %T", err, err, kind)
	}
	return kind
}

// isLost reports whether an error is that of a lost response.
func isLost(err error) bool { return errors.As(err, new(*LostError)) }
