// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config configures a [Client].
type Config struct {
	// BaseURL is the address to which the paths of the contract are appended. [ParseBaseURL] returns it.
	BaseURL *url.URL
	// ClientID and APIKey are the credentials.
	ClientID, APIKey string
	// UserAgent is sent with each request.
	UserAgent string
	// Headers are sent with each request, for a gateway in front of the service. [CheckHeaders] has accepted them. Their
	// values are as secret as the API key.
	Headers map[string]string
	// Transport is the network ([Network]) or the sandbox. It sends a request at most once, and follows no redirect.
	Transport http.RoundTripper
	// Acquire takes a slot of the rate limits. Nil means that there are no limits.
	Acquire Acquire
	// RequestTimeout bounds one attempt, including the body of the response.
	RequestTimeout time.Duration
	// RetryTimeout bounds one call: its requests, its pauses and its holds after a 429. The time that a call waits for a
	// slot does not count.
	RetryTimeout time.Duration
	// ReadOnly is whether only GET requests are sent. Other calls return a Stopped [Error] with [ErrReadOnly].
	ReadOnly bool
	// Observe is called after each attempt, for the log. It may be nil.
	Observe func(context.Context, Observation)
	// Warn gets the warnings. It may be nil. It can be called often with the same Key, so the receiver must show each Key
	// once.
	Warn func(Warning)
}

// Acquire waits for a slot of the rate limits. The caller calls release exactly once, when the headers of the response
// have arrived or the request has failed. After a 429, hold is how long requests must pause. Otherwise it is zero.
// If Acquire returns an error before ctx has ended, the run ends.
type Acquire func(ctx context.Context, limits Limits) (release func(hold time.Duration), err error)

// Limits are the rate limits in which a request counts.
type Limits int

// Values of [Limits].
const (
	Ordinary   Limits = iota // the limits of the key
	ForResults               // the limits of the key and the limits of the results
)

// Observation describes an attempt for the log, without IDs, headers and bodies.
type Observation struct {
	Method, Route string
	Status        int // 0 without a usable response
	Attempt       int // from 1
	Took          time.Duration
	Err           error
}

// Warning is something that the user should know although nothing has failed.
type Warning struct {
	Key             string // the same for all warnings about the same thing
	Summary, Detail string
}

// Client calls one service with one pair of credentials. It is safe for concurrent use.
type Client struct {
	cfg     Config
	secrets *secrets
	signs   atomic.Bool // whether a response has carried a Conversation-Id
	run     atomic.Pointer[run]
}

// run is the state of the client that lasts for one run.
type run struct {
	breaker *breaker
	plain   sync.Map // templates of the routes that do not accept `fields` and `limit` (assumption A24)
}

// New returns a client. It sends nothing.
func New(cfg Config) *Client {
	if cfg.Observe == nil {
		cfg.Observe = func(context.Context, Observation) {}
	}
	if cfg.Warn == nil {
		cfg.Warn = func(Warning) {}
	}
	c := &Client{cfg: cfg, secrets: newSecrets(cfg)}
	c.Reset()
	return c
}

// Reset begins a new run. If an error has ended the previous run, the client sends requests again. If the service has
// rejected `fields` or `limit`, the client sends them again. The client remembers that the service signs its
// responses.
func (c *Client) Reset() { c.run.Store(&run{breaker: newBreaker()}) }

// Ended returns the error that has ended the run, or nil.
func (c *Client) Ended() *Error { return c.run.Load().breaker.first() }

// Origin returns the scheme, host and port of an address. The port is always included. Credentials are sent only to the
// origin of the service.
func Origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port))
}

// IsLoopback reports whether an address is on this machine.
func IsLoopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}
