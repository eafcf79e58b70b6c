// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// reservedHeaders are the headers that users cannot set, in lower case. The provider or HTTP itself sets them, or they
// change the sender, the effect, the length or the response of a request. If a user set an idempotency key, all
// requests would have the same key: net/http would repeat a failed POST, and a service could treat different requests
// as repetitions of one request.
var reservedHeaders = []string{
	"accept", "accept-encoding", "authorization", "cache-control", "connection", "content-encoding", "content-length",
	"content-type", "expect", "host", "idempotency-key", "keep-alive", "proxy-authenticate", "proxy-authorization",
	"proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "x-http-method",
	"x-http-method-override", "x-idempotency-key", "x-method-override",
}

// ParseHeaders reads headers from a JSON object of strings, which is the format of ASSESS_HEADERS. An empty text means
// no headers, and the result is nil. ParseHeaders returns an error if the text is not such an object, or if
// [CheckHeaders] returns an error. The error contains no values.
func ParseHeaders(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	var values map[string]*string
	if json.Unmarshal([]byte(text), &values) != nil || values == nil { // nil after "null"
		return nil, errors.New(`it must be a JSON object such as {"X-Gateway-Token": "..."}`)
	}
	headers := map[string]string{}
	for name, value := range values {
		if value == nil {
			return nil, errors.New("a value is null")
		}
		headers[name] = *value
	}
	return headers, CheckHeaders(headers)
}

// CheckHeaders returns an error if headers cannot be sent with each request: HTTP does not allow a name or a value (RFC
// 9110, section 5), a value is not ASCII, a name is reserved, or two names differ only in case. The error contains no
// values, and no names except reserved ones, because a user may have swapped a name and a secret value.
func CheckHeaders(headers map[string]string) error {
	// Names that differ only in case become neighbors.
	names := slices.SortedFunc(maps.Keys(headers), func(a, b string) int {
		return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	for i, name := range names {
		if err := cmp.Or(checkHeaderName(name), checkHeaderValue(headers[name])); err != nil {
			return err
		}
		if i > 0 && strings.EqualFold(names[i-1], name) {
			return errors.New("two names are the same, because upper case does not matter in the names of headers")
		}
	}
	return nil
}

// checkHeaderName returns an error if users cannot set a header with this name. The error contains the name only if
// reservedHeaders lists it.
func checkHeaderName(name string) error {
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return errors.New("a name is empty")
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("a name contains a character that HTTP does not allow: use letters, digits and hyphens")
	case strings.HasPrefix(lower, "if-"):
		return errors.New(`names that begin with "If-" are reserved, because such a header makes a request conditional`)
	case slices.Contains(reservedHeaders, lower):
		return fmt.Errorf("%q is reserved, because the provider or HTTP itself sets it, or because it changes what "+
			"a request does", name)
	}
	return nil
}

// checkHeaderValue returns an error if a value cannot be sent. The error does not contain the value.
func checkHeaderValue(value string) error {
	isForbidden := func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }
	switch {
	case strings.ContainsFunc(value, isForbidden):
		return errors.New("a value contains a line break, or another character outside printable ASCII")
	case strings.Trim(value, " \t") != value:
		return errors.New("a value begins or ends with white space")
	}
	return nil
}
