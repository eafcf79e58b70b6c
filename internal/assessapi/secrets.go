// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// mask removes the credentials, and the values of additional headers, from a text of the
// service or a gateway. A nil mask removes nothing.
type mask struct {
	secrets  func() *regexp.Regexp // compiled once, when the first text is masked
	shortest int                   // no spelling of a secret has fewer bytes
}

// A value of a header that is shorter than shortestValue is not masked: it is not secret, and
// would hide words in every message. A part of a value, such as the token in "Bearer TOKEN", is masked
// from shortestPart.
const (
	shortestValue = 4
	shortestPart  = 8
)

// newMask returns a mask for the API key, the value of the Authorization header, and the
// values of additional headers. It recognizes each character also if it is escaped as in
// JSON, HTML or addresses.
func newMask(cfg Config) *mask {
	var secrets []string
	if cfg.APIKey != "" {
		secrets = append(secrets, cfg.APIKey, base64.StdEncoding.EncodeToString([]byte(cfg.ClientID+":"+cfg.APIKey)))
	}
	for _, value := range cfg.Headers {
		if len(value) >= shortestValue {
			secrets = append(secrets, value)
		}
		for _, part := range strings.Fields(value) {
			if len(part) >= shortestPart && part != value {
				secrets = append(secrets, part)
			}
		}
	}
	if len(secrets) == 0 {
		return nil
	}
	shortest := len(secrets[0])
	for _, secret := range secrets {
		shortest = min(shortest, utf8.RuneCountInString(secret))
	}
	return &mask{sync.OnceValue(func() *regexp.Regexp { return secretsPattern(secrets) }), shortest}
}

func secretsPattern(secrets []string) *regexp.Regexp {
	// The longer one comes first, because one may be the beginning of the other.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for i, secret := range secrets {
		var pattern strings.Builder
		for _, r := range secret {
			pattern.WriteString("(?:" + strings.Join(spellingsOf(r), "|") + ")")
		}
		secrets[i] = pattern.String()
	}
	return regexp.MustCompile(strings.Join(secrets, "|"))
}

// spellingsOf returns patterns for a character: unescaped, escaped in JSON (with
// upper-case or lower-case digits, with any prefix), in an address (as UTF-8 or Latin1)
// and in HTML.
func spellingsOf(r rune) []string {
	json := ""
	for _, unit := range utf16.Encode([]rune{r}) {
		json += fmt.Sprintf(`\\u%04x`, unit)
	}
	address := ""
	for _, b := range []byte(string(r)) {
		address += fmt.Sprintf("%%%02x", b)
	}
	all := []string{regexp.QuoteMeta(string(r)), "(?i:" + json + ")", "(?i:" + address + ")"}
	if 0x80 <= r && r <= 0xff { // below, Latin1 does not differ from UTF-8
		all = append(all, fmt.Sprintf("(?i:%%%02x)", r))
	}
	all = append(all, fmt.Sprintf("&#0*%d;", r), fmt.Sprintf("(?i:&#x0*%x;)", r))
	switch r {
	case ' ':
		all = append(all, `\+`)
	case '/', '"', '\\':
		all = append(all, `\\`+regexp.QuoteMeta(string(r)))
	}
	if name := map[rune]string{'<': "lt", '>': "gt", '&': "amp", '"': "quot", '\'': "apos"}[r]; name != "" {
		all = append(all, "&"+name+";")
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all
}

// Replace returns the beginning of a text, without the credentials. Masking is slow, so it
// reads at most 16 KiB, and returns 8 KiB of them. So a credential at the end of what it
// returns is masked as a whole.
func (m *mask) Replace(text string) string {
	const shown, read = 8 << 10, 16 << 10
	return m.replace(text[:min(len(text), read)], shown)
}

// replace returns the beginning of a text, up to about a number of bytes, without the
// credentials.
func (m *mask) replace(text string, shown int) string {
	if m == nil || len(text) < m.shortest {
		return strings.ToValidUTF8(text[:min(len(text), shown)], "")
	}
	var b strings.Builder
	end := 0
	for _, found := range m.secrets().FindAllStringIndex(text, -1) {
		if found[0] >= shown {
			break
		}
		b.WriteString(text[end:found[0]] + "(secret)")
		end = found[1]
	}
	b.WriteString(text[end:max(end, min(len(text), shown))])
	return strings.ToValidUTF8(b.String(), "") // a character may be cut
}

// JSON returns a JSON text without the credentials. A text without credentials stays exactly as
// it is.
func (m *mask) JSON(text string) string {
	if m == nil {
		return text
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return m.all(text)
	}
	value, changed := m.value(value)
	if !changed {
		return text
	}
	return string(marshal(value))
}

// all returns a whole text without the credentials. It is for data, which must not be cut.
func (m *mask) all(text string) string { return m.replace(text, len(text)) }

// value masks the strings, names and numbers of a decoded JSON value, and reports whether
// one of them has changed.
func (m *mask) value(value any) (masked any, changed bool) {
	switch v := value.(type) {
	case string:
		shown := m.all(v)
		return shown, shown != v
	case json.Number:
		if shown := m.all(v.String()); shown != v.String() {
			return shown, true
		}
	case []any:
		for i := range v {
			inner, differs := m.value(v[i])
			v[i], changed = inner, changed || differs
		}
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, member := range v {
			shown := m.all(name)
			inner, differs := m.value(member)
			object[shown], changed = inner, changed || differs || shown != name
		}
		return object, changed
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
	if text := a.mask.Replace(err.Error()); text != err.Error() {
		return &maskedError{text: text, err: err}
	}
	return err
}
