// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// object is JSON.
type object = map[string]any

// planOf returns the JSON of a plan with changes, in which all names are the same.
func planOf(t *testing.T, name string) string {
	t.Helper()
	const paths = `"replace_paths": [["assessment_id"], ["NAME"]]`
	const created = `"position_id": "p", "benchmark": {"id": "b"}, "tests": {"ids": ["t"]}`
	change := func(i int, change string) string {
		address := encoded(t, fmt.Sprintf("module.position[%q].assess_position_assessment.this[%d]", name, i))
		return `{"address": ` + address + `, "mode": "managed", "type": "assess_position_assessment", "index": "NAME", "change": {` +
			paths + `, ` + change + `}}, `
	}
	before, after := `"before": {"assessment_id": "a", `+created+`}`, `"after": {"assessment_id": "a", `+created+`}`
	other := `"after": {"assessment_id": "NAME", ` + created + `}`
	text := `{"format_version": "1.2", "resource_drift": [` +
		change(2, `"actions": ["update"], `+before+`, `+other) +
		strings.TrimSuffix(change(1, `"actions": ["delete"], `+before), ", ") + `],
	"checks": [{"address": {"kind": "check", "name": "attached_elsewhere"}, "instances": [{"problems": [{"message": "NAME"}]}]}],
	"resource_changes": [` + change(1, `"actions": ["create"], `+after) +
		change(2, `"actions": ["update"], `+before+`, "after": {"assessment_id": "a", "benchmark": {"id": "NAME"}, "profile": {"id": "f"}}`) +
		change(3, `"actions": ["delete"], "before": {"assessment_id": "other", "profile_status": "SUPERVISOR_COMPLETED"}`) +
		change(4, `"actions": ["delete", "create"], `+before+`, `+other) + change(5, `"actions": ["unheard of"], `+before+`, "after": {"assessment_id": "b"}`) +
		`{"address": "NAME", "type": "NAME", "change": {"actions": ["create"], "after": {}}}],
	"prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": [
		{"mode": "data", "type": "assess_position", "values": {"id": "p", "title": "NAME"}},
		{"mode": "data", "type": "assess_assessment", "values": {"id": "a", "name": "NAME"}},
		{"mode": "data", "type": "assess_benchmarks", "values": {"benchmarks": [{"id": "b", "name": "NAME"}]}},
		{"mode": "data", "type": "assess_assessment_options", "values": {"profiles": {"NAME": "f"}, "skills_tests": {"NAME": "t"}}}]}}}}`
	return strings.ReplaceAll(text, `"NAME"`, strings.TrimSpace(encoded(t, name)))
}

// files returns the files of a run in which all texts are the same name.
func files(t *testing.T, name, failed string) map[string]string {
	t.Helper()
	address := fmt.Sprintf("module.position[%q].assess_position_assessment.this[3]", name)
	return map[string]string{
		"plan.json": planOf(t, name), "plan.txt": "x" + name + "\n" + name, "plan.jsonl": "x" + name + "\n" + event(t, "warning", name, name+"\n"+name, address),
		"failed": failed, "log.txt": "x" + name, reviewedFile: encoded(t, digests{Format: digestsFormat, Changes: []digest{
			{Address: "reviewed " + name, Actions: []string{name}},
		}}),
	}
}

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

var (
	cells      = regexp.MustCompile(`(<code>[^<>|]*</code>|\(empty\))( \(<code>[^<>|]*</code>\))?`)
	codeBlocks = regexp.MustCompile(`(?m)(^    .*\n)+`)
)

// skeleton returns a comment without names and code blocks: only the text of this program. Names decide the order of
// rows, so an empty position counts as a name.
func skeleton(comment string) string {
	comment = cells.ReplaceAllString(codeBlocks.ReplaceAllString(comment, "CODE\n"), "NAME")
	return strings.ReplaceAll(comment, "\n|  |", "\n| NAME |")
}

// Names cannot change the headline, the rows, the cells or the structure of a comment.
func FuzzCommentKeepsItsShape(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	shapes := map[string]string{}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.TrimSpace(name) == "" || strings.HasPrefix(name, "assess_") {
			return // an empty name, or a name that is another type of resource
		}
		for kind, failed := range map[string]string{"plan": "", "apply": "reviewed"} {
			args := func(o *Options) { o.Limit, o.Kind = 1_000_000, kind }
			if shapes[kind] == "" {
				shapes[kind] = skeleton(commentOn(t, files(t, "Engineers", failed), args))
			}
			if got := commentOn(t, files(t, name, failed), args); skeleton(got) != shapes[kind] {
				t.Fatalf("with the name %q, the comment is\n%s\nwant the structure\n%s", name, got, shapes[kind])
			}
		}
	})
}

// At every limit, a comment has its headline, reasons and footer, and all blocks end.
func TestEveryCutOfALongPlan(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("  + Prüfung für „Märchen“ 🎭\n", 2000) + strings.Repeat("ü", 3000) + "\n"
	in := map[string]string{"plan.json": planOf(t, "Prüfung für „Märchen“"), "plan.txt": long, "plan.jsonl": ""}
	for i := range 40 {
		in["plan.jsonl"] += event(t, "error", fmt.Sprint("Prüfung ", i), long[:(1+i*100/33)*33], "")
	}
	c, err := readInputs(Options{Kind: "plan", Dir: folder(t, in)})
	if err != nil {
		t.Fatal(err)
	}
	c.rows = slices.Repeat(c.rows, 30)
	c.Options = Options{Kind: "plan", Run: "https://ci.example.com/1", Commit: "0123456789"}
	headline := strings.SplitAfterN(c.markdown(), "\n", 3)[1]
	limits := []int{65_536, 200_000, 2_000_000}
	for limit := smallest; limit < smallest+500; limit++ {
		limits = append(limits, limit)
	}
	for _, limit := range limits {
		c.Limit = limit
		got := c.markdown()
		if len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("limit %d: %d bytes", limit, len(got))
		}
		if !strings.HasPrefix(got, "<!-- assess: plan -->\n### The apply would fail: ") || !strings.Contains(got, headline) ||
			!strings.HasSuffix(got, c.footer()) ||
			strings.Count(got, "\n<details>") != strings.Count(got, "\n</details>\n\n") {
			t.Fatalf("limit %d: the comment is\n%s", limit, got)
		}
		if !strings.Contains(got, "\nError (message 1):\n\n    Prüfung 0\n") {
			t.Fatalf("limit %d: the comment does not contain the first message:\n%s", limit, got)
		}
		if limit < 2_000_000 != strings.Contains(got, "the log of the run has the rest") {
			t.Fatalf("limit %d: the comment must say that it was cut, but only then:\n%s", limit, got[max(0, len(got)-500):])
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
			"### The apply failed: 1 of 2 changes done\n", "| Attach | ✅ done |", "| ❌ removed, and not attached again |",
		},
		ended("complete", "a", "b", "b") + event(t, "error", "No", "", ""):     {"### The apply failed: 2 of 2 changes done\n"},
		ended("complete", "a", "b", "b") + event(t, "warning", "Well", "", ""): {applied},
		ended("errored", "a"): {"### The apply failed: 0 of 2 changes done\n", "| Attach | ❌ failed |"},
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
	whole := files(t, "Engineers", "")
	const none, rejected = `{"format_version":"1.2"}`, "### The plan failed\n"
	const imports = `{"format_version": "1.2", "resource_changes": [{"address": "x", "mode": "managed",
		"type": "assess_position_assessment", "change": {"actions": ["no-op"], "importing": {"id": "1/1"}}}]}`
	const outputs = `{"format_version":"1.2","output_changes":{"a":{"actions":["no-op"]},"b":{"actions":["update"]}}}`
	const deferred = `{"format_version":"1.2","deferred_changes":[{"reason":"provider_config_unknown"}]}`
	for _, c := range []struct {
		kind  string
		files in
		says  []string
	}{
		{"plan", nil, []string{rejected, "stopped before there was a plan"}},
		{"plan", in{"plan.json": "", "plan.txt": "", "plan.jsonl": ""}, []string{rejected}},
		{"plan", in{"plan.json": whole["plan.json"][:200]}, []string{rejected}},
		{"plan", in{"plan.json": "{}"}, []string{rejected}},
		{"plan", in{"plan.json": `{"format_version":"1.2","errored":true}`}, []string{rejected}},
		{"plan", in{"plan.json": none, "failed": "unlock"}, []string{rejected, "Nothing was changed. The messages"}},
		{
			"plan",
			in{"failed": "@x **y**\n", "log.txt": strings.Repeat("run pass\n", 20_000) + "run fail\n"},
			[]string{rejected, "The run stopped", "\n    run fail\n"},
		},
		{"plan", in{"failed": "plan", "plan.json": whole["plan.json"]}, []string{rejected, "Nothing was changed"}}, // the plan of an earlier run
		{"plan", in{"plan.json": outputs}, []string{"### Plan: no changes in the service, only outputs change\n"}},
		{"plan", in{"plan.json": deferred}, []string{"### Plan: no changes\n", "**1 change deferred to a later plan"}},
		{"drift", in{"plan.json": none}, []string{"### No drift\n", "!|"}},
		{"drift", nil, []string{"### The check for drift failed\n"}},
		{
			"drift",
			in{"failed": "plan", "plan.json": `{"format_version":"1.2","errored":true}`, "plan.jsonl": `{"type":"diagnostic","diagnostic":{` +
				`"severity":"error","summary":"No test found","detail":"","address":"data.assess_skills_test.go[\"WBN\"]"}}`},
			[]string{"### The check for drift failed\n", "**What failed, and what was planned before the failure:**", "|  | [WBN] |"},
		},
		{"apply", in{"plan.json": none}, []string{"### Applied: no changes\n", "!|"}},
		{"apply", in{"plan.json": imports}, []string{"### The apply left no results. Planned: 1 assessment to import\n", "| not known |", "!not done"}},
		{"apply", in{"plan.json": imports, "apply.jsonl": `{"type": "version"}` + "\n"}, []string{"### Applied: 1 assessment imported\n"}},
		{"apply", in{"plan.json": imports, "failed": "reviewed"}, []string{"### The apply failed: 0 of 1 change done\n", "| not done |"}},
		{
			"apply",
			in{"plan.json": imports, "failed": "apply", "apply.jsonl": `{"type": "version"}` + "\n"},
			[]string{"### The apply failed: 0 of 1 change done\n", "was interrupted", "ASSESS_ADOPT_EXISTING"},
		},
		{
			"apply",
			in{"plan.json": imports, "failed": "apply", "apply.jsonl": event(t, "error", "Rejected", "No.", "x")},
			[]string{"### The apply failed: 0 of 1 change done\n", "The apply stopped because of an error.", "!interrupted"},
		},
		{"apply", in{"failed": "init"}, []string{"### The apply failed\n", "Nothing was changed."}},
		{
			"apply",
			in{"plan.json": imports, "apply.jsonl": `{"type": "change_summary"}` + "\n"},
			[]string{"### Applied: 1 assessment imported\n", "| ✅ done |"},
		},
	} {
		got := commentOn(t, c.files, ofKind(c.kind))
		says(t, got, c.says...)
		if len(got) > DefaultLimit {
			t.Errorf("the comment has %d bytes", len(got))
		}
	}
}

// refreshOnly returns a plan with -refresh-only, which shows no resource besides its drift.
func refreshOnly(actions, after string) string {
	before := `{"position_id": "p", "assessment_id": "a"}`
	return `{"format_version": "1.2", "resource_drift": [` + change("assess_position_assessment.a", actions, before, after) + `]}`
}

// With drift, there is the file "drift", whatever an earlier run has found.
func TestDrift(t *testing.T) {
	t.Parallel()
	check := func(name string) string {
		return `{"format_version":"1.2","checks":[{"address":{"kind":"check","name":"` + name +
			`"},"instances":[{"problems":[{"message":"x"}]}]}]}`
	}
	for name, c := range map[string]struct {
		plan  string
		drift bool
	}{
		"none":               {`{"format_version":"1.2"}`, false},
		"outputs":            {`{"format_version":"1.2","output_changes":{"b":{"actions":["update"]}}}`, false},
		"attached elsewhere": {check("attached_elsewhere"), true},
		"another check":      {check("profiles_completed"), false},
		"a change":           {planOf(t, "x"), true},
		"only the state":     {refreshOnly(`"delete"`, "null"), true},
		"no settings":        {refreshOnly(`"update"`, `{"position_id": "p", "assessment_id": "a", "profile_status": "x"}`), false},
		"a failed plan":      {"", true},
	} {
		for _, earlier := range []map[string]string{{"plan.json": c.plan}, {"plan.json": c.plan, "drift": ""}} {
			o := Options{Kind: "drift", Dir: folder(t, earlier), Limit: DefaultLimit}
			var out strings.Builder
			_, err := Write(o, &out)
			_, statErr := os.Stat(filepath.Join(o.Dir, "drift"))
			if err != nil || (statErr == nil) != c.drift || strings.Contains(out.String(), "### No drift") == c.drift {
				t.Errorf("%s: drift is %t, error %v:\n%s", name, statErr == nil, err, out.String())
			}
		}
	}
}
