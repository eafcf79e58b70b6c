// SPDX-License-Identifier: MPL-2.0

package pages

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// pipes is a listener with connections in memory, so that they use virtual time.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-p.connections:
		return connection, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.connections <- theirs
	return ours
}

// The server closes connections of clients that are slow or silent.
func TestServerCutsOffSlowClients(t *testing.T) {
	t.Parallel()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, sandbox.BaseURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	head := "POST /v1/positions/pos-backend-london/assessments HTTP/1.1\r\nHost: localhost\r\nAuthorization: " +
		request.Header.Get("Authorization") + "\r\nContent-Length: 1000000\r\n\r\n"
	for name, test := range map[string]struct {
		whole   string // sent immediately
		slow    string // sent repeatedly, once per second
		within  time.Duration
		answers string // what the client reads before the connection ends
	}{
		"silent":          {"", "", headerTimeout, ""},
		"slow headers":    {"GET / HTTP/1.1\r\nHost: localhost\r\n", "X-A: b\r\n", headerTimeout, ""},
		"slow body":       {head, "{", bodyTimeout, "HTTP/1.1 408 Request Timeout"},
		"incomplete body": {head + "{", "", bodyTimeout, "HTTP/1.1 408 Request Timeout"},
		"silent later":    {"GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n", "", idleTimeout, "HTTP/1.1 200 OK"},
		"large headers":   {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2*maxHeader), "", headerTimeout, "HTTP/1.1 431"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, err := sandbox.New(sandbox.Options{})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				listener := newPipes()
				ended := make(chan error, 1)
				go func() { ended <- serveUntilDone(ctx, listener, Handler(service, service)) }()
				began := time.Now()
				connection := listener.dial()
				var sending sync.WaitGroup
				sending.Go(func() {
					_, err := io.WriteString(connection, test.whole)
					for err == nil && test.slow != "" {
						time.Sleep(time.Second)
						_, err = io.WriteString(connection, test.slow)
					}
				})
				text, err := io.ReadAll(bufio.NewReader(connection))
				if took := time.Since(began); err != nil || took > test.within+2*time.Second {
					t.Errorf("cut off after %v, want %v; error %v", took, test.within, err)
				}
				if !strings.HasPrefix(string(text), test.answers) || test.answers == "" && len(text) > 0 {
					t.Errorf("answered %.200q", text)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				_ = connection.Close()
				sending.Wait()
			})
		})
	}
}
