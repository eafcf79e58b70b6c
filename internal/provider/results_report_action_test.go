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

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// invocation is the output of an action.
type invocation struct {
	progress []string
	errors   []string
	warnings []string
}

func (i *invocation) take(diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		said := strings.TrimSpace(d.Attribute.String() + " " + d.Summary + "\n" + d.Detail)
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			i.errors = append(i.errors, said)
		} else {
			i.warnings = append(i.warnings, said)
		}
	}
}

func (w *protocolClient) reportConfig(config map[string]any) *tfprotov6.DynamicValue {
	return dynamic(w.t, w.schema.ActionSchemas["assess_results_report"].Schema.ValueType(), config)
}

// planReport validates and plans a report, as a CLI does first.
func (w *protocolClient) planReport(config map[string]any) (said invocation) {
	w.t.Helper()
	server, ok := w.server.(tfprotov6.ActionServer)
	if !ok {
		w.t.Fatal("the provider serves no actions")
	}
	valid, err := server.ValidateActionConfig(
		w.t.Context(),
		&tfprotov6.ValidateActionConfigRequest{ActionType: "assess_results_report", Config: w.reportConfig(config)},
	)
	if err != nil {
		w.t.Fatal(err)
	}
	if said.take(valid.Diagnostics); len(said.errors) > 0 {
		return said
	}
	planned, err := server.PlanAction(
		w.t.Context(),
		&tfprotov6.PlanActionRequest{ActionType: "assess_results_report", Config: w.reportConfig(config)},
	)
	if err != nil {
		w.t.Fatal(err)
	}
	said.take(planned.Diagnostics)
	return said
}

// report invokes a planned report.
func (w *protocolClient) report(ctx context.Context, config map[string]any) (said invocation) {
	w.t.Helper()
	server, ok := w.server.(tfprotov6.ActionServer)
	if !ok {
		w.t.Fatal("the provider serves no actions")
	}
	stream, err := server.InvokeAction(
		ctx,
		&tfprotov6.InvokeActionRequest{ActionType: "assess_results_report", Config: w.reportConfig(config)},
	)
	if err != nil {
		w.t.Fatal(err)
	}
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			said.progress = append(said.progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			said.take(event.Diagnostics)
		}
	}
	return said
}

// writes plans and invokes a report that must succeed. It returns the file.
func (w *protocolClient) writes(config map[string]any) ([]byte, invocation) {
	w.t.Helper()
	if planned := w.planReport(config); len(planned.errors)+len(planned.warnings) > 0 {
		w.t.Fatalf("planning returned %q, %q", planned.errors, planned.warnings)
	}
	said := w.report(w.t.Context(), config)
	if len(said.errors)+len(said.warnings) > 0 {
		w.t.Fatalf("invoking returned %q, %q", said.errors, said.warnings)
	}
	path, _ := config["path"].(string)
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return text, said
}

func positionIDs(ids ...string) tftypes.Value {
	return listValue(ids...)
}

func listValue(texts ...string) tftypes.Value {
	values := make([]tftypes.Value, len(texts))
	for i, text := range texts {
		values[i] = tftypes.NewValue(tftypes.String, text)
	}
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, values)
}

// onlyFile fails if the directory has other files, such as a draft.
func onlyFile(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("the directory has %q, want %q", got, names)
	}
}

func TestResultsReportFilters(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	for name, row := range map[string]struct {
		candidates, assessments []string
		query                   string // "" if no request is expected
		rows                    int
	}{
		"candidates": {candidates: []string{"cnd-007", "cnd-001"}, query: "candidate=cnd-001&candidate=cnd-007", rows: 2},
		"both":       {candidates: []string{"cnd-001"}, assessments: []string{"asm-lumen"}, query: "assessment=asm-lumen&candidate=cnd-001", rows: 1},
		"none":       {candidates: []string{}},
	} {
		config := map[string]any{
			"position_ids": positionIDs(sandbox.DemoResultsPosition),
			"format":       "json",
			"path":         filepath.Join(t.TempDir(), "report.json"),
		}
		if row.candidates != nil {
			config["candidate_ids"] = row.candidates
		}
		if row.assessments != nil {
			config["assessment_ids"] = row.assessments
		}
		service.ResetJournal()
		text, _ := w.writes(config)
		if got := strings.Count(string(text), `"suitability"`); got != row.rows {
			t.Errorf("%s: %d candidates, want %d", name, got, row.rows)
		}
		var queries []string
		for _, sent := range service.Journal() {
			if sent.Route == sandbox.RouteResults {
				sent.Query.Del("limit")
				queries = append(queries, sent.Query.Encode())
			}
		}
		if strings.Join(queries, " ") != row.query {
			t.Errorf("%s: requested with %q, want %q", name, queries, row.query)
		}
	}
}

func TestResultsReportRefuses(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	one := positionIDs(sandbox.DemoResultsPosition)
	for name, row := range map[string]struct {
		config map[string]any
		says   []string
	}{
		"no positions":             {map[string]any{"position_ids": positionIDs(), "path": "x"}, []string{"position_ids is empty", "at least one ID"}},
		"a position twice":         {map[string]any{"position_ids": positionIDs("pos-a", "pos-a"), "path": "x"}, []string{"Invalid value", `contains "pos-a" twice`}},
		"an empty position":        {map[string]any{"position_ids": positionIDs(""), "path": "x"}, []string{"Empty ID"}},
		"outside Latin1":           {map[string]any{"position_ids": one, "candidate_ids": []string{"Ł"}, "path": "x"}, []string{"Character outside Latin1"}},
		"another format":           {map[string]any{"position_ids": one, "path": "x", "format": "pdf"}, []string{`format is "pdf"`, `use "csv", "html", "json" or "markdown"`}},
		"an empty path":            {map[string]any{"position_ids": one, "path": ""}, []string{"path is empty", "report.html"}},
		"no path":                  {map[string]any{"position_ids": one}, []string{"path", "required|Missing"}},
		"another language":         {map[string]any{"position_ids": one, "path": "x", "language": "it"}, []string{`language is "it"`, `use "de", "en" or "fr"`}},
		"top is zero":              {map[string]any{"position_ids": one, "path": "x", "top": 0}, []string{"top", "at least 1"}},
		"negative min_invitations": {map[string]any{"position_ids": one, "path": "x", "wait": map[string]any{"min_invitations": -1}}, []string{"min_invitations", "at least 0"}},
		"no duration":              {map[string]any{"position_ids": one, "path": "x", "wait": map[string]any{"timeout": "soon"}}, []string{"Not a duration", `"soon"`}},
		"zero interval":            {map[string]any{"position_ids": one, "path": "x", "wait": map[string]any{"poll_interval": "0s"}}, []string{"Not a duration", `"0s"`}},
	} {
		if said := w.planReport(row.config); len(said.errors) != 1 || !matchesAll(said.errors[0], row.says) {
			t.Errorf("%s: errors %q, want one that matches all of %q", name, said.errors, row.says)
		}
	}

	// Unknown values are not checked.
	unknown := func(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, tftypes.UnknownValue) }
	set := tftypes.Set{ElementType: tftypes.String}
	for _, config := range []map[string]any{
		{"position_ids": unknown(tftypes.List{ElementType: tftypes.String}), "path": unknown(tftypes.String)},
		{
			"position_ids": one, "candidate_ids": unknown(set), "assessment_ids": unknown(set), "format": unknown(tftypes.String), "path": t.TempDir() + "/new", "overwrite": unknown(tftypes.Bool),
			"wait": map[string]any{"timeout": unknown(tftypes.String), "poll_interval": unknown(tftypes.String)},
		},
	} {
		if said := w.planReport(config); len(said.errors)+len(said.warnings) > 0 {
			t.Errorf("planning unknown values returned %q %q", said.errors, said.warnings)
		}
	}

	path := filepath.Join(t.TempDir(), "report.html")
	w.configureUnknown()
	said := w.report(t.Context(), map[string]any{"position_ids": one, "path": path})
	if len(said.errors) != 1 ||
		!matchesAll(said.errors[0], []string{"Could not read the results", `"base_url" is not known`}) {
		t.Errorf("with an unknown setting: %q", said.errors)
	}
	service.AssertCount(t, "", "", 0)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a file exists: %v", err)
	}

	w.mustConfigure(map[string]any{})
	said = w.report(t.Context(), map[string]any{"position_ids": positionIDs("pos-moon"), "path": path})
	if len(said.errors) != 1 ||
		!matchesAll(said.errors[0], []string{"Could not read the results", `"pos-moon"`, "404 Not Found"}) {
		t.Errorf("for an unknown position: %q", said.errors)
	}
	service.Inject(sandboxtest.Fault{Route: sandbox.RoutePositions, Times: -1, Status: http.StatusForbidden})
	w.mustConfigure(map[string]any{})
	said = w.report(t.Context(), map[string]any{"position_ids": one, "path": path})
	if len(said.errors) != 1 ||
		!matchesAll(
			said.errors[0],
			[]string{"Could not list the positions", "titles of the positions", "403 Forbidden"},
		) {
		t.Errorf("without titles: %q", said.errors)
	}
}

// A user invokes the action and sees its progress.
func TestResultsReportInTerraform(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, waitingState })
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: 1, Act: completes(t, "a", "a", "b", "b", "c")})
	c := unthrottled(t, service, "1")
	c.needsTerraform(14)
	r := c.human("apply", "-no-color", "-input=false", "-auto-approve").ok()
	for _, said := range []string{"1 of 5 completed, 1 expired", "4 of 5 completed, 1 expired", "1 section written " +
		"to report.html"} {
		if !strings.Contains(r.output, said) {
			t.Errorf("no %q in\n%s", said, r.output)
		}
	}
	report := filepath.Join(c.dir, "report.html")
	sandboxtest.AssertPrivate(t, report)

	// A separate invocation would replace the report, which is refused.
	c.do(
		"plan",
		"-input=false",
		"-invoke=action.assess_results_report.weekly",
	).fails(
		"Could not write the report",
		"A file with this path exists already",
	)
	if err := os.Remove(report); err != nil {
		t.Fatal(err)
	}
	c.human("apply", "-no-color", "-input=false", "-auto-approve", "-invoke=action.assess_results_report.weekly").ok()
	if _, err := os.Stat(report); err != nil {
		t.Error(err)
	}
}
