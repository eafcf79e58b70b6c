// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// mask hides the credentials of the service and of a proxy, and the values of additional
// headers, in texts of the service, a gateway or a proxy.
type mask struct {
	messages, data func(text string) string
	longest        int // how many bytes a secret can have in a text, with all characters escaped
}

// Shorter secrets are not hidden, because they would hide parts of ordinary words and change
// the data.
const (
	shortestInMessages = 4
	shortestInData     = 8 // and for a part of the value of a header, and for the beginning of a secret
)

// newMask returns a mask for the secrets of a configuration.
func newMask(cfg Config) *mask {
	var secrets []string
	if cfg.APIKey != "" {
		secrets = secretsOf(basic(cfg.ClientID, cfg.APIKey))
	}
	for _, value := range cfg.Headers {
		secrets = append(secrets, secretsOf(value)...)
	}
	if proxy := proxyOf(cfg.BaseURL); proxy != nil && proxy.User != nil {
		password, _ := proxy.User.Password()
		secrets = append(secrets, secretsOf(basic(proxy.User.Username(), password))...)
	}
	for _, secret := range secrets {
		for range mostEscapes {
			secret = unescaped(secret)
		}
		secrets = append(secrets, secret)
	}
	slices.Sort(secrets)
	secrets = slices.Compact(secrets) // most have nothing to unescape, and hiding takes longer with each beginning
	// The longest first, because a secret can contain another one.
	slices.SortStableFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var inMessages, inData, beginnings []string
	longest := 0
	for _, secret := range secrets {
		longest = max(longest, len(secret)*longestEscape)
		if len(secret) >= shortestInMessages {
			inMessages = append(inMessages, secret)
		}
		if len(secret) >= shortestInData {
			inData = append(inData, secret)
		}
		// Some pages repeat a header and cut it.
		for end := len(secret); end >= shortestInData && !strings.Contains(secret, " "); end-- {
			beginnings = append(beginnings, secret[:end])
		}
	}
	whole, cut := hider(inMessages), hider(beginnings)
	return &mask{
		messages: func(text string) string { return cut.Replace(whole.Replace(text)) },
		data:     hider(inData).Replace, longest: longest,
	}
}

const hidden = "(secret)"

func hider(secrets []string) *strings.Replacer {
	pairs := []string{hidden, hidden} // because a secret can be a part of it
	for _, secret := range secrets {
		pairs = append(pairs, secret, hidden)
	}
	return strings.NewReplacer(pairs...)
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// secretsOf returns what is secret in the value of a header: the whole value, its long
// parts, such as the token in "Bearer TOKEN", and that in "Basic CREDENTIALS".
func secretsOf(value string) []string {
	secrets := []string{value}
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t=;,\"", r) }) {
		if len(part) >= shortestInData {
			secrets = append(secrets, part)
		}
	}
	if len(value) > 6 && strings.EqualFold(value[:6], "Basic ") {
		credentials, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(value[6:]))
		user, password, _ := strings.Cut(string(credentials), ":")
		secrets = append(secrets, cmp.Or(password, user)) // a token can be the user, without a password
	}
	return secrets
}

// Message returns a text for a message without the secrets.
func (m *mask) Message(text string) string { return hide(text, m.messages) }

// longestText is how much of a text is searched for the part that a person should read.
// The reason is always near the beginning.
const longestText = 64 << 10

// Beginning returns the beginning of a text without the secrets. At its end is no part of a secret
// either, although a long text is cut.
func (m *mask) Beginning(text string) string {
	if len(text) <= longestText {
		return m.Message(text)
	}
	text = m.Message(text[:longestText])
	return text[:max(0, len(text)-m.longest)]
}

// hide returns a text without the secrets. If characters of a secret are escaped, the text is
// returned without these escapes.
func hide(text string, replace func(string) string) string {
	shown := text
	for range mostEscapes + 1 {
		found := replace(text)
		if found != text {
			shown = found
		}
		text = unescaped(found)
	}
	return shown
}

// mostEscapes is how often a text can be escaped: an address in JSON in HTML is escaped
// several times.
const mostEscapes = 3

// longestEscape is how many bytes an escaped character can have.
const longestEscape = 20

// escapes matches an escaped character of JSON, HTML or an address. Like those of [namesLike], it is compiled when it
// is first used.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\[/"\\]|%[0-9a-fA-F]{2}|&#?[0-9a-zA-Z]{1,17};|\+`)
})

// unescaped returns a text without the escapes of JSON, HTML and addresses, once.
func unescaped(text string) string {
	if !strings.ContainsAny(text, `\%&+`) {
		return text
	}
	return escapes().ReplaceAllStringFunc(text, func(escape string) string {
		switch {
		case escape == "+": // a space in a query
			return " "
		case strings.HasPrefix(escape, `\u`):
			unit, _ := strconv.ParseUint(escape[2:], 16, 16)
			return string(rune(unit))
		case escape[0] == '%':
			b, _ := strconv.ParseUint(escape[1:], 16, 8)
			return string([]byte{byte(b)})
		case escape[0] == '\\':
			return escape[1:]
		}
		return html.UnescapeString(escape)
	})
}

// JSON returns a JSON text without the secrets. It changes only values: strings that
// contain a secret, and numbers that are one. A text without secrets stays exactly as it is.
func (m *mask) JSON(text string) string {
	if m == nil { // an object that no client has read
		return text
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return hide(text, m.data)
	}
	value, changed := m.value(value)
	if !changed {
		return text
	}
	return string(marshal(value))
}

// value hides the secrets in a decoded JSON value, and reports whether it has changed.
func (m *mask) value(value any) (masked any, changed bool) {
	switch v := value.(type) {
	case string:
		shown := hide(v, m.data)
		return shown, shown != v
	case json.Number:
		if m.data(v.String()) == hidden {
			return hidden, true
		}
	case []any:
		for i := range v {
			inner, differs := m.value(v[i])
			v[i], changed = inner, changed || differs
		}
	case map[string]any:
		for name, member := range v {
			inner, differs := m.value(member)
			v[name], changed = inner, changed || differs
		}
	}
	return value, changed
}

// maskedError is an error whose text contained a secret. Its own text does not.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

// Unwrap returns the original error, so that callers can test its type.
func (e *maskedError) Unwrap() error { return e.err }

// Error returns an error without secrets in its text. The transports of net/http quote
// lines that they cannot parse.
func (m *mask) Error(err error) error {
	if err == nil {
		return nil
	}
	if text := strings.ToValidUTF8(m.Message(err.Error()), ""); text != err.Error() {
		return &maskedError{text: text, err: err}
	}
	return err
}
