// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Error is an answer of the service that is no success (section 7).
type Error struct {
	Method, Route  string // the route as a template, without ids
	Status         int
	Code           string // of the body; empty if it has none
	Message        string // of the body, or the first 300 characters of whatever text came, if any (assumption A3)
	ConversationID string // what the service's support asks for; may be empty
	Location       string // of a redirect that was not followed
	Address        string // what answered, without its query
	Attempts       int
	Elapsed        time.Duration
}

func (e *Error) Error() string {
	s := strings.TrimSpace(fmt.Sprintf("%s %s: %d %s", e.Method, e.Route, e.Status, http.StatusText(e.Status)))
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// CallError says that no usable answer came: the service was not reached, or
// broke off, or took too long, or the caller gave up.
type CallError struct {
	Method, Route string
	Address       string // what was asked, without its query; may be empty
	Attempts      int
	Elapsed       time.Duration
	Sent          bool // whether the last attempt that was made may have had its effect
	Err           error
}

func (e *CallError) Error() string { return fmt.Sprintf("%s %s: %v", e.Method, e.Route, e.Err) }

// Unwrap returns the reason.
func (e *CallError) Unwrap() error { return e.Err }

// ShapeError says that a 2xx held something else than what was asked for.
type ShapeError struct {
	Method, Route string
	Address       string // what was asked, without its query
	Problem       string // what was expected and what came, without values
	Changed       bool   // a list may have changed while it was read page by page
	moved         bool   // it did: an element moved from one page to another
}

func (e *ShapeError) Error() string { return fmt.Sprintf("%s %s: %s", e.Method, e.Route, e.Problem) }

// shapeError is the error of a call; the problem may quote names and ids of the
// service's answer, of whatever length.
func (c *Client) shapeError(method string, r route, problem string) *ShapeError {
	return &ShapeError{
		Method: method, Route: r.template, Problem: excerpt(problem, c.mask, 500),
		Address: excerpt(c.address(call{route: r}), c.mask, 300),
	}
}

// RedirectError says that a redirect would have taken the credentials away
// from the origin they belong to, or led nowhere.
type RedirectError struct{ To string }

func (e *RedirectError) Error() string {
	if e.To == "" {
		return fmt.Sprintf("more than %d redirects", maxRedirects)
	}
	return fmt.Sprintf("the service points to another origin, %s: the credentials are not sent there", e.To)
}

// LostError says that an assessment may have been added although no usable
// answer to it came: sending it again could add it twice.
type LostError struct {
	// Settles is how long the request may still be under way, and with it the
	// effect: above 0 after a timeout, the service's own or a gateway's.
	Settles time.Duration
	// Accepted is whether the service has said that it was added, and not as what.
	Accepted bool
	Err      error
}

// Settle waits until the request can no longer be under way; where that is not
// known, longer after each of the attempts. It returns the context's error.
func (e *LostError) Settle(ctx context.Context, attempts int) error {
	return Wait(ctx, max(e.Settles, pauseAfter(attempts)))
}

func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap returns what came instead of an answer.
func (e *LostError) Unwrap() error { return e.Err }

// IsNotFound reports whether the service says that what was asked for is gone:
// 404 or 410.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound, http.StatusGone) }

// IsNoRoute reports whether the answer proves that the service offers no such
// route: 405 or 501.
func IsNoRoute(err error) bool {
	return hasStatus(err, http.StatusMethodNotAllowed, http.StatusNotImplemented)
}

// IsNoList reports whether the answer to reading a list says that there is none
// of this kind here (assumptions A8, A9 and A23).
func IsNoList(err error) bool {
	return hasStatus(err, http.StatusBadRequest) || IsNotFound(err) || IsNoRoute(err)
}

// IsOtherKind reports whether the answer to reading packages or skills tests says that
// the assessment is of another kind, and so has none (assumption A23).
func IsOtherKind(err error) bool {
	return IsNoList(err) && !hasStatus(err, http.StatusNotImplemented)
}

func hasStatus(err error, statuses ...int) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, s := range statuses {
		if e.Status == s {
			return true
		}
	}
	return false
}

// parseError reads the body of an error in whatever form it comes. What is
// shown of it is masked first: gateways are known to repeat a request's header.
func parseError(resp *http.Response, body []byte, mask *mask) *Error {
	show := func(text string, most int) string { return excerpt(text, mask, most) }
	e := &Error{
		Status:         resp.StatusCode,
		ConversationID: show(resp.Header.Get("Conversation-Id"), 100),
		Location:       show(resp.Header.Get("Location"), 300),
	}
	if resp.Request != nil {
		e.Address = show(withoutQuery(resp.Request.URL), 300)
	}
	if known, err := parseObject(body); err == nil {
		if message := known.string("message"); message != nil {
			e.Message = show(*message, 300)
		}
		if code := known.string("code"); code != nil {
			e.Code = show(*code, 100)
		}
		if id := known.string("conversationId"); id != nil && e.ConversationID == "" {
			e.ConversationID = show(*id, 100)
		}
	}
	if e.Message == "" {
		e.Message = show(visibleText(body), 300)
	}
	return e
}

var (
	unseen = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<!--.*?-->`)
	tags   = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
)

// visibleText is what a person can read of a body: a gateway's page without its
// tags.
func visibleText(body []byte) string {
	const enough = 64 << 10 // no page of a gateway says its reason later
	text := string(body[:min(len(body), enough)])
	return html.UnescapeString(tags.ReplaceAllString(unseen.ReplaceAllString(text, " "), " "))
}

// excerpt is what may be shown of a text: one line of at most so many
// characters, none of which a terminal obeys, without the credentials. They are
// hidden before it is cut, since a part of them is no better.
func excerpt(text string, mask *mask, most int) string {
	unseen := func(r rune) bool { return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) }
	line := strings.Join(strings.FieldsFunc(mask.Replace(text), unseen), " ")
	line = mask.Replace(line) // which another white space may have kept apart
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	return string([]rune(line)[:most]) + "…"
}

// unwrapURL parts a transport's error from the address that net/http puts around
// it.
func unwrapURL(err error) (address string, reason error) {
	var u *url.Error
	if !errors.As(err, &u) {
		return "", err
	}
	if asked, parsing := url.Parse(u.URL); parsing == nil {
		address = withoutQuery(asked)
	}
	return address, u.Err
}

// withoutQuery is an address as a message may show it: the query may name
// people.
func withoutQuery(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }
