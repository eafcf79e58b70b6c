// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/companion/report"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// ranks returns the rank of each candidate who has one.
func (w *written) ranks() map[string]string {
	all := map[string]string{}
	for _, row := range w.rows() {
		if row["rank"] != "" {
			all[row["candidate_id"]] = row["rank"]
		}
	}
	return all
}

// attachOneMore attaches an assessment that nobody has completed to the position with results.
func attachOneMore(t *testing.T, st *sandbox.State) {
	t.Helper()
	if _, err := st.Attach(sandbox.DemoResultsPosition, "asm-facet", sandbox.Metadata{}); err != nil {
		t.Error(err)
	}
}

// After one more assessment was attached by hand, nobody has a score for all assessments. The same candidates keep their
// ranks, over what they have completed.
func TestRankingOutlivesOneMoreAssessment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := serves(t, sandbox.Demo())
		before := write(t.Context(), t, service).ends(report.Complete)
		service.Change(t, func(st *sandbox.State) { attachOneMore(t, st) })
		after := write(t.Context(), t, service).ends(report.Complete)
		filtered := slices.DeleteFunc(service.Journal(), func(e sandboxtest.Entry) bool { return !e.Query.Has("assessment") })
		if len(filtered) != 1 || len(filtered[0].Query["assessment"]) != 4 {
			t.Errorf("the requests with a filter are %+v", filtered)
		}
		if want, got := before.ranks(), after.ranks(); len(want) != 33 || !maps.Equal(got, want) {
			t.Errorf("the ranks are %v, want %v", got, want)
		}
		const says = "At least half of the candidates have not completed Facet Behavioural Profile."
		page := slices.IndexFunc(after.names(), func(name string) bool { return strings.HasPrefix(name, "graduate") })
		after.shows(after.names()[page], "This ranking uses only ", says)
		after.shows("index.html", says)
	})
	sandboxtest.Virtual(t, "half of the candidates", func(t *testing.T) {
		st := sandbox.Demo()
		p := st.Position(sandbox.DemoResultsPosition)
		partly := p.Candidates[0]
		partly.ID, partly.Results = "cnd-x", partly.Results[:3]
		p.Candidates = []sandbox.Candidate{p.Candidates[0], partly}
		w := write(t.Context(), t, serves(t, st)).ends(report.Complete)
		w.shows("index.html", "At least half of the candidates have not completed Northlight Values Inventory.")
	})
	sandboxtest.Virtual(t, "only a part of the attached assessments is known", func(t *testing.T) {
		st := sandbox.Demo()
		attachOneMore(t, st)
		service := serves(t, st, func(o *sandboxtest.Options) { o.MaxPage = 4 })
		service.Inject(sandboxtest.Fault{
			Route: sandbox.RoutePositionAssessments, Times: -1, Status: http.StatusNotFound,
			Match: func(request *http.Request) bool { return request.URL.Query().Has("offset") },
		})
		if ranks := write(t.Context(), t, service).ends(report.Complete).ranks(); len(ranks) != 33 {
			t.Errorf("the ranks are %v", ranks)
		}
	})
}

// A service that rejects the filter has no scores over a part of the assessments. The report is complete without a
// ranking, and says what was rejected.
func TestReportWithoutFilteredScores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := sandbox.Demo()
		attachOneMore(t, st)
		service := serves(t, st)
		service.Inject(sandboxtest.Fault{
			Route: sandbox.RouteResults, Times: -1, Status: http.StatusBadRequest,
			Match: func(request *http.Request) bool { return request.URL.Query().Has("assessment") },
		})
		w := write(t.Context(), t, service).ends(report.Complete, "are not ranked over what most have completed. ", "400")
		if len(w.ranks()) != 0 || len(w.rows()) == 0 {
			t.Errorf("%d rows, the ranks are %v", len(w.rows()), w.ranks())
		}
	})
}

// A report says what is new since the earlier one in a folder.
func TestSince(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "new", func(t *testing.T) {
		service := serves(t, organization(1, 2))
		old := write(t.Context(), t, service).ends(report.Complete)
		service.Change(t, func(st *sandbox.State) {
			p := &st.Positions[0]
			p.Candidates = append(p.Candidates, sandbox.Candidate{ID: "cnd-x", Name: "Ada Example"})
		})
		w := write(t.Context(), t, service, func(o *report.Options) { o.Since = old.dir }).ends(report.Complete)
		since := fmt.Sprintf("Since %s: 1 new (\u2068Ada Example\u2069).", time.Now().UTC().Format("January 2, 2006"))
		w.shows(page0, since)
		w.shows("index.html", since)
	})
	sandboxtest.Virtual(t, "missing", func(t *testing.T) {
		missing := func(o *report.Options) { o.Since = t.TempDir() }
		write(t.Context(), t, serves(t, organization(1, 1)), missing).
			ends(report.Nothing, "Could not read the earlier report in ", "results.csv")
	})
}
