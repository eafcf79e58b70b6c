// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"io"
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
	begin   func(s *simulation, w *watch)
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
	{name: "a creation that it gives up on", applies: true, begin: func(_ *simulation, w *watch) { w.givesUp(503) }},
	{name: "a creation that times out", applies: true, begin: func(_ *simulation, w *watch) { w.givesUp(408) }},
	{name: "a creation that fails", applies: true, begin: func(_ *simulation, w *watch) { w.givesUp(500) }},
	{name: "a creation that it drops", applies: true, begin: func(_ *simulation, w *watch) { w.givesUp(0) }},
	{name: "a cache", applies: true, begin: func(_ *simulation, w *watch) { w.caches(); w.givesUpAlone(503) }},
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
func answering(method, route string, status int, contentType, body string) func(*simulation, *watch) {
	return func(s *simulation, _ *watch) {
		s.service.Inject(sandboxtest.Fault{
			Method: method, Route: route, Status: status, Times: -1, Body: []byte(body),
			Header: http.Header{"Content-Type": {contentType}, "Conversation-Id": nil},
		})
	}
}

// ownFormat is an error in the format of the service, as some gateways write it.
const ownFormat = `{"code":"404","type":"Status report","message":"Not Found"}`

// withoutBackend makes the gateway answer 404 on both routes of position assessments.
func withoutBackend(contentType, body string) func(*simulation, *watch) {
	return func(s *simulation, w *watch) {
		for _, route := range []string{sandbox.RoutePositionAssessment, sandbox.RoutePositionAssessments} {
			answering("", route, 404, contentType, body)(s, w)
		}
	}
}

// givesUp makes the gateway answer the third creation at once, although the service works on it for three
// seconds.
func (w *watch) givesUp(status int) { w.gave, w.givesAt = status, 3 }

// givesUpAlone makes it answer the only creation on a position. Other creations there would show that a list is old.
func (w *watch) givesUpAlone(status int) { w.gave, w.givesAt, w.alone = status, 1, true }

// isAlone reports whether a request is for the position on which [formsConfig] attaches one assessment.
func isAlone(r *http.Request) bool {
	return slices.ContainsFunc([]string{accentedID, digits[accentedID]}, func(position string) bool {
		return strings.HasSuffix(r.URL.Path, "/positions/"+position+"/assessments")
	})
}

// cachedFor is longer than the provider waits for a lost response, so that each look at a list gets the copy.
const cachedFor = 5 * time.Minute

// caches makes the gateway answer each GET again for some time.
func (w *watch) caches() { w.cache = map[string]cachedAnswer{} }

// ends makes the gateway pass everything on again.
func (w *watch) ends(s *simulation) {
	s.service.ClearFaults()
	w.late.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cache, w.givesAt, w.alone = nil, 0, false
}

type cachedAnswer struct {
	header http.Header
	body   string
	at     time.Time
}

// pass sends a request to the service, unless the gateway answers.
func (w *watch) pass(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	isCaching, answer, found := w.cache != nil && r.Method == http.MethodGet, cachedAnswer{}, false
	if isCaching {
		answer, found = w.cache[r.URL.String()]
	}
	isLast := false
	if r.Method == http.MethodPost && w.givesAt > 0 && (!w.alone || isAlone(r)) {
		w.givesAt--
		isLast = w.givesAt == 0
	}
	w.mu.Unlock()
	switch age := time.Since(answer.at); {
	case found && age < cachedFor:
		header := answer.header.Clone()
		header.Set("Age", "5")
		return response(r, http.StatusOK, header, answer.body), nil
	case isLast:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		w.late.Go(func() {
			time.Sleep(3 * time.Second)
			late := r.Clone(context.WithoutCancel(r.Context()))
			late.Body = io.NopCloser(strings.NewReader(string(body)))
			if resp, err := w.next.RoundTrip(late); err == nil {
				_ = resp.Body.Close()
			}
		})
		if w.gave == 0 {
			return nil, io.EOF
		}
		if w.gave <= 500 {
			return response(r, w.gave, http.Header{"Content-Type": {"application/json"}}, ownFormat), nil
		}
		return response(r, w.gave, http.Header{"Content-Type": {"text/html"}}, "<h1>Backend fetch failed</h1>"), nil
	}
	resp, err := w.next.RoundTrip(r)
	if err != nil || !isCaching || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cache != nil {
		w.cache[r.URL.String()] = cachedAnswer{resp.Header.Clone(), string(body), time.Now()}
	}
	return response(r, resp.StatusCode, resp.Header, string(body)), nil
}

func response(r *http.Request, status int, header http.Header, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Request: r,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
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
