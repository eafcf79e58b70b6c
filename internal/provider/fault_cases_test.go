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

// faultCase is a fault and the properties that decide its consequences.
type faultCase struct {
	name  string
	fault sandboxtest.Fault
	only  []string // the affected methods, or nil for all

	effect bool // the request has its effect, and only the response is affected
	unsent bool // there was no connection, so no request arrives
	final  bool // another attempt cannot succeed
	loops  bool // a redirect to the same address: harmless once, endless if it is lasting

	harmless []string // the methods whose response is still complete enough
	says     []string // what an error contains: the answer of the service and how to fix it
	pace     pace
}

const (
	serviceProblem = `To fix this: run the command again later, because the service has a problem\. ` +
		`If you contact its support, include the Conversation-Id\.`
	baseURL        = `To fix this: check the provider's base_url \(environment variable ASSESS_BASE_URL\)`
	network        = baseURL + `, the network and the proxy settings\. Then run the command again\.`
	credentials    = `check the credentials client_id and api_key \(ASSESS_CLIENT_ID, ASSESS_API_KEY\)`
	fixCredentials = "To fix this: " + credentials
	fixRight       = "To fix this: ask the operator of the service for the right to this request"
	otherProgram   = "To fix this: wait until the other program that uses the same API key has finished"
	notChanged     = `The state was not changed\.`
)

// refusesKey reports whether a message is about the API key.
func refusesKey(says string) bool { return says == fixCredentials || says == fixRight }

var everyMethod = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}

// faultCases returns everything that a network, a gateway or a service may do to a
// request.
func faultCases() []faultCase {
	all := slices.Concat(refusals(), brokenResponses())
	for _, when := range []sandboxtest.Moment{sandboxtest.BeforeEffect, sandboxtest.AfterEffect} {
		all = append(all, failuresAt(when)...)
	}
	return all
}

// refusals returns faults whose request has no effect.
func refusals() []faultCase {
	const elsewhere = "https://elsewhere.example/v1"
	return []faultCase{
		{
			name:  "429 with Retry-After",
			says:  []string{"429 Too Many Requests", otherProgram},
			pace:  pace{afterRefusal: sevenSeconds},
			fault: sandboxtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}},
		},
		{
			name: "429 without", says: []string{"429 Too Many Requests", otherProgram}, pace: pace{afterRefusal: exponential},
			fault: sandboxtest.Fault{Status: 429},
		},
		{
			name: "connection refused", unsent: true, says: []string{"connection refused", network},
			fault: sandboxtest.Fault{Refuse: true},
		},
		{
			name: "redirect, same origin", final: true, loops: true, harmless: everyMethod[:1],
			says: []string{"redirects", baseURL}, fault: sandboxtest.Fault{Status: 307},
		},
		{
			name: "redirect, other origin", final: true, says: []string{"another origin|redirects", baseURL},
			fault: sandboxtest.Fault{Status: 307, Header: http.Header{"Location": {elsewhere}}},
		},
		{
			name: "401 in the middle", final: true, says: []string{"401 Unauthorized", fixCredentials},
			fault: sandboxtest.Fault{Status: 401},
		},
		{name: "403", final: true, says: []string{"403 Forbidden", fixRight}, fault: sandboxtest.Fault{Status: 403}},
	}
}

// brokenResponses returns faults after the request had its effect.
func brokenResponses() []faultCase {
	after := func(status int, body string) sandboxtest.Fault {
		return sandboxtest.Fault{When: sandboxtest.AfterEffect, Status: status, Body: []byte(body)}
	}
	// withoutAddress leaves out the address of the new resource in a response to a POST.
	withoutAddress := func(f sandboxtest.Fault) sandboxtest.Fault {
		f.Header = http.Header{"Location": {}}
		return f
	}
	html := http.Header{"Content-Type": {"text/html"}}
	return []faultCase{
		{
			name: "body cut short", effect: true, says: []string{"ended early", network},
			fault: sandboxtest.Fault{CutBody: true},
		},
		{
			name: "garbage body", effect: true, harmless: []string{http.MethodPost},
			says: []string{"200 OK with a body that is not JSON", network}, fault: after(200, `{"id":`),
		},
		{
			name: "garbage body, no address", only: []string{http.MethodPost}, effect: true,
			fault: withoutAddress(after(200, `{"id":`)),
		},
		{
			name: "empty body", effect: true, harmless: everyMethod[1:], says: []string{"200 OK with an empty body", network},
			fault: after(200, ""),
		},
		{
			name: "empty body, no address", only: []string{http.MethodPost}, effect: true,
			fault: withoutAddress(after(201, "")),
		},
		{
			name: "wrong content type", effect: true, harmless: everyMethod,
			fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Header: html},
		},
		{
			name: "endless body", effect: true, final: true, says: []string{"larger than 64 MiB", network},
			fault: sandboxtest.Fault{When: sandboxtest.AfterEffect, Status: 200, Endless: true},
		},
	}
}

// failuresAt returns faults that leave it unknown whether the request had its effect.
func failuresAt(when sandboxtest.Moment) []faultCase {
	page := []byte("<html><head><title>502</title></head><body><h1>Bad Gateway</h1></body></html>")
	html := http.Header{"Content-Type": {"text/html"}}
	all := []faultCase{
		{
			name: "HTML 502", says: []string{"502 Bad Gateway: Bad Gateway", serviceProblem},
			fault: sandboxtest.Fault{Status: 502, Header: html, Body: page},
		},
		{name: "reset", says: []string{"connection reset", network}, fault: sandboxtest.Fault{Reset: true}},
		{name: "hang-up", says: []string{"EOF", network}, fault: sandboxtest.Fault{Hangup: true}},
		{
			name: "slow header", says: []string{"no answer within 30s", network},
			pace: pace{takes: requestTimeout, settles: true}, fault: sandboxtest.Fault{Delay: 45 * time.Second},
		},
	}
	for _, status := range []int{500, 502, 503, 504} {
		all = append(all, faultCase{
			name: fmt.Sprint(status), fault: sandboxtest.Fault{Status: status},
			pace: pace{settles: status == http.StatusGatewayTimeout},
			says: []string{fmt.Sprintf("%d %s", status, http.StatusText(status)), serviceProblem},
		})
	}
	for i := range all {
		x := &all[i]
		x.name += " " + when.String()
		x.fault.When = when
		x.only = everyMethod
		if x.effect = when == sandboxtest.AfterEffect; x.effect {
			x.only = everyMethod[1:] // reads have no effect
		}
	}
	return all
}

// pace decides how often a request is sent while it fails.
type pace struct {
	takes   time.Duration // time until an attempt fails (0 means the latency of the network)
	settles bool          // a POST may still be in progress for a request_timeout
	// afterRefusal returns the pause after 429 number n in a row, counted from 0.
	afterRefusal func(n int) time.Duration
}

func sevenSeconds(int) time.Duration { return 7 * time.Second }

func exponential(n int) time.Duration { return min(time.Second<<min(n, 10), time.Minute) }

// attempts returns how many requests are sent within retry_timeout if each one fails.
// Pauses double from half a second to half a minute. Jitter shortens each one by up to
// half.
func (p pace) attempts(method string, unsent bool) (least, most int) {
	const halfMinute = 30 * time.Second
	pause := func(n int, part time.Duration) time.Duration {
		lost := method == http.MethodPost && !unsent
		switch {
		case p.afterRefusal != nil:
			return p.afterRefusal(n)
		case lost && p.settles:
			return requestTimeout
		case lost: // recovery reads the position before and after the pause
			return min(time.Second<<min(n, 10), halfMinute)/part + 2*latency
		}
		return min(time.Second/2<<min(n, 10), halfMinute) / part
	}
	count := func(part time.Duration) (n int) {
		for at := time.Duration(0); at < retryTimeout; n++ {
			at += max(p.takes, latency) + pause(n, part)
		}
		return n
	}
	return count(1), count(2)
}

// faultFor returns the fault for one request of a run.
func (x faultCase) faultFor(request sandboxtest.Entry, skip int, lasting bool) sandboxtest.Fault {
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

// expectation is the required result of a fault.
type expectation struct {
	succeeds    bool
	done        bool   // whether the request has its effect
	least, most int    // how often the request may arrive
	warning     string // the warning of an operation that succeeds
	tries       bool   // the request is sent again until retry_timeout
}

// appliesTo reports whether the fault is tested with a request of an operation, once or
// each time. A final fault ends the operation the first time, so it is not tested as
// lasting. An endless response takes long to test, so only data sources test it for the
// routes that they read.
func (x faultCase) appliesTo(operation string, request sandboxtest.Entry, lasting bool) bool {
	if x.final && lasting && !x.loops {
		return false
	}
	if x.fault.Endless && request.Method == http.MethodGet && operation != "read" {
		return request.Route == sandbox.RoutePositionAssessment // data sources do not read this route
	}
	return x.only == nil || slices.Contains(x.only, request.Method)
}

// expect returns the required result of a fault for a request. If aside is set, the
// operation had its effect before.
func (x faultCase) expect(request sandboxtest.Entry, lasting, aside bool) expectation {
	method := request.Method
	arrives := 1
	if x.unsent {
		arrives = 0
	}
	nothingToCut := x.fault.CutBody && request.Status == http.StatusNoContent
	endless := x.loops && lasting
	switch {
	// The response is complete enough.
	case nothingToCut, slices.Contains(x.harmless, method) && !endless:
		times := 1
		if x.loops {
			times = 2 // the redirect and its target
		}
		return expectation{succeeds: true, done: true, least: times, most: times}
	// Reads are sent again. A failed read after a successful write does not make the
	// operation fail.
	case method == http.MethodGet:
		return x.expectRead(lasting, aside)
	// A POST that had its effect is recovered and never sent again.
	case method == http.MethodPost && x.effect:
		return expectation{succeeds: true, done: true, least: 1, most: 1, warning: "Recovered after a lost response"}
	// A refusal is final.
	case x.final:
		return expectation{done: x.effect, least: 1, most: 1}
	// All other requests are sent again. PUT and DELETE may be repeated, and the POST had
	// no effect.
	case lasting:
		least, most := x.pace.attempts(method, x.unsent || x.pace.afterRefusal != nil)
		return expectation{done: x.effect, least: least * arrives, most: most * arrives, tries: true}
	default:
		return expectation{succeeds: true, done: true, least: 1 + arrives, most: 1 + arrives}
	}
}

func (x faultCase) expectRead(lasting, aside bool) expectation {
	mended := !x.final && !lasting
	c := expectation{succeeds: mended || aside, done: mended || aside, tries: !x.final && lasting}
	if !mended && aside {
		c.warning = "Could not read the profile"
	}
	switch {
	case x.loops:
		c.least, c.most = 10, 10 // all redirects that are followed
	case x.final:
		c.least, c.most = 1, 1
	case mended:
		c.least, c.most = 2, 2
	default:
		c.least, c.most = x.pace.attempts(http.MethodGet, x.unsent)
	}
	if x.unsent {
		c.least, c.most = 0, 0
		if mended {
			c.least, c.most = 1, 1
		}
	}
	return c
}
