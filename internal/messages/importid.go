// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// JoinImportID returns the import ID "SCOPE/ID", each part percent-encoded.
func JoinImportID(scope, id string) string { return url.PathEscape(scope) + "/" + url.PathEscape(id) }

// SplitImportID is the inverse of JoinImportID. It returns an error if s does not consist of two parts, or if a part
// has an invalid escape or cannot be an ID (see checkID). The error is a clause without a period.
func SplitImportID(s string) (scope, id string, err error) {
	first, second, ok := strings.Cut(s, "/")
	if !ok || strings.Contains(second, "/") {
		return "", "", errors.New("it must contain exactly one slash (write a slash inside an ID as %2F)")
	}
	scope, scopeErr := url.PathUnescape(first)
	id, idErr := url.PathUnescape(second)
	if scopeErr != nil || idErr != nil {
		return "", "", errors.New("a percent sign must start an escape such as %2F (write a percent sign as %25)")
	}
	for _, part := range []string{scope, id} {
		if problem := checkID(part); problem != nil {
			return "", "", problem
		}
	}
	return scope, id, nil
}

// checkID returns an error for texts that cannot be the ID of an object.
func checkID(id string) error {
	if id == "" || id == "." || id == ".." {
		return fmt.Errorf("%q is not an ID", id)
	}
	if Latin1(id) != "" {
		return fmt.Errorf("%q contains a character outside Latin1, which the service rejects", id)
	}
	return nil
}

// ImportBlock returns the HCL that imports an object.
func ImportBlock(scope, id string) string {
	return fmt.Sprintf("  import {\n    to = <address>\n    id = %q\n  }", JoinImportID(scope, id))
}
