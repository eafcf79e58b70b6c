// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// mask hides the credentials of section 5 in a text in which the service or a
// gateway may have repeated them. A nil mask hides nothing.
type mask struct{ secrets *regexp.Regexp }

// newMask returns what hides the API key and the value of the Authorization header
// in whatever spelling JSON, HTML and addresses have for each of their characters.
func newMask(clientID, apiKey string) *mask {
	if apiKey == "" {
		return nil
	}
	secrets := []string{apiKey, base64.StdEncoding.EncodeToString([]byte(clientID + ":" + apiKey))}
	// The longer first: one may be the beginning of another.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for i, secret := range secrets {
		var pattern strings.Builder
		for _, r := range secret {
			pattern.WriteString("(?:" + strings.Join(spellingsOf(r), "|") + ")")
		}
		secrets[i] = pattern.String()
	}
	return &mask{regexp.MustCompile(strings.Join(secrets, "|"))}
}

// spellingsOf returns patterns for a character: as it is, escaped in JSON (with
// upper-case or lower-case digits, with any prefix), in an address (as UTF-8 or
// Latin1) and in HTML.
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
	if r <= 0xff {
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

// Replace returns the text without the credentials.
func (m *mask) Replace(text string) string {
	if m == nil {
		return text
	}
	return m.secrets.ReplaceAllLiteralString(text, "(secret)")
}

// maskedError is an error without the secret that its text held.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

// Unwrap returns the error itself, to tell its kind by.
func (e *maskedError) Unwrap() error { return e.err }

// masked returns the error with no secret in its text. The transports of
// net/http quote lines that they cannot read.
func (a *attempts) masked(err error) error {
	if err == nil {
		return nil
	}
	if text := a.mask.Replace(err.Error()); text != err.Error() {
		return &maskedError{text: text, err: err}
	}
	return err
}
