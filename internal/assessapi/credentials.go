// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseBaseURL parses the address of the service. Without a scheme, it uses https. It removes slashes at the end of the
// path. It rejects what is not an address, schemes other than https and http, credentials, a query, a fragment, and
// plain http unless the host is loopback. The error is a sentence such as "it has no host", and shows at most the
// scheme or the host.
func ParseBaseURL(s string) (*url.URL, error) {
	if err := checkQuotes(s); err != nil {
		return nil, err
	}
	before, _, found := strings.Cut(s, "://")
	hasScheme := found && !strings.ContainsAny(before, "/?#") // "://" can also be in a path or a query
	if !hasScheme {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	switch {
	case strings.ContainsFunc(s, unicode.IsSpace):
		return nil, errors.New("it contains white space")
	case err != nil, hasTwoSchemes(u), !hasScheme && hasMisspelledScheme(u):
		return nil, errors.New("it is not an address")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("its scheme is %q, so use https", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("it has no host")
	case u.Port() != "" && !isPort(u.Port()):
		return nil, errors.New("its port is not a number from 1 to 65535")
	case u.User != nil:
		return nil, errors.New("it contains credentials, so set client_id and api_key instead")
	case strings.ContainsAny(s, "?#"):
		return nil, errors.New("it contains a query or a fragment, which you must remove")
	case u.Scheme == "http" && !IsLoopback(u):
		return nil, fmt.Errorf("plain http would send the API key unencrypted to %q, so use https", u.Hostname())
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// hasTwoSchemes reports whether the host is a scheme, as in "https://https://host", "https://http//host" and
// "https://htps://host".
func hasTwoSchemes(u *url.URL) bool {
	return strings.EqualFold(u.Hostname(), "https") || strings.EqualFold(u.Hostname(), "http") ||
		strings.HasSuffix(u.Host, ":") && strings.HasPrefix(u.Path, "//")
}

// hasMisspelledScheme reports whether an address began like "https:/host" or "https//host" before "https://" was added.
// Such a scheme would become the host that receives the API key.
func hasMisspelledScheme(u *url.URL) bool {
	return strings.HasSuffix(u.Host, ":") || strings.HasPrefix(u.Path, "//")
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// CheckClientID returns an error if a Client Identifier cannot be sent.
func CheckClientID(clientID string) error {
	if strings.Contains(clientID, ":") { // in the header, a colon ends it
		return errors.New("it contains a colon")
	}
	return CheckAPIKey(clientID)
}

// CheckAPIKey returns an error if an API key cannot be sent. The error does not contain the key.
func CheckAPIKey(apiKey string) error {
	if err := checkQuotes(apiKey); err != nil {
		return err
	}
	isUnsafe := func(r rune) bool { return r <= ' ' || r > '~' }
	if strings.ContainsFunc(apiKey, isUnsafe) {
		return errors.New("it contains white space or a character outside printable ASCII")
	}
	return nil
}

// checkQuotes returns an error if a value was copied with quotation marks around it. The error does not contain the
// value.
func checkQuotes(value string) error {
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	const quotes = "\"'`“”„‘’«»"
	if strings.ContainsRune(quotes, first) && strings.ContainsRune(quotes, last) {
		return errors.New("it is enclosed in quotation marks, which are not part of it. In the command prompt of Windows, " +
			"write set \"NAME=value\"")
	}
	return nil
}
