// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// reservedHeaders are set by the provider or by HTTP itself, in lower case. Another value
// would change who sends a request, where it ends, or how its response is encoded.
var reservedHeaders = []string{
	"accept", "accept-encoding", "authorization", "connection", "content-encoding", "content-length", "content-type",
	"expect", "host", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
	"transfer-encoding", "upgrade", "user-agent",
}

// ParseHeaders reads headers from the text of an environment variable: a JSON object of strings, or
// nothing. The error is that of [CheckHeaders], or says what the text must be.
func ParseHeaders(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	var headers map[string]*string
	if json.Unmarshal([]byte(text), &headers) != nil || headers == nil {
		return nil, errors.New(`it must be a JSON object such as {"X-Gateway-Token": "..."}`)
	}
	values := make(map[string]string, len(headers))
	for name, value := range headers {
		if value == nil {
			return nil, errors.New("a value is null")
		}
		values[name] = *value
	}
	return values, CheckHeaders(values)
}

// CheckHeaders returns an error if headers cannot be sent with each request: HTTP does not
// allow a name or a value (RFC 9110, section 5), the provider sets the header itself, or
// two names are the same header. The error contains no value. It contains a name only if
// the name is valid, because a name and its value may have been confused.
func CheckHeaders(headers map[string]string) error {
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		lower := strings.ToLower(name)
		switch {
		case name == "":
			return errors.New("a name is empty")
		case strings.ContainsFunc(name, func(r rune) bool { return !isTokenCharacter(r) }):
			return errors.New("a name contains a character that HTTP does not allow: use letters, digits and hyphens")
		case slices.Contains(reservedHeaders, lower):
			return fmt.Errorf("%q is set by the provider or by HTTP itself", name)
		case seen[lower] != "":
			return fmt.Errorf("%q and %q are the same header, because upper case does not matter in names",
				seen[lower], name)
		case strings.ContainsFunc(headers[name], func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }):
			return fmt.Errorf("the value of %q contains a line break, or another character that HTTP does not allow", name)
		case strings.Trim(headers[name], " \t") != headers[name]:
			return fmt.Errorf("the value of %q begins or ends with white space", name)
		}
		seen[lower] = name
	}
	return nil
}

// isTokenCharacter reports whether HTTP allows a character in a name (RFC 9110, section
// 5.6.2).
func isTokenCharacter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
		strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
