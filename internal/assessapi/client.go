// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Config says where the service is and how to speak to it.
type Config struct {
	// BaseURL is the address that every path of section 4 is appended to, as
	// [ParseBaseURL] returned it.
	BaseURL *url.URL
	// ClientID and APIKey are the credentials of section 5.
	ClientID, APIKey string
	// UserAgent is sent with every request.
	UserAgent string
	// Transport carries one attempt. It ends in an [Attempt].
	Transport http.RoundTripper
	// RequestTimeout is how long one attempt may take: that of the [Attempt].
	RequestTimeout time.Duration
	// RetryTimeout is how long one call may keep trying.
	RetryTimeout time.Duration
	// Timeout bounds a call; nil is [context.WithTimeout]. A throttle passes
	// its own, which does not count the time spent waiting for a slot.
	Timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	// Notice is told, once each, of what a user should know although the call
	// succeeded. Nil if there is no listener.
	Notice func(summary, detail string)
}

// Client speaks to one service with one pair of credentials. It is safe for
// concurrent use.
type Client struct {
	cfg   Config
	mask  *mask
	retry *retryablehttp.Client

	mu    sync.Mutex
	plain map[string]bool // routes whose lists refuse `fields` and `limit` (assumption A24)
}

// New returns a client. It sends nothing.
func New(cfg Config) *Client {
	if cfg.Timeout == nil {
		cfg.Timeout = context.WithTimeout
	}
	if cfg.Notice == nil {
		cfg.Notice = func(string, string) {}
	}
	c := &Client{cfg: cfg, mask: newMask(cfg.ClientID, cfg.APIKey), plain: map[string]bool{}}
	c.retry = newRetry(&http.Client{Transport: cfg.Transport, CheckRedirect: c.checkRedirect})
	return c
}

// ParseBaseURL reads the address of the service. The scheme may be left out,
// which means https; a path is kept. Plain http is accepted for loopback hosts
// alone, because the credentials of section 5 travel with every request.
func ParseBaseURL(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("it is no address")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("its scheme is %q: use https", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("it has no host")
	case u.User != nil:
		return nil, errors.New("it holds credentials: they have settings of their own")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("it has a query or a fragment: give the address alone")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("plain http would send the API key unprotected to %q: use https", u.Hostname())
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// CheckClientID returns an error if a Client Identifier cannot be sent (section 5).
func CheckClientID(clientID string) error {
	if !isHeaderSafe(clientID) || strings.Contains(clientID, ":") {
		return errors.New("it contains a colon, white space, or a character outside printable ASCII")
	}
	return nil
}

// CheckAPIKey returns an error if an API key cannot be sent (section 5). The error
// does not contain the key.
func CheckAPIKey(apiKey string) error {
	if !isHeaderSafe(apiKey) {
		return errors.New("it contains white space or a character outside printable ASCII")
	}
	return nil
}

// isHeaderSafe reports whether a credential survives its way to the service:
// printable ASCII without spaces.
func isHeaderSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Origin is the scheme, host and port that credentials may be sent to, with
// the port spelled out.
func Origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// IsLoopback reports whether the address is on this machine.
func IsLoopback(u *url.URL) bool { return isLoopback(u.Hostname()) }

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
