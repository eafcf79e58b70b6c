// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Only Terraform 1.14 and later has lists and actions, so these tests call them without a CLI.

// A list has the position assessments of one position, of the positions with a title, or of all.
func TestListPositionAssessments(t *testing.T) {
	t.Parallel()
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		w.Service.Change(func(st *sandbox.State) {
			for position, assessment := range map[string]string{"pos-1": asmGames, "pos-2": asmPlain} {
				if _, err := st.Attach(position, assessment, sandbox.Metadata{}); err != nil {
					t.Fatal(err)
				}
			}
		})
		session := w.Configure()
		games, plain := "Quartet Games on Position 1", "Facet Behavioural Profile on Position 2"
		for _, row := range []struct {
			config driver.Values
			want   []string
		}{
			{driver.Values{"position_id": "pos-1"}, []string{games}},
			{driver.Values{"position_title": "Position 2"}, []string{plain}},
			{driver.Values{}, []string{games, plain}},
		} {
			names, found := session.List(resource, row.config)
			if !slices.Equal(names, row.want) {
				t.Errorf("%v lists %q, want %q", row.config, names, row.want)
			}
			for _, v := range found {
				if v["id"] == nil || v["position_id"] == nil || v["assessment_id"] == nil {
					t.Errorf("%v lists %v", row.config, v)
				}
			}
		}
		for config, want := range map[string]string{"position_id": "does not exist", "position_title": "No position found"} {
			before := len(session.Diagnostics())
			session.List(resource, driver.Values{config: "elsewhere"})
			if said := session.Diagnostics()[before:]; len(said) != 1 || len(said.Errors().Saying(want)) != 1 {
				t.Errorf("%s: %v, want %q", config, said, want)
			}
		}
	})
}

// A list of activations has the enabled tests.
func TestListActivations(t *testing.T) {
	t.Parallel()
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		w.Service.Change(func(st *sandbox.State) {
			tests := &st.Assessment(asmSkills).SkillsTests
			*tests = (*tests)[:3] // the second is not enabled
		})
		session := w.Configure()
		titles, _ := session.List(activation, driver.Values{"assessment_id": asmSkills})
		if want := []string{"Bookkeeping Basics (Workbench Skills)", "Python Programming (Workbench Skills)"}; !slices.Equal(titles, want) {
			t.Errorf("lists %q, want %q: %v", titles, want, session.Diagnostics())
		}
		session.List(activation, driver.Values{"assessment_id": "asm-moon"})
		if said := session.Diagnostics(); len(said.Errors().Saying("asm-moon")) != 1 {
			t.Errorf("an unknown assessment: %v", said)
		}
	})
}

// The action writes the results of positions to a file in each format, and replaces no file unless it may.
func TestReportAction(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "report")
	virtual(t, asDocumented, organization, func(t *testing.T, w *driver.Workspace) {
		w.Service.Change(func(st *sandbox.State) {
			invite(st, "pos-1", asmPlain)
		})
		for format, want := range map[string]string{
			"html": "</html>", "csv": "Ada", "markdown": "# Spring", "json": `"Ada"`,
		} {
			session := w.Configure()
			config := driver.Values{
				"position_ids": []string{"pos-1", "pos-2"}, "path": path, "format": format, "title": "Spring",
				"assessment_names": driver.Values{asmPlain: "Plain one"},
			}
			if err := os.WriteFile(path, []byte("another"), 0o600); err != nil {
				t.Fatal(err)
			}
			if session.Invoke("assess_results_report", config) ||
				len(session.Diagnostics().Errors().Saying("overwrite")) != 1 {
				t.Errorf("%s: an existing file: %v", format, session.Diagnostics())
			}
			config["overwrite"] = true
			if !session.Invoke("assess_results_report", config) {
				t.Errorf("%s: %v", format, session.Diagnostics())
			}
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: %v, without %q:\n%s", format, err, want, text)
			}
		}
		session := w.Configure()
		gone := driver.Values{"position_ids": []string{"pos-9"}, "path": path + "2"}
		if session.Invoke("assess_results_report", gone) || len(session.Diagnostics().Errors()) != 1 {
			t.Errorf("a position that does not exist: %v", session.Diagnostics())
		}
		session = w.Configure()
		unvalidated := driver.Values{"position_ids": []string{"pos-1"}, "path": path + "2", "format": "pdf"}
		if session.Invoke("assess_results_report", unvalidated) || len(session.Diagnostics().Errors().Saying(`"pdf"`)) != 1 {
			t.Errorf("a format that was unknown in the plan: %v", session.Diagnostics())
		}
		if _, err := os.Stat(path + "2"); err == nil {
			t.Error("a report without results was written")
		}
		w.Service.Change(func(st *sandbox.State) {
			if _, err := st.Attach("pos-1", asmPlain, sandbox.Metadata{}); err != nil {
				t.Error(err)
			}
		})
		unnamed := driver.Values{
			"position_ids": []string{"pos-1"}, "path": path + "3", "format": "csv", "wide": true,
			"assessment_names": driver.Values{asmPlain: nil},
		}
		session.Invoke("assess_results_report", unnamed)
		if text, err := os.ReadFile(path + "3"); err != nil || !strings.Contains(string(text), "Facet Behavioural Profile") {
			t.Errorf("a null in assessment_names: %v, without the name in the service:\n%s", err, text)
		}
		w.Service.Change(func(st *sandbox.State) {
			st.Positions = append(st.Positions, *sandbox.Demo().Position(sandbox.DemoResultsPosition))
		})
		chosen := driver.Values{
			"position_ids": []string{sandbox.DemoResultsPosition}, "path": path + "5", "assessment_ids": []string{asmCognitive},
		}
		session.Invoke("assess_results_report", chosen)
		if text, err := os.ReadFile(path + "5"); err != nil || !strings.Contains(string(text), "uses only Lumen Ability Test.") {
			t.Errorf("assessment_ids: %v, without the assessment of the scores:\n%s", err, text)
		}
		// An error that ends the run is the error of the report, although the report could do without the list.
		var rejected string // the route of a list
		w.Service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
			resp := next()
			if r.Is(http.MethodGet, rejected) {
				resp.Status = http.StatusUnauthorized
			}
			return resp
		})
		for _, rejected = range []string{sandbox.RoutePositionAssessments, sandbox.RouteBenchmarks} {
			session = w.Configure()
			config := driver.Values{"position_ids": []string{sandbox.DemoResultsPosition}, "path": path + "4"}
			said := func(text string) int { return len(session.Diagnostics().Errors().Saying(text)) }
			if session.Invoke("assess_results_report", config) || said("check the credentials") != 1 ||
				said("Could not read the results") != 1 {
				t.Errorf("a rejected key: %v", session.Diagnostics())
			}
		}
	})
}
