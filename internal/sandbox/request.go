// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// incomingCall is a request to the service.
type incomingCall struct {
	*http.Request
	target
	body    []byte
	origin  string // scheme and host that the client used
	unread  error  // why the body could not be read, or nil
	options *Options
	state   *State // the state in the transaction that handles the request
}

// authorize rejects a request that a page of another origin sent, and a request with wrong credentials. The credentials
// are public, so authorize need not compare them in constant time.
func (c *incomingCall) authorize() error {
	if crossOrigin.Check(c.Request) != nil {
		return rejection(http.StatusForbidden, "CROSS_ORIGIN", "a page of another origin sent this request")
	}
	user, password, _ := c.BasicAuth()
	if user == ClientID && password == APIKey {
		return nil
	}
	p := rejection(http.StatusUnauthorized, "UNAUTHORIZED", "the client identifier or the API key is not valid")
	p.header = http.Header{"Www-Authenticate": {`Basic realm="assessment service"`}}
	return p
}

// checkMedia rejects a request whose header Accept has no media type that includes JSON, and a POST or PUT whose header
// Content-Type is not JSON. Both headers may be absent (section 5).
func (c *incomingCall) checkMedia() error {
	if accept := strings.Join(c.Header.Values("Accept"), ", "); !acceptsJSON(accept) {
		return rejection(http.StatusNotAcceptable, "NOT_ACCEPTABLE",
			"only application/json is supported, but the header Accept is %q", accept)
	}
	declared := c.Header.Get("Content-Type")
	if declared == "" || (c.Method != http.MethodPost && c.Method != http.MethodPut) {
		return nil
	}
	if media, _, err := mime.ParseMediaType(declared); err != nil || media != "application/json" {
		return rejection(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE",
			"only application/json is supported, but the header Content-Type is %q", declared)
	}
	return nil
}

// acceptsJSON reports whether a header Accept is empty, or has a media type that includes JSON. It ignores weights.
func acceptsJSON(accept string) bool {
	return accept == "" || slices.ContainsFunc(strings.Split(accept, ","), func(element string) bool {
		media, _, _ := strings.Cut(strings.ToLower(element), ";")
		return slices.Contains([]string{"application/json", "application/*", "*/*"}, strings.TrimSpace(media))
	})
}

// checkCharset rejects characters outside Latin1 (assumption A16) in the path, the query and the body, after decoding
// percent-encoding and JSON escapes. It also rejects text that is not UTF-8. The handler decides whether the body must
// be JSON.
func (c *incomingCall) checkCharset() error {
	query, _ := url.QueryUnescape(c.URL.RawQuery) // parameters rejects a query that cannot be decoded
	body := bytes.NewBuffer(bytes.Clone(c.body))
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
		// The tokens include all decoded names and strings. An unpaired surrogate is U+FFFD, which is outside Latin1.
		_, _ = fmt.Fprint(body, token)
	}
	return cmp.Or(checkLatin1("path", c.URL.Path), checkLatin1("query", query), checkLatin1("body", body.String()))
}

// checkLatin1 rejects text with characters outside Latin1, and text that is not UTF-8.
func checkLatin1(where, text string) error {
	if !utf8.ValidString(text) {
		return badRequest("INVALID_CHARACTER", "the %s is not encoded in UTF-8", where)
	}
	for _, character := range text {
		if character > '\u00ff' {
			return badRequest("INVALID_CHARACTER", "the %s has a character outside Latin1: %+q", where, character)
		}
	}
	return nil
}

// object reads the body as one JSON object. If names are given, it rejects all other members.
func (c *incomingCall) object(names ...string) (Object, error) {
	body, err := ParseObject(c.body)
	if err != nil {
		return nil, badRequest("INVALID_BODY", "the body cannot be read as a JSON object: %v", err)
	}
	for _, member := range body {
		if len(names) > 0 && !slices.Contains(names, member.Name) {
			return nil, badRequest("INVALID_BODY",
				"%q is not a known member of this body. Known members: %s", member.Name, strings.Join(names, ", "))
		}
	}
	return body, nil
}

// readText reads a member that must be a non-empty string. where names the member in messages.
func readText(where string, value json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(value, &s) != nil || s == "" {
		return "", badRequest("INVALID_BODY", "%s must be a non-empty string, not %s", where, value)
	}
	return s, nil
}

// readTexts reads a member that must be an array of unique, non-empty strings. The array may be empty. where names the
// member in messages.
func readTexts(where string, value json.RawMessage) ([]string, error) {
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil || elements == nil { // nil for null
		return nil, badRequest("INVALID_BODY", "%s must be an array of strings, not %s", where, describeJSON(value))
	}
	all := make([]string, 0, len(elements))
	for _, element := range elements {
		s, err := readText("an element of "+where, element)
		if err != nil {
			return nil, err
		}
		if slices.Contains(all, s) {
			return nil, badRequest("INVALID_BODY", "%s contains %q twice", where, s)
		}
		all = append(all, s)
	}
	return all, nil
}
