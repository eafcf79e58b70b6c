// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// secrets recognizes the API key, the values of additional headers and the password of a proxy in texts of a response.
type secrets struct {
	parts  map[string]bool // eight consecutive characters of a secret
	begins [1 << 16]bool   // by firstTwo: whether a part begins with the two bytes. A faster first check than parts
	short  []string        // secrets with fewer characters
}

const (
	partLength = 8
	// shortestSecret is the length of the shortest secret. Shorter values of headers, such as a version, would hide
	// most texts.
	shortestSecret = 4
	// repeatsSecret is shown instead of a text that contains a secret.
	repeatsSecret = "the response repeats a secret"
	// mostEscapes is how often a text can be escaped: an address in JSON in HTML is escaped several times.
	mostEscapes = 3
)

// newSecrets returns the secrets of a configuration: the API key, the values of headers and the password of the proxy.
// The credentials are also added in the Base64 in which they are sent.
func newSecrets(cfg Config) *secrets {
	s := &secrets{parts: map[string]bool{}}
	s.add(cfg.APIKey)
	s.add(base64.StdEncoding.EncodeToString([]byte(cfg.ClientID + ":" + cfg.APIKey)))
	for _, value := range cfg.Headers {
		s.addHeader(value)
	}
	if proxy := proxyOf(cfg.BaseURL); proxy != nil && proxy.User != nil {
		password, _ := proxy.User.Password()
		s.add(password)
		s.add(base64.StdEncoding.EncodeToString([]byte(proxy.User.Username() + ":" + password)))
	}
	return s
}

// addHeader adds the value of a header as a secret, but without the scheme Basic, Bearer or Token before it, because
// these are ordinary words. If the value is Basic credentials, addHeader also adds their user and their password.
func (s *secrets) addHeader(value string) {
	scheme, token, hasToken := strings.Cut(value, " ")
	token = strings.TrimSpace(token)
	isScheme := func(name string) bool { return hasToken && strings.EqualFold(scheme, name) }
	switch {
	case isScheme("basic"):
		s.add(token)
		if credentials, err := base64.StdEncoding.DecodeString(token); err == nil {
			user, password, _ := strings.Cut(string(credentials), ":")
			s.add(user) // a token can be the user, without a password
			s.add(password)
		}
	case isScheme("bearer"), isScheme("token"):
		s.add(token)
	default:
		s.add(value)
	}
}

// add adds a secret as it is, and as it is after the removal of up to mostEscapes levels of escapes.
func (s *secrets) add(secret string) {
	for range mostEscapes + 1 {
		s.addExactly(secret)
		secret = unescaped(secret)
	}
}

// addExactly adds a secret as it is written. It ignores a text that is shorter than shortestSecret.
func (s *secrets) addExactly(secret string) {
	switch {
	case len(secret) < shortestSecret:
		return
	case len(secret) < partLength:
		s.short = append(s.short, secret)
		return
	}
	for i := range len(secret) - partLength + 1 {
		part := secret[i : i+partLength]
		s.parts[part] = true
		s.begins[firstTwo(part)] = true
	}
}

// firstTwo returns the index in secrets.begins for the first two bytes of a text.
func firstTwo(text string) int { return int(text[0])<<8 | int(text[1]) }

// areIn reports whether a text contains eight consecutive characters of a secret, or a shorter secret. It checks the
// text as it is, and after it has removed the escapes of JSON, HTML and addresses.
func (s *secrets) areIn(text string) bool {
	for range mostEscapes {
		if s.contains(text) {
			return true
		}
		text = unescaped(text)
	}
	return s.contains(text)
}

// contains does what areIn does, but checks the text only as it is.
func (s *secrets) contains(text string) bool {
	for i := range len(text) - partLength + 1 {
		if s.begins[firstTwo(text[i:])] && s.parts[text[i:i+partLength]] {
			return true
		}
	}
	for _, secret := range s.short {
		if strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

// escapes matches an escaped character of JSON or an address, or several \uXXXX, because two can be one character.
var escapes = regexp.MustCompile(`(?:\\u[0-9a-fA-F]{4})+|\\[/"\\bfnrt]|%[0-9a-fA-F]{2}|\+`)

// unescaped returns a text after the removal of one level of escapes: first the escapes of JSON and addresses, and then
// the escapes of HTML.
func unescaped(text string) string {
	if !strings.ContainsAny(text, `\%&+`) {
		return text
	}
	return html.UnescapeString(escapes.ReplaceAllStringFunc(text, func(escape string) string {
		switch escape[0] {
		case '+': // a space in a query
			return " "
		case '%':
			b, _ := strconv.ParseUint(escape[1:], 16, 8)
			return string([]byte{byte(b)})
		}
		var character string
		_ = json.Unmarshal([]byte(`"`+escape+`"`), &character) // always a valid string
		return character
	}))
}

// hideIn returns a JSON text in which strings, numbers and names of members that contain a secret are replaced. A text
// without a secret stays exactly as it is.
func (s *secrets) hideIn(text string) string {
	if !s.areIn(text) {
		return text
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return strconv.Quote(repeatsSecret)
	}
	return string(marshal(s.hide(value)))
}

// hide returns a JSON value with repeatsSecret in place of each string, number and name that contains a secret. The
// value was decoded with UseNumber, and hide may change it. If names in an object thereby become the same, only one of
// their members remains.
func (s *secrets) hide(value any) any {
	switch v := value.(type) {
	case string:
		if s.areIn(v) {
			return repeatsSecret
		}
	case json.Number:
		if s.areIn(v.String()) {
			return repeatsSecret
		}
	case []any:
		for i := range v {
			v[i] = s.hide(v[i])
		}
	case map[string]any:
		hidden := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) { // sorted, so that it is always the same member that remains
			member := s.hide(v[name])
			if s.areIn(name) {
				name = repeatsSecret
			}
			hidden[name] = member
		}
		return hidden
	}
	return value
}
