// SPDX-License-Identifier: MPL-2.0

package snapshot_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A snapshot can be taken through a gateway that expects a header.
func TestHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
		run := take(
			t.Context(),
			t,
			service,
			with(map[string]string{"ASSESS_HEADERS": `{"X-Gateway-Token":"` + secret + `"}`}),
		)
		if run.err != nil {
			t.Fatal(run.err)
		}
		for _, entry := range service.Journal() {
			if entry.Header.Get("X-Gateway-Token") != secret {
				t.Errorf("%s %s has no token", entry.Method, entry.Path)
			}
		}
		if n := len(service.Journal()); n < 5 || strings.Contains(run.out.String()+run.progress.String(), secret) {
			t.Errorf("%d requests, printed:\n%s%s", n, run.out.String(), run.progress.String())
		}
	})
}
