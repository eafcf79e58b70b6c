// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// joinImportID is the inverse of splitImportID.
func joinImportID(scope, id string) string { return url.PathEscape(scope) + "/" + url.PathEscape(id) }

// splitImportID reads "SCOPE/ID", each part percent-decoded.
func splitImportID(s string) (scope, id string, err error) {
	first, second, ok := strings.Cut(s, "/")
	if !ok || strings.Contains(second, "/") {
		return "", "", errors.New("it must hold exactly one slash (write a slash within an id as %2F)")
	}
	if scope, err = url.PathUnescape(first); err == nil {
		id, err = url.PathUnescape(second)
	}
	if err != nil {
		return "", "", errors.New("a percent sign must begin an escape such as %2F (write the sign itself as %25)")
	}
	for _, part := range []string{scope, id} {
		if part == "" || part == "." || part == ".." {
			return "", "", fmt.Errorf("%q is no id", part)
		}
		if strings.ContainsFunc(part, func(r rune) bool { return r > 0xFF }) {
			return "", "", fmt.Errorf("%q holds a character outside Latin1, which the service refuses", part)
		}
	}
	return scope, id, nil
}

// mayImport refuses an import that could not read what it imports.
func (w *walk) mayImport(diags *diag.Diagnostics) bool {
	if !w.connected() {
		diags.AddError("Cannot import yet", fmt.Sprintf("The provider's setting %q is not known, so nothing can be read. Give it a value that is known at plan.", w.unknown))
	}
	return w.connected()
}

// notAttached says what there is instead of a position assessment that was to be
// imported. The list was read to look for it.
func (w *walk) notAttached(ctx context.Context, what attachment, gone error) diag.Diagnostic {
	const summary = "Cannot import the position assessment"
	asked := fmt.Sprintf("The position assessment %q of the position %q was to be imported.", what.id, what.position)
	list, offered, err := w.attached.list(ctx, what.position)
	if err != nil || !offered {
		return failure(summary, asked, gone)
	}
	ids := make([]string, len(list.all))
	for i, pa := range list.all {
		ids[i] = fmt.Sprintf("%s (assessment %s)", pa.ID, pa.AssessmentID)
	}
	return diag.NewErrorDiagnostic(summary, asked+"\n\n"+came(gone)+"\n\n"+fmt.Sprintf("Attached to that position: %s.", oneOf(ids)))
}

// begin marks the walk as one that applies. Without a connection nothing can be
// applied.
func (w *walk) begin(diags *diag.Diagnostics) bool {
	if !w.connected() {
		diags.AddError("Cannot apply yet", fmt.Sprintf("The provider's setting %q is still not known.", w.unknown))
		return false
	}
	w.applied.Store(true)
	return true
}
