// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// conversationHeader identifies a response for the support of the service (assumption A3).
const conversationHeader = "Conversation-Id"

// speaker decides whether an answer comes from the service itself. A gateway, a firewall or a cache between the
// provider and the service can answer in its place: a 404 for a route that the gateway does not know, a 403 of a
// firewall, a 200 without a body, or a maintenance page. No such answer may drop, forget or repeat anything.
//
// An answer is the service's own if it is signed: it has a Conversation-Id, in its header or in the body of an error. A
// service that never signs is still known by a response that contains the resource that was requested. A code and a
// message prove nothing, because many gateways write them, too. All other answers may come from the service or from
// something in between. Then only a read can show what happened. As some gateways sign, nothing is dropped or repeated
// because of an answer that is signed.
type speaker struct {
	signs atomic.Bool

	mu       sync.Mutex
	requests map[uint64]uint64 // hash of the request, or 0 for several, by hash of a Conversation-Id
}

var speakerSeed = maphash.MakeSeed()

// hear notes whether the service signs its answers, and whether an answer is a copy. It hears only successes, because
// an error may be that of a gateway that signs.
//
// Only a cache answers a request again with an earlier Conversation-Id, and some caches send no Age. A Conversation-Id
// that answers to different requests share proves nothing.
func (s *speaker) hear(req *http.Request, a *answer) {
	if !a.isSigned() {
		return
	}
	s.signs.Store(true)
	id := maphash.String(speakerSeed, a.header.Get(conversationHeader))
	asked := maphash.String(speakerSeed, req.Method+" "+req.URL.String())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests == nil {
		s.requests = map[uint64]uint64{}
	}
	before, known := s.requests[id]
	a.isCopy = known && before == asked
	if known && !a.isCopy {
		asked = 0
	}
	s.requests[id] = asked
}

// isSigning reports whether an answer of this run was signed.
func (s *speaker) isSigning() bool { return s != nil && s.signs.Load() }

// IsOwn reports whether the error is signed, as that of the service is.
func (e *Error) IsOwn() bool { return e.signed }

// IsForeign reports whether the error certainly comes from something between the provider and the
// service: it is not signed, although the service signs its answers.
func (e *Error) IsForeign() bool { return !e.signed && e.speaker.isSigning() }

// IsOwn reports whether an error is a refusal that is signed, as that of the service is.
func IsOwn(err error) bool {
	e, refused := errors.AsType[*Error](err)
	return refused && e.IsOwn()
}

// IsForeign reports whether an error certainly comes from something between the provider and the
// service.
func IsForeign(err error) bool {
	e, refused := errors.AsType[*Error](err)
	return refused && e.IsForeign()
}

// SaysNotFound reports whether an answer was 404 or 410, whoever has sent it. To rely on it, use
// [IsNotFound].
func SaysNotFound(err error) bool { return says(err, http.StatusNotFound, http.StatusGone) }

// says reports whether an answer had one of the statuses, whoever has sent it.
func says(err error, statuses ...int) bool {
	e, refused := errors.AsType[*Error](err)
	return refused && slices.Contains(statuses, e.Status)
}

// UnsureError means that an answer that reports success may not come from the service.
type UnsureError struct{ Answer *Error }

func (e *UnsureError) Error() string {
	s := fmt.Sprintf("%s %s: %s, but the answer may not come from the service", e.Answer.Method, e.Answer.Route,
		e.Answer.StatusLine())
	if e.Answer.IsWebPage && e.Answer.Message != "" {
		s += ": " + e.Answer.Message
	}
	return s
}

// unsure returns an [UnsureError] if the answer to a write may not come from the service: it is not
// signed, and does not contain the resource with the given ID. It returns nil otherwise.
func (c *Client) unsure(r apiRequest, a *answer, id string) error {
	if a.isSigned() {
		return nil
	}
	if o, err := parseJSONObject(a.body); err == nil && id != "" && o.text("id") == id {
		return nil
	}
	return &UnsureError{c.refusal(r, a)}
}

func (a *answer) isSigned() bool { return a.header.Get(conversationHeader) != "" }

// isCached reports whether a cache has answered instead of the service (RFC 9111, section 5.1).
func (a *answer) isCached() bool {
	age, err := strconv.Atoi(strings.TrimSpace(a.header.Get("Age")))
	return err == nil && age > 0 || a.isCopy
}

// isWebPage reports whether a body is a page for people instead of JSON.
func isWebPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// ErrCached means that a cache in front of the service answered, so that the answer may be out of
// date.
var ErrCached = errors.New("a cache in front of the service answered")

// ErrForeign means that something between the provider and the service answered.
var ErrForeign = errors.New("something between the provider and the service answered")

// doubt returns why the answer to a read may not show what the service has now, or nil.
func (c *Client) doubt(a *answer) error {
	switch {
	case a.isCached():
		return ErrCached
	case !a.isSigned() && c.speaker.isSigning():
		return ErrForeign
	}
	return nil
}

// Signs reports whether the service has signed an answer in this run.
func (c *Client) Signs() bool { return c.speaker.isSigning() }

// NoteCached records that an answer has come from a cache, because it lacks what this run has written.
func (c *Client) NoteCached() { c.cfg.Cached() }
