// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// hostileNames are names that break careless reports.
var hostileNames = []string{
	`<script>alert("x")</script>`,
	`=HYPERLINK("https://evil.example","click")`,
	"a | b || c",
	"first line\nsecond line",
	"محمد العلي \u202egnp.exe",
	strings.Repeat("Wolfeschlegelsteinhausen", 8) + "bergerdo",
}

// hostileState has two positions with such candidates and the same hostile title.
func hostileState() *sandbox.State {
	st := sandbox.Demo()
	completed := time.Date(2026, time.March, 3, 10, 0, 0, 0, time.UTC)
	st.Positions = nil
	for p, id := range []string{"pos-one", "pos-two"} {
		position := sandbox.Position{
			ID:          id,
			Title:       `=cmd|'/c calc' <blink>"Lead"</blink>`,
			Assessments: []sandbox.PositionAssessment{{ID: "pas-" + id, Assessment: "asm-lumen"}},
		}
		for i, name := range hostileNames {
			percentile := 90 - float64(10*i) - float64(p)
			position.Candidates = append(
				position.Candidates,
				sandbox.Candidate{ID: fmt.Sprintf("cnd-%d-%d", p, i), Name: name, Results: []sandbox.Result{
					{
						Assessment:     "asm-lumen",
						Percentile:     &percentile,
						Classification: "AVERAGE",
						Invitations: []sandbox.Invitation{
							{
								ID:        fmt.Sprintf("inv-%d-%d", p, i),
								Type:      sandbox.Remote,
								Status:    sandbox.TestedWithResults,
								Created:   completed,
								Completed: &completed,
								Expiry:    "2026-03-30",
							},
						},
					},
				}},
			)
		}
		st.Positions = append(st.Positions, position)
	}
	return st
}

// unescaped matches a tag that Markdown would render.
var unescaped = regexp.MustCompile(`(^|[^\\])<`)

func TestResultsReportFormats(t *testing.T) {
	t.Parallel()
	if n := len([]rune(hostileNames[len(hostileNames)-1])); n != 200 {
		t.Fatalf("the long name has %d characters", n)
	}
	const title = `=cmd|'/c calc' <blink>"Lead"</blink>`
	titles := []string{title + " (pos-two)", title + " (pos-one)"} // in the requested order
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
				t.Error("a name was rendered as markup")
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
					t.Errorf("row %d has position %q and candidate %q, want %q", i+1, row[0], row[2], name)
				}
			}
		},
		"markdown": func(t *testing.T, text string) {
			if unescaped.MatchString(text) {
				t.Errorf("a name was rendered as markup:\n%s", text)
			}
			lines := 0
			for line := range strings.Lines(text) {
				if !strings.HasPrefix(line, "|") {
					continue
				}
				lines++
				for _, cell := range []string{"alert", "HYPERLINK", "second line"} {
					if strings.Contains(line, cell) && !strings.HasSuffix(strings.TrimSpace(line), "|") {
						t.Errorf("a name is not in its cell: %s", line)
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
					t.Errorf("section %d has position %q %q with candidates %q", i, p.ID, p.Title, names)
				}
			}
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, hostileState })
			w := newProtocolClient(t, service)
			w.mustConfigure(map[string]any{})
			dir := t.TempDir()
			path := filepath.Join(dir, "report")
			text, said := w.writes(
				map[string]any{"position_ids": positionIDs("pos-two", "pos-one"), "format": format, "path": path},
			)
			check(t, string(text))
			if !slices.Equal(said.progress, []string{"2 sections written to " + path}) {
				t.Errorf("progress %q", said.progress)
			}
			sandboxtest.AssertPrivate(t, path)
			onlyFile(t, dir, "report")
			if strings.Contains(string(text), "candidateLoginUrl") || strings.Contains(string(text), "inv-0-0/") {
				t.Error("the report contains sign-in addresses")
			}
			service.AssertCount(t, "", sandbox.RouteResults, 2)
			lookups := 1 // the titles of the positions
			if format != "json" {
				lookups += 1 + 2 // the names of assessments, and the assessments of both positions
			}
			service.AssertCount(t, "", "", 2+lookups)
			noWrites(t, service)
		})
	}
}

// The JSON report and the data source have the same content, and both read it once.
func TestResultsReportIsTheDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	w.mustConfigure(map[string]any{})
	config := map[string]any{
		"position_id":    sandbox.DemoResultsPosition,
		"candidate_ids":  []string{"cnd-001", "cnd-004", "cnd-012"},
		"assessment_ids": []string{"asm-lumen", "asm-northlight"},
	}
	typ := w.schema.DataSourceSchemas["assess_position_results"].ValueType()
	data, err := w.server.ReadDataSource(
		t.Context(),
		&tfprotov6.ReadDataSourceRequest{TypeName: "assess_position_results", Config: dynamic(t, typ, config)},
	)
	if err != nil || len(data.Diagnostics) > 0 {
		t.Fatalf("%v, %v", err, data)
	}
	state, err := data.State.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := plainValue(t, state).(map[string]any)

	delete(config, "position_id")
	config["position_ids"], config["format"], config["path"] = positionIDs(
		sandbox.DemoResultsPosition,
	), "json", filepath.Join(
		t.TempDir(),
		"report.json",
	)
	text, _ := w.writes(config)
	var file struct {
		Positions []map[string]any `json:"positions"`
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Positions) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	got := file.Positions[0]
	if all, _ := got["candidates"].([]any); len(all) != 3 ||
		!reflect.DeepEqual(got["candidates"], want["candidates"]) {
		t.Errorf("the report contains\n%v\nthe data source\n%v", got["candidates"], want["candidates"])
	}
	if got["title"] != "Graduate Programme 2026" || len(got) != 3 {
		t.Errorf("the section is %v", got)
	}
	service.AssertCount(t, "", sandbox.RouteResults, 1)
}

// plainValue converts a value to what encoding/json decodes.
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
	t.Fatalf("unsupported value: %s", v)
	return nil
}
