// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// episode is a time in which a gateway answers in place of the service.
type episode struct {
	name    string
	applies bool // whether it is there during the apply, instead of before the end
	begin   func(s *simulation)
}

// episodes are what gateways do. The first one does nothing.
var episodes = []episode{
	{name: "none"},
	{name: "no route for removals", begin: answering(http.MethodDelete, "", 404, "application/json", `{"message":"no Route"}`)},
	{name: "an empty 200 for removals", begin: answering(http.MethodDelete, "", 200, "text/plain", "")},
	{name: "a firewall", begin: answering(http.MethodDelete, "", 403, "text/html", "<h1>Request blocked</h1>")},
	{name: "no backend", begin: withoutBackend("text/plain", "default backend - 404")},
	{name: "no backend in JSON", begin: withoutBackend("application/json", ownFormat)},
	{name: "a refusal in JSON", begin: answering(http.MethodDelete, "", 403, "application/json", ownFormat)},
	{name: "an empty list", begin: answering(
		http.MethodGet, sandbox.RoutePositionAssessments, 200, "application/json", "[]")},
	{name: "an empty 200 for updates", applies: true, begin: answering(http.MethodPut, "", 200, "text/plain", "")},
	{name: "a creation that it gives up on", applies: true, begin: givesUp(503)},
	{name: "a creation that times out", applies: true, begin: givesUp(408)},
	{name: "a creation that fails", applies: true, begin: givesUp(500)},
	{name: "a creation that it drops", applies: true, begin: givesUp(0)},
	{name: "a cache", applies: true, begin: caches},
}

// episodeOf returns the episode of the life of a seed.
func episodeOf(seed uint64) episode {
	if seed%3 != 0 {
		return episodes[0]
	}
	return episodes[seed/3%uint64(len(episodes))]
}

// isInterrupted reports whether a seed has an episode, after which a run may fail.
func isInterrupted(seed uint64) bool { return episodeOf(seed).begin != nil }

// answering makes something in front of the service answer requests.
func answering(method, route string, status int, contentType, body string) func(*simulation) {
	return func(s *simulation) {
		s.service.Inject(sandboxtest.Fault{
			Method: method, Route: route, Status: status, Times: -1, Body: []byte(body),
			Header: http.Header{"Content-Type": {contentType}, "Conversation-Id": nil},
		})
	}
}

// ownFormat is an error in the format of the service, as some gateways write it.
const ownFormat = `{"code":"404","type":"Status report","message":"Not Found"}`

// withoutBackend makes the gateway answer 404 on both routes of position assessments.
func withoutBackend(contentType, body string) func(*simulation) {
	return func(s *simulation) {
		for _, route := range []string{sandbox.RoutePositionAssessment, sandbox.RoutePositionAssessments} {
			answering("", route, 404, contentType, body)(s)
		}
	}
}

// givesUp makes the gateway answer the third creation at once, although the service works on it for three
// seconds.
func givesUp(status int) func(*simulation) {
	return func(s *simulation) { s.service.Inject(givingUp(status, 2, nil)) }
}

// givingUp is a gateway that gives up on a creation, with a status or without an answer.
func givingUp(status, skip int, match func(*http.Request) bool) sandboxtest.Fault {
	fault := sandboxtest.Fault{
		Method: http.MethodPost, Match: match, Skip: skip, Late: 3 * time.Second, Hangup: status == 0, Status: status,
		Header: http.Header{"Content-Type": {"application/json"}, "Conversation-Id": nil}, Body: []byte(ownFormat),
	}
	if status > 500 {
		fault.Header.Set("Content-Type", "text/html")
		fault.Body = []byte("<h1>Backend fetch failed</h1>")
	}
	return fault
}

// caches makes a gateway answer each GET again for longer than the provider waits for a lost response, so that each
// look at a list gets the copy. It gives up on the only creation on a position, because other creations there would show
// that a list is old.
func caches(s *simulation) {
	s.service.Inject(sandboxtest.Fault{Method: http.MethodGet, Times: -1, Cached: 5 * time.Minute})
	s.service.Inject(givingUp(503, 0, isAlone))
}

// isAlone reports whether a request is for the position on which [formsConfig] attaches one assessment.
func isAlone(r *http.Request) bool {
	return slices.ContainsFunc([]string{accentedID, digits[accentedID]}, func(position string) bool {
		return strings.HasSuffix(r.URL.Path, "/positions/"+position+"/assessments")
	})
}

// forgetAll makes all resources forget what the service refuses to remove.
func forgetAll(config coretest.Config) coretest.Config {
	for _, r := range config.Resources {
		if strings.HasPrefix(r.Addr, attachmentAddr) {
			r.Body["on_refused_removal"] = "forget"
		}
	}
	return config
}
