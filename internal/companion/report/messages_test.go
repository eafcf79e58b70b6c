// SPDX-License-Identifier: MPL-2.0

package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/files"
)

// After a part of the files was written, the folder is not empty, so only a run with --overwrite can write the rest.
func TestFixOfAPartialReport(t *testing.T) {
	t.Parallel()
	partial := &files.PartialError{Published: []string{"a.html"}, Err: errors.New("no space left")}
	if text := folderProblem("monday", partial).Error(); !strings.HasSuffix(text, "run the command again with --overwrite.") {
		t.Error(text)
	}
}
