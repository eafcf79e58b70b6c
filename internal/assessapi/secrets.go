// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
)

// mask removes the credentials of section 5 from a text of the service or a gateway. A
// nil mask removes nothing.
type mask struct {
	secrets func() *regexp.Regexp // compiled once, when the first text is masked
}

// newMask returns a mask for the API key and the value of the Authorization header. It
// recognizes each character also if it is escaped as in JSON, HTML or addresses.
func newMask(clientID, apiKey string) *mask {
	if apiKey == "" {
		return nil
	}
	return &mask{sync.OnceValue(func() *regexp.Regexp { return secretsPattern(clientID, apiKey) })}
}

func secretsPattern(clientID, apiKey string) *regexp.Regexp {
	secrets := []string{apiKey, base64.StdEncoding.EncodeToString([]byte(clientID + ":" + apiKey))}
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
	text = text[:min(len(text), read)]
	if m == nil {
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
