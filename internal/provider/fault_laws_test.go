// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The defaults of the provider.
const (
	requestTimeout = 30 * time.Second
	retryTimeout   = 5 * time.Minute
)

// trouble is a fault, with what decides about its consequences.
type trouble struct {
	name  string
	fault sandboxtest.Fault
	only  []string // the methods that it is for; nil is all of them

	effect bool // the service has done what it was asked, and only the answer suffers
	unsent bool // there was no connection: nothing has arrived
	unread bool // the service has refused to look at it
	final  bool // another attempt cannot mend it
	loops  bool // it leads to the same address: harmless once, and endless for ever

	harmless []string // the methods whose answer holds all that is needed even so
	says     []string // what an error says of it: what came, and what to do
}

const (
	itsOwn      = `The service has a problem of its own\. Run it again later`
	network     = `Check the provider.s base_url \(environment variable ASSESS_BASE_URL\), the network and the proxy settings, then run it again`
	baseURL     = `Check the provider.s base_url \(environment variable ASSESS_BASE_URL\)`
	credentials = "Check the credentials.*ASSESS_CLIENT_ID and ASSESS_API_KEY"
	otherUser   = "Another program uses the same API key"
)

var everyMethod = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}

// troubles are all that a network, a gateway or a service may do to a request.
func troubles() []trouble {
	html := http.Header{"Content-Type": {"text/html"}}
	page := []byte("<html><head><title>502</title></head><body><h1>Bad Gateway</h1></body></html>")
	noAddress := http.Header{"Location": {}} // the answer to a POST does not say where the new resource is
	all := []trouble{
		{name: "429 with Retry-After", unread: true, says: []string{"429 Too Many Requests", otherUser}, fault: sandboxtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}}},
		{name: "429 without", unread: true, says: []string{"429 Too Many Requests", otherUser}, fault: sandboxtest.Fault{Status: 429}},
		{name: "connection refused", unsent: true, says: []string{"connection refused", network}, fault: sandboxtest.Fault{Refuse: true}},
		{name: "body cut short", effect: true, says: []string{"broke off", network}, fault: sandboxtest.Fault{CutBody: true}},
		{
			name: "garbage body", effect: true, harmless: []string{http.MethodPost}, says: []string{"200 OK with a body that is no JSON", network},
			fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Status: 200, Body: []byte(`{"id":`)},
		},
		{
			name: "garbage body, no address", only: []string{http.MethodPost}, effect: true,
			fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Status: 200, Body: []byte(`{"id":`), Header: noAddress},
		},
		{
			name: "empty body", effect: true, harmless: everyMethod[1:], says: []string{"200 OK with an empty body", network},
			fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Status: 200, Body: []byte{}},
		},
		{
			name: "empty body, no address", only: []string{http.MethodPost}, effect: true,
			fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Status: 201, Body: []byte{}, Header: noAddress},
		},
		{name: "wrong content type", effect: true, harmless: everyMethod, fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Header: html}},
		{name: "endless body", effect: true, final: true, says: []string{"larger than 64 MiB", network}, fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Status: 200, Endless: true}},
		{name: "redirect, same origin", final: true, loops: true, harmless: everyMethod[:1], says: []string{"redirects", baseURL}, fault: sandboxtest.Fault{Status: 307}},
		{
			name: "redirect, other origin", final: true, says: []string{"another origin|redirects", baseURL},
			fault: sandboxtest.Fault{Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/v1"}}},
		},
		{name: "401 in the middle", final: true, says: []string{"401 Unauthorized", credentials}, fault: sandboxtest.Fault{Status: 401}},
		{name: "403", final: true, says: []string{"403 Forbidden", credentials}, fault: sandboxtest.Fault{Status: 403}},
	}
	for _, when := range []sandboxtest.Moment{sandboxtest.BeforeEffect, sandboxtest.AfterEffect} {
		effect := when == sandboxtest.AfterEffect
		only := everyMethod
		if effect {
			only = everyMethod[1:] // reads have none
		}
		for _, status := range []int{500, 502, 503, 504} {
			all = append(all, trouble{
				name: fmt.Sprintf("%d %s", status, when), only: only, effect: effect, fault: sandboxtest.Fault{Status: status, When: when},
				says: []string{fmt.Sprintf("%d %s", status, http.StatusText(status)), itsOwn},
			})
		}
		all = append(
			all,
			trouble{name: fmt.Sprintf("HTML 502 %s", when), only: only, effect: effect, says: []string{"502 Bad Gateway: Bad Gateway", itsOwn}, fault: sandboxtest.Fault{Status: 502, When: when, Header: html, Body: page}},
			trouble{name: fmt.Sprintf("reset %s", when), only: only, effect: effect, says: []string{"connection reset", network}, fault: sandboxtest.Fault{Reset: true, When: when}},
			trouble{name: fmt.Sprintf("hang-up %s", when), only: only, effect: effect, says: []string{"EOF", network}, fault: sandboxtest.Fault{Hangup: true, When: when}},
			trouble{name: fmt.Sprintf("slow header %s", when), only: only, effect: effect, says: []string{"no answer within 30s", network}, fault: sandboxtest.Fault{Delay: 45 * time.Second, When: when}},
		)
	}
	return all
}

// at is the fault for a request that a run without faults has sent.
func (x trouble) at(request sandboxtest.Entry, skip int, lasting bool) sandboxtest.Fault {
	f := x.fault
	f.Method, f.Route, f.Skip = request.Method, request.Route, skip
	if lasting {
		f.Times = -1
	}
	if x.loops {
		f.Header = http.Header{"Location": {"/v1" + request.Path + "?" + request.Query.Encode()}}
	}
	return f
}

// consequence is what a trouble must come to.
type consequence struct {
	succeeds bool
	done     bool   // whether the service has what was asked of it
	requests int    // how many with the method arrive; -1: more than one
	warning  string // what is said of it although it succeeds
	tries    bool   // it is tried to the end of retry_timeout
}

// meets reports whether the trouble is one for a request of an operation, once
// or for ever. What is final ends the operation the first time. An endless answer
// takes its time to test: of the operations that read a route, the data sources
// stand for all.
func (x trouble) meets(operation string, request sandboxtest.Entry, lasting bool) bool {
	if x.final && lasting && !x.loops {
		return false
	}
	if x.fault.Endless && request.Method == http.MethodGet && operation != "read" {
		return request.Route == sandbox.RoutePositionAssessment // no data source needs it
	}
	return x.only == nil || slices.Contains(x.only, request.Method)
}

// of holds the laws: what a trouble means for a request. aside says that the
// operation has reached its purpose before.
func (x trouble) of(request sandboxtest.Entry, lasting, aside bool) consequence {
	method := request.Method
	reaches := 1
	if x.unsent {
		reaches = 0
	}
	nothingToCut := x.fault.CutBody && request.Status == http.StatusNoContent
	goesRound := x.loops && lasting
	switch {
	// An answer that holds what is needed is enough.
	case nothingToCut, slices.Contains(x.harmless, method) && !goesRound:
		return consequence{succeeds: true, done: true, requests: 1}
	// Reads are tried again. One that comes on top of a write that succeeded
	// cannot make it fail any more.
	case method == http.MethodGet:
		mended := !x.final && !lasting
		c := consequence{succeeds: mended || aside, done: mended || aside, tries: !x.final && lasting}
		if !mended && aside {
			c.warning = "Cannot read the (added assessment|updated position assessment)"
		}
		return c
	// A POST that had its effect is recognised, and never sent again.
	case method == http.MethodPost && x.effect:
		return consequence{succeeds: true, done: true, requests: 1, warning: "An added assessment was recognised"}
	// A refusal is final.
	case x.final:
		return consequence{done: x.effect, requests: 1}
	// What is left is tried again: PUT and DELETE because they may be repeated,
	// POST because it had no effect.
	case lasting:
		return consequence{done: x.effect, requests: -reaches, tries: true}
	default:
		return consequence{succeeds: true, done: true, requests: 1 + reaches}
	}
}
