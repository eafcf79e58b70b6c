// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// waitingState has two positions. On one of them, three sittings are open, one is
// completed, and one is expired.
func waitingState() *sandbox.State {
	st := sandbox.Demo()
	at := time.Date(2026, time.March, 3, 10, 0, 0, 0, time.UTC)
	invite := func(id, status string) sandbox.Result {
		i := sandbox.Invitation{ID: id, Type: sandbox.Remote, Status: status, Created: at, Expiry: "2039-12-31"}
		r := sandbox.Result{Assessment: "asm-lumen"}
		if status == sandbox.TestedWithResults {
			half := 50.0
			i.Completed, r.Percentile, r.Classification = &at, &half, "AVERAGE"
		}
		r.Invitations = []sandbox.Invitation{i}
		return r
	}
	position := func(id string, results ...sandbox.Result) sandbox.Position {
		p := sandbox.Position{
			ID:          id,
			Title:       id,
			Assessments: []sandbox.PositionAssessment{{ID: "pas-" + id, Assessment: "asm-lumen"}},
		}
		for _, r := range results {
			p.Candidates = append(
				p.Candidates,
				sandbox.Candidate{
					ID:      "cnd-" + r.Invitations[0].ID,
					Name:    "Candidate " + r.Invitations[0].ID,
					Results: []sandbox.Result{r},
				},
			)
		}
		return p
	}
	st.Positions = []sandbox.Position{
		position(
			"pos-open",
			invite("a", sandbox.Invited),
			invite("b", sandbox.Invited),
			invite("c", sandbox.InProgress),
			invite("d", sandbox.TestedWithResults),
			invite("e", sandbox.Expired),
		),
		position("pos-closed", invite("f", sandbox.TestedWithResults)),
	}
	return st
}

// completes lets candidates finish right before the service answers.
func completes(t *testing.T, ids ...string) func(*sandbox.State) {
	return func(st *sandbox.State) {
		for _, id := range ids {
			if err := st.Sit(id); err != nil {
				t.Error(err)
			}
		}
	}
}

func expires(st *sandbox.State) {
	position := st.Position("pos-open")
	for i := range position.Candidates {
		if v := &position.Candidates[i].Results[0].Invitations[0]; v.ID == "b" {
			v.Status = sandbox.Expired
		}
	}
}

func TestResultsReportWaits(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, waitingState })
	results := func(skip int, act func(*sandbox.State)) {
		service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: skip, Act: act})
	}
	// The first request is for the data source, and the next two are the first poll. After
	// that, each poll sends one request, because one of the positions is done.
	results(3, completes(t, "c"))
	results(3, completes(t, "a", "a"))
	results(3, expires)
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	typ := w.schema.DataSourceSchemas["assess_position_results"].ValueType()
	if _, err := w.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: "assess_position_results", Config: dynamic(t, typ, map[string]any{"position_id": "pos-open"}),
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.csv")
	text, said := w.writes(map[string]any{
		"position_ids": positionIDs("pos-closed", "pos-open"), "format": "csv", "path": path,
		"wait": map[string]any{"timeout": "1m", "poll_interval": "10ms"},
	})
	want := []string{
		"2 of 6 completed, 1 expired",
		"3 of 6 completed, 1 expired",
		"4 of 6 completed, 1 expired",
		"4 of 6 completed, 2 expired",
		"2 sections written to " + path,
	}
	if !slices.Equal(said.progress, want) {
		t.Errorf("progress %q, want %q", said.progress, want)
	}
	// The report uses the results of the last poll and sends no other request.
	if strings.Contains(string(text), "IN_PROGRESS") || strings.Count(string(text), "TESTED_WITH_RESULTS") != 4 {
		t.Errorf("the report does not show the last poll:\n%s", text)
	}
	service.AssertCount(t, "", sandbox.RouteResults, 1+2+3)
}

func TestResultsReportGivesUpWaiting(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, waitingState })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	dir := t.TempDir()
	config := map[string]any{
		"position_ids": positionIDs("pos-open", "pos-closed"), "path": filepath.Join(dir, "report.html"),
		"wait": map[string]any{"timeout": "3s", "poll_interval": "1h"},
	}
	said := w.report(t.Context(), config)
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{
		`AttributeName\("wait"\).AttributeName\("timeout"\)`,
		"Candidates have not finished",
		"Of 6 invitations, 3 are still open after 3s",
		"2 of 6 completed, 1 expired",
		"Nothing was written",
		"longer timeout",
	}) {
		t.Errorf("errors %q", said.errors)
	}
	if n := service.Count("", sandbox.RouteResults); len(said.progress) != 2 || n != 2+1 {
		t.Errorf("polled %d times with %d requests: %q", len(said.progress), n, said.progress)
	}
	onlyFile(t, dir)

	// All invitations are completed, so the report does not wait.
	config["position_ids"] = positionIDs("pos-closed")
	if _, said := w.writes(config); said.progress[0] != "1 of 1 completed" || len(said.progress) != 2 {
		t.Errorf("progress %q", said.progress)
	}

	// The error of a failed poll is reported.
	config["overwrite"], config["position_ids"] = true, positionIDs("pos-open")
	config["wait"] = map[string]any{"timeout": "1m", "poll_interval": "1ms"}
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: 1, Status: http.StatusForbidden})
	said = w.report(t.Context(), config)
	if len(said.errors) != 1 ||
		!matchesAll(said.errors[0], []string{"Could not read the results", `"pos-open"`, "403 Forbidden"}) {
		t.Errorf("errors %q", said.errors)
	}
}

func TestResultsReportInterrupted(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, waitingState })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan time.Time, 1)
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Act: func(*sandbox.State) {
		time.AfterFunc(2*time.Second, func() { cancelled <- time.Now(); cancel() })
	}})
	dir := t.TempDir()
	said := w.report(
		ctx,
		map[string]any{
			"position_ids": positionIDs("pos-open"),
			"path":         filepath.Join(dir, "report.html"),
			"wait":         map[string]any{},
		},
	)
	if took := time.Since(<-cancelled); took > time.Second {
		t.Errorf("the action ended %s after the interrupt", took)
	}
	if len(said.errors) != 1 ||
		!matchesAll(said.errors[0], []string{"Could not wait for the candidates", "interrupted"}) {
		t.Errorf("errors %q", said.errors)
	}
	onlyFile(t, dir)
}

// However short the interval is, polls stay within the limits of results.
func TestResultsReportWaitsWithinTheLimits(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, waitingState })
	env := environment(service)
	delete(env, "ASSESS_UNTHROTTLED")
	server, err := providerWith(t, env)["assess"]()
	if err != nil {
		t.Fatal(err)
	}
	w := newProtocolClient(t, service)
	w.server = server
	w.mustConfigure(map[string]any{})
	said := w.report(t.Context(), map[string]any{
		"position_ids": positionIDs("pos-open"), "path": filepath.Join(t.TempDir(), "report.html"),
		"wait": map[string]any{"timeout": "1500ms", "poll_interval": "1ms"},
	})
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{"3 are still open"}) {
		t.Errorf("errors %q", said.errors)
	}
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			t.Error("a poll was refused with 429")
		}
	}
	if n := service.Count("", sandbox.RouteResults); n < 3 || n > 6 {
		t.Errorf("%d polls within 1.5 s, want 2 a second", n)
	}
}

// uninvitedState has a position without invitations.
func uninvitedState() *sandbox.State {
	st := waitingState()
	empty := sandbox.Position{
		ID:          "pos-empty",
		Title:       "Empty",
		Assessments: []sandbox.PositionAssessment{{ID: "pas-empty", Assessment: "asm-lumen"}},
	}
	st.Positions = append(st.Positions, empty)
	return st
}

// inviteCompleted adds candidates who are already finished to the empty position.
func inviteCompleted(n int) func(*sandbox.State) {
	return func(st *sandbox.State) {
		closed := st.Position("pos-closed").Candidates[0]
		position := st.Position("pos-empty")
		for i := range n {
			c := closed
			c.ID = fmt.Sprintf("cnd-new-%d-%d", len(position.Candidates), i)
			c.Results = slices.Clone(closed.Results)
			c.Results[0].Invitations = slices.Clone(closed.Results[0].Invitations)
			c.Results[0].Invitations[0].ID = "inv-" + c.ID
			position.Candidates = append(position.Candidates, c)
		}
	}
}

// Without an invitation, a position is not finished. The report waits for the first
// invitation, or for as many as min_invitations requires.
func TestResultsReportWaitsForInvitations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wait      map[string]any
		positions []string
		says      []string
	}{
		"for the first": {
			map[string]any{},
			[]string{"pos-empty"},
			[]string{"0 of 0 completed", "1 of 1 completed"},
		},
		"for some": {
			map[string]any{"min_invitations": 3},
			[]string{"pos-empty"},
			[]string{"0 of 0 completed", "1 of 1 completed", "3 of 3 completed"},
		},
		"of all positions": {
			map[string]any{"min_invitations": 2},
			[]string{"pos-closed", "pos-empty"},
			[]string{"1 of 1 completed", "2 of 2 completed"},
		},
		"for none": {
			map[string]any{"min_invitations": 0},
			[]string{"pos-empty"},
			[]string{"0 of 0 completed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, uninvitedState })
			looks := len(test.positions)
			service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: looks, Act: inviteCompleted(1)})
			service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: 2*looks - 1, Act: inviteCompleted(2)})
			w := newProtocolClient(t, service)
			w.mustConfigure(map[string]any{})
			test.wait["timeout"], test.wait["poll_interval"] = "1m", "10ms"
			_, said := w.writes(map[string]any{
				"position_ids": positionIDs(
					test.positions...),
				"path": filepath.Join(t.TempDir(), "report.html"),
				"wait": test.wait,
			})
			if got := said.progress[:len(said.progress)-1]; !slices.Equal(got, test.says) {
				t.Errorf("progress %q, want %q", got, test.says)
			}
		})
	}
}

func TestResultsReportGivesUpWaitingForInvitations(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, uninvitedState })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	dir := t.TempDir()
	config := map[string]any{
		"position_ids": positionIDs("pos-empty"), "path": filepath.Join(dir, "report.html"),
		"wait": map[string]any{"timeout": "50ms", "poll_interval": "10ms"},
	}
	said := w.report(t.Context(), config)
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{
		"Candidates have not finished",
		"After 50ms there are 0 invitations, and wait.min_invitations requires 1",
		"Nothing was written",
	}) {
		t.Errorf("errors %q", said.errors)
	}
	onlyFile(t, dir)

	// Without candidates, the report does not wait.
	config["candidate_ids"], config["wait"] = []string{}, map[string]any{"timeout": "1m"}
	if _, said := w.writes(config); len(said.progress) != 2 {
		t.Errorf("progress %q", said.progress)
	}
}
