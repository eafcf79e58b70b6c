// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const reportType = "assess_results_report"

// invocation is the output of an action.
type invocation struct {
	said
	progress []string
}

func (w *protocolClient) reportConfig(config map[string]any) *tfprotov6.DynamicValue {
	return coretest.Encode(w.schema.ActionSchemas[reportType].Schema.ValueType(), config)
}

// planReport validates and plans a report, as a CLI does first.
func (w *protocolClient) planReport(config map[string]any) said {
	w.t.Helper()
	valid, err := w.server.ValidateActionConfig(w.t.Context(),
		&tfprotov6.ValidateActionConfigRequest{ActionType: reportType, Config: w.reportConfig(config)})
	w.mustCall(err)
	if said := saidIn(valid.Diagnostics); len(said.errors) > 0 {
		return said
	}
	return w.planKnownReport(config)
}

// planKnownReport plans a report with values that were unknown when the CLI validated it.
func (w *protocolClient) planKnownReport(config map[string]any) said {
	w.t.Helper()
	planned, err := w.server.PlanAction(w.t.Context(),
		&tfprotov6.PlanActionRequest{ActionType: reportType, Config: w.reportConfig(config)})
	w.mustCall(err)
	return saidIn(planned.Diagnostics)
}

// report invokes a planned report.
func (w *protocolClient) report(ctx context.Context, config map[string]any) (said invocation) {
	w.t.Helper()
	stream, err := w.server.InvokeAction(ctx,
		&tfprotov6.InvokeActionRequest{ActionType: reportType, Config: w.reportConfig(config)})
	w.mustCall(err)
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			said.progress = append(said.progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			said.add(saidIn(event.Diagnostics))
		}
	}
	return said
}

// writes plans and invokes a report that must succeed. It returns the file.
func (w *protocolClient) writes(config map[string]any) ([]byte, invocation) {
	w.t.Helper()
	w.planReport(config).quiet(w.t)
	said := w.report(w.t.Context(), config)
	said.quiet(w.t)
	path, _ := config["path"].(string)
	text, err := os.ReadFile(path)
	w.mustCall(err)
	return text, said
}

// graduates returns a configuration that reports the demo position to a file in a new directory.
func graduates(t *testing.T, format string) (report fields, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "report")
	return fields{"position_ids": []string{sandbox.DemoResultsPosition}, "format": format, "path": path}, path
}

// In every format, the report has a section for each position, in the order of the
// configuration. Positions with the same title have their IDs.
func TestResultsReportSections(t *testing.T) {
	t.Parallel()
	for format, lookups := range map[string]int{
		"html": 4, "csv": 4, "markdown": 4, // the titles, the names of assessments, and the benchmarks of two positions
		"json": 1, // the titles
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, waitingState })
			service.Change(t, func(st *sandbox.State) {
				st.Position("pos-open").Title, st.Position("pos-closed").Title = "Lead", "Lead"
			})
			report, path := graduates(t, format)
			report["position_ids"] = []string{"pos-open", "pos-closed"}
			w := runOn(t, service)
			text, said := w.writes(report)
			if !slices.Equal(said.progress, []string{"2 sections written to " + path}) {
				t.Errorf("progress %q", said.progress)
			}
			_, rest, _ := strings.Cut(strings.ReplaceAll(string(text), `\`, ""), "Lead (pos-open)")
			if _, rest, _ = strings.Cut(rest, "Lead (pos-closed)"); !strings.Contains(rest, "Candidate f") {
				t.Errorf("no candidate of the second section in\n%s", text)
			}
			if strings.Contains(string(text), "candidateLoginUrl") || strings.Contains(string(text), "/sit/") {
				t.Error("the report contains sign-in addresses")
			}
			sandboxtest.AssertPrivate(t, path)
			service.AssertCount(t, "", sandbox.RouteResults, 2)
			service.AssertCount(t, "", "", 2+lookups)
			service.NoWrites(t)
		})
	}
}

// With each filter, the JSON report and the data source have the same candidates. A run reads
// them once.
func TestResultsReportIsTheDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	for _, row := range []struct {
		filters              fields
		candidates, requests int
	}{
		{fields{}, 66, 1},
		{fields{"candidate_ids": []string{"cnd-007", "cnd-001"}}, 2, 1},
		{fields{"candidate_ids": []string{"cnd-001", "cnd-004"}, "assessment_ids": []string{"asm-lumen"}}, 2, 1},
		{fields{"candidate_ids": []string{}}, 0, 0},
	} {
		w := runOn(t, service)
		service.ResetJournal()
		report, _ := graduates(t, "json")
		data := fields{"position_id": sandbox.DemoResultsPosition}
		maps.Copy(report, row.filters)
		maps.Copy(data, row.filters)
		text, _ := w.writes(report)
		var file struct {
			Positions []fields `json:"positions"`
		}
		if err := json.Unmarshal(text, &file); err != nil || len(file.Positions) != 1 {
			t.Fatalf("%v: %s", err, text)
		}
		want := w.reads(resultsType, data)["candidates"]
		if all, _ := want.([]any); len(all) != row.candidates {
			t.Errorf("%v: %d candidates", row.filters, len(all))
		}
		sameJSON(t, "the report", file.Positions[0], jsonOf(t, fields{
			"position_id": sandbox.DemoResultsPosition, "title": "Graduate Programme 2026", "candidates": want,
		}))
		service.AssertCount(t, "", sandbox.RouteResults, row.requests)
	}
}

// The report shows names, the date and the source, and applies its options. What each
// option does is tested in package report.
func TestResultsReportOptions(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := runOn(t, service)
	for _, row := range []struct {
		format       string
		options      fields
		shows, hides []string
	}{
		{
			format: "html", hides: []string{">asm-lumen<", "inv-"}, shows: []string{
				`<h1 dir="auto">Graduate Programme 2026</h1>`, "Lumen Ability Test", "compared with Graduates", "Confidential",
				strings.Split(service.URL, "/")[2],
			},
		},
		{
			format: "html", options: fields{"language": "de", "title": "Auswahl", "top": 2, "finished_only": true}, shows: []string{
				`<h1 dir="auto">Auswahl</h1>`, "Nur die Top 2 der Rangliste", "Nur Personen, die alles abgeschlossen haben",
				"Graduate Programme 2026",
			},
		},
		{
			format: "csv", options: fields{"language": "fr", "excel": true, "anonymous": true},
			shows: []string{"\ufeffposition;candidate_id;candidate_name;suitability;", ";79,6;"},
			hides: []string{"cnd-001", "inv-", "/report/"},
		},
		{
			format: "csv", options: fields{"wide": true}, hides: []string{"assessment_id", "inv-"},
			shows: []string{"position,candidate_name,rank,", ",comparable,finished,doubtful,", ",Lumen Ability Test: percentile,"},
		},
	} {
		report, _ := graduates(t, row.format)
		maps.Copy(report, row.options)
		// real time: the report has the date of the day
		today := func() string { return time.Now().UTC().Format("January 2, 2006") }
		day := today()
		text, _ := w.writes(report)
		if len(row.options) == 0 && day == today() { // unless midnight has passed
			row.shows = append(row.shows, day)
		}
		clitest.Contains(t, "report", string(text), row.shows...)
		for _, hidden := range row.hides {
			if strings.Contains(string(text), hidden) {
				t.Errorf("%s %v contains %q", row.format, row.options, hidden)
			}
		}
	}
	service.NoWrites(t)
}

func TestResultsReportArguments(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	w := runOn(t, service)
	one := []string{sandbox.DemoResultsPosition}
	existing := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(existing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unknown := func(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, tftypes.UnknownValue) }
	set, list := tftypes.Set{ElementType: tftypes.String}, tftypes.List{ElementType: tftypes.String}
	for _, row := range []struct {
		config fields
		says   []string // nil if the plan accepts it
	}{
		{fields{"position_ids": []string{}}, []string{"position_ids is empty", "at least one ID"}},
		{fields{"position_ids": []string{"pos-a", "pos-a"}}, []string{"Invalid value", `contains "pos-a" twice`}},
		{fields{"position_ids": []string{""}}, []string{"Empty ID", `position_ids\[0\] is empty`}},
		{fields{"candidate_ids": []string{""}}, []string{"Empty ID", "candidate_ids contains an empty ID"}},
		{fields{"candidate_ids": []string{"Ł"}}, []string{"Character outside Latin1"}},
		{fields{"format": "pdf"}, []string{`format is "pdf"`, `use "csv", "html", "json" or "markdown"`}},
		{fields{"path": ""}, []string{"path is empty", "report.html"}},
		{fields{"path": nil}, []string{"path", "required|Missing"}},
		{fields{"path": existing}, []string{
			`AttributeName\("path"\)`, "Could not write the report", "A file with this path exists already", "overwrite = true",
		}},
		{fields{"path": existing, "overwrite": true}, nil},
		{fields{"language": "it"}, []string{`language is "it"`, `use "de", "en" or "fr"`}},
		{fields{"top": 0}, []string{"top", "at least 1"}},
		{fields{"wait": fields{"min_invitations": -1}}, []string{"min_invitations", "at least 0"}},
		{fields{"wait": fields{"timeout": "soon"}}, []string{"Not a duration", `"soon"`}},
		{fields{"wait": fields{"poll_interval": "0s"}}, []string{"Not a duration", `"0s"`}},
		{fields{"position_ids": unknown(list), "path": unknown(tftypes.String)}, nil},
		{fields{"candidate_ids": unknown(set), "assessment_ids": unknown(set), "format": unknown(tftypes.String)}, nil},
		{fields{"path": existing, "overwrite": unknown(tftypes.Bool)}, nil},
		{fields{"wait": fields{"timeout": unknown(tftypes.String), "poll_interval": unknown(tftypes.String)}}, nil},
	} {
		report := fields{"position_ids": one, "path": existing + ".new"}
		maps.Copy(report, row.config)
		if row.says == nil {
			w.planReport(report).quiet(t)
			continue
		}
		w.planReport(report).fails(t, row.says...)
		w.planKnownReport(report).fails(t, row.says...)
		w.report(t.Context(), report).fails(t, row.says...)
	}
	service.AssertCount(t, "", "", 0)
}

// A report that fails writes nothing. One that lacks the names of benchmarks is written.
func TestResultsReportFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		config fields
		fault  sandboxtest.Fault
		says   []string // nil if the report is written
	}{
		"setting": {says: []string{"Could not read the results", `"base_url" is not known`}},
		"file": {
			config: fields{"path": filepath.Join(t.TempDir(), "none", "report")},
			says:   []string{"Could not write the report", `The folder ".*none" does not exist`},
		},
		"position": {
			config: fields{"position_ids": []string{"pos-moon"}},
			says:   []string{"Could not read the results", `"pos-moon"`, "404 Not Found"},
		},
		"titles": {
			fault: refusing(sandbox.RoutePositions, http.StatusForbidden),
			says:  []string{"Could not list the positions", "titles of the positions", "403 Forbidden"},
		},
		"names": {
			fault: refusing(sandbox.RouteAssessments, http.StatusForbidden),
			says:  []string{"Could not list the assessments", "403 Forbidden"},
		},
		"benchmarks": {fault: refusing(sandbox.RouteBenchmarks, http.StatusNotFound)},
		"results": {
			fault: refusing(sandbox.RouteResults, http.StatusForbidden),
			says:  []string{"Could not read the results", sandbox.DemoResultsPosition, "403 Forbidden"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
			if row.fault.Status != 0 {
				service.Inject(row.fault)
			}
			w := runOn(t, service)
			if name == "setting" {
				w.configureUnknown()
			}
			report, path := graduates(t, "html")
			maps.Copy(report, row.config)
			said := w.report(t.Context(), report)
			text, err := os.ReadFile(path)
			if row.says == nil {
				if len(said.errors) > 0 || strings.Contains(string(text), "compared with Graduates") {
					t.Errorf("errors %q in\n%s", said.errors, text)
				}
				return
			}
			said.fails(t, row.says...)
			if err == nil || len(said.progress) > 0 {
				t.Errorf("progress %q, and the file is\n%s", said.progress, text)
			}
		})
	}
}

// A user invokes the action and sees its progress.
func TestResultsReportInTerraform(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, waitingState })
	service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: 1, Act: sits(t, "a", "a", "b", "b", "c")})
	c := clitest.New(t, service).With("ASSESS_UNTHROTTLED=1")
	c.UseFrom("TestResultsReportInTerraform", "1")
	c.NeedsTerraform(14)
	r := c.Human("apply", "-no-color", "-input=false", "-auto-approve").OK()
	clitest.Contains(t, "output", r.Output,
		"1 of 5 completed, 1 expired", "4 of 5 completed, 1 expired", "1 section written to report.html")
	report := filepath.Join(c.Dir, "report.html")
	sandboxtest.AssertPrivate(t, report)

	// A separate invocation would replace the report, which is refused.
	c.Do("plan", "-input=false", "-invoke=action.assess_results_report.weekly").
		Fails("Could not write the report", "A file with this path exists already")
	c.Remove("report.html")
	c.Human("apply", "-no-color", "-input=false", "-auto-approve", "-invoke=action.assess_results_report.weekly").OK()
	if _, err := os.Stat(report); err != nil {
		t.Error(err)
	}
}

// The progress contains the complete error, to which the errors of the next requests refer.
func TestResultsReportNamesWhyItLacksBenchmarks(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RoutePositionAssessments, Status: http.StatusServiceUnavailable, Times: -1,
	})
	report, _ := graduates(t, "html")
	report["position_ids"] = []string{sandbox.DemoResultsPosition, "pos-backend-london"}
	w := newProtocolClient(t, service)
	w.mustConfigure(fields{"retry_timeout": "1s"})
	said := w.report(t.Context(), report)
	if progress := strings.Join(said.progress, "\n"); !strings.Contains(progress, " with 503 Service Unavailable: ") {
		t.Errorf("progress %q", said.progress)
	}
}

// A report that lacks names of benchmarks says so, and so does its progress, once.
func TestResultsReportWithoutBenchmarks(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"html", "markdown", "csv"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
			service.Inject(refusing(sandbox.RoutePositionAssessments, http.StatusForbidden))
			report, _ := graduates(t, format)
			text, said := runOn(t, service).writes(report)
			notes := strings.Count(strings.Join(said.progress, "\n"), "Note: the report does not name all benchmarks. ")
			named := strings.Count(string(text), "The benchmarks of this position could not be read")
			if notes != 1 || named != 1 && format != "csv" {
				t.Errorf("progress %q in\n%s", said.progress, text)
			}
		})
	}
}
