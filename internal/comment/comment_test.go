// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// object is JSON.
type object = map[string]any

// planOf returns the JSON of a plan with changes, in which all names are the same.
func planOf(name string) object {
	const kind = "assess_position_assessment"
	address := func(i int) string { return fmt.Sprintf("module.position[%q].%s.this[%d]", name, kind, i) }
	one := func(i int, actions []string, before, after any) object {
		return object{
			"address": address(i), "module_address": fmt.Sprintf("module.position[%q]", name), "mode": "managed", "type": kind,
			"index": name, "change": object{
				"actions": actions, "before": before, "after": after, "after_unknown": object{},
				"replace_paths": [][]any{{"assessment_id"}, {name}},
			},
		}
	}
	with := func(id string, more object) object {
		v := object{
			"assessment_id": id,
			"position_id":   "p",
			"benchmark":     object{"id": "b"},
			"tests":         object{"ids": []any{"t"}},
		}
		for k, value := range more {
			v[k] = value
		}
		return v
	}
	data := func(kind string, v object) object { return object{"mode": "data", "type": kind, "values": v} }
	drift := one(2, []string{"update"}, with("a", nil), with(name, nil))
	return object{
		"format_version": "1.2",
		"resource_drift": []any{drift, one(1, []string{"delete"}, with("a", nil), nil)},
		"checks": []any{object{"address": object{"kind": "check", "name": "attached_elsewhere"}, "instances": []any{
			object{"problems": []any{object{"message": name}}},
		}}},
		"resource_changes": []any{
			one(1, []string{"create"}, nil, with("a", nil)),
			one(
				2,
				[]string{"update"},
				with("a", nil),
				with("a", object{"benchmark": object{"id": name}, "profile": object{"id": "f"}}),
			),
			one(3, []string{"delete"}, with("other", object{"profile_status": "SUPERVISOR_COMPLETED"}), nil),
			one(4, []string{"delete", "create"}, with("a", nil), with(name, nil)),
			one(5, []string{"unheard of"}, with("a", nil), with("a", nil)),
			object{
				"address": name,
				"type":    name,
				"mode":    "managed",
				"change":  object{"actions": []any{"create"}, "after": object{}},
			},
		},
		"prior_state": object{"values": object{"root_module": object{"resources": []any{
			data("assess_position", object{"id": "p", "title": name}),
			data("assess_assessment", object{"id": "a", "name": name, "code": name}),
			data("assess_benchmarks", object{"benchmarks": []any{object{"id": "b", "name": name}}}),
			data("assess_assessment_options", object{"profiles": object{name: "f"}, "skills_tests": object{name: "t"}}),
		}}}},
	}
}

// files returns the files of a run in which all texts are the same name.
func files(t *testing.T, name, failed string) map[string]string {
	t.Helper()
	event := object{"type": "diagnostic", "diagnostic": object{
		"severity": "warning", "summary": name, "detail": name + "\n" + name,
		"address": fmt.Sprintf("module.position[%q].assess_position_assessment.this[3]", name),
	}}
	return map[string]string{
		"plan.json": encoded(t, planOf(name)), "plan.txt": name + "\n" + name, "plan.jsonl": name + "\n" + encoded(t, event),
		"failed": failed, "log.txt": "x" + name, reviewedFile: encoded(t, digests{Format: digestsFormat, Changes: []digest{
			{Address: "reviewed " + name, Actions: []string{name}},
		}}),
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// commentOn returns the comment that the program writes for these files.
func commentOn(t *testing.T, files map[string]string, change ...func(*Options)) string {
	t.Helper()
	o := Options{Kind: "plan", Dir: t.TempDir(), Limit: DefaultLimit}
	for _, c := range change {
		c(&o)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(o.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := Write(o, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func ofKind(kind string) func(*Options) { return func(o *Options) { o.Kind = kind } }

var (
	cells      = regexp.MustCompile(`(<code>[^<>|]*</code>|\(empty\))( \(<code>[^<>|]*</code>\))?`)
	codeBlocks = regexp.MustCompile(`(?m)(^    .*\n)+`)
)

// skeleton returns a comment without names and code blocks: only the text of this program.
func skeleton(comment string) string {
	return cells.ReplaceAllString(codeBlocks.ReplaceAllString(comment, "CODE\n"), "NAME")
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
	p := planOf("Prüfung für „Märchen“")
	changes, _ := p["resource_changes"].([]any)
	for range 5 {
		changes = append(changes, changes...)
	}
	p["resource_changes"] = changes
	in := map[string]string{"plan.json": encoded(t, p), "plan.txt": long, "plan.jsonl": ""}
	for i := range 40 {
		in["plan.jsonl"] += encoded(t, object{"type": "diagnostic", "diagnostic": object{
			"severity": "error", "summary": fmt.Sprint("Prüfung ", i), "detail": long[:i*100/33*33],
		}})
	}
	dir := t.TempDir()
	for name, text := range in {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Options = Options{Kind: "plan", Run: "https://ci.example.com/1", Commit: "0123456789"}
	headline := strings.SplitAfterN(c.markdown(), "\n", 3)[1]
	limits := []int{65_536, 200_000, 2_000_000}
	for limit := smallest; limit < smallest+500; limit++ {
		limits = append(limits, limit)
	}
	for limit := 65_536 - 200; limit < 65_536; limit++ {
		limits = append(limits, limit)
	}
	for _, limit := range limits {
		c.Limit = limit
		got := c.markdown()
		if len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("limit %d: %d bytes", limit, len(got))
		}
		if !strings.HasPrefix(got, "<!-- assess: plan -->\n### Plan: ") || !strings.Contains(got, headline) ||
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

// A message of one long line is shortened. Otherwise nothing would say what is wrong, because the
// comment shows no log if a message explains the failure.
func TestALongMessageIsShortened(t *testing.T) {
	t.Parallel()
	got := commentOn(t, map[string]string{
		"failed": "plan", "log.txt": "x", "plan.jsonl": encoded(t, object{"type": "diagnostic", "diagnostic": object{
			"severity": "error", "summary": "Resource precondition failed", "address": "x",
			"detail": "There is no test " + strings.Repeat("0123456789", 20_000),
		}}),
	})
	for _, text := range []string{
		"Resource precondition failed", "There is no test " + strings.Repeat("0123456789", 1000), "This message was cut",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("the comment does not contain %.50q:\n%.2000s", text, got)
		}
	}
	if len(got) > 65_536 {
		t.Errorf("the comment has %d bytes", len(got))
	}
}

// A run that was killed, or that has no plan, is never shown as a plan that can be applied.
func TestFailedRuns(t *testing.T) {
	t.Parallel()
	whole := files(t, "Engineers", "")
	for name, c := range map[string]struct {
		files map[string]string
		says  []string
	}{
		"nothing":       {nil, []string{"### The plan failed", "stopped before there was a plan"}},
		"empty files":   {map[string]string{"plan.json": "", "plan.txt": "", "plan.jsonl": ""}, []string{"### The plan failed"}},
		"half a plan":   {map[string]string{"plan.json": whole["plan.json"][:200]}, []string{"### The plan failed"}},
		"not a plan":    {map[string]string{"plan.json": "{}"}, []string{"### The plan failed"}},
		"errored":       {map[string]string{"plan.json": `{"format_version":"1.2","errored":true}`}, []string{"### The plan failed"}},
		"no lock file":  {map[string]string{"failed": "lock\n"}, []string{"### The plan failed", "make lock"}},
		"not formatted": {map[string]string{"failed": "fmt\n", "log.txt": "main.tf\n@x"}, []string{"### The plan failed", "tofu fmt", "\n    @x\n"}},
		"a failed test": {
			map[string]string{"failed": "test", "log.txt": strings.Repeat("run pass\n", 20_000) + "run fail\n"},
			[]string{"### The plan failed", "A test of this repository failed", "\n    run fail\n"},
		},
		"a plan that failed after the last one": {
			map[string]string{"failed": "plan", "plan.json": whole["plan.json"], "plan.jsonl": whole["plan.jsonl"]},
			[]string{"### The plan failed", "Nothing was changed"},
		},
		"an unknown step": {map[string]string{"failed": "@x **y**"}, []string{"### The plan failed", "The run stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := commentOn(t, c.files)
			for _, text := range c.says {
				if !strings.Contains(got, text) {
					t.Errorf("the comment does not say %q:\n%.2000s", text, got)
				}
			}
			if len(got) > 65_536 || strings.Contains(got, "### Plan") {
				t.Errorf("the comment has %d bytes:\n%.500s", len(got), got)
			}
		})
	}
}

func TestPlansWithoutChanges(t *testing.T) {
	t.Parallel()
	for kind, headline := range map[string]string{"plan": "### Plan: no changes\n", "apply": "### Applied: no changes\n", "drift": "### No drift\n"} {
		got := commentOn(t, map[string]string{"plan.json": `{"format_version":"1.2"}`}, ofKind(kind))
		if !strings.Contains(got, headline) || strings.Contains(got, "|") {
			t.Errorf("%s: %s", kind, got)
		}
	}
	outputs := `{"format_version":"1.2","output_changes":{"a":{"actions":["no-op"]},"b":{"actions":["update"]}}}`
	if got := commentOn(
		t,
		map[string]string{"plan.json": outputs},
	); !strings.Contains(
		got,
		"### Plan: only outputs change\n",
	) {
		t.Error(got)
	}
}

// A CLI can defer changes, for example of a provider whose settings are not known yet.
func TestDeferredChanges(t *testing.T) {
	t.Parallel()
	plan := `{"format_version":"1.2","deferred_changes":[{"reason":"provider_config_unknown","resource_change":{}}]}`
	says(
		t,
		commentOn(t, map[string]string{"plan.json": plan}),
		"### Plan: no changes",
		"**Deferred to a later plan: 1 change.**",
	)
}

func TestDrift(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan  string
		drift bool
	}{
		"none":               {`{"format_version":"1.2"}`, false},
		"outputs":            {`{"format_version":"1.2","output_changes":{"b":{"actions":["update"]}}}`, false},
		"attached elsewhere": {`{"format_version":"1.2","checks":[{"address":{"kind":"check","name":"attached_elsewhere"},"instances":[{"problems":[{"message":"x"}]}]}]}`, true},
		"another check":      {`{"format_version":"1.2","checks":[{"address":{"kind":"check","name":"profiles_completed"},"instances":[{"problems":[{"message":"x"}]}]}]}`, false},
		"a change":           {encoded(t, planOf("x")), true},
		"a failed plan":      {"", true},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "plan.json"), []byte(c.plan), 0o600); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "drift")
		for _, earlier := range []bool{false, true} { // whether an earlier run found drift
			if earlier {
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			err := Write(Options{Kind: "drift", Dir: dir, Limit: DefaultLimit}, &out)
			_, statErr := os.Stat(file)
			if err != nil || (statErr == nil) != c.drift || strings.Contains(out.String(), "### No drift") == c.drift {
				t.Errorf("%s, earlier %t: drift is %t, error %v:\n%s", name, earlier, statErr == nil, err, out.String())
			}
		}
	}
}

// The footer omits an invalid link or commit.
func TestFooter(t *testing.T) {
	t.Parallel()
	empty := map[string]string{"plan.json": `{"format_version":"1.2"}`}
	got := commentOn(t, empty, func(o *Options) { o.Run, o.Commit = "https://ci.example.com/a/b/1", "0123456789abcdef" })
	if !strings.HasSuffix(
		html.UnescapeString(got),
		"\nCommit <code>0123456</code>. [Log of the run](https://ci.example.com/a/b/1).\n",
	) {
		t.Error(got)
	}
	for _, link := range []string{"javascript:x", "https://a) [b](c", "https://a\nb"} {
		if got := commentOn(
			t,
			empty,
			func(o *Options) { o.Run, o.Commit = link, "@octocat" },
		); strings.Contains(
			got,
			"Log of",
		) ||
			strings.Contains(got, "Commit") {
			t.Error(got)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Kind: "other", Limit: DefaultLimit}, {Kind: "plan", Limit: 10}} {
		if err := Write(o, &strings.Builder{}); err == nil {
			t.Errorf("%v: no error", o)
		}
	}
}
