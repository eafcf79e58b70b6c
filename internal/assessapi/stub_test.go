// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
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
	"testing/synctest"
	"time"
)

const (
	baseURL        = "https://assess.example.com/v1"
	clientID       = "client-7"
	apiKey         = "k3y-0f-th3-t3st5"
	requestTimeout = 30 * time.Second
	retryTimeout   = 5 * time.Minute
)

// newClient returns a client on top of a network. It has no rate limits. The test fails if a request goes to another
// address.
func newClient(t *testing.T, network http.RoundTripper, change ...func(*Config)) *Client {
	t.Helper()
	base, err := ParseBaseURL(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		BaseURL: base, ClientID: clientID, APIKey: apiKey, UserAgent: "terraform-provider-assess/test",
		RequestTimeout: requestTimeout, RetryTimeout: retryTimeout,
		Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			if !strings.HasPrefix(req.URL.String(), baseURL+"/") {
				t.Errorf("a request goes to %s", req.URL)
			}
			return network.RoundTrip(req)
		}),
	}
	for _, c := range change {
		c(&cfg)
	}
	return New(cfg)
}

// warningsTo collects the key of each warning.
func warningsTo(keys *[]string) func(*Config) {
	return func(cfg *Config) { cfg.Warn = func(w Warning) { *keys = append(*keys, w.Key) } }
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// virtual runs a subtest in virtual time.
func virtual(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// operations has one call for each method.
var operations = []struct {
	method string
	run    func(context.Context, *Client) error
}{
	{http.MethodGet, func(ctx context.Context, c *Client) error {
		_, err := c.PositionAssessment(ctx, "p", "pas-1")
		return err
	}},
	{http.MethodPut, func(ctx context.Context, c *Client) error {
		_, err := c.Update(ctx, "p", "pas-1", "asm-1", Configuration{}, nil)
		return err
	}},
	{http.MethodDelete, func(ctx context.Context, c *Client) error {
		_, err := c.Remove(ctx, "p", "pas-1", nil)
		return err
	}},
	{http.MethodPost, func(ctx context.Context, c *Client) error {
		_, err := c.Attach(ctx, "p", "asm-1", Configuration{})
		return err
	}},
}

// attached is what a service answers to all operations.
const attached = `{"id":"pas-1","organizationAssessment":"asm-1"}`

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
	a := arrival{method: req.Method, address: req.URL.String(), header: req.Header, at: time.Now()}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	a.body = string(body)
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
		all = append(all, strings.TrimPrefix(a.address, baseURL))
	}
	return all
}

// responds returns a step that responds as the service does, so the response has a Conversation-Id. header has names and
// values in turn.
func responds(status int, body string, header ...string) step {
	return unsigned(status, body, append([]string{"Conversation-Id", "conv-1"}, header...)...)
}

// unsigned returns a step whose response has no Conversation-Id, as that of a gateway.
func unsigned(status int, body string, header ...string) step {
	return func(req *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Request: req,
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		}, nil
	}
}

// breaks returns a step whose connection fails after the request was sent.
func breaks(err error) step {
	return takes(0, func(*http.Request) (*http.Response, error) { return nil, err })
}

var errReset = errors.New("connection reset by peer")

// rejectsConnection returns a step whose connection is refused.
func rejectsConnection() step {
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
		trace := httptrace.ContextClientTrace(req.Context())
		trace.GetConn("")
		trace.GotConn(httptrace.GotConnInfo{})
		if d == 0 {
			return then(req)
		}
		// Only tests in virtual time have steps that take time.
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

// cuts returns a step whose response ends in the middle of its body.
func cuts(status int, body string, header ...string) step {
	return func(req *http.Request) (*http.Response, error) {
		resp, err := responds(status, body, header...)(req)
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(body), failing{}))
		return resp, err
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// wireFile returns the text of an accepted shape.
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
	kind, ok := errors.AsType[T](err)
	if !ok {
		t.Fatalf("the error is a %T (%v), want a %T", err, err, kind)
	}
	return kind
}

// wantProblem fails the test unless an error is a [ShapeError] with this problem.
func wantProblem(t *testing.T, err error, problem string) {
	t.Helper()
	if shape := as[*ShapeError](t, err); shape.Problem != problem {
		t.Errorf("the problem is %q, want %q", shape.Problem, problem)
	}
}
