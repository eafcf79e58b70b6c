// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// joinImportID returns the import ID "SCOPE/ID", each part percent-encoded.
func joinImportID(scope, id string) string { return url.PathEscape(scope) + "/" + url.PathEscape(id) }

// splitImportID is the inverse of joinImportID.
func splitImportID(s string) (scope, id string, err error) {
	first, second, ok := strings.Cut(s, "/")
	if !ok || strings.Contains(second, "/") {
		return "", "", errors.New("it must contain exactly one slash (write a slash inside an id as %2F)")
	}
	if scope, err = url.PathUnescape(first); err == nil {
		id, err = url.PathUnescape(second)
	}
	if err != nil {
		return "", "", errors.New("a percent sign must start an escape such as %2F (write a percent sign as %25)")
	}
	for _, part := range []string{scope, id} {
		if part == "" || part == "." || part == ".." {
			return "", "", fmt.Errorf("%q is not an id", part)
		}
		if rules.Latin1(part) != "" {
			return "", "", fmt.Errorf("%q contains a character outside Latin1, which the service refuses", part)
		}
	}
	return scope, id, nil
}

// importIDFailure is the diagnostic for a malformed import ID. form shows a correct one.
func importIDFailure(id, form string, err error) diag.Diagnostic {
	return newError("Invalid import ID", fmt.Sprintf("%q is not a valid import ID: expected %s, but "+
		"%v.\n\nTo fix this: use two ids with one slash between them. The data sources and \"terraform query\" list the "+
		"ids.", id, form, err))
}
