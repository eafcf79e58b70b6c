// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// exchange tests a service that it reaches through a transport.
type exchange func(t *testing.T, service *sandboxtest.Service, transport http.RoundTripper, baseURL string)

// bothTransports runs a test over a real connection and in memory, because a fault must
// look the same in both.
func bothTransports(t *testing.T, test exchange) {
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		service := sandboxtest.NewService(t, sandboxtest.Options{})
		server := httptest.NewServer(service)
		transport := &http.Transport{DisableKeepAlives: true}
		t.Cleanup(func() {
			server.CloseClientConnections()
			server.Close()
		})
		test(t, service, transport, server.URL+"/v1")
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		service := sandboxtest.NewService(t, sandboxtest.Options{})
		test(t, service, service, sandbox.BaseURL)
	})
}

// attachedTo returns the number of assessments of the London position.
func attachedTo(t *testing.T, service *sandboxtest.Service) int {
	t.Helper()
	return len(service.State(t).Positions[0].Assessments)
}

// networkErrors are what [http.Transport] returns.
var networkErrors = map[string]error{
	"connection reset": syscall.ECONNRESET, "EOF": io.EOF, "unexpected EOF": io.ErrUnexpectedEOF,
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const after = sandboxtest.AfterEffect
	type fault = sandboxtest.Fault
	textHTML := http.Header{"Content-Type": {"text/html"}}
	elsewhere := http.Header{"Location": {"https://elsewhere.invalid/"}}
	html := []byte("<html><h1>Bad Gateway</h1></html>")
	for name, test := range map[string]struct {
		fault    fault
		status   int    // 0 means an error
		part     string // a part of the body, or of the error
		attached int    // the number of assessments at the end
	}{
		"503 before the effect":       {fault{Status: 503}, 503, "conversationId", 0},
		"503 after the effect":        {fault{Status: 503, When: after}, 503, "conversationId", 1},
		"HTML 502 before the effect":  {fault{Status: 502, Body: html, Header: textHTML}, 502, "<h1>", 0},
		"HTML 502 after the effect":   {fault{Status: 502, Body: html, When: after}, 502, "<h1>", 1},
		"429 with header":             {fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}}, 429, "", 0},
		"empty body after the effect": {fault{Body: []byte{}, When: after}, 201, "", 1},
		"200 instead of 201":          {fault{Status: 200, When: after}, 200, "asm-facet", 1},
		"204 instead of 201":          {fault{Status: 204, When: after}, 204, "", 1},
		"garbage":                     {fault{Body: []byte("}{"), When: after}, 201, "}{", 1},
		"redirect":                    {fault{Status: 307, Header: elsewhere}, 307, "", 0},
		"reset before the effect":     {fault{Reset: true}, 0, "connection reset", 0},
		"reset after the effect":      {fault{Reset: true, When: after}, 0, "connection reset", 1},
		"hangup before the effect":    {fault{Hangup: true}, 0, "EOF", 0},
		"hangup after the effect":     {fault{Hangup: true, When: after}, 0, "EOF", 1},
		"body cut short":              {fault{CutBody: true, When: after}, 0, "unexpected EOF", 1},
		"error body cut short":        {fault{Status: 500, CutBody: true}, 0, "unexpected EOF", 0},
		"another client attaches the same": {fault{Act: func(st *sandbox.State) {
			_, _ = st.Attach("pos-backend-london", "asm-facet", sandbox.Metadata{})
		}}, 201, "pas-0002", 2},
		"another client deletes the position": {fault{Act: func(st *sandbox.State) {
			st.Position("pos-backend-london").ID = "pos-moved"
		}}, 404, "pos-backend-london", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothTransports(t, func(t *testing.T, service *sandboxtest.Service, transport http.RoundTripper, baseURL string) {
				service.Inject(test.fault)
				request := sandboxtest.NewRequest(t, http.MethodPost, baseURL+london, body("asm-facet", "{}"))
				status, text := 0, []byte{}
				response, err := transport.RoundTrip(request)
				if err == nil {
					text, err = io.ReadAll(response.Body)
					status = response.StatusCode
					_ = response.Body.Close()
					for name, values := range test.fault.Header {
						if response.Header.Get(name) != values[0] {
							t.Errorf("header %s: %q", name, response.Header.Get(name))
						}
					}
				}
				if err != nil {
					status, text = 0, []byte(err.Error())
				}
				if status != test.status || !strings.Contains(string(text), test.part) ||
					!errors.Is(err, networkErrors[test.part]) {
					t.Errorf("status %d, %q; want %d, %q", status, text, test.status, test.part)
				}
				if n := len(service.Journal()); n != 1 || attachedTo(t, service) != test.attached {
					t.Errorf("%d in the journal, %d attached, want %d", n, attachedTo(t, service), test.attached)
				}
			})
		})
	}
}

func TestARefusedConnectionReachesNothing(t *testing.T) {
	t.Parallel()
	service := sandboxtest.NewService(t, sandboxtest.Options{})
	service.Inject(sandboxtest.Fault{Refuse: true})
	request := sandboxtest.NewRequest(t, http.MethodPost, sandbox.BaseURL+london, body("asm-facet", "{}"))
	response, err := service.RoundTrip(request)
	if err == nil {
		_ = response.Body.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) || len(service.Journal()) != 0 || attachedTo(t, service) != 0 {
		t.Errorf("error %v, journal %v", err, service.Journal())
	}
}

func TestAnEndlessBodyNeverEnds(t *testing.T) {
	t.Parallel()
	bothTransports(t, func(t *testing.T, service *sandboxtest.Service, transport http.RoundTripper, baseURL string) {
		service.Inject(sandboxtest.Fault{Endless: true, When: sandboxtest.AfterEffect})
		ctx, cancel := context.WithCancel(t.Context())
		request := sandboxtest.NewRequest(t, http.MethodGet, baseURL+"/positions", "")
		response, err := transport.RoundTrip(request.WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		n, err := io.CopyN(io.Discard, response.Body, 8<<20)
		if n != 8<<20 || err != nil || response.ContentLength != -1 {
			t.Errorf("%d bytes, error %v, Content-Length %d", n, err, response.ContentLength)
		}
		cancel()
		if _, err := io.Copy(io.Discard, response.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("after the context ended: %v", err)
		}
	})
}

func TestFaultsMatchSkipAndCount(t *testing.T) {
	t.Parallel()
	service := sandboxtest.NewService(t, sandboxtest.Options{})
	service.Inject(sandboxtest.Fault{Method: "GET", Route: sandbox.RoutePositions, Skip: 1, Times: 2, Status: 500})
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteAssessments, Times: -1, Status: 503})
	for i, want := range []int{200, 500, 500, 200} {
		if got := get(t, service, "/positions"); got.Status != want {
			t.Errorf("request %d: %d, want %d", i, got.Status, want)
		}
		get(t, service, "/assessments").Want(t, 503)
	}
	service.ClearFaults()
	get(t, service, "/assessments").Want(t, 200)
	if n := service.Count("", sandbox.RouteAssessments); n != 5 {
		t.Errorf("%d requests counted", n)
	}
}

func TestDelaysAndLatencyObeyTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Latency: 100 * time.Millisecond})
		start := time.Now()
		get(t, service, "/positions").Want(t, 200)
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if arrived := service.Journal()[0].Time.Sub(start); arrived != 50*time.Millisecond {
			t.Errorf("arrived after %v", arrived)
		}
		// A caller that gives up before the effect prevents it. A caller that gives up later does not.
		for patience, attached := range map[time.Duration]int{
			10 * time.Millisecond: 0, time.Second: 0, 2500 * time.Millisecond: 1, 3075 * time.Millisecond: 1,
		} {
			service := sandboxtest.NewService(t, sandboxtest.Options{Latency: 100 * time.Millisecond})
			when := sandboxtest.BeforeEffect
			if attached == 1 {
				when = sandboxtest.AfterEffect
			}
			service.Inject(sandboxtest.Fault{Delay: 3 * time.Second, When: when})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			start := time.Now()
			post := sandboxtest.NewRequest(t, http.MethodPost, sandbox.BaseURL+london, body("asm-facet", "{}"))
			response, err := service.RoundTrip(post.WithContext(ctx))
			if err == nil {
				_ = response.Body.Close()
			}
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != patience {
				t.Errorf("patience %v: error %v after %v", patience, err, time.Since(start))
			}
			if n := attachedTo(t, service); n != attached {
				t.Errorf("patience %v: %d attached, want %d", patience, n, attached)
			}
			cancel()
		}
	})
}
