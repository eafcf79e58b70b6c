// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// invocation is what an action has said.
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

func (w *walker) reportConfig(config map[string]any) *tfprotov6.DynamicValue {
	return dynamic(w.t, w.schema.ActionSchemas["assess_results_report"].Schema.ValueType(), config)
}

// planReport validates and plans a report, as a CLI does first.
func (w *walker) planReport(config map[string]any) (said invocation) {
	w.t.Helper()
	server, ok := w.server.(tfprotov6.ActionServer)
	if !ok {
		w.t.Fatal("the provider serves no actions")
	}
	valid, err := server.ValidateActionConfig(w.t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: "assess_results_report", Config: w.reportConfig(config)})
	if err != nil {
		w.t.Fatal(err)
	}
	if said.take(valid.Diagnostics); len(said.errors) > 0 {
		return said
	}
	planned, err := server.PlanAction(w.t.Context(), &tfprotov6.PlanActionRequest{ActionType: "assess_results_report", Config: w.reportConfig(config)})
	if err != nil {
		w.t.Fatal(err)
	}
	said.take(planned.Diagnostics)
	return said
}

// report invokes a report that was planned.
func (w *walker) report(ctx context.Context, config map[string]any) (said invocation) {
	w.t.Helper()
	server, ok := w.server.(tfprotov6.ActionServer)
	if !ok {
		w.t.Fatal("the provider serves no actions")
	}
	stream, err := server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: "assess_results_report", Config: w.reportConfig(config)})
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

// writes plans and invokes a report that must succeed, and returns the file.
func (w *walker) writes(config map[string]any) ([]byte, invocation) {
	w.t.Helper()
	if planned := w.planReport(config); len(planned.errors)+len(planned.warnings) > 0 {
		w.t.Fatalf("planning said %q, %q", planned.errors, planned.warnings)
	}
	said := w.report(w.t.Context(), config)
	if len(said.errors)+len(said.warnings) > 0 {
		w.t.Fatalf("invoking said %q, %q", said.errors, said.warnings)
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

// onlyFile fails where a directory holds anything else, such as a draft.
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
		t.Errorf("the directory holds %q, want %q", got, names)
	}
}

// hostileNames are those that break careless reports.
var hostileNames = []string{
	`<script>alert("x")</script>`, `=HYPERLINK("https://evil.example","click")`, "a | b || c", "first line\nsecond line",
	"محمد العلي \u202egnp.exe", strings.Repeat("Wolfeschlegelsteinhausen", 8) + "bergerdo",
}

// hostileEstate has two positions with such candidates, under one hostile title.
func hostileEstate() *sandbox.State {
	st := sandbox.Demo()
	completed := time.Date(2026, time.March, 3, 10, 0, 0, 0, time.UTC)
	st.Positions = nil
	for p, id := range []string{"pos-one", "pos-two"} {
		position := sandbox.Position{ID: id, Title: `=cmd|'/c calc' <blink>"Lead"</blink>`, Assessments: []sandbox.PositionAssessment{{ID: "pas-" + id, Assessment: "asm-lumen"}}}
		for i, name := range hostileNames {
			percentile := 90 - float64(10*i) - float64(p)
			position.Candidates = append(position.Candidates, sandbox.Candidate{ID: fmt.Sprintf("cnd-%d-%d", p, i), Name: name, Results: []sandbox.Result{{
				Assessment: "asm-lumen", Percentile: &percentile, Classification: "AVERAGE",
				Invitations: []sandbox.Invitation{{ID: fmt.Sprintf("inv-%d-%d", p, i), Type: sandbox.Remote, Status: sandbox.TestedWithResults, Created: completed, Completed: &completed, Expiry: "2026-03-30"}},
			}}})
		}
		st.Positions = append(st.Positions, position)
	}
	return st
}

// unescaped is a tag that Markdown would let through.
var unescaped = regexp.MustCompile(`(^|[^\\])<`)

func TestResultsReportFormats(t *testing.T) {
	t.Parallel()
	if n := len([]rune(hostileNames[len(hostileNames)-1])); n != 200 {
		t.Fatalf("the long name has %d characters", n)
	}
	const title = `=cmd|'/c calc' <blink>"Lead"</blink>`
	titles := []string{title + " (pos-two)", title + " (pos-one)"} // in the order that was asked for
	for format, check := range map[string]func(t *testing.T, text string){
		"html": func(t *testing.T, text string) {
			at := 0
			for _, want := range titles {
				i := strings.Index(text[at:], html.EscapeString(want))
				if i < 0 {
					t.Fatalf("no section %q after byte %d", want, at)
				}
				at += i
				for _, name := range hostileNames {
					if !strings.Contains(text[at:], "<bdi>"+html.EscapeString(name)+"</bdi>") {
						t.Errorf("the section %q does not show %q", want, name)
					}
				}
			}
			if strings.Contains(text, "<script") || strings.Contains(text, "<blink>") {
				t.Error("a name has become markup")
			}
		},
		"csv": func(t *testing.T, text string) {
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || len(rows) != 1+2*len(hostileNames) || rows[0][0] != "position" || rows[0][2] != "candidate_name" {
				t.Fatalf("%d rows, %v: %q", len(rows), err, rows)
			}
			for i, row := range rows[1:] {
				name := hostileNames[i%len(hostileNames)]
				if strings.HasPrefix(name, "=") {
					name = "'" + name
				}
				if row[0] != "'"+titles[i/len(hostileNames)] || row[2] != name {
					t.Errorf("row %d is of %q and %q, want %q", i+1, row[0], row[2], name)
				}
			}
		},
		"markdown": func(t *testing.T, text string) {
			if unescaped.MatchString(text) {
				t.Errorf("a name has become markup:\n%s", text)
			}
			lines := 0
			for line := range strings.Lines(text) {
				if !strings.HasPrefix(line, "|") {
					continue
				}
				lines++
				for _, cell := range []string{"alert", "HYPERLINK", "second line"} {
					if strings.Contains(line, cell) && !strings.HasSuffix(strings.TrimSpace(line), "|") {
						t.Errorf("a name has left its cell: %s", line)
					}
				}
			}
			if strings.Count(text, "second line") == 0 || lines < 2*len(hostileNames) {
				t.Errorf("%d rows:\n%s", lines, text)
			}
		},
		"json": func(t *testing.T, text string) {
			var file struct {
				Positions []struct {
					ID         string `json:"position_id"`
					Title      string `json:"title"`
					Candidates []struct {
						Name string `json:"name"`
					} `json:"candidates"`
				} `json:"positions"`
			}
			if err := json.Unmarshal([]byte(text), &file); err != nil || len(file.Positions) != 2 {
				t.Fatalf("%v: %s", err, text)
			}
			for i, p := range file.Positions {
				names := []string{}
				for _, c := range p.Candidates {
					names = append(names, c.Name)
				}
				if p.ID != []string{"pos-two", "pos-one"}[i] || p.Title != titles[i] || !slices.Equal(names, hostileNames) {
					t.Errorf("section %d is %q %q with %q", i, p.ID, p.Title, names)
				}
			}
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 1000, hostileEstate })
			w := newWalker(t, service)
			w.walk(map[string]any{})
			dir := t.TempDir()
			path := filepath.Join(dir, "report")
			text, said := w.writes(map[string]any{"position_ids": positionIDs("pos-two", "pos-one"), "format": format, "path": path})
			check(t, string(text))
			if !slices.Equal(said.progress, []string{"2 sections written to " + path}) {
				t.Errorf("said %q", said.progress)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("the file's mode is %v, %v", info.Mode(), err)
			}
			onlyFile(t, dir, "report")
			if strings.Contains(string(text), "candidateLoginUrl") || strings.Contains(string(text), "inv-0-0/") {
				t.Error("the report holds sign-in addresses")
			}
			service.AssertCount(t, "", sandbox.RouteResults, 2)
			service.AssertCount(t, "", "", 3) // and the positions, for their titles
			noWrites(t, service)
		})
	}
}

// The JSON report holds what the data source holds, and both read it once.
func TestResultsReportIsTheDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage = 1000 })
	w := newWalker(t, service)
	w.walk(map[string]any{})
	config := map[string]any{"position_id": sandbox.DemoResultsPosition, "candidate_ids": []string{"cnd-001", "cnd-004", "cnd-012"}, "assessment_ids": []string{"asm-lumen", "asm-northlight"}}
	typ := w.schema.DataSourceSchemas["assess_position_results"].ValueType()
	data, err := w.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "assess_position_results", Config: dynamic(t, typ, config)})
	if err != nil || len(data.Diagnostics) > 0 {
		t.Fatalf("%v, %v", err, data)
	}
	state, err := data.State.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := plainValue(t, state).(map[string]any)

	delete(config, "position_id")
	config["position_ids"], config["format"], config["path"] = positionIDs(sandbox.DemoResultsPosition), "json", filepath.Join(t.TempDir(), "report.json")
	text, _ := w.writes(config)
	var file struct {
		Positions []map[string]any `json:"positions"`
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Positions) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	got := file.Positions[0]
	if all, _ := got["candidates"].([]any); len(all) != 3 || !reflect.DeepEqual(got["candidates"], want["candidates"]) {
		t.Errorf("the report holds\n%v\nthe data source\n%v", got["candidates"], want["candidates"])
	}
	if got["title"] != "Graduate Programme 2026" || len(got) != 3 {
		t.Errorf("the section is %v", got)
	}
	service.AssertCount(t, "", sandbox.RouteResults, 1)
}

// plainValue is a value as encoding/json reads one.
func plainValue(t *testing.T, v tftypes.Value) any {
	t.Helper()
	if v.IsNull() {
		return nil
	}
	var (
		text     string
		number   big.Float
		elements []tftypes.Value
		members  map[string]tftypes.Value
	)
	switch {
	case v.As(&text) == nil:
		return text
	case v.As(&number) == nil:
		f, _ := number.Float64()
		return f
	case v.As(&elements) == nil:
		list := []any{}
		for _, e := range elements {
			list = append(list, plainValue(t, e))
		}
		return list
	case v.As(&members) == nil:
		object := map[string]any{}
		for name, m := range members {
			object[name] = plainValue(t, m)
		}
		return object
	}
	t.Fatalf("no plain value: %s", v)
	return nil
}

func TestResultsReportFilters(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage = 1000 })
	w := newWalker(t, service)
	w.walk(map[string]any{})
	for name, row := range map[string]struct {
		candidates, assessments []string
		query                   string // "" where the service is not asked
		rows                    int
	}{
		"candidates": {candidates: []string{"cnd-007", "cnd-001"}, query: "candidate=cnd-001&candidate=cnd-007", rows: 2},
		"both":       {candidates: []string{"cnd-001"}, assessments: []string{"asm-lumen"}, query: "assessment=asm-lumen&candidate=cnd-001", rows: 1},
		"nobody":     {candidates: []string{}},
	} {
		config := map[string]any{"position_ids": positionIDs(sandbox.DemoResultsPosition), "format": "json", "path": filepath.Join(t.TempDir(), "report.json")}
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
			t.Errorf("%s: asked with %q, want %q", name, queries, row.query)
		}
	}
}

// Whatever goes wrong, the file is not there or is what it was.
func TestResultsReportFile(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage = 1000 })
	w := newWalker(t, service)
	w.walk(map[string]any{})
	report := func(path string) map[string]any {
		return map[string]any{"position_ids": positionIDs(sandbox.DemoResultsPosition), "format": "markdown", "path": path}
	}
	refused := func(said invocation, patterns ...string) {
		t.Helper()
		if len(said.errors) != 1 || len(said.progress) > 0 || !matchesAll(said.errors[0], patterns) {
			t.Errorf("said %q %q, want one error that matches all of %q", said.progress, said.errors, patterns)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "report.md")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}

	exists := []string{`AttributeName\("path"\)`, "Cannot write the report", "there is a file already", "overwrite = true"}
	refused(w.planReport(report(path)), exists...)
	refused(w.report(t.Context(), report(path)), exists...)
	refused(w.planReport(report(dir)), "that is a directory")
	refused(w.report(t.Context(), report(filepath.Join(dir, "none", "report.md"))), "there is no directory")
	refused(w.report(t.Context(), report(filepath.Join(path, "report.md"))), "no directory|not a directory")
	service.AssertCount(t, "", "", 0)

	overwriting := report(path)
	overwriting["overwrite"] = true
	service.Inject(sandbox.Fault{Route: sandbox.RouteResults, Status: http.StatusForbidden})
	refused(w.report(t.Context(), overwriting), "Cannot read the results", sandbox.DemoResultsPosition, "403 Forbidden")
	if text, err := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	onlyFile(t, dir, "report.md")

	text, _ := w.writes(overwriting)
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 || !strings.Contains(string(text), "Graduate Programme 2026") {
		t.Errorf("the file is %v, %v:\n%s", info, err, text)
	}
	onlyFile(t, dir, "report.md")
}

// Of reports that want the same name at the same time, one gets it.
func TestResultsReportFileOnce(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage = 1000 })
	service.Inject(sandbox.Fault{Route: sandbox.RouteResults, Times: -1, Delay: 100 * time.Millisecond})
	w := newWalker(t, service)
	w.walk(map[string]any{})
	dir := t.TempDir()
	config := map[string]any{"position_ids": positionIDs(sandbox.DemoResultsPosition), "path": filepath.Join(dir, "report.html")}
	const reports = 8
	failed := make([]invocation, reports)
	var group sync.WaitGroup
	for i := range reports {
		group.Go(func() { failed[i] = w.report(t.Context(), config) })
	}
	group.Wait()
	won := 0
	for _, said := range failed {
		switch {
		case len(said.errors) == 0:
			won++
		case !matchesAll(said.errors[0], []string{"there is a file already"}):
			t.Errorf("said %q", said.errors)
		}
	}
	if won != 1 {
		t.Errorf("%d reports were written to one path", won)
	}
	onlyFile(t, dir, "report.html")
}

func TestResultsReportRefuses(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	w := newWalker(t, service)
	w.walk(map[string]any{})
	one := positionIDs(sandbox.DemoResultsPosition)
	for name, row := range map[string]struct {
		config map[string]any
		says   []string
	}{
		"no positions":       {map[string]any{"position_ids": positionIDs(), "path": "x"}, []string{"position_ids", "at least 1"}},
		"a position twice":   {map[string]any{"position_ids": positionIDs("pos-a", "pos-a"), "path": "x"}, []string{"[Dd]uplicate"}},
		"an empty position":  {map[string]any{"position_ids": positionIDs(""), "path": "x"}, []string{"Empty id"}},
		"beyond Latin1":      {map[string]any{"position_ids": one, "candidate_ids": []string{"Ł"}, "path": "x"}, []string{"Character outside Latin1"}},
		"another format":     {map[string]any{"position_ids": one, "path": "x", "format": "pdf"}, []string{"csv", "html", "json", "markdown", "pdf"}},
		"an empty path":      {map[string]any{"position_ids": one, "path": ""}, []string{"path", "at least 1"}},
		"no path":            {map[string]any{"position_ids": one}, []string{"path", "required|Missing"}},
		"no duration":        {map[string]any{"position_ids": one, "path": "x", "wait": map[string]any{"timeout": "soon"}}, []string{"Not a duration", `"soon"`}},
		"no interval at all": {map[string]any{"position_ids": one, "path": "x", "wait": map[string]any{"poll_interval": "0s"}}, []string{"Not a duration", `"0s"`}},
	} {
		if said := w.planReport(row.config); len(said.errors) != 1 || !matchesAll(said.errors[0], row.says) {
			t.Errorf("%s: said %q, want one that matches all of %q", name, said.errors, row.says)
		}
	}

	// What is not known yet is not guessed.
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
			t.Errorf("planning what is unknown said %q %q", said.errors, said.warnings)
		}
	}

	path := filepath.Join(t.TempDir(), "report.html")
	w.walkInTheDark()
	said := w.report(t.Context(), map[string]any{"position_ids": one, "path": path})
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{"Cannot read yet", `"base_url" is not known`}) {
		t.Errorf("with an unknown setting: %q", said.errors)
	}
	service.AssertCount(t, "", "", 0)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("there is a file: %v", err)
	}

	w.walk(map[string]any{})
	said = w.report(t.Context(), map[string]any{"position_ids": positionIDs("pos-moon"), "path": path})
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{"Cannot read the results", `"pos-moon"`, "404 Not Found"}) {
		t.Errorf("for an unknown position: %q", said.errors)
	}
	service.Inject(sandbox.Fault{Route: sandbox.RoutePositions, Times: -1, Status: http.StatusForbidden})
	w.walk(map[string]any{})
	said = w.report(t.Context(), map[string]any{"position_ids": one, "path": path})
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{"Cannot list the positions", "for their titles", "403 Forbidden"}) {
		t.Errorf("without titles: %q", said.errors)
	}
}

// waitingEstate has two positions, one with people on their way: three open
// sittings beside one that is completed and one that is expired.
func waitingEstate() *sandbox.State {
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
		p := sandbox.Position{ID: id, Title: id, Assessments: []sandbox.PositionAssessment{{ID: "pas-" + id, Assessment: "asm-lumen"}}}
		for _, r := range results {
			p.Candidates = append(p.Candidates, sandbox.Candidate{ID: "cnd-" + r.Invitations[0].ID, Name: "Candidate " + r.Invitations[0].ID, Results: []sandbox.Result{r}})
		}
		return p
	}
	st.Positions = []sandbox.Position{
		position("pos-open", invite("a", sandbox.Invited), invite("b", sandbox.Invited), invite("c", sandbox.InProgress), invite("d", sandbox.TestedWithResults), invite("e", sandbox.Expired)),
		position("pos-closed", invite("f", sandbox.TestedWithResults)),
	}
	return st
}

// sits lets a candidate finish right before the service answers.
func sits(t *testing.T, ids ...string) func(*sandbox.State) {
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
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 1000, waitingEstate })
	results := func(skip int, act func(*sandbox.State)) {
		service.Inject(sandbox.Fault{Route: sandbox.RouteResults, Skip: skip, Act: act})
	}
	// After the data source's request and two of the first look. From then on
	// there is one for each, because one of the positions is done.
	results(3, sits(t, "c"))
	results(3, sits(t, "a", "a"))
	results(3, expires)
	w := newWalker(t, service)
	w.walk(map[string]any{})
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
		"2 of 6 completed, 1 expired", "3 of 6 completed, 1 expired", "4 of 6 completed, 1 expired", "4 of 6 completed, 2 expired",
		"2 sections written to " + path,
	}
	if !slices.Equal(said.progress, want) {
		t.Errorf("said %q, want %q", said.progress, want)
	}
	// The report is of the last look, and costs no other.
	if strings.Contains(string(text), "IN_PROGRESS") || strings.Count(string(text), "TESTED_WITH_RESULTS") != 4 {
		t.Errorf("the report is of another time:\n%s", text)
	}
	service.AssertCount(t, "", sandbox.RouteResults, 1+2+3)
}

func TestResultsReportGivesUpWaiting(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 1000, waitingEstate })
	w := newWalker(t, service)
	w.walk(map[string]any{})
	dir := t.TempDir()
	config := map[string]any{
		"position_ids": positionIDs("pos-open", "pos-closed"), "path": filepath.Join(dir, "report.html"),
		"wait": map[string]any{"timeout": "100ms", "poll_interval": "1h"},
	}
	said := w.report(t.Context(), config)
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{
		`AttributeName\("wait"\).AttributeName\("timeout"\)`, "Candidates have not finished", "Of 6 invitations, 3 are still open after 100ms", "2 of 6 completed, 1 expired", "Nothing was written", "longer timeout",
	}) {
		t.Errorf("said %q", said.errors)
	}
	if n := service.Count("", sandbox.RouteResults); len(said.progress) != 2 || n != 2+1 {
		t.Errorf("looked %d times with %d requests: %q", len(said.progress), n, said.progress)
	}
	onlyFile(t, dir)

	// Nobody to wait for.
	config["position_ids"] = positionIDs("pos-closed")
	if _, said := w.writes(config); said.progress[0] != "1 of 1 completed" || len(said.progress) != 2 {
		t.Errorf("said %q", said.progress)
	}

	// What fails is said in its own words.
	config["overwrite"], config["position_ids"] = true, positionIDs("pos-open")
	service.Inject(sandbox.Fault{Route: sandbox.RouteResults, Skip: 1, Status: http.StatusForbidden})
	if said = w.report(t.Context(), config); len(said.errors) != 1 || !matchesAll(said.errors[0], []string{"Cannot read the results", `"pos-open"`, "403 Forbidden"}) {
		t.Errorf("said %q", said.errors)
	}
}

func TestResultsReportInterrupted(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 1000, waitingEstate })
	w := newWalker(t, service)
	w.walk(map[string]any{})
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan time.Time, 1)
	service.Inject(sandbox.Fault{Route: sandbox.RouteResults, Act: func(*sandbox.State) {
		time.AfterFunc(50*time.Millisecond, func() { cancelled <- time.Now(); cancel() })
	}})
	dir := t.TempDir()
	said := w.report(ctx, map[string]any{"position_ids": positionIDs("pos-open"), "path": filepath.Join(dir, "report.html"), "wait": map[string]any{}})
	if took := time.Since(<-cancelled); took > time.Second {
		t.Errorf("it ended %s after the interrupt", took)
	}
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{"Cannot wait for the candidates", "interrupted"}) {
		t.Errorf("said %q", said.errors)
	}
	onlyFile(t, dir)
}

// However short the interval, the looks keep within the limits of results.
func TestResultsReportWaitsWithinTheLimits(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 1000, waitingEstate })
	env := environment(service)
	delete(env, "ASSESS_UNTHROTTLED")
	server, err := providerWith(t, env)["assess"]()
	if err != nil {
		t.Fatal(err)
	}
	w := newWalker(t, service)
	w.server = server
	w.walk(map[string]any{})
	said := w.report(t.Context(), map[string]any{
		"position_ids": positionIDs("pos-open"), "path": filepath.Join(t.TempDir(), "report.html"),
		"wait": map[string]any{"timeout": "1500ms", "poll_interval": "1ms"},
	})
	if len(said.errors) != 1 || !matchesAll(said.errors[0], []string{"3 are still open"}) {
		t.Errorf("said %q", said.errors)
	}
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			t.Error("a look was refused with 429")
		}
	}
	if n := service.Count("", sandbox.RouteResults); n < 3 || n > 6 {
		t.Errorf("%d looks within 1.5 s, want 2 a second", n)
	}
}

// The action as people use it, with its progress on the screen.
func TestResultsReportInTerraform(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandbox.Options) { o.MaxPage, o.Seed = 1000, waitingEstate })
	service.Inject(sandbox.Fault{Route: sandbox.RouteResults, Skip: 1, Act: sits(t, "a", "a", "b", "b", "c")})
	c := unthrottled(t, service, "1")
	c.needsTerraform(14)
	r := c.human("apply", "-no-color", "-input=false", "-auto-approve").ok()
	for _, said := range []string{"1 of 5 completed, 1 expired", "4 of 5 completed, 1 expired", "1 section written to report.html"} {
		if !strings.Contains(r.output, said) {
			t.Errorf("no %q in\n%s", said, r.output)
		}
	}
	report := filepath.Join(c.dir, "report.html")
	if info, err := os.Stat(report); err != nil || info.Mode() != fs.FileMode(0o600) {
		t.Errorf("the file is %v, %v", info, err)
	}

	// An action of its own, by hand: it would replace the report, which is refused.
	c.do("plan", "-input=false", "-invoke=action.assess_results_report.weekly").fails("Cannot write the report", "there is a file already")
	if err := os.Remove(report); err != nil {
		t.Fatal(err)
	}
	c.human("apply", "-no-color", "-input=false", "-auto-approve", "-invoke=action.assess_results_report.weekly").ok()
	if _, err := os.Stat(report); err != nil {
		t.Error(err)
	}
}
