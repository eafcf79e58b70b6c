// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// object is JSON.
type object = map[string]any

// planned returns the JSON of a plan with changes.
func planned(changes ...string) string {
	return `{"format_version": "1.2", "resource_changes": [` + strings.Join(changes, ", ") + `]}`
}

// change returns a change of a position assessment, as a CLI writes it, with actions such as `"delete", "create"`.
func change(address, actions, before, after string) string {
	return `{"address": "` + address + `", "mode": "managed", "type": "assess_position_assessment", "change": {"actions": [` +
		actions + `], "before": ` + before + `, "after": ` + after + `}}`
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// event returns a message of the CLI or of the provider.
func event(t *testing.T, severity, summary, detail, address string) string {
	t.Helper()
	return encoded(t, object{"type": "diagnostic", "diagnostic": object{
		"severity": severity, "summary": summary, "detail": detail, "address": address,
	}})
}

// warning returns a warning of the provider, which ends with a link.
func warning(t *testing.T, summary, detail, address string) string {
	t.Helper()
	return event(t, "warning", summary, detail+"\n\n"+messages.Link(summary), address)
}

// folder returns a folder with these files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// commentOn returns the comment that the program writes for these files.
func commentOn(t *testing.T, files map[string]string, change ...func(*Options)) string {
	t.Helper()
	o := Options{Kind: "plan", Dir: folder(t, files), Limit: DefaultLimit}
	for _, c := range change {
		c(&o)
	}
	var out strings.Builder
	if _, err := Write(o, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// says checks what a comment contains, and what it does not contain ("!" before the text).
func says(t *testing.T, comment string, texts ...string) {
	t.Helper()
	comment = plain(comment)
	for _, text := range texts {
		text, without := strings.CutPrefix(text, "!")
		if strings.Contains(comment, text) == without {
			t.Errorf("the comment contains %q: %t\n%.3000s", text, without, comment)
		}
	}
}

// plain returns a text with names in brackets.
func plain(text string) string {
	return html.UnescapeString(strings.NewReplacer("<code>", "[", "</code>", "]").Replace(text))
}

func ofKind(kind string) func(*Options) { return func(o *Options) { o.Kind = kind } }

// Texts of the service and of a pull request change nothing in a comment, wherever they are in the files of a run: each is
// a name in <code>, or lines of an indented block.
func TestTextsCannotChangeAComment(t *testing.T) {
	t.Parallel()
	const forged = "|\n### Plan: <b>no changes</b>"
	own := []string{"format_version", "mode", "type", "actions", "kind", "severity"} // members with words of the CLI
	var forge func(member string, v any) any
	forge = func(member string, v any) any {
		switch v := v.(type) {
		case string:
			if !slices.Contains(own, member) {
				return v + forged
			}
		case []any:
			for i := range v {
				v[i] = forge(member, v[i])
			}
		case object:
			for name := range v {
				v[name] = forge(name, v[name])
			}
		}
		return v
	}
	forgeAll := func(text string) (forgedText string) {
		for decoder := json.NewDecoder(strings.NewReader(text)); decoder.More(); {
			var v any
			if err := decoder.Decode(&v); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			forgedText += encoded(t, forge("", v))
		}
		return forgedText
	}
	settings := assessmentChange(`"create"`, "", `"1", "packages": {"select": "all", "ids": ["1"]}, "benchmark": {"id": "1"}`) + ", " +
		assessmentChange(`"update"`, `"2", "tests": {"ids": ["1"]}`, `"2", "tests": {"ids": ["2"]}, "profile": {"id": "1"}`)
	plans := map[string]string{`{"format_version": "1.2", "planned_values": {}, "prior_state": ` + known + `, "resource_changes": [` + settings + `]}`: ""}
	for _, name := range []string{"drift/plan", "failed/plan", "kept-by-service/plan", "rejected/plan", "plans/kept"} {
		plans[clitest.ReadFile(t, "testdata", name+".json")] = clitest.ReadFile(t, "testdata", name+".jsonl")
	}
	for plan, messages := range plans {
		files := map[string]string{"plan.txt": forged, "plan.json": forgeAll(plan), "plan.jsonl": forgeAll(messages)}
		for _, kind := range []string{"plan", "drift"} {
			got := commentOn(t, files, ofKind(kind))
			for line := range strings.Lines(got) {
				if strings.Contains(line, "<b>") && !strings.HasPrefix(line, "    ") {
					t.Errorf("the %s has the line %q", kind, line)
				}
			}
			says(t, got, "<b>no changes</b>")
		}
	}
}

// At every limit, a comment has its headline, reasons and footer, and all blocks end.
func TestEveryCutOfALongPlan(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("  + Prüfung für „Märchen“ 🎭\n", 2000) + strings.Repeat("ü", 3000) + "\n"
	in := map[string]string{"plan.json": clitest.ReadFile(t, "testdata/rejected/plan.json"), "plan.txt": long}
	for i := range 40 {
		in["plan.jsonl"] += event(t, "error", fmt.Sprint("Prüfung ", i), long[:(1+i*100/33)*33], "")
	}
	c, err := readInputs(Options{Kind: "plan", Dir: folder(t, in)})
	if err != nil {
		t.Fatal(err)
	}
	c.rows = slices.Repeat(c.rows, 100)
	c.Options = Options{Kind: "plan", Run: "https://ci.example.com/1", Commit: "0123456789"}
	limits := []int{65_536, 200_000, 2_000_000}
	for limit := smallest; limit < smallest+500; limit++ {
		limits = append(limits, limit)
	}
	for _, c.Limit = range limits {
		got := c.markdown()
		if len(got) > c.Limit || !utf8.ValidString(got) {
			t.Fatalf("limit %d: %d bytes", c.Limit, len(got))
		}
		if !strings.HasPrefix(got, "<!-- assess: plan -->\n### The plan must be corrected: ") || !strings.HasSuffix(got, c.footer()) ||
			!strings.Contains(got, "\nError (message 1):\n\n    Prüfung 0\n") ||
			strings.Count(got, "\n<details>") != strings.Count(got, "\n</details>\n\n") {
			t.Fatalf("limit %d: the comment is\n%s", c.Limit, got)
		}
		if c.Limit < 2_000_000 != strings.Contains(got, "the log of the run has the rest") {
			t.Fatalf("limit %d: the comment must say that it was cut, but only then:\n%s", c.Limit, got[max(0, len(got)-500):])
		}
	}
}

// The results of an apply show whether it failed, without a file that names the step, and which changes are done. The
// results of an earlier apply say nothing about a plan.
func TestApplyShowsItsFailure(t *testing.T) {
	t.Parallel()
	const content = `{"position_id": "p", "assessment_id": "a"}`
	const applied = "### Applied: 1 assessment attached, 1 assessment replaced\n"
	plan := planned(change("a", `"create"`, "null", `{"position_id": "q", "assessment_id": "a"}`),
		change("b", `"delete", "create"`, content, content))
	ended := func(how string, names ...string) (text string) {
		for _, name := range names {
			text += `{"type": "apply_` + how + `", "hook": {"resource": {"addr": "` + name + `"}}}` + "\n"
		}
		return text
	}
	for results, want := range map[string][]string{
		ended("complete", "a", "b", "b"): {applied, "!not done"},
		ended("complete", "b", "b"):      {"### The apply failed: 1 of 2 changes done\n", "| Attach | not done |"},
		ended("complete", "a", "b"): {
			"### The apply failed: 1 of 2 changes done\n", "| Attach | ✅ done |", "| ❌ removed, and the apply reports no new one |",
		},
		ended("complete", "b") + ended("errored", "b"): {"| Attach | not done |", "| ❌ removed, and the apply reports no new one |"},
		`{"type": "apply_complete", "hook": {"resource": {"addr": "b"}, "action": "create", "id_value": "2"}}` + "\n" + ended("errored", "b"): {
			"| ❌ half done: there is a new one, and the old one may still be there |", // with create_before_destroy
		},
		ended("complete", "a", "b", "b") + event(t, "error", "No", "", ""):     {"### The apply failed: 2 of 2 changes done\n"},
		ended("complete", "a", "b", "b") + event(t, "warning", "Well", "", ""): {applied},
		ended("errored", "a"): {"### The apply failed: 0 of 2 changes done\n", "| Attach | ❌ failed |"},
		// A run that was killed has begun the attachment of a, and the removal or the creation of b.
		ended("start", "a", "b"): {"### The apply failed: 0 of 2 changes done\n", "| Attach | not known |", "| not known |\n\n", "!not done"},
		ended("start", "a") + ended("complete", "a") + ended("start", "b") + ended("complete", "b") + ended("start", "b"): {
			"| Attach | ✅ done |", "| ❌ removed, and the apply reports no new one |",
		},
		ended("start", "a") + event(t, "error", "operation canceled", "", ""):                         {"| Attach | not known |", "was interrupted", "so that the next apply adopts"},
		ended("complete", "b", "b") + `{"type": "change_summary", "changes": {"operation": "apply"}}`: {applied, "!not done"}, // a was up to date
		ended("complete", "b", "b") + `{"type": "change_summary", "changes": {"operation": "plan"}}`:  {"| Attach | not done |"},
	} {
		files := map[string]string{"plan.json": plan, "apply.jsonl": "noise\n" + results}
		says(t, commentOn(t, files, ofKind("apply")), want...)
		says(t, commentOn(t, files), "### Plan: 1 assessment to attach, 1 assessment to replace\n")
	}
}

// A run that was killed, or that has no plan, is never shown as a plan that can be applied. A run that applied
// nothing has not imported or renamed anything.
func TestHeadlines(t *testing.T) {
	t.Parallel()
	type in = map[string]string
	const none, rejected = `{"format_version":"1.2","planned_values":{}}`, "### The plan failed\n"
	const imports = `{"format_version": "1.2", "planned_values": {}, "resource_changes": [{"address": "x", "mode": "managed",
		"type": "assess_position_assessment", "change": {"actions": ["no-op"], "importing": {"id": "1/1"}}}]}`
	const outputs = `{"format_version":"1.2","output_changes":{"a":{"actions":["no-op"]},"b":{"actions":["update"]}}}`
	const action = `{"format_version":"1.2","planned_values":{},"action_invocations":[{"address":"action.x.y","type":"x","name":"y"}]}`
	const key = `{"position_id": "p", "assessment_id": "a"}`
	deposed := change(`x", "deposed": "1`, `"delete"`, key, "null")
	updateAndDeposed := planned(change("x", `"update"`, key, `{"position_id": "p", "assessment_id": "a", "benchmark": {"id": "1"}}`), deposed)
	const completedX = `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}}}` + "\n"
	const deferred = `{"format_version":"1.2","planned_values":{},"deferred_changes":[{"reason":"provider_config_unknown"}]}`
	const byHand = `{"format_version":"1.2","planned_values":{},"checks":[{"address":{"kind":"check","name":"attached_elsewhere"},
		"instances":[{"problems":[{"message":"Found:\n  A / B, p/1"}]}]}]}`
	for _, c := range []struct {
		kind  string
		files in
		says  []string
	}{
		{"plan", nil, []string{rejected, "Nothing was changed. The log"}},
		{
			"plan",
			in{"plan.jsonl": event(t, "warning", "Old", "x", "") + event(t, "error", "No", "Run 'ADDRESS'.", `a.b["O'Brien"]`)},
			[]string{rejected, "\nError (message 1):\n\n    No\n", "Warning (message 2)", `Run 'a.b["O'\''Brien"]'.`},
		},
		{"plan", in{"plan.json": base[:200]}, []string{rejected}},
		{"plan", in{"plan.json": `{"format_version":"1.2","planned_values":{},"errored":true}`}, []string{rejected}},
		{"plan", in{"plan.json": `{"format_version":"1.0","values":{}}`}, []string{rejected}}, // a state
		{"plan", in{"plan.json": `{"format_version":"1.0"}`}, []string{rejected}},             // an empty state
		{"plan", in{"plan.json": none, "failed": "unlock"}, []string{rejected, "Nothing was changed. The log"}},
		{
			"plan",
			in{"failed": "@x **y**\n", "log.txt": strings.Repeat("run pass\n", 20_000) + "run fail\n"},
			[]string{rejected, "Nothing was changed. The log", "\n    run fail\n"},
		},
		{"plan", in{"failed": "plan", "plan.json": base}, []string{rejected, "Nothing was changed"}}, // the plan of an earlier run
		{"plan", in{"plan.json": outputs}, []string{"### Plan: no changes in the service, only outputs change\n"}},
		{"plan", in{"plan.json": action}, []string{"### Plan: no changes to resources, only actions run\n"}},
		{
			"plan",
			in{"plan.json": strings.TrimSuffix(outputs, "}") + `,"action_invocations":[{"address":"action.x.y"}]}`},
			[]string{"### Plan: no changes to resources, only outputs change and actions run\n"},
		},
		{"apply", in{"plan.json": action}, []string{"### The apply left no results. Planned: no changes to resources, only actions run\n"}},
		{"plan", in{"plan.json": deferred}, []string{"### Plan: no changes\n", "**1 change deferred to a later plan"}},
		{"drift", in{"plan.json": none}, []string{"### No drift\n", "!|"}},
		{ // a data source of a renamed module, which the apply reads
			"drift",
			in{"plan.json": `{"format_version": "1.2", "resource_changes": [{"address": "module.b.data.x.y", "previous_address": "module.a.data.x.y",
				"mode": "data", "type": "x", "change": {"actions": ["read"], "after": {}}}]}`},
			[]string{"### No drift\n", "!|"},
		},
		{"plan", in{"plan.json": none, "log.txt": "run\n"}, []string{"!Output of the step that failed"}}, // no step has failed
		{ // a data source of another provider in a check block
			"plan",
			in{"plan.json": none, "plan.jsonl": strings.Replace(event(t, "warning", "No response", "503.", "data.x.y"),
				`"diagnostic":{`, `"diagnostic":{"snippet":{"context":"check \"c\""},`, 1)},
			[]string{"Warning (message 1):\n\n    No response\n", "!To do"},
		},
		{ // an apply that makes its own plan
			"apply",
			in{"plan.json": none, "apply.jsonl": strings.Replace(event(t, "warning", "Check block assertion known after apply", "Not yet.", ""),
				`"diagnostic":{`, `"diagnostic":{"snippet":{"context":"check \"c\""},`, 1)},
			[]string{"### Applied: ", "!To do", "!Not yet", "!Warning"},
		},
		{ // a data source in a check block
			"drift",
			in{"plan.json": none, "plan.jsonl": strings.Replace(warning(t, "Could not list the positions", "403.", "data.x.y"),
				`"diagnostic":{`, `"diagnostic":{"snippet":{"context":"check \"c\""},`, 1)},
			[]string{"Warning (message 1):\n\n    Could not list the positions\n"},
		},
		{
			"drift",
			in{"failed": "plan", "plan.json": `{"format_version":"1.2","planned_values":{},"errored":true}`, "plan.jsonl": `{"type":"diagnostic","diagnostic":{` +
				`"severity":"error","summary":"No test found","detail":"","address":"data.assess_skills_test.go[\"WBN\"]"}}`},
			[]string{"### The check for drift failed\n", "**What failed, and what was planned before the failure:**", "|  | [WBN] |"},
		},
		{
			"plan",
			in{"plan.json": none, "failed": "plan", "plan.jsonl": event(t, "error", "No", "", `module.p["Engineer"].ephemeral.x_y.z`)},
			[]string{"| [Engineer] |"},
		},
		{ // two objects at one address: the error is about the current one
			"plan",
			in{"plan.jsonl": event(t, "error", "No", "", "assess_position_assessment.x"), "plan.json": `{"format_version":"1.2","planned_values":{},"errored":true,
				"prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": [
				{"address": "assess_position_assessment.x", "mode": "managed", "type": "assess_position_assessment", "values": {"position_id": "p"}},
				{"address": "assess_position_assessment.x", "deposed_key": "1", "mode": "managed", "type": "assess_position_assessment", "values": {"position_id": "q"}}]}}}}`},
			[]string{rejected, "| [p] |"},
		},
		{ // nothing is missing in the service
			"drift",
			in{"plan.json": planned(change("x", `"forget"`, "{}", "null"))},
			[]string{"### Not applied: the plan has changes that no apply has made\n"},
		},
		{ // the repository is the same, but the service has another package
			"drift",
			in{"plan.json": planned(assessmentChange(`"update"`, `"1", "packages": {"select": "all", "ids": ["1"]}`, `"1", "packages": {"select": "all", "ids": ["1", "2"]}`))},
			[]string{"### Not applied: ", "!the repository has changes"},
		},
		{ // a removal that is done needs no attention any more
			"apply",
			in{
				"plan.json":   planned(strings.Repeat(change("x", `"delete"`, key, "null")+", ", 999) + change("y", `"delete"`, key, "null")),
				"apply.jsonl": strings.Repeat(completedX, 999) + strings.ReplaceAll(completedX, "x", "y"),
			},
			[]string{"### Applied: 1000 assessments removed", "Of these, 0 need attention."},
		},
		{"apply", in{"plan.json": none}, []string{"### Applied: no changes\n", "!|"}},
		{"apply", in{"plan.json": outputs}, []string{"### The apply left no results. Planned: no changes in the service, only outputs change\n"}},
		{"apply", in{"plan.json": imports}, []string{"### The apply left no results. Planned: 1 object to import\n", "| not known |", "!not done"}},
		{"apply", in{"plan.json": imports, "apply.jsonl": `{"type": "version"}` + "\n"}, []string{"### Applied: 1 object imported\n"}},
		{
			"apply",
			in{"plan.json": imports, "failed": "apply", "apply.jsonl": `{"type": "version"}` + "\n"},
			[]string{"### The apply failed: 0 of 1 change done\n", "was interrupted", "ASSESS_ADOPT_EXISTING"},
		},
		{
			"apply",
			in{"plan.json": imports, "failed": "apply", "apply.jsonl": event(t, "error", "Rejected", "No.", "x")},
			[]string{"### The apply failed: 0 of 1 change done\n", "The apply stopped because of an error.", "!interrupted", "| not known |"},
		},
		{"apply", nil, []string{"### The apply failed\n", "The run left no results of an apply.", "!Nothing was changed."}},
		{"apply", in{"failed": "init"}, []string{"### The apply failed\n", "Nothing was changed.", "!tofu"}}, // the CLI may be Terraform
		{"apply", in{"apply.jsonl": `{"type": "version"}` + "\n"}, []string{"### The apply failed\n", "The apply has run.", "!Nothing was"}},
		{
			"apply",
			in{"plan.json": imports, "failed": "notify", "apply.jsonl": `{"type": "version"}` + "\n"},
			[]string{"The apply has run.", "!Nothing was changed."},
		},
		{ // a step after the apply has failed
			"apply",
			in{"plan.json": imports, "failed": "notify", "apply.jsonl": `{"type": "change_summary", "changes": {"operation": "apply"}}` + "\n"},
			[]string{"### Applied: 1 object imported. Then the run failed\n", "The apply has run.", "| ✅ done |"},
		},
		{ // Terraform reports no end of a data source that fails in an apply
			"apply",
			in{
				"plan.json": imports, "failed": "apply",
				"apply.jsonl": `{"type": "apply_start", "hook": {"resource": {"addr": "data.x_y.z"}, "action": "read"}}` + "\n" +
					event(t, "error", "No", "x", "data.x_y.z"),
			},
			[]string{"The apply stopped because of an error.", "!interrupted"},
		},
		{ // the step of the apply has failed after the apply
			"apply",
			in{"plan.json": imports, "failed": "apply", "apply.jsonl": `{"type": "change_summary", "changes": {"operation": "apply"}}` + "\n"},
			[]string{"### Applied: 1 object imported. Then the run failed\n", "The apply has run.", "!interrupted"},
		},
		{ // the apply may have run without -json
			"apply",
			in{"plan.json": imports, "failed": "notify"},
			[]string{"### The apply failed\n", "The log of the run says what was changed,", "| not known |", "!Nothing was changed."},
		},
		{ // the same, if the apply itself failed
			"apply",
			in{"plan.json": imports, "failed": "apply"},
			[]string{"### The apply failed\n", "The apply failed or was interrupted, and left no results. Some changes", "| not known |"},
		},
		{
			"apply",
			in{"plan.json": imports, "failed": "reviewed"},
			[]string{"### The apply failed: 0 of 1 change done\n", "Nothing was changed.", "| not done |"},
		},
		{ // a replacement of what the service has kept
			"apply",
			in{
				"plan.json":   planned(change("x", `"delete", "create"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "p"}`)),
				"apply.jsonl": warning(t, "Position assessment was not removed", `"9" of "p" stays.`, ""),
			},
			[]string{"| Remove and attach again. The service has kept the old one |"},
		},
		{ // the service has kept the old one, and the creation failed
			"apply",
			in{
				"plan.json": planned(change("x", `"delete", "create"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "p"}`)),
				"apply.jsonl": warning(t, "Position assessment was not removed", `"9" of "p" stays.`, "") +
					`{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "delete"}}` + "\n" + event(t, "error", "Already attached", "x", "x"),
			},
			[]string{"The service has kept the old one | ❌ no longer managed, and the apply reports no new one |"},
		},
		{ // a skills test stays enabled
			"apply",
			in{
				"plan.json":   `{"format_version": "1.2", "resource_changes": [{"address": "x", "type": "assess_skills_test_activation", "change": {"actions": ["delete", "create"]}}]}`,
				"apply.jsonl": `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "delete"}}` + "\n",
			},
			[]string{"The earlier test stays enabled | ❌ no longer managed, and the apply reports no new one |"},
		},
		{ // a replacement that adopts what another position has
			"apply",
			in{
				"plan.json": planned(change("x", `"delete", "create"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "q"}`)),
				"apply.jsonl": `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "create", "id_value": "10"}}` + "\n" +
					warning(t, "Existing position assessment adopted", `"10" on "q"`, "x"),
			},
			[]string{"| Remove and attach again. The apply has adopted what was already attached. Its settings were right |"},
		},
		{ // the service has kept the old one, and the messages come in the other order
			"apply",
			in{
				"plan.json": planned(change("x", `"delete", "create"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "q"}`)),
				"apply.jsonl": `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "create", "id_value": "10"}}` + "\n" +
					warning(t, "Existing position assessment adopted", `"10" on "q"`, "x") + warning(t, "Position assessment was not removed", `"9" of "p" stays.`, ""),
			},
			[]string{"| Remove and attach again. The apply has adopted what was already attached. Its settings were right. The service has kept the old one |"},
		},
		{ // a replacement that takes back what the service has kept
			"apply",
			in{
				"plan.json": planned(change("x", `"delete", "create"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "p"}`)),
				"apply.jsonl": `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "create", "id_value": "9"}}` + "\n" +
					warning(t, "Position assessment was not removed", `"9" of "p" stays.`, "") + warning(t, "Existing position assessment adopted", `"9" on "p"`, "x"),
			},
			[]string{"| Adopt what was already attached. Its settings were right |"},
		},
		{ // with create_before_destroy, a replacement that adopts its own old object
			"apply",
			in{
				"plan.json": planned(change("x", `"create", "delete"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "p"}`)),
				"apply.jsonl": `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "create", "id_value": "9"}}` + "\n" +
					warning(t, "Existing position assessment adopted", `"9" on "p"`, "x"),
			},
			[]string{"| Adopt what was already attached. Its settings were right |"},
		},
		{ // the same, but the removal of the old object from the state did not begin
			"apply",
			in{
				"plan.json": planned(change("x", `"create", "delete"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "p"}`)),
				"apply.jsonl": `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "create", "id_value": "9"}}` + "\n" +
					event(t, "error", "No", "x", "y"),
			},
			[]string{"| ❌ half done: there is a new one, and the old one may still be there |"},
		},
		{ // a deposed object at the address of a replacement that adopts
			"apply",
			in{
				"plan.json": planned(change("x", `"delete", "create"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "q"}`),
					change(`x", "deposed": "1`, `"delete"`, `{"id": "8", "position_id": "p"}`, "null")),
				"apply.jsonl": `{"type": "apply_complete", "hook": {"resource": {"addr": "x"}, "action": "create", "id_value": "10"}}` + "\n" +
					warning(t, "Existing position assessment adopted", `"10" on "q"`, "x"),
			},
			[]string{"| Remove and attach again. The apply has adopted what was already attached. Its settings were right |"},
		},
		{ // the service has kept the old object of a replacement, and the deposed object
			"apply",
			in{
				"plan.json": planned(change("x", `"delete", "create"`, `{"id": "9", "position_id": "p"}`, `{"position_id": "q"}`),
					change(`x", "deposed": "1`, `"delete"`, `{"id": "8", "position_id": "p"}`, "null")),
				"apply.jsonl": warning(t, "Position assessment was not removed", `"8" of "p" stays.`, "x") +
					warning(t, "Position assessment was not removed", `"9" of "p" stays.`, "x"),
			},
			[]string{"| Remove and attach again. The service has kept the old one |", "| Stop managing. The service has kept it |"},
		},
		{ // the apply has adopted, at other addresses, what the plan removes and replaces
			"apply",
			in{
				"plan.json": planned(change("a", `"delete"`, `{"id": "9", "position_id": "p"}`, "null"),
					change("b", `"delete", "create"`, `{"id": "8", "position_id": "p"}`, `{"position_id": "q"}`),
					change("c", `"create"`, "null", `{"position_id": "p"}`), change("d", `"create"`, "null", `{"position_id": "p"}`),
					change("e", `"delete"`, `{"id": "7", "position_id": "p"}`, "null")),
				"apply.jsonl": strings.Replace(completedX, `"x"`, `"a"`, 1) + strings.Replace(completedX, `"x"`, `"e"`, 1) +
					`{"type": "apply_complete", "hook": {"resource": {"addr": "c"}, "action": "create", "id_value": "9"}}` + "\n" +
					`{"type": "apply_complete", "hook": {"resource": {"addr": "d"}, "action": "create", "id_value": "8"}}` + "\n",
			},
			[]string{
				"| Remove only from the state. The apply has adopted it, so it stays attached | ✅ done |", "| Remove from the position | ✅ done |",
				"| Remove and attach again. The apply has adopted the old one at another address | not done |",
			},
		},
		{ // another position can have a position assessment with the same ID
			"apply",
			in{
				"plan.json": planned(change("a", `"delete"`, `{"id": "9", "position_id": "p"}`, "null"),
					change("b", `"create"`, "null", `{"position_id": "q"}`), change(`b", "deposed": "1`, `"delete"`, `{"id": "8", "position_id": "q"}`, "null")),
				"apply.jsonl": strings.Replace(completedX, `"x"`, `"a"`, 1) +
					`{"type": "apply_complete", "hook": {"resource": {"addr": "b"}, "action": "create", "id_value": "9"}}` + "\n",
			},
			[]string{"| Remove from the position | ✅ done |", "!The apply has adopted it"},
		},
		{ // a creation at another address takes back what the service has kept
			"apply",
			in{
				"plan.json": planned(change("a", `"delete"`, `{"id": "9", "position_id": "p"}`, "null"), change("b", `"create"`, "null", `{"position_id": "p"}`)),
				"apply.jsonl": strings.Replace(completedX, `"x"`, `"a"`, 1) + warning(t, "Position assessment was not removed", `"9" of "p" stays.`, "") +
					`{"type": "apply_complete", "hook": {"resource": {"addr": "b"}, "action": "create", "id_value": "9"}}` + "\n" +
					warning(t, "Existing position assessment adopted", `"9" on "p"`, "b"),
			},
			[]string{
				"### Applied: 1 assessment adopted, 1 object renamed\n",
				"| Remove only from the state. The apply has adopted it, so it stays attached | ✅ done |", "!no longer managed",
			},
		},
		{ // the provider has read the title of the position
			"apply",
			in{
				"plan.json": planned(change("x", `"delete"`, `{"id": "9", "position_id": "p::1"}`, "null"),
					change("y", `"update"`, `{"id": "9", "position_id": "p::1"}`, `{"id": "9", "position_id": "p::1"}`)), // its second address
				"apply.jsonl": warning(t, "Position assessment was not removed",
					`"9" of `+assessapi.Label{ID: "p::1", Name: `"q" (London)`}.String()+" stays.", ""),
			},
			[]string{"| Stop managing. The service has kept it |", "| Change how it is managed. The assessment stays as it is |"},
		},
		{ // an object without an ID has no import ID, so no name looks like one
			"plan",
			in{"plan.json": strings.Replace(byHand, "{", `{"prior_state": {"format_version": "1.0", "values": {"root_module": {"resources":
				[{"address": "x", "mode": "managed", "type": "assess_position_assessment", "values": {}}]}}}, `, 1)},
			[]string{"\n      A / B, p/1\n"},
		},
		{ // a check may escape import IDs, as the messages of the provider do
			"drift",
			in{"plan.json": strings.NewReplacer("p/1", "p%201/1").Replace(strings.Replace(byHand, "{", `{"prior_state": {"format_version": "1.0", "values": {"root_module": {"resources":
				[{"address": "x", "mode": "managed", "type": "assess_position_assessment", "values": {"position_id": "p 1", "id": "1"}}]}}}, `, 1))},
			[]string{"### No drift\n"},
		},
		{ // with -target or -refresh-only, only the state contains what the plan leaves out
			"drift",
			in{"plan.json": strings.Replace(byHand, "{", `{"prior_state": {"format_version": "1.0", "values": {"root_module": {"resources":
				[{"address": "x", "mode": "managed", "type": "assess_position_assessment", "values": {"position_id": "p", "id": "1"}}]}}}, `, 1)},
			[]string{"### No drift\n"},
		},
		{ // a data source manages nothing
			"drift",
			in{"plan.json": strings.Replace(byHand, "{", `{"prior_state": {"format_version": "1.0", "values": {"root_module": {"resources":
				[{"address": "data.x.y", "mode": "data", "type": "x", "values": {"position_id": "p", "id": "1"}}]}}}, `, 1)},
			[]string{"### Drift: ", "\n      A / B, p/1\n"},
		},
		{ // the CLI would reject two moved blocks from one address
			"plan",
			in{"plan.json": planned(change("x", `"delete"`, key, "null"), change("y", `"create"`, "null", key), change("z", `"create"`, "null", key))},
			[]string{"  from = x\n      to   = y\n", "!to   = z"},
		},
		{ // messages about the removal of a deposed object, and about the change of the current object
			"plan",
			in{"plan.json": updateAndDeposed, "plan.jsonl": warning(t, "Cannot remove: candidates were invited", "a", "x") +
				warning(t, "Scores will not be comparable", "b", "x")},
			[]string{
				"| ⚠️ Candidates have completed it. You cannot compare their scores with scores after the change (see message 2). **This",
				"| Remove from the position | ⚠️ The service will probably reject the removal. The assessment then stays attached, and is " +
					"no longer managed. Candidates have been invited (see message 1). |",
			},
		},
		{ // only the deposed object has a row
			"plan",
			in{"plan.json": planned(change("x", `"no-op"`, key, key), deposed), "plan.jsonl": warning(t, "Cannot remove: candidates were invited", "a", "x")},
			[]string{"| Remove from the position | ⚠️ The service will probably reject the removal."},
		},
		{ // an event does not say whether it is about the deposed or the current object
			"apply",
			in{"plan.json": updateAndDeposed, "apply.jsonl": completedX},
			[]string{"### The apply failed: 0 of 2 changes done\n", "| Remove from the position | not known |", "!✅", "!not done"},
		},
		{"apply", in{"plan.json": updateAndDeposed, "apply.jsonl": completedX + completedX}, []string{"### Applied: ", "✅ done", "!not known"}},
		{ // a moved block would move the object at x that stays, too
			"plan",
			in{"plan.json": planned(change("x", `"no-op"`, "{}", "{}"), change(`x", "deposed": "1`, `"delete"`, key, "null"), change("y", `"create"`, "null", key))},
			[]string{"### Plan: 1 assessment to attach, 1 assessment to remove\n", "!moved {"},
		},
	} {
		got := commentOn(t, c.files, ofKind(c.kind))
		says(t, got, c.says...)
		if len(got) > DefaultLimit {
			t.Errorf("the comment has %d bytes", len(got))
		}
	}
}

// With drift, there is the file "drift", whatever an earlier run has found.
func TestDrift(t *testing.T) {
	t.Parallel()
	check := func(name string) string {
		return `{"format_version":"1.2","planned_values":{},"checks":[{"address":{"kind":"check","name":"` + name +
			`"},"instances":[{"problems":[{"message":"x"}]}]}]}`
	}
	refreshOnly := func(actions, after string) string { // a plan with -refresh-only shows no resource besides its drift
		return `{"format_version": "1.2", "resource_drift": [` +
			change("a", actions, `{"position_id": "p", "assessment_id": "a"}`, after) + `]}`
	}
	for plan, drift := range map[string]bool{
		`{"format_version":"1.2","planned_values":{}}`:                                               false,
		`{"format_version":"1.2","planned_values":{},"output_changes":{"b":{"actions":["update"]}}}`: false,
		check("attached_elsewhere"):                                                                  true,
		check("profiles_completed"):                                                                  false,
		base:                                                                                         true,
		refreshOnly(`"delete"`, "null"):                                                              true,
		refreshOnly(`"update"`, `{"position_id": "p", "assessment_id": "a", "profile_status": "x"}`): false,
		"": true, // a plan that failed
	} {
		for _, earlier := range []map[string]string{{"plan.json": plan}, {"plan.json": plan, "drift": ""}} {
			o := Options{Kind: "drift", Dir: folder(t, earlier), Limit: DefaultLimit}
			var out strings.Builder
			_, err := Write(o, &out)
			_, statErr := os.Stat(filepath.Join(o.Dir, "drift"))
			if err != nil || (statErr == nil) != drift || strings.Contains(out.String(), "### No drift") == drift {
				t.Errorf("%s: drift is %t, error %v:\n%s", plan, statErr == nil, err, out.String())
			}
		}
	}
}
