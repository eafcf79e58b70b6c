// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"errors"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// A plan without checks is proposed only if other requests may work.
func TestOnlyThisRequest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		want bool
	}{
		{nil, true},
		{&assessapi.Error{Own: true, Status: 401}, false},
		{&assessapi.Error{Own: true, Status: 403}, true},
		{&assessapi.Error{Own: true, Status: 404}, false},
		{&assessapi.Error{Own: true, Status: 503}, true},
		{&assessapi.Error{Status: 403}, false},
		{&assessapi.ShapeError{Problem: "no array"}, true},
		{&assessapi.Error{Err: errors.New("connection refused")}, false},
	} {
		if got := onlyThisRequest(row.err); got != row.want {
			t.Errorf("%v: %t, want %t", row.err, got, row.want)
		}
	}
}
