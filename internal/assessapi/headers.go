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

// reservedHeaders are set by the provider or by HTTP itself, or change what a request does, in
// lower case. Another value would change who sends a request, what it does, where it ends, or
// what its response means. With an idempotency key, net/http takes a POST as repeatable, and sends it
// twice by itself if a connection closes. One key for all requests would also make different
// requests the same to a service that reads it.
var reservedHeaders = []string{
	"accept", "accept-encoding", "authorization", "connection", "content-encoding", "content-length", "content-type",
	"expect", "host", "idempotency-key", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
	"range", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "x-http-method", "x-http-method-override",
	"x-idempotency-key", "x-method-override",
}

// ParseHeaders reads headers from the text of an environment variable: a JSON object of strings, or
// nothing. It returns an error if the text is something else, or if [CheckHeaders] does.
func ParseHeaders(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	var values map[string]*string
	if json.Unmarshal([]byte(text), &values) != nil || values == nil {
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

// CheckHeaders returns an error if headers cannot be sent with each request: HTTP does not
// allow a name or a value (RFC 9110, section 5), the header is reserved, or two names are
// the same header. The error contains no value, and only reserved names, because a name and its
// value may have been confused.
func CheckHeaders(headers map[string]string) error {
	names := slices.SortedFunc(maps.Keys(headers), func(a, b string) int {
		return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	for i, name := range names {
		if err := checkHeaderName(name); err != nil {
			return err
		}
		if i > 0 && strings.EqualFold(names[i-1], name) {
			return errors.New("two names are the same, because upper case does not matter in the names of headers")
		}
		if problem := headerValueProblem(headers[name]); problem != "" {
			which := "the value"
			if len(names) > 1 {
				which = fmt.Sprintf("the value of header %d, in alphabetical order,", i+1)
			}
			return fmt.Errorf("%s %s", which, problem)
		}
	}
	return nil
}

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

// headerValueProblem returns why a value cannot be sent, or "".
func headerValueProblem(value string) string {
	isForbidden := func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }
	switch {
	case strings.ContainsFunc(value, isForbidden):
		return "contains a line break, or another character that HTTP does not allow"
	case strings.Trim(value, " \t") != value:
		return "begins or ends with white space"
	}
	return ""
}
