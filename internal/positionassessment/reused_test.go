// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// transport is a function that sends requests.
type transport func(*http.Request) (*http.Response, error)

func (send transport) RoundTrip(r *http.Request) (*http.Response, error) { return send(r) }

// "terraform test" uses one provider for several runs. The first call that only plans make, after
// an apply, begins a run that knows nothing about the last one.
func TestReusedRunForgets(t *testing.T) {
	t.Parallel()
	requests := 0
	send := transport(func(r *http.Request) (*http.Response, error) {
		requests++
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(`{"candidates":[]}`)), Request: r,
		}, nil
	})
	e, err := run.New(t.Context(), run.Config{Reused: true, Config: connection.Config{
		BaseURL: &url.URL{Scheme: "https", Host: "assess.example.com"}, ClientID: "id", APIKey: "key", Transport: send,
		RequestTimeout: connection.DefaultRequestTimeout, RetryTimeout: connection.DefaultRetryTimeout,
		Budget: connection.Budget{Coordination: connection.CoordinationNone, Share: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	gone := Creation{Position: "pos-1", Assessment: "asm-1"}
	knows := func(when string, want bool) {
		t.Helper()
		before := requests
		if _, err := e.Catalog().Results.Read(t.Context(), catalog.ResultsFilter{Position: "pos-1"}); err != nil {
			t.Fatal(err)
		}
		if cached := requests == before; cached != want {
			t.Errorf("%s: results are cached: %t", when, cached)
		}
		if of(e).intents.wasGone(gone) != want {
			t.Errorf("%s: what is gone is known: %t", when, !want)
		}
	}
	knows("before", false)
	of(e).intents.reportGone(Ref{"pos-1", "pas-1"}, gone)
	knows("in a plan", true)
	if err := e.BeginApply(); err != nil {
		t.Fatal(err)
	}
	knows("in its apply", true)
	of(e).Plan(t.Context(), intent{Action: Import, Object: ManagedObject{Ref: Ref{"pos-1", "pas-1"}}})
	knows("in the next plan", false)
}
