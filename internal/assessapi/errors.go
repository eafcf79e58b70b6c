// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Error is a response that does not do what was asked: its status is not 2xx, or it may be foreign ([UnsureError]).
type Error struct {
	Method, Route  string // as a template, without ids
	Status         int
	Code           string // from the body, may be empty
	Message        string // from the body, or the first 300 characters of other text (assumption A3)
	ConversationID string // for the support of the service, may be empty
	Location       string // of a redirect that was not followed
	Address        string // of the response, without the query
	IsWebPage      bool   // whether the body is a page for people, and Message is its beginning
	Attempts       int
	Elapsed        time.Duration

	signed     bool // has a Conversation-Id
	speaker    *speaker
	retryAfter time.Duration
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s %s: %s", e.Method, e.Route, e.StatusLine())
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// CallError means that there was no usable response: the service was not reached, the
// response was cut short or took too long, or the caller canceled the call.
type CallError struct {
	Method, Route string
	Address       string // of the request, without the query, may be empty
	Attempts      int
	Elapsed       time.Duration
	Sent          bool // whether the last attempt may have had an effect
	Err           error
}

func (e *CallError) Error() string { return fmt.Sprintf("%s %s: %v", e.Method, e.Route, e.Err) }

// Unwrap returns the reason.
func (e *CallError) Unwrap() error { return e.Err }

// ShapeError means that a 2xx did not contain what the specification says.
type ShapeError struct {
	Method, Route string
	Address       string // of the request, without the query
	Problem       string // what was expected and what was returned, without values
	Changed       bool   // a list may have changed while it was read page by page
}

func (e *ShapeError) Error() string { return fmt.Sprintf("%s %s: %s", e.Method, e.Route, e.Problem) }

// shapeError is the error of a call. The problem may quote names and ids of a response,
// so its length is limited.
func (c *Client) shapeError(method string, r apiRoute, problem string) *ShapeError {
	return &ShapeError{
		Method: method, Route: r.template, Problem: excerpt(problem, c.mask, 500),
		Address: excerpt(c.address(apiRequest{route: r}), c.mask, 300),
	}
}

// RedirectError means that a redirect was not followed, because it would send the credentials to another address (To),
// or because there were too many redirects.
type RedirectError struct{ To string }

func (e *RedirectError) Error() string {
	if e.To == "" {
		return fmt.Sprintf("more than %d redirects", maxRedirects)
	}
	return fmt.Sprintf("the service points to another address, %s, and the provider does not send the credentials there",
		e.To)
}

// IsNotFound reports whether the service answered that the resource does not exist: 404
// or 410. This and the functions below ignore answers that certainly do not come from the
// service.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound, http.StatusGone) }

// IsNoRoute reports whether the service answered that it does not offer the operation:
// 405 or 501.
func IsNoRoute(err error) bool {
	return hasStatus(err, http.StatusMethodNotAllowed, http.StatusNotImplemented)
}

// IsNoList reports whether the service answered that it does not offer this list
// (assumptions A8, A9 and A23).
func IsNoList(err error) bool {
	return hasStatus(err, http.StatusBadRequest) || IsNotFound(err) || IsNoRoute(err)
}

// IsOtherKind reports whether the response to a list of packages or skills tests says
// that the assessment is of another kind, so that it has none (assumption A23).
func IsOtherKind(err error) bool {
	return IsNoList(err) && !hasStatus(err, http.StatusNotImplemented)
}

func hasStatus(err error, statuses ...int) bool {
	return says(err, statuses...) && !IsForeign(err)
}

// Class is the kind of an [Error].
type Class int

// Kinds of errors.
const (
	Rejected        Class = iota // any other 4xx: the message of the service says what is wrong
	Unauthorized                 // 401
	Forbidden                    // 403: the key may lack a permission, or the service refuses this change
	NotFound                     // 404, 410
	NotOffered                   // 405, 501: the service does not offer the operation
	Conflict                     // 400, 409: the service refuses the change
	TooManyRequests              // 429
	Redirected                   // 3xx
	ServiceFault                 // any other 5xx
	Foreign                      // any other 4xx that does not come from the service
)

// Class returns the kind of the error.
func (e *Error) Class() Class {
	switch status := e.Status; {
	case status == http.StatusUnauthorized:
		return Unauthorized
	case e.IsForeign() && status/100 == 4 && status != http.StatusTooManyRequests,
		e.IsForeign() && status == http.StatusNotImplemented:
		return Foreign
	case status == http.StatusForbidden:
		return Forbidden
	case IsNotFound(e):
		return NotFound
	case IsNoRoute(e):
		return NotOffered
	case status == http.StatusBadRequest, status == http.StatusConflict:
		return Conflict
	case status == http.StatusTooManyRequests:
		return TooManyRequests
	case status >= 500:
		return ServiceFault
	case status >= 300 && status < 400:
		return Redirected
	default:
		return Rejected
	}
}

// StatusLine returns the status with its name, such as "404 Not Found".
func (e *Error) StatusLine() string { return statusLine(e.Status) }

func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// refusal reads the body of a response that is an [Error], in any format. It removes credentials
// from the text, because some gateways repeat a header of the request.
func (c *Client) refusal(r apiRequest, a *answer) *Error {
	show := func(text string, most int) string { return excerpt(text, c.mask, most) }
	seconds, _ := strconv.Atoi(a.header.Get("Retry-After")) // the Attempt has normalized it
	e := &Error{
		Method: r.method, Route: r.route.template, Status: a.status,
		speaker:        &c.speaker,
		retryAfter:     time.Duration(seconds) * time.Second,
		ConversationID: show(a.header.Get(conversationHeader), 100),
		IsWebPage:      isWebPage(a.body),
		Location:       show(a.header.Get("Location"), 300),
		Address:        show(withoutQuery(a.url), 300),
	}
	if known, err := parseJSONObject(a.body); err == nil {
		e.Message, e.Code = show(known.text("message"), 300), show(known.text("code"), 100)
		e.ConversationID = cmp.Or(e.ConversationID, show(known.text("conversationId"), 100))
	}
	e.signed = e.ConversationID != ""
	if e.Message == "" {
		e.Message = show(visibleText(statusHeading(e.Status).ReplaceAllString(c.mask.Beginning(string(a.body)), "><")), 300)
	}
	return e
}

// statusHeading matches the text of an element of an HTML page that only repeats the status.
func statusHeading(status int) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`>\s*(%d )?%s\s*<`, status, regexp.QuoteMeta(http.StatusText(status))))
}

var (
	unseen = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<!--.*?-->`)
	tags   = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
)

// visibleText returns the text of a body that a person can read: for an HTML page, the
// text without tags.
func visibleText(body string) string {
	return html.UnescapeString(tags.ReplaceAllString(unseen.ReplaceAllString(body, " "), " "))
}

// excerpt returns one line of a text for a message: at most the given number of
// characters, without control characters and without secrets. Secrets are removed before the
// line is cut, because a part of them must not be shown either.
func excerpt(text string, mask *mask, most int) string {
	unseen := func(r rune) bool { return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) }
	line := mask.Message(strings.Join(strings.FieldsFunc(mask.Beginning(text), unseen), " "))
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	return string([]rune(line)[:most]) + "…"
}

// unwrapURL removes the address that net/http adds to the error of a transport.
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

// withoutQuery returns an address without its query, because a query may contain personal
// data.
func withoutQuery(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }
