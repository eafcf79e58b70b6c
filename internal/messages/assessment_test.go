// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// A list that the service does not offer, or that belongs to another kind of assessment, rejects nothing (assumptions
// A8, A9, A23).
func TestUnread(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		list    string
		status  int
		rejects bool
	}{
		{"packages", http.StatusBadRequest, false},
		{"skills tests", http.StatusBadRequest, false},
		{"benchmarks", http.StatusBadRequest, true},
		{"profiles", http.StatusNotFound, false},
		{"benchmarks", http.StatusNotImplemented, false},
		{"packages", http.StatusForbidden, true},
	} {
		err := &assessapi.Error{Own: true, Status: row.status}
		found := Unread([]string{"x"}, assessapi.Label{ID: "asm"}, row.list, err)
		if len(found) > 0 != row.rejects {
			t.Errorf("%d for %s: %v", row.status, row.list, found)
		}
	}
	if found := Unread(nil, assessapi.Label{}, "packages", nil); found != nil {
		t.Errorf("without an error: %v", found)
	}
}
