// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
)

// newMask returns what hides the credentials of section 5 in a text that the
// service, or whoever stands between, may have repeated them in: the API key
// and the value of the Authorization header, as they are and as JSON, HTML and
// addresses spell them.
func newMask(clientID, apiKey string) *strings.Replacer {
	if apiKey == "" {
		return strings.NewReplacer()
	}
	var spellings []string
	for _, secret := range []string{apiKey, base64.StdEncoding.EncodeToString([]byte(clientID + ":" + apiKey))} {
		literal := string(marshal(secret))
		quoted := literal[1 : len(literal)-1]
		spellings = append(spellings,
			secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
			quoted, strings.ReplaceAll(quoted, "/", `\/`), string(asciiJSON([]byte(quoted))))
	}
	// The longer first: one may be the beginning of another.
	slices.SortFunc(spellings, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, spelling := range slices.Compact(spellings) {
		pairs = append(pairs, spelling, "(secret)")
	}
	return strings.NewReplacer(pairs...)
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
