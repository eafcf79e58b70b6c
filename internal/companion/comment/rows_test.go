// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
)

// known contains what the data sources of these plans have read.
const known = `{"format_version": "1.0", "values": {"root_module": {"child_modules": [{"resources": [
  {"mode": "data", "type": "assess_position", "values": {"id": "1", "title": "Backend Engineer, London"}},
  {"mode": "data", "type": "assess_assessments", "values": {"assessments": [
    {"id": "1", "code": "LMN", "name": "Lumen"}, {"id": "2", "code": "NLV", "name": "Northlight"}]}},
  {"mode": "data", "type": "assess_benchmarks", "values": {"benchmarks": [{"id": "1", "name": "Engineers"}, {"id": "2", "name": "Graduates"},
    {"id": "3", "name": "Clerks"}, {"id": "4", "name": "Clerks"}]}},
  {"mode": "data", "type": "assess_packages", "values": {"packages": [{"id": "1", "name": "Problem solving"}, {"id": "2", "name": "Numbers"},
    {"id": "9", "name": "One"}, {"id": "9", "name": "Another"}]}},
  {"mode": "data", "type": "assess_skills_tests", "values": {"tests": [{"id": "1", "title": "Go"}, {"id": "2", "title": "SQL"}, {"id": "3", "title": "SQL"}, {"id": "4", "title": "Go"}]}},
  {"mode": "data", "type": "assess_assessment_options", "values": {"assessment_id": "2", "blocks": ["profile"], "profiles": {"Builders": "1", "Carers": "2"}}},
  {"mode": "data", "type": "assess_assessment_options", "values": {"assessment_id": "3", "blocks": ["profile"], "profiles": null}},
  {"mode": "managed", "type": "assess_position", "values": {"id": "9", "title": "not read"}}
]}]}}}`

// assessmentChange returns a change of a position assessment, as a CLI writes it. before and after are attributes, or "".
// more are attributes of the change, or of the resource if they begin with a comma.
func assessmentChange(actions, before, after string, more ...string) string {
	object := func(attributes string) string {
		if attributes == "" {
			return "null"
		}
		return `{"position_id": "1", "assessment_id": ` + attributes + `}`
	}
	within, beside := "", ""
	for _, m := range more {
		if beside = m; !strings.HasPrefix(m, ",") {
			within, beside = ", "+m, ""
		}
	}
	return fmt.Sprintf(`{"address": "x", "mode": "managed", "type": "assess_position_assessment", "index": "LMN", "change":
		{"actions": [%s], "before": %s, "after": %s%s}%s}`, actions, object(before), object(after), within, beside)
}

func TestRows(t *testing.T) {
	t.Parallel()
	const (
		create, update, remove, replace = `"create"`, `"update"`, `"delete"`, `"delete", "create"`
		withImport, asItIs              = `"importing": {"id": "1/1"}`, "Change how it is managed. The assessment stays as it is"
		supervised, lost                = `"2", "profile_status": "SUPERVISOR_COMPLETED"`, "The profile that a supervisor has completed is deleted"
		mayGo                           = "The profile that a supervisor has completed may be deleted"
	)
	for change, want := range map[string]row{
		assessmentChange(create, "", `"1", "benchmark": {"id": "1"}, "packages": {"select": "all", "ids": ["1", "2"]}`): {
			what: "Attach with packages [all] ([Numbers], [Problem solving]) and benchmark [Engineers]",
		},
		assessmentChange(create, "", `"1", "packages": {"ids": ["9"]}`):             {what: "Attach with packages [9]"}, // it has two names
		assessmentChange(create, "", `"1"`, `"after_unknown": {"benchmark": true}`): {what: "Attach with benchmark (known after apply)"},
		assessmentChange(update, `"1", "tests": {"ids": ["1"]}`, `"1", "tests": {"ids": ["1", null]}`, `"after_unknown": {"tests": {"ids": [false, true]}}`): {
			what: "Change tests from [Go] to (known after apply)", kind: changed,
		},
		assessmentChange(create, "", `"2", "profile": null`):                      {what: "Attach", attention: []string{"A supervisor must complete the profile"}},
		assessmentChange(create, "", `"3"`):                                       {what: "Attach"}, // the service lists no profiles, so it may not need one
		assessmentChange(create, "", `"2", "profile": {"id": "2"}`):               {what: "Attach with profile [Carers]"},
		assessmentChange(create, "", `"2"`, `"after_unknown": {"profile": true}`): {what: "Attach with profile (known after apply)"},
		assessmentChange(update, `"1", "benchmark": {"id": "1"}`, `"1", "benchmark": {"id": "2"}, "tests": {"ids": ["1"]}`): {
			what: "Change benchmark from [Engineers] to [Graduates], and tests from none to [Go]", kind: changed,
		},
		// Something changes in the service, although the words are the same.
		assessmentChange(update, `"1", "packages": {"select": "all", "ids": ["7"]}`, `"1", "packages": {"select": "all", "ids": ["1", "7", "8"]}`): {
			what: "Change packages by adding [8], [Problem solving]", kind: changed,
		},
		assessmentChange(update, `"1", "benchmark": {"id": "3"}`, `"1", "benchmark": {"id": "4"}`): {
			what: "Change benchmark by adding [4] and removing [3]", kind: changed,
		},
		assessmentChange(update, `"1", "tests": {"ids": ["1", "2"]}`, `"1", "tests": {"ids": ["3", "4"]}`): {
			what: "Change tests by adding [3], [4] and removing [1], [2]", kind: changed,
		},
		assessmentChange(update, `"1", "tests": {"select": "x", "ids": ["1", "7"]}`, `"1", "tests": {"select": "x", "ids": ["4", "2", "7"]}`): {
			what: "Change tests by adding [4], [2] and removing [1]", kind: changed,
		},
		// Nothing changes in the service, although the words differ.
		assessmentChange(update, `"1", "packages": {"ids": ["1", "2"]}`, `"1", "packages": {"select": "all", "ids": ["2", "1"]}`): {
			what: asItIs, kind: settingsOnly,
		},
		assessmentChange(update, `"1"`, `"1", "on_refused_removal": "forget"`): {what: asItIs, kind: settingsOnly},
		assessmentChange(update, `"1"`, `"1", "packages": {"select": "all"}`):  {what: asItIs, kind: settingsOnly},
		assessmentChange(update, supervised, `"2", "profile": {"id": "2"}`): {
			what: "Change profile from the supervisor's profile to [Carers]", attention: []string{lost}, kind: changed,
		},
		// The state keeps the ID of the profile that the supervisor has replaced.
		assessmentChange(update, supervised+`, "profile": {"id": "1"}`, `"2", "profile": {"id": "1"}`, `"after_unknown": {"profile_status": true}`): {
			what: "Change profile from the supervisor's profile to [Builders]", attention: []string{lost}, kind: changed,
		},
		assessmentChange(update, supervised+`, "profile": {"id": "1"}`, `"2", "profile": {}`, `"after_unknown": {"profile_status": true, "profile": {"id": true}}`): {
			what: "Change profile from the supervisor's profile to (known after apply)", attention: []string{mayGo}, kind: changed,
		},
		assessmentChange(update, supervised+`, "profile": {"id": "1"}`, `"2", "profile": {"id": "1"}`, `"after_unknown": {"profile_status": true, "profile": {"on_supervisor_change": true}}`): {
			what: "Change profile from the supervisor's profile to [Builders]", attention: []string{mayGo}, kind: changed,
		},
		assessmentChange(update, supervised+`, "profile": {"id": "1"}`, `"2", "profile": {"id": "2"}, "profile_status": "PROFILE_ATTACHED"`,
			`"after_unknown": {"profile": {"on_supervisor_change": true}}`): {
			what: "Change profile from the supervisor's profile to [Carers]", attention: []string{lost}, kind: changed,
		},
		// An update without a profile keeps the supervisor's profile.
		assessmentChange(update, supervised, `"2", "tests": {}`, `"after_unknown": {"profile_status": true, "tests": {"ids": true}}`): {
			what: "Change tests from none to (known after apply)", kind: changed,
		},
		assessmentChange(update, supervised+`, "profile": {"id": "1"}`, supervised): {what: asItIs, kind: settingsOnly},
		assessmentChange(remove, `"1"`, ""):                                         {what: "Remove from the position", attention: []string{"The assessment is removed"}, kind: removed},
		assessmentChange(remove, `"2", "profile_status": "SUPERVISOR_TO_COMPLETE"`, ""): {
			what: "Remove from the position", kind: removed,
			attention: []string{"The assessment is removed", "The link with which a supervisor can complete the profile stops working"},
		},
		assessmentChange(replace, supervised, `"1"`, `"replace_paths": [["assessment_id"], ["position_id"], ["x"], []]`): {
			what: "Remove and attach again, because of another assessment and another position and [x]", kind: replaced,
			attention: []string{"It is replaced", lost},
		},
		assessmentChange(replace, `"1"`, "null", `"after_unknown": {"position_id": true, "assessment_id": true}, "replace_paths": [["assessment_id"], ["position_id"]]`): {
			what: "Remove and attach again, because of an assessment that is not known yet and a position that is not known yet", kind: replaced,
			attention: []string{"It is replaced"},
		},
		assessmentChange(replace, `"1"`, `"1"`, `, "action_reason": "replace_because_tainted"`): {
			what: "Remove and attach again, because an earlier run failed to create it, or someone tainted it", attention: []string{"It is replaced"}, kind: replaced,
		},
		assessmentChange(`"forget"`, `"1"`, ""): {
			what: "Stop managing. It stays in the service", attention: []string{"It is no longer managed"}, kind: unmanaged,
		},
		assessmentChange(`"forget", "create"`, `"1"`, `"2"`, `"replace_paths": [["assessment_id"]]`): { // destroy = false
			what:      "Stop managing the old one, which stays in the service, and create a new one, because of another assessment",
			attention: []string{"The old one is no longer managed"}, kind: replaced,
		},
		assessmentChange(`"unheard of"`, `"1"`, `"2"`): {
			what: "[unheard of]", attention: []string{"This comment cannot explain this action. Ask the engineers"}, kind: other,
		},
		assessmentChange(`"no-op"`, `"1"`, `"1"`, withImport): {what: "Import what already exists. Nothing changes in the service", kind: imported},
		assessmentChange(update, `"1"`, `"1", "benchmark": {"id": "1"}`, withImport): {
			what: "Import what already exists. Change benchmark from none to [Engineers]", kind: imported,
		},
		assessmentChange(`"no-op"`, `"1"`, `"1"`, `, "previous_address": "y"`): {
			what: "Renamed in the configuration. Nothing changes in the service", kind: renamed,
		},
		`{"address": "x", "type": "assess_skills_test_activation", "change": {"actions": ["create"], "after": {"test_id": "1"}}}`: {
			what: "Enable for the whole organization", attention: []string{"The provider cannot disable it again"}, kind: enabled,
		},
		`{"address": "x", "type": "assess_skills_test_activation", "change": {"actions": ["delete", "create"], "after": {"test_id": "1"}}}`: {
			what:      "Enable for the whole organization. The earlier test stays enabled",
			attention: []string{"The provider cannot disable it again"}, kind: enabled,
		},
		`{"address": "x", "type": "assess_skills_test_activation", "change": {"actions": ["no-op"], "after": {"title": "Go"}, "importing": {}}}`: {
			what: "Import what already exists. Nothing changes in the service", kind: imported,
		},
		assessmentChange(replace, `"1"`, `"2"`, `"replace_paths": [["assessment_id"]]`, `, "action_reason": "replace_by_triggers"`): {
			what: "Remove and attach again, because of replace_triggered_by and another assessment", kind: replaced,
			attention: []string{"It is replaced", "A supervisor must complete the profile"}, // the new one
		},
		`{"address": "x", "type": "terraform_data", "action_reason": "replace_by_triggers", "change": {"actions": ["delete", "create"]}}`: {
			what: "Delete and create again, because of replace_triggered_by", attention: []string{"It is replaced"}, kind: other,
		},
		`{"address": "x", "type": "assess_skills_test_activation", "change": {"actions": ["delete"], "before": {"title": "Go"}}}`: {
			what: "Stop managing. The test stays enabled", kind: unmanaged,
		},
		`{"address": "x", "type": "terraform_data", "change": {"actions": ["delete"], "before": {}}}`: {
			what: "Delete", attention: []string{"It is deleted"}, kind: other,
		},
	} {
		rows := rowsFrom(t, change)
		if len(rows) != 1 || plain(rows[0].what) != want.what || rows[0].kind != cmp.Or(want.kind, attached) ||
			!slices.Equal(rows[0].attention, want.attention) {
			t.Errorf("%s\nbecomes %+v, want %+v", change, rows, want)
		}
	}
}

// rowsFrom returns the rows of a plan with these changes.
func rowsFrom(t *testing.T, changes string) (rows []row) {
	t.Helper()
	p, err := decodePlan([]byte(`{"format_version": "1.2", "planned_values": {}, "prior_state": ` + known + `, "resource_changes": [` + changes + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rowsOf(p, nil, nil, namesOf(p)) {
		rows = append(rows, *r)
	}
	return rows
}

func TestNamesOfRows(t *testing.T) {
	t.Parallel()
	for change, want := range map[string][2]string{
		`"index": "LMN", "change": {"actions": ["create"], "after": {"position_id": "1", "assessment_id": "1"}}`: {"[Backend Engineer, London]", "[Lumen] ([LMN])"},
		`"index": 0, "change": {"actions": ["create"], "after": {"position_id": "1", "assessment_id": "1"}}`:     {"[Backend Engineer, London]", "[Lumen]"},
		`"index": "LMN", "address": "module.a[\"x\"].module.b[\"Quote \\\" and $${} ü\"].assess_position_assessment.this[\"LMN\"]", "change": {"actions": ["delete"], "before": {"position_id": "9", "assessment_id": "9"}}`: {
			`[Quote " and ${} ü]`, "[LMN]",
		},
		`"address": "module.a[\"Büro\"].assess_position_assessment.büro", "change": {"actions": ["create"]}`: {
			"[Büro]", `[module.a["Büro"].assess_position_assessment.büro]`,
		},
		`"change": {"actions": ["delete"], "before": {"position_id": "9", "assessment_id": "9"}}`: {"[9]", "[9]"},
	} {
		rows := rowsFrom(t, `{"address": "x", "mode": "managed", "type": "assess_position_assessment", `+change+`}`)
		if got := [2]string{plain(rows[0].position), plain(rows[0].assessment)}; got != want {
			t.Errorf("%s is about %q, want %q", change, got, want)
		}
	}
}

// The CLIs do not show values that a plan marks as sensitive, and neither does a comment.
func TestSensitiveIDs(t *testing.T) {
	t.Parallel()
	const marks = `{"position_id": true, "assessment_id": true, "benchmark": true, "packages": {"ids": [false, true]}}`
	change := assessmentChange(`"update"`, `"1", "benchmark": {"id": "1"}, "packages": {"ids": ["p1", "p2"]}`,
		`"1", "benchmark": {"id": "b9"}, "packages": {"ids": ["p1", "p3"]}`, `"before_sensitive": `+marks+`, "after_sensitive": `+marks)
	rows := rowsFrom(t, strings.Replace(change, `"index": "LMN", `, "", 1))
	if len(rows) != 1 || plain(rows[0].position) != "[(sensitive)]" || plain(rows[0].assessment) != "[(sensitive)]" ||
		plain(rows[0].what) != "Change packages by adding [(sensitive)] and removing [(sensitive)], and "+
			"benchmark by adding [(sensitive)] and removing [(sensitive)]" {
		t.Errorf("the row is %+v", rows)
	}
}

// The state marks sensitive values, too: titles, and IDs of objects that the plan of a failed run lacks.
func TestSensitiveState(t *testing.T) {
	t.Parallel()
	state := strings.Replace(known, `"type": "assess_position", "values"`,
		`"type": "assess_position", "sensitive_values": {"title": true}, "values"`, 1)
	says(t, commentOn(t, map[string]string{"plan.json": `{"format_version": "1.2", "prior_state": ` + state +
		`, "resource_changes": [` + assessmentChange(`"create"`, "", `"1"`) + `]}`}), "| [1] | [Lumen]", "!Backend Engineer")

	says(t, commentOn(t, map[string]string{
		"plan.jsonl": event(t, "error", "No", "", "assess_position_assessment.x"),
		"plan.json": `{"format_version": "1.2", "planned_values": {}, "errored": true, "prior_state": {"format_version": "1.0",
			"values": {"root_module": {"resources": [{"address": "assess_position_assessment.x", "mode": "managed",
			"type": "assess_position_assessment", "values": {"position_id": "hidden"}, "sensitive_values": {"position_id": true}}]}}}}`,
	}), "| [(sensitive)] |", "!hidden")
}

// Only the data sources of this provider name its objects.
func TestNamesOfOtherProviders(t *testing.T) {
	t.Parallel()
	state := strings.Replace(known, `"assess_position",`, `"position",`, 1)
	says(t, commentOn(t, map[string]string{"plan.json": `{"format_version": "1.2", "prior_state": ` + state +
		`, "resource_changes": [` + assessmentChange(`"create"`, "", `"1"`) + `]}`}), "| [1] | [Lumen]", "!Backend Engineer")
}

// A row says what its message means for the change.
func TestRowsWithMessages(t *testing.T) {
	t.Parallel()
	const same, create, remove, replace = `{"id": "1", "position_id": "1", "assessment_id": "1"}`, `"create"`, `"delete"`, `"delete", "create"`
	const lost, rejected = "Supervisor's profile will be deleted", "Cannot remove: candidates were invited"
	profile := func(status string) string {
		return `{"id": "pas-1", "position_id": "p", "assessment_id": "a", "profile_status": "` + status + `"}`
	}
	const stays = ". The assessment then stays attached, and is no longer managed. If it is removed: The profile that a supervisor has completed is deleted. "
	for _, c := range []struct{ change, warning, row string }{
		{change("x", create, "null", same), "Already attached", "| Attach | ⚠️ [Already attached] (see message 1). |"},
		{
			change("x", create, "null", same), "Candidates lose their ranking",
			"| Attach | ⚠️ Candidates lose their ranking until they have completed this assessment, too (see message 1). |",
		},
		{
			change("x", `"update"`, same, `{"id": "1", "position_id": "1", "assessment_id": "1", "benchmark": {"id": "2"}}`),
			"Scores will not be comparable",
			"You cannot compare their scores with scores after the change (see message 1). **This cannot be undone.** |",
		},
		{ // the supervisor has completed it since the state of the plan
			change("x", remove, profile("SUPERVISOR_TO_COMPLETE"), "null"), lost,
			"The profile that a supervisor has completed is deleted (see message 1). **This cannot be undone.**",
		},
		{ // a profile that the plan does not know
			change("x", remove, profile("PROFILE_ATTACHED"), "null"), lost,
			"[" + lost + "] (see message 1). **This cannot be undone.**",
		},
		{ // the plan does not know whether the update discards the profile
			strings.Replace(change("x", `"update"`, profile("SUPERVISOR_COMPLETED"), `{"id": "pas-1", "position_id": "p", "assessment_id": "a"}`),
				`"before"`, `"after_unknown": {"profile_status": true, "profile": {"id": true}}, "before"`, 1),
			"Supervisor's profile may be replaced",
			"| ⚠️ The profile that a supervisor has completed may be deleted (see message 1). **This cannot be undone.** |",
		},
		{ // the update discards the profile, whatever the unknown ID is
			strings.Replace(change("x", `"update"`, profile("SUPERVISOR_COMPLETED"), `{"id": "pas-1", "position_id": "p", "assessment_id": "a"}`),
				`"before"`, `"after_unknown": {"profile_status": true, "profile": {"id": true}}, "before"`, 1),
			"Supervisor's profile will be replaced",
			"| ⚠️ The profile that a supervisor has completed is deleted (see message 1). **This cannot be undone.** |",
		},
		{ // after an interrupted apply, a plan with adopt_existing imports what that apply has attached
			change("x", create, "null", `{"position_id": "p"}`), "Existing position assessment will be adopted",
			"| Adopt what is already attached. If its settings differ, the apply changes them | ⚠️ Check that no other repository",
		},
		{ // if the service removes it after all, a supervisor's work is lost
			change("x", remove, profile("SUPERVISOR_COMPLETED"), "null"), rejected,
			"The service will probably reject the removal" + stays + "Candidates have been invited (see message 1). **This cannot be undone.** |",
		},
		{ // the new one is attached in both cases
			change("x", replace, profile("SUPERVISOR_COMPLETED"), `{"position_id": "p", "assessment_id": "b"}`), rejected,
			"| ⚠️ The service will probably reject the removal of the old one, which then stays attached. If it is removed: ",
		},
	} {
		plan := strings.Replace(planned(c.change), "{", `{"prior_state": `+known+`, `, 1)
		got := commentOn(t, map[string]string{"plan.json": plan, "plan.jsonl": warning(t, c.warning, "It is so.", "x")})
		says(t, got, "**1 of 1 change needs attention", c.row, "    It is so.\n")
	}
}

// A row says what happened in the service, and whether the apply reverts that.
func TestRowsWithDrift(t *testing.T) {
	t.Parallel()
	const old, other, supervised = `"1", "benchmark": {"id": "1"}`, `"1", "benchmark": {"id": "2"}`, `"1", "profile_status": "SUPERVISOR_COMPLETED"`
	const attached, toComplete = `"1", "profile_status": "PROFILE_ATTACHED"`, `"1", "profile_status": "SUPERVISOR_TO_COMPLETE"`
	const update, remove, invited = `"update"`, `"delete"`, "Cannot remove: candidates were invited"
	const also, bySupervisor = "Also changed in the service since the last apply: ", "A supervisor replaced the attached profile"
	const stays = "The service will probably reject the removal. The assessment then stays attached, and is no longer managed"
	for _, c := range []struct {
		drift, change string
		warnings      []string
		want          row
	}{
		{
			assessmentChange(remove, old, ""), assessmentChange(`"create"`, "", old),
			[]string{"Position assessment is gone", "Candidates lose their ranking"},
			row{drift: "Removed", attention: []string{"Candidates lose their ranking until they have completed this assessment, too (see message 2)"}},
		},
		{
			assessmentChange(update, old, other), assessmentChange(update, other, old),
			[]string{"Scores will not be comparable"},
			row{drift: "Changed benchmark from [Engineers] to [Graduates]", final: true, attention: []string{
				"Candidates have completed it. You cannot compare their scores with scores after the change (see message 1)",
			}},
		},
		{ // nothing is undone
			assessmentChange(update, attached, supervised), assessmentChange(update, supervised, supervised+`, "on_refused_removal": "forget"`), nil,
			row{attention: []string{also + bySupervisor}},
		},
		{
			assessmentChange(update, attached+`, "benchmark": {"id": "1"}`, supervised+`, "benchmark": {"id": "2"}`), "", nil,
			row{drift: "Changed benchmark from [Engineers] to [Graduates], and profile from none to the supervisor's profile"},
		},
		{ // someone has enabled a test that was disabled before
			`{"address": "x", "type": "assess_skills_test_activation", "change": {"actions": ["update"], "before": {"active": false}, "after": {"active": true}}}`,
			"", nil,
			row{drift: "Enabled"},
		},
		{ // the drift of a deposed object at the same address
			`{"address": "x", "deposed": "1", "type": "assess_position_assessment", "change": {"actions": ["delete"], "before": {"assessment_id": "1"}, "after": null}}`,
			assessmentChange(update, old, other), nil,
			row{},
		},
		{ // another assessment, with the same settings
			assessmentChange(update, `"1"`, `"2"`), assessmentChange(`"delete", "create"`, `"2"`, `"1"`), nil,
			row{drift: "Changed settings", attention: []string{"It is replaced"}},
		},
		{ // -replace does more than to undo what happened
			assessmentChange(update, old, other), assessmentChange(`"delete", "create"`, other, old), nil,
			row{attention: []string{"It is replaced", also + "Changed benchmark from [Engineers] to [Graduates]"}},
		},
		{ // the new benchmark may be another one than before
			assessmentChange(update, `"1"`, old), assessmentChange(update, old, `"1"`, `"after_unknown": {"benchmark": {"id": true}}`), nil,
			row{attention: []string{also + "Changed benchmark from none to [Engineers]"}},
		},
		{
			assessmentChange(update, old, other), assessmentChange(remove, other, ""),
			[]string{invited},
			row{attention: []string{stays, also + "Changed benchmark from [Engineers] to [Graduates]", "Candidates have been invited (see message 1)"}},
		},
		{ // a supervisor has completed it since the state of the plan
			"", assessmentChange(remove, toComplete, ""),
			[]string{invited, "Supervisor's profile will be deleted"},
			row{final: true, attention: []string{
				stays, "If it is removed: The profile that a supervisor has completed is deleted (see message 2)", "Candidates have been invited (see message 1)",
			}},
		},
	} {
		p, err := decodePlan([]byte(`{"format_version": "1.2", "planned_values": {}, "prior_state": ` + known + `, "resource_changes": [` + c.change + `],
			"resource_drift": [` + c.drift + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		var messages string
		for _, summary := range c.warnings {
			messages += warning(t, summary, "It is so.", "x")
		}
		rows := rowsOf(p, readEvents([]byte(messages)).diagnostics, nil, namesOf(p))
		if len(rows) != 1 || plain(rows[0].drift) != c.want.drift || rows[0].final != c.want.final ||
			plain(strings.Join(rows[0].attention, "\n")) != strings.Join(c.want.attention, "\n") {
			t.Errorf("%s\nafter %s\nbecomes %+v, want %+v", c.change, c.drift, *rows[0], c.want)
		}
	}
}

// A key that is revoked during an apply stops all other changes. The message with the advice comes first, and
// the others are one message.
func TestOneCauseOfManyErrors(t *testing.T) {
	t.Parallel()
	const stopped = "Stopped by an earlier error: the service answered 401 Unauthorized"
	got := commentOn(t, map[string]string{
		"failed": "apply", "plan.json": planned(change("x", `"create"`, "null", `{"position_id": "p"}`)),
		"apply.jsonl": strings.Repeat(event(t, "error", stopped, "", activation+".y"), 2) + event(t, "error", stopped, "", activation+".z") +
			event(t, "error", "Could not attach the assessment", "To fix this: check the credentials.", "x"),
	}, ofKind("apply"))
	says(t, got, "Error (message 1):\n\n    Could not attach the assessment\n", "check the credentials",
		"Error (message 2):\n\n    "+stopped+"\n",
		".y] | ❌ Error | ❌ ["+stopped+"] (see message 2) |", ".z] | ❌ Error | ❌ ["+stopped+"] (see message 2) |", "!message 3")
}

// An object without a name, an ID and a key is shown by its address.
func TestUnnamedObject(t *testing.T) {
	t.Parallel()
	const address = `module.position["Backend"].assess_position_assessment.coding`
	if got := problemRow(address, planNames{}).assessment; got != codeSpan(address) {
		t.Errorf("an error about an object that is not planned: %s", got)
	}
	create := &tfjson.Change{Actions: tfjson.Actions{tfjson.ActionCreate}, After: object{}}
	for _, kind := range []string{positionAssessment, activation} {
		c := &tfjson.ResourceChange{Address: address, Type: kind, Change: create}
		if got := rowOf(c, planNames{}).assessment; !strings.HasSuffix(got, codeSpan(address)) {
			t.Errorf("a creation of a %s whose IDs are not known: %s", kind, got)
		}
	}
}
