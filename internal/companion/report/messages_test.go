// SPDX-License-Identifier: MPL-2.0

package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/files"
)

// After a part of the files was written, the folder is not empty, so only a run with --overwrite can write the rest.
func TestFixOfAPartialReport(t *testing.T) {
	t.Parallel()
	partial := &files.PartialError{Published: []string{"a.html"}, Err: errors.New("no space left")}
	text := folderProblem("monday", partial).Error()
	if !strings.HasSuffix(text, "run the command again with --overwrite.") {
		t.Error(text)
	}
	if !strings.Contains(text, "close the files of the folder") { // not only those that were written
		t.Error(text)
	}
}

// The errors of Windows end with a period.
func TestErrorsThatEndWithAPeriod(t *testing.T) {
	t.Parallel()
	denied := errors.New("mkdir monday: Access is denied.")
	var attempt strings.Builder
	cmdutil.NewProgress(&attempt, false).Attempt(t.Context(), assessapi.Observation{Err: denied})
	for _, text := range []string{
		folderProblem("monday", denied).Error(), attempt.String(),
	} {
		if !strings.Contains(text, "Access is denied. ") {
			t.Error(text)
		}
	}
}
