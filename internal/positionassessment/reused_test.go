// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// "terraform test" uses one provider for several runs. The first call that only plans make, after
// an apply, begins a run that knows nothing about the last one.
func TestReusedRunForgets(t *testing.T) {
	t.Parallel()
	requests := 0
	e := newRun(t, run.Config{Reused: true}, func(r *http.Request) (*http.Response, error) {
		requests++
		return says(http.StatusOK, `{"candidates":[]}`, "Content-Type", "application/json")(r)
	})
	gone := Creation{Position: "pos-1", Assessment: "asm-1"}
	knows := func(when string, want bool) {
		t.Helper()
		before := requests
		if _, err := e.Catalog().Results.Read(t.Context(), catalog.ResultsFilter{Position: "pos-1"}); err != nil {
			t.Fatal(err)
		}
		if cached := requests == before; cached != want {
			t.Errorf("%s: results are cached: %t", when, cached)
		}
		if of(e).intents.wasGone(gone) != want {
			t.Errorf("%s: what is gone is known: %t", when, !want)
		}
	}
	knows("before", false)
	of(e).intents.reportGone(Ref{"pos-1", "pas-1"}, gone)
	knows("in a plan", true)
	if err := e.BeginApply(); err != nil {
		t.Fatal(err)
	}
	knows("in its apply", true)
	of(e).Plan(t.Context(), intent{Action: Import, Object: ManagedObject{Ref: Ref{"pos-1", "pas-1"}}})
	knows("in the next plan", false)
}
