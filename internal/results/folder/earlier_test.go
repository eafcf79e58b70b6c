// SPDX-License-Identifier: MPL-2.0

package folder_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/results/folder"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A page of an earlier report stays if its position cannot be read, or if the service lists no position.
func TestEarlierPagesStay(t *testing.T) {
	t.Parallel()
	st := organization(2, 2)
	service := serves(t, st)
	dir := filepath.Join(t.TempDir(), "out")
	to := func(o *folder.Options) { o.Folder, o.Overwrite = dir, true }
	before := write(t.Context(), t, service, to).names()
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Status: http.StatusForbidden, Times: 1})
	after := write(t.Context(), t, service, to)
	if !slices.Equal(after.names(), before) || after.code != folder.Incomplete {
		t.Errorf("exit code %d, the directory has %q, want %q", after.code, after.names(), before)
	}
	if !strings.Contains(after.file("index.html"), ">Page of an earlier report</a>") {
		t.Error("the index does not refer to the earlier page")
	}
	for name, empty := range map[string]*written{
		"no position":  write(t.Context(), t, serves(t, organization(0, 0)), to),
		"all left out": write(t.Context(), t, service, to, except("pos-0", "pos-1")),
	} {
		if !slices.Equal(empty.names(), before) || empty.code != folder.Nothing ||
			!strings.Contains(empty.errors.String(), "There is no position to report on") {
			t.Errorf("%s: exit code %d, the directory has %q, want %q, printed %s", name, empty.code, empty.names(), before,
				empty.errors.String())
		}
	}
	left := write(t.Context(), t, service, to, except("pos-0"))
	if got := strings.Join(left.names(), " "); got != "engineer-1-munchen.html index.html results.csv" {
		t.Errorf("without a position that was left out: the directory has %s", got)
	}
}
