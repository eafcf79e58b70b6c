// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"strings"
	"testing"
)

// changeOf returns a change of the position A, as a CLI writes it.
func changeOf(code, action, before, after string) string {
	resource := `"module.position[\"A\"].assess_position_assessment.this[\"` + code + `\"]", "type": "assess_position_assessment"`
	if code == "" {
		resource = `"assess_skills_test_activation.t", "type": "assess_skills_test_activation"`
	}
	return `{"address": ` + resource + `, "index": "` + code + `", "change": {"actions": ["` + action + `"], "before": ` + before + `, "after": ` + after + `}}`
}

// position is a plan in which the service differs from the last apply, and from the repository.
var position = `{"format_version": "1.2", "resource_drift": [` + strings.Join([]string{
	changeOf("GONE", "delete", `{"position_id": "p", "assessment_id": "g", "benchmark": {"id": "b"}}`, "null"),
	changeOf("BACK", "update", `{"benchmark": {"id": "old"}}`, `{"benchmark": {"id": "new"}}`),
	changeOf("BOTH", "update", `{"benchmark": {"id": "old"}}`, `{"benchmark": {"id": "new"}}`),
	changeOf("", "update", `{"test_id": "t", "active": true}`, `{"test_id": "t", "active": false}`),
	changeOf("DONE", "update", `{"profile_status": "SUPERVISOR_TO_COMPLETE"}`, `{"profile_status": "SUPERVISOR_COMPLETED"}`),
}, ",") + `], "resource_changes": [` + strings.Join([]string{
	changeOf("GONE", "create", "null", `{"position_id": "p", "assessment_id": "g", "benchmark": {"id": "b"}}`),
	changeOf("BACK", "update", `{"benchmark": {"id": "new"}}`, `{"benchmark": {"id": "old"}}`),
	changeOf("BOTH", "update", `{"benchmark": {"id": "new"}}`, `{"benchmark": {"id": "other"}}`),
	changeOf("", "update", `{"test_id": "t", "active": false}`, `{"test_id": "t", "active": true}`),
	changeOf("KEPT", "no-op", `{"id": "7", "position_id": "p"}`, `{"id": "7", "position_id": "p"}`),
	changeOf("DONE", "delete", `{"id": "5", "position_id": "p", "profile_status": "SUPERVISOR_COMPLETED"}`, "null"),
}, ",") + `], "checks": [
  {"address": {"kind": "check", "name": "attached_elsewhere"}, "instances": [
    {"address": {"module": "module.position[\"A\"]"}, "problems": [{"message": "A has more:\n  Removed here (to import: p/5)\n  Kept here (import: p/7)\n  By hand (to import: p/9)\nImport it."}]},
    {"address": {"module": "module.position[\"B\"]"}, "problems": [{"message": "B has more:\n  By hand, too (to import: q/9)\nImport it."}]},
    {"address": {"module": "module.position[\"C\"]"}, "problems": [{"message": "C has more:\n  Removed here (to import: p/5)\nImport it."}]}]},
  {"address": {"kind": "check", "name": "profiles_completed"}, "instances": [
    {"address": {"module": "module.position[\"A\"]"}, "problems": [{"message": "A waits for its supervisor."}]},
    {"address": {"module": "module.position[\"AB\"]"}, "problems": [{"message": "AB waits for its supervisor."}]}]}
]}`

// A comment separates what a pull request changes from what happened in the service.
func TestDriftIsSeparate(t *testing.T) {
	t.Parallel()
	in := map[string]string{"plan.json": position}
	own, drift := "| Position | Assessment | What happens |", "\n\n| Position | Assessment | What happened in the service |"
	says(t, commentOn(t, in),
		"### Plan: 1 assessment to change, 1 assessment to remove, 3 changes in the service to undo\n",
		"**3 of 5 changes need attention: the last column says why.** **2 changes cannot be undone.**", own,
		"not by this pull request:**"+drift, "| [A] | [GONE] | Removed | Attach with benchmark [b] |",
		"| Changed benchmark from [old] to [new] | Change benchmark from [new] to [old] |",
		"| every position | skills test [t] | Disabled | Enable for the whole organization. ⚠️ The provider cannot disable it again. **This cannot be undone.** |",
		"| Change benchmark from [new] to [other] | ⚠️ Also changed in the service since the last apply: Changed benchmark from [old] to [new]. |",
		"| Remove from the position | ⚠️ The assessment is removed. The profile that a supervisor has completed is deleted. **This cannot be undone.** |")
	report := commentOn(t, in, ofKind("drift"))
	says(t, report, "### Drift: ", "**Changed in the service since the last apply:**"+drift, "!pull request",
		"**The next apply makes these changes, because the repository and the service differ:**\n\n"+own)
	if strings.Index(report, "Changed in the service") > strings.Index(report, "The next apply makes these changes") {
		t.Errorf("drift does not come first:\n%s", report)
	}
}

// All sentences of a comment count the same changes, also those that only revert what happened in the service.
func TestCountsAreEqual(t *testing.T) {
	t.Parallel()
	twin := changeOf("TWIN", "create", "null", `{"position_id": "p", "assessment_id": "g", "benchmark": {"id": "b"}}`)
	says(t, commentOn(t, map[string]string{"plan.json": strings.Replace(position, `], "checks"`, ", "+twin+`], "checks"`, 1)}),
		"**The apply would reject 1 of 6 changes (❌). Correct this first.**", "**4 of 6 changes need attention:")
}

// What a table has no room for is counted, too.
func TestTableWithoutRoom(t *testing.T) {
	t.Parallel()
	cells := func(*row) []string { return nil }
	for n, want := range map[int]string{0: "2 more changes. Of these, 0 need attention", 1: "Of these, 1 needs attention", 2: "Of these, 2 need attention"} {
		rows := []*row{{}, {}}
		for _, r := range rows[:n] {
			r.attention = []string{"It is deleted"}
		}
		says(t, grid("", nil, rows, 0, cells), want)
	}
}

// Check blocks see the service before the apply. So a comment leaves out what the plan removes. Checks of
// positions that the plan does not change are not repeated in each pull request.
func TestFindingsOfChecks(t *testing.T) {
	t.Parallel()
	const warning = `{"type": "diagnostic", "diagnostic": {"severity": "warning", "summary": "Check block assertion failed",
		"detail": "A waits for its supervisor.", "snippet": {"context": "check \"profiles_completed\""}}}`
	oneLine := strings.ReplaceAll(warning, "\n", "") + "\n"
	in := map[string]string{"plan.json": position, "plan.jsonl": oneLine}
	says(t, commentOn(t, in),
		"**Attached by hand:**\n\n    A has more:\n      By hand (to import: p/9)\n    Import it.\n    \n    B has more:",
		"!Removed here", "!Kept here", "!C has more", "**To do:**\n\n    A waits for its supervisor.\n\n", "!AB waits", "!Warning")
	// After the apply, only what the plan could not know is new.
	in["apply.jsonl"] = oneLine + strings.ReplaceAll(oneLine, "A waits", "New waits")
	says(t, commentOn(t, in, ofKind("apply")), "!by hand", "! A waits", "    New waits for its supervisor.")
}

// A failed plan has a table.
func TestTableAfterAnError(t *testing.T) {
	t.Parallel()
	problem := func(address, detail string) string {
		return event(t, "error", "No position found", detail, address)
	}
	const title = `module.position["A"].data.assess_position.this`
	plan := `{"format_version": "1.2", "errored": true, "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": [
		{"address": "module.position[\"A\"].data.assess_position.this", "mode": "data", "type": "assess_position", "values": {"title": "A, London"}}]}}},
		"resource_changes": [{"address": "x", "type": "assess_position_assessment", "index": "LMN", "change": {"actions": ["delete"], "before": {}}}]}`
	detail := `None of 8 positions has the title "A, London". Available: "p" (title "A, London").`
	in := map[string]string{"plan.json": plan, "failed": "plan", "plan.jsonl": problem(title, detail)}
	says(t, commentOn(t, in), "### The plan failed", "| [A] |  | ❌ Error | ⚠️ [No position found] (see message 1)",
		"| [LMN] | Remove from the position | ⚠️ The assessment is removed. |", "Error (message 1):")
	in["plan.jsonl"] = problem(`module.position["B"].data.assess_position.this`, `"A, London"`)
	says(t, commentOn(t, in), "| [B] |")
	in["plan.jsonl"] = problem(`provider["registry.opentofu.org/assessascode/assess"]`, "A setting is missing.")
	says(t, commentOn(t, in), "!| ❌ Error |", "A setting is missing.")
}

// A plan that failed cannot be applied, so it does nothing that cannot be undone.
func TestFailedPlanLosesNothing(t *testing.T) {
	t.Parallel()
	in := map[string]string{
		"failed": "plan", "plan.json": strings.Replace(position, "{", `{"errored": true, `, 1),
		"plan.jsonl": event(t, "error", "No position found", "It is wrong.", `module.position["A"].data.assess_position.this`),
	}
	in["plan.jsonl"] = warning(t, "Unknown setting", "x", "") + in["plan.jsonl"] +
		event(t, "error", "Unknown assessment", "x", "assess_position_assessment.wrong")
	got := commentOn(t, in)
	says(t, got, "|  | [assess_position_assessment.wrong] | ❌ Error | ⚠️ [Unknown assessment] (see message 2). |",
		"Warning (message 3)", "### The plan failed\n", "The profile that a supervisor has completed is deleted. |", "!cannot be undone")
	if strings.Index(got, "❌ Error") > strings.Index(got, "The profile that") {
		t.Errorf("the error does not come first:\n%s", got)
	}
}

// A message of the CLI says where the mistake is. A comment has no other text that does.
func TestPlaceOfAnError(t *testing.T) {
	t.Parallel()
	in := map[string]string{"plan.jsonl": `{"type": "diagnostic", "diagnostic": {"severity": "error",
		"summary": "Invalid block definition", "detail": "A newline is required.", "range": {"filename": "main.tf", "start": {"line": 7}}}}`}
	in["plan.jsonl"] = strings.ReplaceAll(in["plan.jsonl"], "\n", "")
	says(t, commentOn(t, in), "The messages below say why", "Error (message 1):\n\n    Invalid block definition\n    main.tf line 7\n    \n    A newline is required.\n")
}

// Of a message with code, only what happened is not folded, because most readers do not write configurations. Addresses
// are filled in. A message without code, and one of the CLI, is shown as it is.
func TestAdviceForReaders(t *testing.T) {
	t.Parallel()
	const address = `module.position["A"].assess_position_assessment.this["LMN"]`
	const detail = "It has it.\n\nTo fix this: import it:\n\n  import {\n    to = <address>\n  }\n\nOr \"state rm 'ADDRESS'\"."
	shown := func(text string) string {
		return commentOn(t, map[string]string{"failed": "plan", "plan.jsonl": text})
	}
	says(t, shown(warning(t, "Rejected", detail, address)),
		"    It has it.\n\n<details><summary>For engineers: how to fix message 1</summary>\n\n    To fix this: import it:\n    \n"+
			"      import {\n        to = "+address+"\n      }\n", "state rm '"+address+"'", "!<address>", "!ADDRESS")
	says(t, shown(warning(t, "Rejected", "It has it.\n\nTo fix this: correct the title.", address)),
		"    It has it.\n    \n    To fix this: correct the title.\n", "!For engineers")
	says(t, shown(event(t, "error", "Locked", "It is locked.\n\n  ID: 1", "")), "    It is locked.\n    \n      ID: 1\n", "!For engineers")
}

// A comment that has no room for the advice says that there is more.
func TestAdviceWithoutRoom(t *testing.T) {
	t.Parallel()
	d := message("Rejected", "")
	d.Detail = "It is rejected.\n\nTo fix this: add it:\n\n  block {}\n\n" + d.Detail
	c := comment{events: events{diagnostics: []diagnostic{d, d}}}
	for room := range 1000 {
		text := c.messages(room)
		if len(text) > max(room, len("There are more messages: the log of the run has the rest.\n\n")) {
			t.Fatalf("%d bytes in %d", len(text), room)
		}
		if (strings.Count(text, "For engineers") < 2) != strings.Contains(text, "There are more messages") {
			t.Fatalf("room %d: the comment must say that it was cut, but only then:\n%s", room, text)
		}
	}
}

// An apply that does not do what was reviewed shows the differences with names.
func TestDifferencesInAComment(t *testing.T) {
	t.Parallel()
	in := map[string]string{"plan.json": position, "failed": "reviewed", reviewedFile: `{"format": "assess-reviewed-1", "changes": [
		{"address": "module.position[\"A\"].assess_position_assessment.this[\"OLD\"]", "actions": ["create"]}]}`}
	says(t, commentOn(t, in, ofKind("apply")), "### The apply failed: 0 of 5 changes done", "Nothing was changed.",
		"![OLD]", "| [A] | [DONE] | [delete] was not reviewed |")
}
