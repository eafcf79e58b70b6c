// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Config configures a [Client].
type Config struct {
	// BaseURL is the address to which the paths of the contract are appended. [ParseBaseURL]
	// returns it.
	BaseURL *url.URL
	// ClientID and APIKey are the credentials.
	ClientID, APIKey string
	// UserAgent is sent with each request.
	UserAgent string
	// Headers are sent with each request, for a gateway in front of the service.
	// [CheckHeaders] has accepted them. Their values are as secret as the API key.
	Headers map[string]string
	// Transport sends one attempt of a request. Its innermost handler is an [Attempt].
	Transport http.RoundTripper
	// RequestTimeout is the Timeout of the [Attempt].
	RequestTimeout time.Duration
	// RetryTimeout bounds one call with all its attempts.
	RetryTimeout time.Duration
	// Timeout creates the context that bounds a call. Nil means [context.WithTimeout]. With
	// a throttle, it must not count the time that a call waits for a slot.
	Timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	// Refused is called if the service refuses optional parameters of a list, although the call has
	// then succeeded without them. It is called once for the same parameters. It may be nil.
	Refused func(parameters string, refused error)
	// Cached is called once if a cache in front of the service has answered a request. It may be nil.
	Cached func()
}

// Client calls one service with one pair of credentials. It is safe for concurrent use.
type Client struct {
	cfg  Config
	mask *mask
	http *http.Client
	// speaker knows how the service answers.
	speaker speaker
	health  *health

	mu      sync.Mutex
	lessons map[string]*lesson // what this run has learned about a route (assumption A24)
	said    map[string]bool    // of which refused parameters the caller knows
}

// New returns a client. It sends nothing.
func New(cfg Config) *Client {
	if cfg.Timeout == nil {
		cfg.Timeout = context.WithTimeout
	}
	if cfg.Cached == nil {
		cfg.Cached = func() {}
	}
	cfg.Cached = sync.OnceFunc(cfg.Cached)
	c := &Client{
		cfg: cfg, health: newHealth(cfg.RetryTimeout), mask: newMask(cfg), lessons: map[string]*lesson{},
		said: map[string]bool{},
	}
	c.http = &http.Client{Transport: cfg.Transport, CheckRedirect: c.checkRedirect}
	return c
}

// Origin returns the scheme, host and port of an address. The port is always included.
// Credentials are sent only to the origin of the service.
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
