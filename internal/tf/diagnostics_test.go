// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"errors"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// After the run has ended, the first message says why, also if the error that ended the run was not shown itself. The
// other messages are one line.
func TestFailureAfterTheEnd(t *testing.T) {
	t.Parallel()
	ended := &assessapi.Error{Own: true, Status: 401, Method: "GET", Address: "https://x.example/v1/a"}
	first, second := Failure("Could not do it", "x", ended.Again()), Failure("Could not do it", "x", ended.Again())
	if s := first.Detail(); first.Summary() != "Could not do it" || !strings.Contains(s, "v1/a was 401 Unauthorized") {
		t.Errorf("the first message is %q: %s", first.Summary(), s)
	}
	if s := second.Summary(); s != "Stopped by an earlier error: the response was 401 Unauthorized" || second.Detail() != "" {
		t.Errorf("the second message is %q: %s", s, second.Detail())
	}
}

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
