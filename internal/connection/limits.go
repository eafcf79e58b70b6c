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
	keyOperation = throttle.Operation{
		{Name: "requests a second", Limit: 20, Per: time.Second},
		{Name: "requests a minute", Limit: 500, Per: time.Minute, Reserve: 40},
	}
	resultsOperation = append(keyOperation[:2:2],
		throttle.Window{Name: "requests for results a second", Limit: 2, Per: time.Second},
		throttle.Window{Name: "requests for results a minute", Limit: 30, Per: time.Minute},
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
// files. It returns "" if there is no such directory, or if its path is relative.
func DefaultCacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "terraform-provider-assess")
}

// CheckBudgetURL returns an error if a value is not the URL of a Redis server. The error does not contain the value.
func CheckBudgetURL(value string) error { return redis.Check(value) }

// SharedBudgetError returns the part of an error that is about the shared budget, or nil.
func SharedBudgetError(err error) error {
	if about, ok := errors.AsType[*throttle.UnavailableError](err); ok {
		return about
	}
	return nil
}

// operation returns the limits that apply to a request.
func (b Budget) operation(base *url.URL) func(*http.Request) throttle.Operation {
	if b.Unthrottled && (b.Embedded || assessapi.IsLoopback(base)) {
		return func(*http.Request) throttle.Operation { return nil }
	}
	return func(req *http.Request) throttle.Operation {
		if assessapi.IsResults(req) {
			return resultsOperation
		}
		return keyOperation
	}
}
