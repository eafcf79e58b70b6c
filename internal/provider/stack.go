// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

// The limits of section 8. They are the service's and not adjustable.
var (
	keyWindows = []throttle.Window{
		{Name: "20 requests a second", Limit: 20, Per: time.Second},
		{Name: "500 requests a minute", Limit: 500, Per: time.Minute},
	}
	resultsWindows = append(keyWindows[:2:2],
		throttle.Window{Name: "2 results requests a second", Limit: 2, Per: time.Second},
		throttle.Window{Name: "30 results requests a minute", Limit: 30, Per: time.Minute},
	)
)

func windowsOf(req *http.Request) []throttle.Window {
	if assessapi.IsResults(req) {
		return resultsWindows
	}
	return keyWindows
}

// newWalk assembles the way of every call, outermost first:
//
//	assessapi method -> retry -> throttle -> attempt -> network | sandbox
//
// Retry stands above the throttle, so that every attempt is charged. The
// throttle stands above the attempt, so that waiting for a place is not part of
// an attempt's time. There is one such stack per configured provider, and no
// call goes round it.
func newWalk(ctx context.Context, s settings, diags *diag.Diagnostics) *walk {
	w := &walk{
		unknown: s.unknown, planChecks: s.planChecks, retryTimeout: s.retryTimeout,
		seen: map[attachment]bool{}, imported: map[attachment]bool{}, destroyed: map[attachment]bool{},
		activations: map[activation]bool{}, creations: map[creationKey][]string{},
	}
	if s.unknown != "" {
		return w
	}
	var bottom http.RoundTripper = assessapi.Network()
	if s.sandbox != nil {
		service, err := sandbox.New(*s.sandbox) //nolint:contextcheck // opening the embedded service takes no context: it is one small local file
		if err != nil {
			diags.AddError("Cannot use the embedded service", err.Error())
			return w
		}
		bottom = service
	}
	budget := openBudget(ctx, s, diags)
	if diags.HasError() {
		return w
	}
	w.notes = &planNotes{dir: s.cacheDir, scope: fmt.Sprintf("%q", []any{s.place, s.budgetKey(), s.baseURL})}
	attempt := &assessapi.Attempt{Next: bottom, Timeout: s.requestTimeout, Observe: logAttempt}
	w.throttle = throttle.New(throttle.Config{
		Next: attempt, Windows: windowsFor(s), Share: s.share, Store: budget, OnWait: logWait, MaxInFlight: s.requestTimeout + time.Second,
	})
	w.catalogue = newCatalogue(assessapi.New(assessapi.Config{
		BaseURL: s.baseURL, ClientID: s.clientID, APIKey: s.apiKey, UserAgent: s.userAgent,
		Transport: w.throttle, RequestTimeout: s.requestTimeout, RetryTimeout: s.retryTimeout, Timeout: throttle.WithTimeout, Notice: w.notice,
	}))
	return w
}

// logAttempt writes what may be written of a request: no id, no header, no body.
func logAttempt(ctx context.Context, o assessapi.Observation) {
	fields := map[string]any{
		"method": o.Method, "route": o.Route, "status": o.Status, "attempt": o.Attempt, "duration_ms": o.Took.Milliseconds(),
	}
	if o.Err != nil {
		fields["error"] = o.Err.Error()
	}
	tflog.Debug(ctx, "request to the assessment service", fields)
}

// logWait makes visible what a throttled run spends its time on.
func logWait(ctx context.Context, waited time.Duration, window string) {
	if waited > time.Second {
		tflog.Info(ctx, "waited for a free place within the rate limits", map[string]any{"waited_ms": waited.Milliseconds(), "limit": window})
	}
}

// openBudget opens the budget of the key, for all with whom the run shares it.
func openBudget(ctx context.Context, s settings, diags *diag.Diagnostics) throttle.Store {
	switch s.coordination {
	case coordinationNone:
		return throttle.NewMemory()
	case coordinationHost:
		if s.cacheDir == "" {
			diags.AddWarning("Cannot share the budget of the API key",
				"There is no directory for the shared budget. This run counts for itself, and runs beside it may be refused with 429. Set HOME or XDG_CACHE_HOME.")
		}
		return hostBudget(s)
	}
	shared := redis.Config{URL: s.coordination, Key: s.budgetKey(), RetryFor: s.retryTimeout}
	if s.fallback == fallbackHost {
		shared.Fallback = hostBudget(s)
	}
	store, err := redis.Open(ctx, shared)
	switch {
	case err == nil:
		return store
	case shared.Fallback != nil:
		diags.Append(fellBack(err))
	default:
		diags.Append(noSharedBudget(err))
	}
	return shared.Fallback
}

// hostBudget is a file that all runs of this user on this machine share, or
// memory where there is no place for one.
func hostBudget(s settings) throttle.Local {
	if s.cacheDir == "" {
		return throttle.NewMemory()
	}
	return throttle.OpenFile(s.cacheDir, s.budgetKey())
}

// windowsFor are the limits that the run keeps: none where a test or a
// benchmark has lifted them, which only works towards this machine.
func windowsFor(s settings) func(*http.Request) []throttle.Window {
	if s.unthrottled && (s.sandbox != nil || assessapi.IsLoopback(s.baseURL)) {
		return func(*http.Request) []throttle.Window { return nil }
	}
	return windowsOf
}
