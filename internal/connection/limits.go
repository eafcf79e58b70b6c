// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

// The limits of the service (x-rate-limits of the contract), which cannot be changed.
var (
	keyWindows = []throttle.Window{
		{Name: "20 requests a second", Limit: 20, Per: time.Second},
		{Name: "500 requests a minute", Limit: 500, Per: time.Minute},
	}
	resultsWindows = append(keyWindows[:2:2],
		throttle.Window{Name: "2 requests for results a second", Limit: 2, Per: time.Second},
		throttle.Window{Name: "30 requests for results a minute", Limit: 30, Per: time.Minute},
	)
)

// Values of [Budget.Coordination] besides the URL of a Redis server.
const (
	CoordinationHost = "host"
	CoordinationNone = "none"
)

// Budget configures with which runs a run shares the rate limits of its API key.
type Budget struct {
	// Key identifies the budget: an origin, a client identifier and an API key, or the file of the embedded service.
	Key string
	// Share is the part of the limits that this run may use, more than 0 and at most 1.
	Share float64
	// Coordination is CoordinationHost, CoordinationNone or the URL of a Redis server.
	Coordination string
	// FallBack is whether a run continues with the budget of its machine if the Redis server cannot be reached.
	FallBack bool
	// Unthrottled lifts the limits for loopback addresses and the embedded service. Embedded
	// is whether the service is the embedded one.
	Unthrottled, Embedded bool
}

// BudgetKey returns the key of the budget that all runs with an API key share.
func BudgetKey(base *url.URL, clientID, apiKey string) string {
	return assessapi.Origin(base) + "\x00" + clientID + "\x00" + apiKey
}

// EmbeddedBudgetKey returns the key of the budget that all runs on a file of the embedded service share. The
// path is absolute.
func EmbeddedBudgetKey(file string) string { return "sandbox\x00" + file }

// DefaultCacheDir returns the directory in which the runs of a user on this machine share
// files. It returns "" if there is no such directory.
func DefaultCacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "terraform-provider-assess")
}

// CheckBudgetURL returns an error if a value is not the URL of a Redis server. The error does not contain the value.
func CheckBudgetURL(value string) error {
	_, err := redis.Address(value)
	return err
}

// SharedBudgetError returns the part of an error that is about the Redis server of the shared budget, or nil.
func SharedBudgetError(err error) error {
	if about, ok := errors.AsType[*redis.BudgetError](err); ok {
		return about
	}
	return nil
}

// windows returns the limits that apply to a request.
func (b Budget) windows(base *url.URL) func(*http.Request) []throttle.Window {
	if b.Unthrottled && (b.Embedded || assessapi.IsLoopback(base)) {
		return func(*http.Request) []throttle.Window { return nil }
	}
	return func(req *http.Request) []throttle.Window {
		if assessapi.IsResults(req) {
			return resultsWindows
		}
		return keyWindows
	}
}
