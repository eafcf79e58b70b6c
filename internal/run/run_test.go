// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// newRun returns a run on a sandbox in memory.
func newRun(t *testing.T) *Run {
	t.Helper()
	service, err := sandbox.New(sandbox.Options{NoLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(t.Context(), Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, Transport: service, PlanChecks: true,
		RequestTimeout: DefaultRequestTimeout, RetryTimeout: DefaultRetryTimeout,
		Budget: Budget{Share: 1, Coordination: CoordinationNone, Unthrottled: true, Sandbox: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Plan checks end with the first write, and a refresh after a write begins a new run.
func TestNewRunAfterWrite(t *testing.T) {
	t.Parallel()
	r, key := newRun(t), Key{"pos-1", "asm-1"}
	test := TestRef{"asm-1", "skt-1"}
	if _, err := r.Lists.Positions(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Gone.Add(key)
	r.Planned.Add(test)
	r.Warn("a", "A", "a")
	r.BeginRead()
	if !r.ChecksPlan() || !r.Gone.Has(key) || !r.Planned.Has(test) {
		t.Error("a refresh without a write before it has begun a new run")
	}
	r.BeginApply()
	r.Attached.Record(key, "pas-1", Taken)
	if r.ChecksPlan() {
		t.Error("an apply checks plans")
	}
	r.BeginRead()
	if !r.ChecksPlan() || r.Gone.Has(key) || r.Planned.Has(test) || r.Attached.TakenID(key) != "" {
		t.Error("a refresh after a write has not begun a new run")
	}
	if _, known := r.Lists.items.known(assessapi.Positions.Plural); known {
		t.Error("the new run has a list of the last one")
	}
	r.Warn("a", "A", "a")
	r.Warn("a", "A", "a") // a cause is said once in a run
	if n := len(r.Notices()); n != 2 {
		t.Errorf("%d notices of two runs, want 2", n)
	}
}

// A message says what the service answered, and what to do about it.
func TestExplain(t *testing.T) {
	t.Parallel()
	const list, one = "/assessments", "/positions/{position}"
	own := func(status int, route string) *assessapi.Error {
		return &assessapi.Error{
			Own: true, Status: status, Method: http.MethodGet, Route: route, Address: "https://x.example/v1" + route,
			Message: "No.", Code: "E1", ConversationID: "conv-1",
		}
	}
	foreign := own(http.StatusForbidden, list)
	foreign.Own = false
	outage := &assessapi.Error{Status: http.StatusBadGateway, Method: http.MethodGet, Route: list}
	cached := own(http.StatusForbidden, list)
	cached.Cached = true
	keyless := own(http.StatusUnauthorized, list)
	keyless.Own = false
	page := own(http.StatusNotFound, list)
	page.Own = false
	stopped := own(499, list)
	stopped.Own, stopped.ConversationID = false, ""
	proxy := &assessapi.Error{Err: &net.OpError{Op: "proxyconnect", Err: tls.RecordHeaderError{}}, Attempts: 1}
	ended := own(http.StatusUnauthorized, list)
	lost := &throttle.UnavailableError{Store: "the Redis or Valkey server at x", Err: errors.New("it is gone")}
	locked := &throttle.UnavailableError{Store: "the file x", Err: fmt.Errorf("%w for 5m0s", throttle.ErrLocked)}
	sent := &assessapi.Error{Err: fmt.Errorf("%w (before that: 503)", lost), Attempts: 1}
	for name, row := range map[string]struct {
		err  error
		says []string
	}{
		"a rejection": {own(http.StatusConflict, one), []string{
			"was 409 Conflict: No (code E1, Conversation-Id conv-1).", "correct what the service reports",
		}},
		"wrong credentials":   {ended, []string{"401 Unauthorized", "client_id and api_key (ASSESS_CLIENT_ID, ASSESS_API_KEY)"}},
		"a missing right":     {own(http.StatusForbidden, list), []string{"403 Forbidden", "ask the service operator"}},
		"a gateway":           {foreign, []string{"does not come from the service", "ask the operator of the gateway"}},
		"an unknown ID":       {own(http.StatusNotFound, one), []string{"check the IDs", "including its path"}},
		"a wrong path":        {own(http.StatusNotFound, list), []string{"check the provider's base_url", "including its path"}},
		"a missing operation": {own(http.StatusMethodNotAllowed, one), []string{"does not offer this operation"}},
		"too many requests":   {own(http.StatusTooManyRequests, list), []string{"429 Too Many Requests", "longer retry_timeout"}},
		"a broken service":    {own(http.StatusInternalServerError, one), []string{"later", "include the Conversation-Id"}},
		"a later call":        {ended.Again(), []string{"This run has ended. The response to GET", "401 Unauthorized", "client_id and api_key"}},
		"a gateway's outage":  {outage, []string{"does not come from the service", "later", "a gateway in front of it has a problem"}},
		"a gateway's key":     {keyless, []string{"check the credentials", "such as a header in \"headers\" (ASSESS_HEADERS)"}},
		"another server":      {page, []string{"does not come from the service", "check the provider's base_url", "including its path"}},
		"a stopped gateway":   {stopped, []string{"was 499: No", "later", "a gateway in front of it has a problem"}},
		"no proxy":            {proxy, []string{"proxyconnect", "check the address of the proxy", "begins with http://"}},
		"a cached rejection":  {cached, []string{"403 Forbidden", "answers none from a cache"}},
		"no effect":           {own(http.StatusOK, one), []string{"200 OK", "Then run the command again. If this happens again"}},
		"another shape":       {&assessapi.ShapeError{Problem: "it is empty"}, []string{"it is empty", "differs from its specification"}},
		"no budget":           {&assessapi.Error{Method: "GET", Address: "a", Err: lost}, []string{"GET a was not sent: could not use the Redis or Valkey server at x: it is gone.", "unset ASSESS_RATE_LIMIT_URL"}},
		"no budget at first":  {lost, []string{"server at x: it is gone. Nothing was sent", "unset ASSESS_RATE_LIMIT_URL"}},
		"a locked budget":     {&assessapi.Error{Method: "GET", Address: "a", Err: locked}, []string{"GET a was not sent: ", "held its lock for 5m0s.", "continue the other run"}},
		"an early interrupt":  {&assessapi.Error{Method: "POST", Address: "a", Err: context.Canceled}, []string{"POST a was not sent: the run was interrupted.", "run the command again"}},
		"a budget that ends": {sent, []string{
			"received no usable response: could not use the Redis or Valkey server at x: it is gone (before that: 503).",
			"unset ASSESS_RATE_LIMIT_URL",
		}},
		"read only": {assessapi.ErrReadOnly, []string{"nothing was changed", "unset ASSESS_READ_ONLY"}},
	} {
		text := Explain("Could not do it.", row.err)
		for _, part := range append(row.says, "Could not do it.\n\n") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q does not contain %q", name, text, part)
			}
		}
	}
}

// The notice about waiting says only what is true.
func TestWhyWaiting(t *testing.T) {
	t.Parallel()
	oneIn200s := throttle.Window{Name: "requests for results a minute", Limit: 1, Per: 200 * time.Second}
	for name, row := range map[string]struct {
		stats throttle.Stats
		want  string
	}{
		"a small share": {throttle.Stats{Cause: throttle.Share, Window: oneIn200s}, "that this run may use only a share of the service's limits"},
		"one run":       {throttle.Stats{Window: ordinary[0]}, "the service's limit of 20 requests a second, which cannot be changed"},
	} {
		if reason, _ := whyWaiting(row.stats); reason != row.want {
			t.Errorf("%s: the reason is %q, want %q", name, reason, row.want)
		}
	}
}

// The errors of Windows end with a period.
func TestNoticeOfAnErrorWithAPeriod(t *testing.T) {
	t.Parallel()
	r := newRun(t)
	r.warnLimits(throttle.Notice{Kind: throttle.Alone, Err: errors.New("mkdir assess: Access is denied.")})
	if text := Note(r.Notices()[0]); !strings.Contains(text, "Access is denied. So this run") {
		t.Error(text)
	}
}

// A start that is interrupted while another process has the sandbox's file does not advise to change a setting.
func TestInterruptedStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sandbox.json")
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	err := files.Shared(path).Change(t.Context(), func([]byte, error) ([]byte, error) {
		_, err := Settings(ctx, Options{StateFile: path, Getenv: func(string) string { return "" }}, "test")
		return nil, err
	})
	if err == nil || err.Error() != "the run was interrupted" {
		t.Errorf("the error is %v", err)
	}
}
