// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"encoding/json"
	"strings"
	"testing"
)

// known contains what the data sources of these plans have read.
const known = `{"values": {"root_module": {"child_modules": [{"resources": [
  {"mode": "data", "type": "assess_position", "values": {"id": "1", "title": "Backend Engineer, London"}},
  {"mode": "data", "type": "assess_assessments", "values": {"assessments": [
    {"id": "1", "code": "LMN", "name": "Lumen"}, {"id": "2", "code": "NLV", "name": "Northlight"}]}},
  {"mode": "data", "type": "assess_benchmarks", "values": {"benchmarks": [{"id": "1", "name": "Engineers"}, {"id": "2", "name": "Graduates"}]}},
  {"mode": "data", "type": "assess_packages", "values": {"packages": [{"id": "1", "name": "Problem solving"}, {"id": "2", "name": "Numbers"}]}},
  {"mode": "data", "type": "assess_skills_tests", "values": {"tests": [{"id": "1", "title": "Go"}, {"id": "2", "title": "SQL"}]}},
  {"mode": "data", "type": "assess_assessment_options", "values": {"assessment_id": "2", "blocks": ["profile"], "profiles": {"Builders": "1", "Carers": "2"}}},
  {"mode": "managed", "type": "assess_position", "values": {"id": "9", "title": "not read"}}
]}]}}}`

func TestRows(t *testing.T) {
	t.Parallel()
	const at = `"position_id": "1", "assessment_id": `
	for name, c := range map[string]struct {
		change          string // what differs from a position assessment "x" that is managed
		what, attention string
		kind            kind
	}{
		"attach": {
			`"change": {"actions": ["create"], "after": {` + at + `"1", "benchmark": {"id": "1"}, "packages": {"select": "all", "ids": ["1", "2"]}}}`,
			"Attach with packages [all] ([Numbers], [Problem solving]) and benchmark [Engineers]", "", attached,
		},
		"attach with an unknown benchmark": {
			`"change": {"actions": ["create"], "after": {` + at + `"1", "benchmark": {}}, "after_unknown": {"benchmark": {"id": true}}}`,
			"Attach with benchmark (known after the apply)", "", attached,
		},
		"attach tests without a known name": {
			`"change": {"actions": ["create"], "after": {` + at + `"1", "tests": {"ids": ["2", "7"]}}}`, "Attach with tests [7], [SQL]", "", attached,
		},
		"attach without a profile": {
			`"change": {"actions": ["create"], "after": {` + at + `"2", "profile": null}}`, "Attach", "A supervisor must complete the profile", attached,
		},
		"attach with a profile": {
			`"change": {"actions": ["create"], "after": {` + at + `"2", "profile": {"id": "2"}}}`, "Attach with profile [Carers]", "", attached,
		},
		"update": {
			`"change": {"actions": ["update"], "before": {` + at + `"1", "benchmark": {"id": "1"}}, "after": {` + at + `"1", "benchmark": {"id": "2"}, "tests": {"ids": ["1"]}}}`,
			"Change benchmark from [Engineers] to [Graduates], and tests from none to [Go]", "", changed,
		},
		"update of a setting of the provider only": {
			`"change": {"actions": ["update"], "before": {` + at + `"1"}, "after": {` + at + `"1", "on_refused_removal": "forget"}}`,
			"Change how it is managed. The assessment stays as it is", "", changed,
		},
		"update of a supervisor's profile": {
			`"change": {"actions": ["update"], "before": {` + at + `"2", "profile": {"id": "1"}, "profile_status": "SUPERVISOR_COMPLETED"},
			 "after": {` + at + `"2", "profile": {"id": "2"}, "profile_status": "PROFILE_ATTACHED"}}`,
			"Change profile from [Builders] to [Carers]", "A supervisor has completed the profile. That work is lost", changed,
		},
		"update that keeps a supervisor's profile": {
			`"change": {"actions": ["update"], "before": {` + at + `"2", "profile_status": "SUPERVISOR_COMPLETED"},
			 "after": {` + at + `"2", "profile_status": "SUPERVISOR_COMPLETED", "on_refused_removal": "fail"}}`,
			"Change how it is managed. The assessment stays as it is", "", changed,
		},
		"remove": {
			`"change": {"actions": ["delete"], "before": {` + at + `"1"}}`, "Remove from the position", "Removed", removed,
		},
		"remove while a supervisor completes the profile": {
			`"change": {"actions": ["delete"], "before": {` + at + `"2", "profile_status": "SUPERVISOR_TO_COMPLETE"}}`, "Remove from the position",
			"Removed. A supervisor was asked to complete the profile. The link stops working", removed,
		},
		"replace": {
			`"change": {"actions": ["delete", "create"], "before": {` + at + `"2", "profile_status": "SUPERVISOR_COMPLETED"}, "after": {` + at + `"1"},
			 "replace_paths": [["assessment_id"], ["position_id"]]}`,
			"Remove and attach again, because of another assessment and another position",
			"Replaced. A supervisor has completed the profile. That work is lost", replaced,
		},
		"replace a tainted object": {
			`"action_reason": "replace_because_tainted", "change": {"actions": ["create", "delete"], "before": {` + at + `"1"}, "after": {` + at + `"1"}}`,
			"Remove and attach again, because an earlier run failed to create it", "Replaced", replaced,
		},
		"forget": {
			`"change": {"actions": ["forget"], "before": {` + at + `"1"}}`, "Stop managing. It stays in the service", "No longer managed", unmanaged,
		},
		"import": {
			`"change": {"actions": ["no-op"], "before": {` + at + `"1"}, "after": {` + at + `"1"}, "importing": {"id": "1/1"}}`,
			"Import what is already attached. Nothing is sent", "", adopted,
		},
		"import and change": {
			`"change": {"actions": ["update"], "before": {` + at + `"1"}, "after": {` + at + `"1", "benchmark": {"id": "1"}}, "importing": {"id": "1/1"}}`,
			"Import what is already attached. Change benchmark from none to [Engineers]", "", adopted,
		},
		"import and replace": {
			`"change": {"actions": ["delete", "create"], "before": {` + at + `"2"}, "after": {` + at + `"1"}, "importing": {"id": "1/1"},
			 "replace_paths": [["assessment_id"]]}`,
			"Import what is already attached. Remove and attach again, because of another assessment", "Replaced", replaced,
		},
		"rename": {
			`"previous_address": "y", "change": {"actions": ["no-op"], "before": {` + at + `"1"}, "after": {` + at + `"1"}}`,
			"Renamed in the configuration. Nothing is sent", "", renamed,
		},
		"enable a skills test": {
			`"type": "assess_skills_test_activation", "change": {"actions": ["create"], "after": {"assessment_id": "1", "test_id": "1"}}`,
			"Enable for the whole organization", "The provider cannot disable it again", enabled,
		},
		"stop managing a skills test": {
			`"type": "assess_skills_test_activation", "change": {"actions": ["delete"], "before": {"assessment_id": "1", "test_id": "1", "title": "Go"}}`,
			"Stop managing. The test stays enabled", "", unmanaged,
		},
		"delete something else": {
			`"type": "terraform_data", "change": {"actions": ["delete"], "before": {}}`, "Delete", "Deleted", other,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := rowsFrom(
				t,
				`{"address": "x", "mode": "managed", "type": "assess_position_assessment", "index": "LMN", `+c.change+`}`,
				nil,
			)
			if len(rows) != 1 {
				t.Fatalf("%d rows", len(rows))
			}
			if got := plain(rows[0].what); got != c.what {
				t.Errorf("what happens: %q, want %q", got, c.what)
			}
			if got := plain(strings.Join(rows[0].attention, ". ")); got != c.attention {
				t.Errorf("attention: %q, want %q", got, c.attention)
			}
			if rows[0].kind != c.kind {
				t.Errorf("kind %d, want %d", rows[0].kind, c.kind)
			}
		})
	}
}

// rowsFrom returns the rows of a plan with these changes.
func rowsFrom(t *testing.T, changes string, diagnostics []diagnostic) []row {
	t.Helper()
	var p plan
	if err := json.Unmarshal([]byte(`{"prior_state": `+known+`, "resource_changes": [`+changes+`]}`), &p); err != nil {
		t.Fatal(err)
	}
	return rowsOf(p, diagnostics, namesOf(p))
}

func TestNamesOfRows(t *testing.T) {
	t.Parallel()
	for change, want := range map[string][2]string{
		`"index": "LMN", "change": {"actions": ["create"], "after": {"position_id": "1", "assessment_id": "1"}}`: {"[Backend Engineer, London]", "[Lumen] ([LMN])"},
		`"index": 0, "change": {"actions": ["create"], "after": {"position_id": "1", "assessment_id": "1"}}`:     {"[Backend Engineer, London]", "[Lumen]"},
		`"index": "LMN", "address": "module.a[\"x\"].module.b[\"Quote \\\" and $${} ü\"].assess_position_assessment.this[\"LMN\"]", "change": {"actions": ["delete"], "before": {"position_id": "9", "assessment_id": "9"}}`: {
			`[Quote " and ${} ü]`, "[LMN]",
		},
		`"change": {"actions": ["delete"], "before": {"position_id": "9", "assessment_id": "9"}}`: {"[9]", "[9]"},
	} {
		rows := rowsFrom(t, `{"address": "x", "mode": "managed", "type": "assess_position_assessment", `+change+`}`, nil)
		if got := [2]string{plain(rows[0].position), plain(rows[0].assessment)}; got != want {
			t.Errorf("%s is about %q, want %q", change, got, want)
		}
	}
}

// If two objects of one kind have the same id, the id is shown instead of a name.
func TestAmbiguousIDs(t *testing.T) {
	t.Parallel()
	n := namesOf(plan{})
	n.add("package", "1", "a")
	n.add("package", "1", "b")
	n.add("test", "1", "c")
	if n.of("package", "1") != "1" || n.of("test", "1") != "c" {
		t.Error(n.byKind)
	}
}

// What cannot be undone comes first, then what needs attention. Rows refer to the message about them.
func TestAttentionComesFirst(t *testing.T) {
	t.Parallel()
	change := func(address string) string {
		return `{"address": "` + address + `", "mode": "managed", "type": "assess_position_assessment", "change": {"actions": ["create"], "after": {}}}`
	}
	rows := rowsFrom(t, change("a")+","+change("b")+","+change("c"), []diagnostic{
		{Summary: "Elsewhere"}, {Summary: "Removal that the service would refuse", Address: "c"}, {Summary: "@x", Address: "b"},
	})
	if rows[0].address != "c" || rows[1].address != "b" || rows[2].address != "a" {
		t.Errorf("the order is %s, %s, %s", rows[0].address, rows[1].address, rows[2].address)
	}
	if got := plain(rows[1].attention[0]); got != "[@x] (message 3)" {
		t.Error(got)
	}
	if got := rows[0].attention[0]; got != "Candidates have been invited (message 2)" {
		t.Error(got)
	}
}

// A corrected title changes no resource, only the output of the titles by key.
func TestRenamedPositions(t *testing.T) {
	t.Parallel()
	title := func(title string) map[string]any { return map[string]any{"backend": map[string]any{"title": title}} }
	p := plan{OutputChanges: map[string]change{
		"positions": {Actions: []string{"update"}, Before: title("Bakend"), After: title("Backend")},
		"same":      {Actions: []string{"no-op"}, Before: title("Backend"), After: title("Backend")},
		"new":       {Actions: []string{"create"}, After: title("Backend")},
		"secret":    {Before: title("a"), After: title("b"), BeforeSensitive: true, AfterSensitive: true},
	}}
	rows := rowsOf(p, nil, names{})
	if len(rows) != 1 || rows[0].kind != renamed || !strings.Contains(rows[0].what, "Renamed from <code>Bakend<") ||
		rows[0].position != "<code>Backend</code>" {
		t.Errorf("rows: %+v", rows)
	}
}

// A plan without "moved" removes an assessment and attaches it again under another address.
func TestAttachedAgain(t *testing.T) {
	t.Parallel()
	const same = `{"position_id": "1", "assessment_id": "1"}`
	plan := `{"format_version": "1.2", "prior_state": ` + known + `, "resource_changes": [
		{"address": "old", "type": "assess_position_assessment", "change": {"actions": ["delete"], "before": ` + same + `}},
		{"address": "new", "type": "assess_position_assessment", "change": {"actions": ["create"], "after": ` + same + `}},
		{"address": "x", "type": "assess_position_assessment", "change": {"actions": ["create"], "after": {"position_id": "1"}}}]}`
	warnings := event(t, "warning", duplicate, "It has it.", "new") + event(t, "warning", duplicate, "It has it.", "x")
	got := commentOn(t, map[string]string{"plan.json": plan, "plan.jsonl": warnings})
	says(t, got, "**Look at 3 changes", "| Remove from the position | ⚠️ Removed. The same assessment is removed and attached again",
		"| Attach | ⚠️ The same assessment is removed and attached again", "| ⚠️ [Duplicate assessment] (message 1)", "!message 2")
}

// After an interrupted apply, a plan with adopt_existing imports what that apply has attached.
func TestAdoption(t *testing.T) {
	t.Parallel()
	says(t, commentOn(t, map[string]string{
		"plan.json": `{"format_version": "1.2", "resource_changes": [{"address": "x", "type": "assess_position_assessment",
			"change": {"actions": ["create"], "after": {"position_id": "p"}}}]}`,
		"plan.jsonl": event(t, "warning", duplicate, "The position has it. Because adopt_existing is set, the apply adds it.", "x"),
	}), "### Plan: 1 assessment to import\n", "| Import what is already attached. Nothing is sent | ⚠️ Check that no other")
}

// If the service keeps an assessment, the apply has not removed it.
func TestRefusedRemoval(t *testing.T) {
	t.Parallel()
	in := map[string]string{
		"plan.json": `{"format_version": "1.2", "resource_changes": [{"address": "x", "type": "assess_position_assessment",
			"change": {"actions": ["delete"], "before": {"id": "pas-1", "position_id": "p"}}}]}`,
		"plan.jsonl": event(t, "warning", refusedRemoval, "This plan removes it.", "x"),
	}
	says(t, commentOn(t, in), "### Plan: 1 assessment to remove\n",
		"| Remove from the position. If the service refuses, only stop managing it | ⚠️ Removed. Candidates have been invited")
	in["apply.jsonl"] = event(t, "warning", notRemoved, `Position assessment "pas-1" of position "p" stays attached.`, "") +
		`{"type": "apply_complete", "hook": {"resource": {"addr": "x"}}}` + "\n"
	says(t, commentOn(t, in, ofKind("apply")), "### Applied: 1 object no longer managed\n",
		"| Stop managing. The service has kept it | ✅ done |")
}

// The events of an apply decide which changes are done.
func TestResults(t *testing.T) {
	t.Parallel()
	done := func(address string) string {
		return `{"type": "apply_complete", "hook": {"resource": {"addr": "` + address + `"}}}` + "\n"
	}
	e := readEvents([]byte("noise\n" + done("a") + done("b") + done("c") + done("c") +
		`{"type": "apply_errored", "hook": {"resource": {"addr": "d"}}}` + "\n"))
	c := comment{Options: Options{Kind: "apply"}, failed: "apply", plan: &plan{}, events: e, rows: []row{
		{address: "a", steps: 1},
		{address: "b", steps: 2},
		{address: "c", steps: 2},
		{address: "d", steps: 1},
		{address: "e", steps: 1},
		{address: "f"},
	}}
	want := []string{"✅ done", "❌ removed, and not attached again", "✅ done", "❌ failed", "not done", "not done"}
	for i, r := range c.rows {
		if got := c.result(r); got != want[i] {
			t.Errorf("%s: %q, want %q", r.address, got, want[i])
		}
	}
	if got := c.headline(); got != "The apply failed: 2 of 6 changes done" {
		t.Error(got)
	}
}
