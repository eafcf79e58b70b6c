// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Error is an answer of the service that is no success (section 7).
type Error struct {
	Method, Route  string // the route as a template, without ids
	Status         int
	Code           string // of the body; empty where it has none
	Message        string // of the body, or the first 300 characters of whatever text came (assumption A3)
	ConversationID string // what the service's support asks for; may be empty
	Location       string // of a redirect that was not followed
	Attempts       int
	Elapsed        time.Duration
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s %s: %d %s", e.Method, e.Route, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// CallError says that no usable answer came: the service was not reached, or
// broke off, or took too long, or the caller gave up.
type CallError struct {
	Method, Route string
	Attempts      int
	Elapsed       time.Duration
	Sent          bool // whether the last attempt may have reached the service
	Err           error
}

func (e *CallError) Error() string { return fmt.Sprintf("%s %s: %v", e.Method, e.Route, e.Err) }

// Unwrap returns the reason.
func (e *CallError) Unwrap() error { return e.Err }

// ShapeError says that a 2xx held something else than what was asked for.
type ShapeError struct {
	Method, Route string
	Problem       string // what was due and what came, without values
}

func (e *ShapeError) Error() string { return fmt.Sprintf("%s %s: %s", e.Method, e.Route, e.Problem) }

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
	// effect: above 0 after a timeout.
	Settles time.Duration
	Err     error
}

// Settle waits until the request can no longer be under way.
func (e *LostError) Settle(ctx context.Context) error {
	timer := time.NewTimer(e.Settles)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
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

// parseError reads the body of an error in whatever form it comes.
func parseError(resp *http.Response, body []byte) *Error {
	e := &Error{
		Status:         resp.StatusCode,
		ConversationID: shorten(resp.Header.Get("Conversation-Id"), 100),
		Location:       shorten(resp.Header.Get("Location"), 300),
	}
	var known struct {
		ConversationID string `json:"conversationId"`
		Code           any    `json:"code"`
		Message        string `json:"message"`
	}
	if json.Unmarshal(body, &known) == nil && known.Message != "" {
		e.Message = shorten(known.Message, 300)
		if known.Code != nil {
			e.Code = shorten(fmt.Sprint(known.Code), 100)
		}
		if e.ConversationID == "" {
			e.ConversationID = shorten(known.ConversationID, 100)
		}
		return e
	}
	e.Message = excerpt(body)
	return e
}

var (
	unseen = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<!--.*?-->`)
	tags   = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
)

// excerpt is what a person can read of a body: the first 300 characters,
// without the tags of a gateway's page.
func excerpt(body []byte) string {
	const enough = 64 << 10 // no page of a gateway says its reason later
	text := string(body[:min(len(body), enough)])
	text = html.UnescapeString(tags.ReplaceAllString(unseen.ReplaceAllString(text, " "), " "))
	if text = shorten(text, 300); text == "" {
		return "(no text)"
	}
	return text
}

// shorten makes one line of at most so many characters.
func shorten(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7F || r == utf8.RuneError }), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// unwrapURL drops the address that net/http puts around a transport's error:
// the route says it without ids.
func unwrapURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
