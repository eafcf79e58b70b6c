// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// OnNetwork is the provider with a network of the test's own at the bottom of
// the way of a call, for walks in virtual time.
type OnNetwork struct {
	Provider
	Network http.RoundTripper
}

// Configure begins a walk and assembles the way of its calls once more, as
// newWalk does it, on the test's network. The budget is this walk's own.
func (p *OnNetwork) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	p.Provider.Configure(ctx, req, resp)
	w, ok := resp.ResourceData.(*walk)
	if !ok || !w.connected() {
		return
	}
	s := readSettings(ctx, req.Config, p.Getenv, &resp.Diagnostics)
	attempt := &assessapi.Attempt{Next: p.Network, Timeout: s.requestTimeout, Observe: logAttempt}
	w.throttle = throttle.New(throttle.Config{
		Next: attempt, Windows: windowsFor(s), Share: s.share, OnWait: logWait, MaxInFlight: s.requestTimeout + time.Second,
	})
	w.catalogue = newCatalogue(assessapi.New(assessapi.Config{
		BaseURL: s.baseURL, ClientID: s.clientID, APIKey: s.apiKey, UserAgent: "test",
		Transport: w.throttle, RequestTimeout: s.requestTimeout, RetryTimeout: s.retryTimeout, Timeout: throttle.WithTimeout, Notice: w.notice,
	}))
}
