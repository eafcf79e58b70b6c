// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
)

// mask hides the credentials of the service and of a proxy, and the values of additional
// headers, in texts of the service, a gateway or a proxy. A nil mask hides nothing.
type mask struct {
	secrets []string
	longest int // how many bytes a secret can have in a text, with all characters escaped
}

// Shorter secrets are not hidden, because they would hide parts of ordinary words and change
// the data.
const (
	shortestInMessages = 4
	shortestInData     = 8 // and for a part of the value of a header
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
		versions := unescaped(secret)
		secrets = append(secrets, versions[len(versions)-1].text)
	}
	slices.Sort(secrets)
	secrets = slices.DeleteFunc(slices.Compact(secrets), func(s string) bool { return len(s) < shortestInMessages })
	if len(secrets) == 0 {
		return nil
	}
	longest := slices.MaxFunc(secrets, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return &mask{secrets, len(longest) * longestEscape}
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
func (m *mask) Message(text string) string { return m.hide(text, shortestInMessages) }

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
	if m != nil {
		text = text[:max(0, len(text)-m.longest)]
	}
	return text
}

// hide returns a text without the secrets that have at least a number of bytes, also if
// characters of them are escaped.
func (m *mask) hide(text string, shortest int) string {
	if m == nil {
		return text
	}
	// A long text is searched in parts, because the search needs many times their memory. They
	// overlap, so that each secret is in one of them as a whole.
	part := max(longestText, 2*m.longest)
	var found []span
	for start := 0; start == 0 || start+m.longest < len(text); start += part - m.longest {
		for _, s := range m.find(text[start:min(start+part, len(text))], shortest) {
			found = append(found, span{start + s.start, start + s.end})
		}
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	end := 0
	for _, secret := range found {
		if secret.start >= end { // otherwise it overlaps the last one
			b.WriteString(text[end:secret.start] + "(secret)")
		}
		end = max(end, secret.end)
	}
	return b.String() + text[end:]
}

// span is where a secret is in a text.
type span struct{ start, end int }

func (m *mask) find(text string, shortest int) (found []span) {
	for _, version := range unescaped(text) {
		for _, secret := range m.secrets {
			if len(secret) < shortest {
				continue
			}
			for from := 0; ; {
				at := strings.Index(version.text[from:], secret)
				if at < 0 {
					break
				}
				from += at + len(secret)
				found = append(found, span{version.original(from - len(secret)), version.original(from)})
			}
		}
	}
	return found
}

// unescapedText is a text of which characters may have been unescaped.
type unescapedText struct {
	text string
	at   []int // the index in the original of each byte and of the end. Nil if nothing was unescaped
}

func (u unescapedText) original(index int) int {
	if u.at == nil {
		return index
	}
	return u.at[index]
}

// unescaped returns a text as it is, and after each round in which characters were unescaped,
// because an address in JSON in HTML is escaped several times.
func unescaped(text string) []unescapedText {
	const escapes, mostRounds = `\%&+`, 4
	versions := []unescapedText{{text: text}}
	for range mostRounds {
		last := versions[len(versions)-1]
		if !strings.ContainsAny(last.text, escapes) {
			break
		}
		var (
			next []byte
			at   []int
		)
		for i := 0; i < len(last.text); {
			character, length := unescape(last.text[i:])
			for j := range len(character) {
				next, at = append(next, character[j]), append(at, last.original(i))
			}
			i += length
		}
		at = append(at, len(text))
		if string(next) == last.text {
			break
		}
		versions = append(versions, unescapedText{string(next), at})
	}
	return versions
}

const longestEscape = 20

// unescape returns the first character of a text without its escape in JSON, HTML or an address, and
// the number of bytes that it has in the text.
func unescape(text string) (character string, length int) {
	switch text[0] {
	case '\\':
		if len(text) > 1 && strings.IndexByte(`/"\`, text[1]) >= 0 {
			return text[1:2], 2
		}
		if len(text) >= 6 && text[1] == 'u' {
			if unit, err := strconv.ParseUint(text[2:6], 16, 16); err == nil {
				return string(rune(unit)), 6
			}
		}
	case '%':
		if len(text) >= 3 {
			if b, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
				return string([]byte{byte(b)}), 3
			}
		}
	case '&':
		if end := strings.IndexByte(text[:min(len(text), longestEscape)], ';'); end > 0 {
			if character = html.UnescapeString(text[:end+1]); character != text[:end+1] {
				return character, end + 1
			}
		}
	case '+': // a space in a query
		return " ", 1
	}
	return text[:1], 1
}

// JSON returns a JSON text without the secrets. It changes only values: strings that
// contain a secret, and numbers that are one. A text without secrets stays exactly as it is.
func (m *mask) JSON(text string) string {
	if m == nil {
		return text
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return m.hide(text, shortestInData)
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
		shown := m.hide(v, shortestInData)
		return shown, shown != v
	case json.Number:
		if _, secret := slices.BinarySearch(m.secrets, v.String()); secret && len(v) >= shortestInData {
			return "(secret)", true
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

// masked returns an error without secrets in its text. The transports of net/http quote
// lines that they cannot parse.
func (a *attempts) masked(err error) error {
	if err == nil {
		return nil
	}
	if text := strings.ToValidUTF8(a.mask.Message(err.Error()), ""); text != err.Error() {
		return &maskedError{text: text, err: err}
	}
	return err
}
