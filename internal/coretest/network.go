// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Event is what happens to a request on the network.
type Event int

// The events. A killed run sends no more requests.
const (
	Pass         Event = iota
	LoseRequest        // the connection is reset before the service receives the request
	LoseResponse       // the connection is reset after the service handled the request
	NotFound           // a proxy answers 404 instead of the service
	KillBefore         // the run is killed instead of sending the request
	KillAfter          // the run is killed after the service handled the request
)

// OnRequest returns a function for [Network.Decide] that causes an event at one request with a method, after it has
// skipped some. "" matches any method.
func OnRequest(method string, event Event, skip int) func(int, *http.Request) Event {
	seen := 0
	return func(_ int, r *http.Request) Event {
		if method != "" && r.Method != method {
			return Pass
		}
		if seen++; seen == skip+1 {
			return event
		}
		return Pass
	}
}

// Network is the network between a provider and a service, in virtual time.
type Network struct {
	Next http.RoundTripper
	// Core is the working directory whose runs KillBefore and KillAfter end.
	Core *Core
	// Latency is the time of a request. 0 means 20 milliseconds.
	Latency time.Duration
	// Decide returns the event for request n, counted from 0. Nil means Pass.
	Decide func(n int, r *http.Request) Event

	mu sync.Mutex
	n  int
}

// Restart counts requests from 0 again.
func (n *Network) Restart() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.n = 0
}

func (n *Network) next(r *http.Request) Event {
	n.mu.Lock()
	defer n.mu.Unlock()
	number, event := n.n, Pass
	n.n++
	if n.Decide != nil {
		event = n.Decide(number, r)
	}
	return event
}

// RoundTrip sends a request, or does what Decide returns.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	if n.Core.killed.Load() {
		return nil, ErrKilled
	}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	event := n.next(r)
	// Every request takes a different time, so that virtual time orders them. The time depends on what is
	// requested, so that it does not depend on the order of requests.
	latency := cmp.Or(n.Latency, 20*time.Millisecond)
	time.Sleep(latency + time.Duration(newRand(0, r.Method+r.URL.String()).Int64N(int64(latency)/20)))
	switch event {
	case KillBefore:
		n.Core.Kill()
		return nil, ErrKilled
	case LoseRequest:
		return nil, reset
	case NotFound:
		return &http.Response{
			StatusCode: http.StatusNotFound, Status: "404 Not Found", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader("<p>Nothing here.</p>")),
			Request: r,
		}, nil
	case Pass, LoseResponse, KillAfter:
	}
	resp, err := n.Next.RoundTrip(r)
	switch {
	case event == KillAfter:
		n.Core.Kill()
		return nil, ErrKilled
	case err == nil && event == LoseResponse:
		return nil, reset
	}
	return resp, err
}
