// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Default values of [Config.RequestTimeout] and [Config.RetryTimeout].
const (
	DefaultRequestTimeout = 30 * time.Second
	DefaultRetryTimeout   = 5 * time.Minute
)

// Config configures a [Run]. While a setting is unknown, BaseURL is nil, and the run sends nothing.
type Config struct {
	// BaseURL is the address of the service. ClientID, APIKey and UserAgent are sent with each request.
	BaseURL                     *url.URL
	ClientID, APIKey, UserAgent string
	// Headers are sent with each request, for a gateway in front of the service.
	Headers map[string]string
	// Transport sends requests to the sandbox or to a test. Nil means the network.
	Transport http.RoundTripper
	// RequestTimeout bounds one attempt. RetryTimeout bounds one call with all its attempts. The time that a request
	// waits for a slot does not count.
	RequestTimeout, RetryTimeout time.Duration
	// ReadOnly rejects every request that is not a GET.
	ReadOnly bool
	// PlanChecks is whether plans read lists to reject what the service would reject.
	PlanChecks bool
	// AdoptExisting is whether a creation adopts an existing position assessment instead of failing.
	AdoptExisting bool
	// Budget is the budget of the API key, which runs share.
	Budget Budget
	// CacheDir is the directory in which runs on this machine share files. Empty means that there is no such directory.
	CacheDir string
	// OnAttempt is called after each attempt, for the log. It may be nil.
	OnAttempt func(context.Context, assessapi.Observation)
}

// Values of [Budget.Coordination] besides the URL of a Redis server.
const (
	CoordinationHost = "host"
	CoordinationNone = "none"
)

// Budget configures how a run shares the rate limits of its API key with other runs.
type Budget struct {
	// Key identifies the budget: an origin, a client identifier and an API key, or the file of the sandbox.
	Key string
	// Share is the part of the limits that this run may use, more than 0 and at most 1.
	Share float64
	// Coordination is CoordinationHost, CoordinationNone or the URL of a Redis server.
	Coordination string
	// Unthrottled lifts the limits for loopback addresses and the sandbox. Sandbox is whether the service is the sandbox.
	Unthrottled, Sandbox bool
}

// DefaultCacheDir returns the directory in which the runs of a user on this machine share files. It returns "" if there
// is no such directory, or if it is relative, because then it would be in the working directory.
func DefaultCacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "terraform-provider-assess")
}
