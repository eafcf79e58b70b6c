// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// clients are hostile clients of a server, and one client that uses it properly.
type clients struct {
	t        *testing.T
	origin   string // scheme and host of the server
	cookie   *http.Cookie
	http     *http.Client
	form     []byte // a multipart form
	formType string

	ctx      context.Context
	cancel   context.CancelFunc
	group    sync.WaitGroup
	stopping atomic.Bool

	mu       sync.Mutex
	outcomes map[string]int // by client and outcome
}

// lost is the outcome of a request whose connection the server closed before it had
// read the whole request.
const lost = 0

// signIn opens the address that a server printed, and returns the cookie.
func signIn(t *testing.T, address string) *http.Cookie {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if cookies := response.Cookies(); len(cookies) == 1 {
		return cookies[0]
	}
	t.Fatalf("%s: %s without a cookie", address, response.Status)
	return nil
}

// startClients starts all clients.
func startClients(t *testing.T, settings map[string]string) *clients {
	t.Helper()
	form, formType := multipartForm(t, 2<<20)
	c := &clients{
		t: t, origin: strings.TrimSuffix(settings["ASSESS_BASE_URL"], "/v1"), form: form.Bytes(), formType: formType,
		cookie:   signIn(t, settings["pages"]),
		http:     &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, CheckRedirect: noRedirect},
		outcomes: map[string]int{},
	}
	c.ctx, c.cancel = context.WithCancel(t.Context())
	credentials := func(r *http.Request) { r.SetBasicAuth(sandbox.ClientID, sandbox.APIKey) }
	foreign := func(r *http.Request) { r.Header.Set("Origin", "https://elsewhere.example") }
	other := func(r *http.Request) { r.Host = "rebound.example" }
	upload := func(r *http.Request) { r.Header.Set("Content-Type", formType) }
	large := bytes.Repeat([]byte(" "), 4<<20)

	c.start(2, "proper use", c.properUse)
	c.asks("overview", "GET", "/", nil, nil, http.StatusOK)
	c.asks("large bodies", "POST", "/v1"+london, large, credentials, http.StatusRequestEntityTooLarge, lost)
	c.asks("unauthenticated posts", "POST", "/v1"+london, large, nil, http.StatusUnauthorized, lost)
	c.asks("uploads", "POST", "/sit/inv-001-lumen", c.form, upload, http.StatusUnsupportedMediaType, lost)
	c.asks("long forms", "POST", "/sit/inv-001-lumen", large, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}, http.StatusRequestEntityTooLarge, lost)
	c.asks("cross-site requests", "POST", "/v1"+london, []byte(body("asm-facet", "{}")), func(r *http.Request) {
		credentials(r)
		foreign(r)
	}, http.StatusForbidden)
	c.asks("cross-site forms", "POST", "/sit/inv-001-lumen", nil, foreign, http.StatusForbidden)
	c.asks("rebinding", "GET", "/", nil, other, http.StatusMisdirectedRequest)
	c.asks("rebinding, service", "GET", "/v1/positions", nil, func(r *http.Request) {
		credentials(r)
		other(r)
	}, http.StatusMisdirectedRequest)
	n := atomic.Int64{}
	c.asks("invented methods and addresses", "GET", "/", nil, func(r *http.Request) {
		credentials(r)
		r.Method = fmt.Sprintf("INVENTED%d", n.Add(1))
		r.URL.Path = fmt.Sprintf("/v1/positions/%d/%s", n.Load(), strings.Repeat("x", 10_000))
		r.URL.RawQuery = "q=\u009b31m"
	}, http.StatusNotFound)

	head := "POST /v1" + london + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n"
	c.holds("silent", 20, "", "")
	c.holds("half of the headers", 20, "GET / HTTP/1.1\r\nHost: loc", "")
	c.holds("slow headers", 10, "GET / HTTP/1.1\r\nHost: localhost\r\n", "X: y\r\n")
	c.holds("slow body", 20, head+basicAuth(t)+"\r\n{", " ")
	c.start(2, "hang up", c.hangUp)
	return c
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// basicAuth is the header line of the credentials.
func basicAuth(t *testing.T) string {
	t.Helper()
	request := sandboxtest.NewRequest(t, http.MethodGet, sandbox.BaseURL, "")
	return "Authorization: " + request.Header.Get("Authorization") + "\r\n"
}

// start runs the function of a client repeatedly, n times in parallel, until all
// clients stop.
func (c *clients) start(n int, name string, once func() error) {
	for range n {
		c.group.Go(func() {
			for c.ctx.Err() == nil {
				err := once()
				if c.stopping.Load() || c.ctx.Err() != nil {
					return
				}
				if err != nil {
					c.t.Errorf("%s: %v", name, err)
					return
				}
				c.count(name, "done")
				time.Sleep(20 * time.Millisecond) // leaves time for other work of the machine
			}
		})
	}
}

// asks starts a client that repeats one request and checks the status of each answer.
func (c *clients) asks(name, method, path string, body []byte, change func(*http.Request), statuses ...int) {
	c.start(2, name, func() error {
		request, err := http.NewRequestWithContext(c.ctx, method, c.origin+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		if change != nil {
			change(request)
		}
		status, _, err := c.send(request)
		if !slices.Contains(statuses, status) || err != nil && status != lost {
			return fmt.Errorf("%d, want one of %d; %w", status, statuses, err)
		}
		c.count(name, fmt.Sprint(status))
		return nil
	})
}

// send returns the answer to a request, and an error if a header is missing.
func (c *clients) send(request *http.Request) (status int, body string, err error) {
	request.AddCookie(c.cookie) // a browser has opened the address that the server printed
	response, err := c.http.Do(request)
	if err != nil {
		return lost, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return lost, "", err
	}
	if missing := missingHeaders(response.Header); len(missing) > 0 {
		return response.StatusCode, "", fmt.Errorf("the answer does not have the header %q", missing)
	}
	return response.StatusCode, string(text), nil
}

// holds starts n clients that keep a connection open as long as the server allows.
func (c *clients) holds(name string, n int, first, again string) {
	c.start(n, name, func() error {
		connection, err := (&net.Dialer{}).DialContext(c.ctx, "tcp", strings.TrimPrefix(c.origin, "http://"))
		if err != nil {
			return err
		}
		defer func() { _ = connection.Close() }()
		ended := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, connection)
			close(ended)
		}()
		_, err = io.WriteString(connection, first)
		for err == nil {
			select {
			case <-ended:
				return nil
			case <-c.ctx.Done():
				return nil
			case <-time.After(200 * time.Millisecond):
				_, err = io.WriteString(connection, again)
			}
		}
		return nil // the server has closed the connection
	})
}

// hangUp closes a connection in the middle of a request.
func (c *clients) hangUp() error {
	connection, err := (&net.Dialer{}).DialContext(c.ctx, "tcp", strings.TrimPrefix(c.origin, "http://"))
	if err != nil {
		return err
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the server gets a reset
	}
	_, _ = io.WriteString(connection, "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
	return connection.Close()
}

// properUse attaches an assessment, and removes it.
func (c *clients) properUse() error {
	location := "/v1" + london
	for _, step := range []struct {
		method, body string
		status       int
	}{
		{http.MethodPost, body("asm-facet", "{}"), http.StatusCreated},
		{http.MethodGet, "", http.StatusOK},
		{http.MethodDelete, "", http.StatusNoContent},
	} {
		request, err := http.NewRequestWithContext(c.ctx, step.method, c.origin+location, strings.NewReader(step.body))
		if err != nil {
			return err
		}
		request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		status, text, err := c.send(request)
		if err != nil || status != step.status {
			return fmt.Errorf("%s %s: %d %s: %w", step.method, location, status, text, err)
		}
		if status == http.StatusCreated {
			object, err := sandbox.ParseObject([]byte(text))
			if err != nil {
				return err
			}
			location += "/" + object.Text("id")
		}
	}
	return nil
}

func (c *clients) count(name, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[name+": "+outcome]++
}

// expected are the outcomes that every run must have.
var expected = []string{
	"proper use: done", "overview: 200",
	"large bodies: 413", "unauthenticated posts: 401", "uploads: 415", "long forms: 413",
	"cross-site requests: 403", "cross-site forms: 403", "rebinding: 421", "rebinding, service: 421",
	"invented methods and addresses: 404", "silent: done", "hang up: done",
}

// missing returns the expected outcomes that no client has had yet.
func (c *clients) missing() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(expected), func(outcome string) bool { return c.outcomes[outcome] > 0 })
}

// wait waits until no expected outcome is missing, which can take long on a busy
// machine.
func (c *clients) wait(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, time.Minute)
	defer cancel()
	for len(c.missing()) > 0 && !t.Failed() {
		select {
		case <-ctx.Done():
			t.Fatalf("never seen: %q", c.missing())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop ends all clients.
func (c *clients) stop(t *testing.T) {
	t.Helper()
	c.cancel()
	c.group.Wait()
	c.http.CloseIdleConnections()
	for _, outcome := range slices.Sorted(maps.Keys(c.outcomes)) {
		t.Logf("%s: %d", outcome, c.outcomes[outcome])
	}
}
