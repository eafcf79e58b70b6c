// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"errors"
	"html"
	"net/http"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// show returns a text of a response as one line for a message: without control characters, without commands of a
// pipeline (see [WithoutCommands]), and cut after N characters, where N is the parameter most. If the text contains a
// secret, show returns repeatsSecret.
func (s *secrets) show(text string, most int) string {
	isUnseen := func(r rune) bool { return r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) }
	line := strings.Join(strings.FieldsFunc(text, isUnseen), " ")
	if s.areIn(text) || s.areIn(line) {
		return repeatsSecret
	}
	line = WithoutCommands(line)
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	return string([]rune(line)[:most]) + "…"
}

// WithoutCommands returns a text without character sequences that begin a command in the log of a pipeline.
func WithoutCommands(text string) string {
	for range 2 { // twice, because ":::" contains "::" again
		text = strings.ReplaceAll(text, "::", ": :") // GitHub Actions: ::error::
		text = strings.ReplaceAll(text, "##", "# #") // Azure Pipelines and TeamCity: ##vso[...], ##teamcity[...]
	}
	return text
}

// safeError is an error whose text can be shown, although the original text cannot.
type safeError struct {
	text string
	err  error
}

func (e *safeError) Error() string { return e.text }

// Unwrap returns the original error, so that callers can test its type.
func (e *safeError) Unwrap() error { return e.err }

// showError returns an error whose text is safe to show. The text of a network error may be unsafe, because net/http
// quotes lines that it cannot parse.
func (s *secrets) showError(err error) error {
	if text := s.show(err.Error(), 500); text != err.Error() {
		return &safeError{text: text, err: err}
	}
	return err
}

// shapeError returns the error of a response that does not have the shape of the specification. The problem may quote
// names and IDs of the response. If the problem is a [ShapeError] already, shapeError returns the problem.
func (c *Client) shapeError(r route, problem error) *ShapeError {
	if shape, ok := errors.AsType[*ShapeError](problem); ok {
		return shape
	}
	return &ShapeError{
		Method: http.MethodGet, Route: r.template, Address: c.shownAddress(r), Problem: c.secrets.show(problem.Error(), 500),
	}
}

// shownAddress returns an address for a message, without the query, because a query may contain personal data.
func (c *Client) shownAddress(r route) string { return c.secrets.show(c.address(r, ""), 300) }

// describe sets the members of e that are about the response, so that they are safe to show. The message of a 3xx
// begins by naming the address in the header Location, if there is one. If the body or this header contains a secret,
// the message says only that, and there is no code.
func (c *Client) describe(e *Error, r *response) {
	e.Status, e.Own, e.Cached = r.status, r.isOwn, r.isCached
	e.ConversationID = c.secrets.show(r.conversationID(), 100)
	location := r.header.Get("Location")
	if c.secrets.areIn(string(r.body)) || c.secrets.areIn(location) {
		e.Message = repeatsSecret
		return
	}
	if o, err := parseObject(r.body); err == nil {
		e.Message, e.Code = c.secrets.show(o.anyText("message"), 300), c.secrets.show(o.anyText("code"), 100)
	}
	if e.Message == "" && (r.status/100 != 2 || isWebPage(r.body)) { // any other 2xx may contain personal data
		e.Message = c.secrets.show(visibleText(r), 300)
	}
	if r.status/100 == 3 && location != "" {
		e.Message = strings.TrimSpace("redirected to " + c.secrets.show(location, 300) + ". " + e.Message)
	}
}

// isWebPage reports whether a body is a page for people instead of JSON.
func isWebPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

var (
	unseen = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<!--.*?-->`)
	tags   = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
)

// visibleText returns the text of a response that a person can read: for an HTML page, the text without tags, and for a
// compressed body, only that it is compressed.
func visibleText(r *response) string {
	if problem := compression(r.body, r.header); problem != nil && !utf8.Valid(r.body) { // the header may be wrong
		return problem.Error()
	}
	return html.UnescapeString(tags.ReplaceAllString(unseen.ReplaceAllString(string(r.body), " "), " "))
}
