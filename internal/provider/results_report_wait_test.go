// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// waitingState has three positions. On the first, three sittings are open, one is completed,
// and one is expired. On the second, one is completed. The third has no invitations.
func waitingState() *sandbox.State {
	st := sandbox.Demo()
	at := time.Date(2026, time.March, 3, 10, 0, 0, 0, time.UTC)
	candidate := func(id, status string) sandbox.Candidate {
		i := sandbox.Invitation{ID: id, Type: sandbox.Remote, Status: status, Created: at, Expiry: "2039-12-31"}
		r := sandbox.Result{Assessment: "asm-lumen"}
		if status == sandbox.TestedWithResults {
			half := 50.0
			i.Completed, r.Percentile, r.Classification = &at, &half, "AVERAGE"
		}
		r.Invitations = []sandbox.Invitation{i}
		return sandbox.Candidate{ID: "cnd-" + id, Name: "Candidate " + id, Results: []sandbox.Result{r}}
	}
	position := func(id string, candidates ...sandbox.Candidate) sandbox.Position {
		attached := []sandbox.PositionAssessment{{ID: "pas-" + id, Assessment: "asm-lumen"}}
		return sandbox.Position{ID: id, Title: id, Assessments: attached, Candidates: candidates}
	}
	st.Positions = []sandbox.Position{
		position("pos-open", candidate("a", sandbox.Invited), candidate("b", sandbox.Invited), candidate("c", sandbox.InProgress),
			candidate("d", sandbox.TestedWithResults), candidate("e", sandbox.Expired)),
		position("pos-closed", candidate("f", sandbox.TestedWithResults)),
		position("pos-empty"),
	}
	return st
}

// sits continues sittings: an open one is in progress, then completed.
func sits(t *testing.T, invitations ...string) func(*sandbox.State) {
	return func(st *sandbox.State) {
		for _, id := range invitations {
			if err := st.Sit(id); err != nil {
				t.Error(err)
			}
		}
	}
}

func expires(st *sandbox.State) {
	st.Position("pos-open").Candidates[1].Results[0].Invitations[0].Status = sandbox.Expired
}

// joins adds a candidate who has completed the assessment to the empty position.
func joins(id string) func(*sandbox.State) {
	return func(st *sandbox.State) {
		position := st.Position("pos-empty")
		position.Candidates = append(position.Candidates, waitingState().Position("pos-closed").Candidates...)
		joined := &position.Candidates[len(position.Candidates)-1]
		joined.ID, joined.Results[0].Invitations[0].ID = "cnd-"+id, id
	}
}

// Reports wait until every invitation is completed or expired, and until there are enough.
func TestResultsReportWaits(t *testing.T) {
	t.Parallel()
	type events = map[time.Duration]func(*sandbox.State)
	const atFirst = "2 of 6 completed, 1 expired"
	for name, row := range map[string]struct {
		positions []string
		nobody    bool // whether candidate_ids is empty
		wait      fields
		events    events
		progress  []string
		says      []string // of the error, or nil
		took      time.Duration
		requests  int
	}{
		"until the last one is completed or expired": {
			positions: []string{"pos-closed", "pos-open"},
			events:    events{90 * time.Second: sits(t, "c"), 150 * time.Second: sits(t, "a", "a"), 210 * time.Second: expires},
			progress: []string{
				atFirst, atFirst, "3 of 6 completed, 1 expired", "4 of 6 completed, 1 expired", "4 of 6 completed, 2 expired",
			},
			took: 4 * time.Minute, requests: 2 + 4, // one position is done from the beginning
		},
		"not at all": {positions: []string{"pos-closed"}, progress: []string{"1 of 1 completed"}, requests: 1},
		"in vain": {
			positions: []string{"pos-open", "pos-closed"}, wait: fields{"timeout": "30s", "poll_interval": "1h"},
			progress: []string{atFirst, atFirst},
			says: []string{
				`AttributeName\("wait"\).AttributeName\("timeout"\)`, "Candidates have not finished",
				"Invitations that are still open after 30s: 3 of 6", atFirst, "Nothing was written", "longer timeout",
			},
			took: 30 * time.Second, requests: 2 + 1,
		},
		"for an hour": {
			positions: []string{"pos-empty"}, wait: fields{"poll_interval": "40m"},
			progress: []string{"0 of 0 completed", "0 of 0 completed", "0 of 0 completed"},
			says:     []string{"Invitations after 1h0m0s: 0, but wait.min_invitations requires 1", "Nothing was written"},
			took:     time.Hour, requests: 3,
		},
		"for the first invitation": {
			positions: []string{"pos-empty"}, events: events{30 * time.Second: joins("g")},
			progress: []string{"0 of 0 completed", "1 of 1 completed"}, took: time.Minute, requests: 2,
		},
		"for invitations to all positions": {
			positions: []string{"pos-closed", "pos-empty"}, wait: fields{"min_invitations": 3},
			events:   events{30 * time.Second: joins("g"), 90 * time.Second: joins("h")},
			progress: []string{"1 of 1 completed", "2 of 2 completed", "3 of 3 completed"}, took: 2 * time.Minute, requests: 6,
		},
		"for no invitation": {
			positions: []string{"pos-empty"}, wait: fields{"min_invitations": 0}, progress: []string{"0 of 0 completed"}, requests: 1,
		},
		"for none of the candidates": {
			positions: []string{"pos-open"}, nobody: true, progress: []string{"0 of 0 completed"},
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service, w := waiting(t, true)
			for after, change := range row.events {
				time.AfterFunc(after, func() { service.Change(t, change) })
			}
			path := filepath.Join(t.TempDir(), "report")
			report := fields{
				"position_ids": row.positions, "format": "csv", "path": path, "wait": fields{},
			}
			if row.wait != nil {
				report["wait"] = row.wait
			}
			if row.nobody {
				report["candidate_ids"] = []string{}
			}
			start := time.Now()
			said := w.report(t.Context(), report)
			if took := time.Since(start); took.Round(time.Second) != row.took {
				t.Errorf("waited %s, want %s", took, row.took)
			}
			text, _ := os.ReadFile(path)
			if row.says != nil {
				if said.fails(t, row.says...); len(text) > 0 {
					t.Errorf("the file is\n%s", text)
				}
			} else {
				// The report uses the results of the last poll, without another request.
				if len(said.errors) > 0 || len(text) == 0 || strings.Contains(string(text), "IN_PROGRESS") {
					t.Errorf("errors %q, and the file is\n%s", said.errors, text)
				}
				said.progress = said.progress[:len(said.progress)-1] // how many sections are written
			}
			if !slices.Equal(said.progress, row.progress) {
				t.Errorf("progress %q, want %q", said.progress, row.progress)
			}
			service.AssertCount(t, "", sandbox.RouteResults, row.requests)
		})
	}
}

// waiting starts a run on the waiting state, in memory and in virtual time.
func waiting(t *testing.T, unlimited bool) (*sandboxtest.Service, *protocolClient) {
	t.Helper()
	options := sandboxtest.Options{Options: sandbox.Options{Seed: waitingState, NoLimits: unlimited}}
	service := sandboxtest.NewService(t, options)
	w := clientOf(t, sandboxtest.Environment(), service)
	w.mustConfigure(fields{"rate_limit": fields{"coordination": "none"}})
	return service, w
}

func TestResultsReportStopsWaiting(t *testing.T) {
	t.Parallel()
	report := func(t *testing.T) fields {
		t.Helper()
		return fields{"position_ids": []string{"pos-open"}, "path": filepath.Join(t.TempDir(), "report"), "wait": fields{}}
	}
	sandboxtest.Virtual(t, "when it is interrupted", func(t *testing.T) {
		_, w := waiting(t, true)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(90*time.Second, cancel)
		start := time.Now()
		w.report(ctx, report(t)).fails(t, "Could not wait for the candidates", "interrupted")
		if took := time.Since(start); took.Round(time.Second) != 90*time.Second {
			t.Errorf("the action ended after %s", took)
		}
	})
	sandboxtest.Virtual(t, "when a poll fails", func(t *testing.T) {
		service, w := waiting(t, true)
		service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: 1, Status: http.StatusForbidden})
		w.report(t.Context(), report(t)).fails(t, "Could not read the results", `"pos-open"`, "403 Forbidden")
	})
}

// However short the interval is, polls stay within the limits of results.
func TestResultsReportWaitsWithinTheLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, w := waiting(t, false)
		w.report(t.Context(), fields{
			"position_ids": []string{"pos-open"}, "path": filepath.Join(t.TempDir(), "report"),
			"wait": fields{"timeout": "10m", "poll_interval": "1ms"},
		}).fails(t, "still open after 10m0s: 3 of")
		for _, entry := range service.Journal() {
			if entry.Status == http.StatusTooManyRequests {
				t.Error("a poll was refused with 429")
			}
		}
		const minutes, perMinute = 10, 30 // the limit of results
		if n := service.Count("", sandbox.RouteResults); n < minutes*perMinute || n > (minutes+1)*perMinute {
			t.Errorf("%d polls within %d minutes, want %d a minute", n, minutes, perMinute)
		}
	})
}
