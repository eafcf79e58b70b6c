// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// plansOf are plans that a CLI has written, and the creations that their applies certainly reject. Each has one or two
// position assessments "a" and "b".
var plansOf = map[string][]string{
	"kept":                          {"b"}, // b has the key of a
	"unchecked":                     {"b"},
	"other":                         {"b"}, // with another benchmark
	"rename":                        nil,
	"moved":                         nil,
	"forgotten":                     {"b"}, // b has the key of a, which a removed block forgets
	"imported":                      {"b"}, // b has the key of what a imports
	"replace":                       nil,
	"replace, create first":         {"a"},
	"swap":                          nil, // a and b exchange their positions
	"takes the place":               {"b"},
	"not targeted":                  {"b"}, // -target leaves a out
	"not known":                     {"b"}, // with an unknown benchmark
	"data source":                   nil,
	"by hand":                       nil, // the provider warns
	"adopted":                       nil,
	"beside what is kept, adopting": {"b"},
	"two organizations":             nil, // with an alias
	"adopted, rename":               nil,
}

// fileOf returns where a plan is stored.
func fileOf(name string) string {
	return filepath.Join("testdata", "plans", strings.NewReplacer(", ", "-", " ", "-").Replace(name)+".json")
}

// rejectedIn returns the names of the resources that the apply rejects according to a comment.
func rejectedIn(t *testing.T, plan, messages string) (names []string) {
	t.Helper()
	p, err := decodePlan([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	p.adopted = readEvents([]byte(messages)).adoptions()
	for _, address := range slices.Sorted(maps.Keys(p.rejected())) {
		names = append(names, strings.TrimPrefix(address, "assess_position_assessment."))
	}
	return names
}

func TestRejectionsInPlans(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/plans/*.json")
	if err != nil || len(files) != len(plansOf) {
		t.Errorf("%d files, %v", len(files), err)
	}
	for name, want := range plansOf {
		plan, messages := clitest.ReadFile(t, fileOf(name)), clitest.ReadFile(t, fileOf(name)+"l")
		if got := rejectedIn(t, plan, messages); !slices.Equal(got, want) {
			t.Errorf("%s: the apply rejects %q, want %q", name, got, want)
		}
	}
}

func TestRejections(t *testing.T) {
	t.Parallel()
	const content = `{"id": "9", "position_id": "p/1", "assessment_id": "a"}`
	const elsewhere = `{"position_id": "p/2", "assessment_id": "a"}`
	creates := change("new", `"create"`, "null", content)
	adopts := warning(t, "Existing position assessment will be adopted", `It has "p%2F1/9".`, "new")
	for name, c := range map[string]struct {
		changes  []string
		messages string
		rejected []string
	}{
		"alone":             {[]string{creates}, "", nil},
		"two creations":     {[]string{creates, change("newer", `"create"`, "null", content)}, "", []string{"newer"}},
		"two adoptions":     {[]string{creates, change("newer", `"create"`, "null", content)}, adopts, []string{"newer"}},
		"another position":  {[]string{creates, change("newer", `"create"`, "null", elsewhere)}, "", nil},
		"unknown":           {[]string{creates, change("newer", `"create"`, "null", `{"assessment_id": "a"}`)}, "", nil},
		"kept":              {[]string{creates, change("old", `"no-op"`, content, content)}, "", []string{"new"}},
		"changed":           {[]string{creates, change("old", `"update"`, content, content)}, "", []string{"new"}},
		"at two addresses":  {[]string{creates, change("old", `"no-op"`, content, content)}, adopts, []string{"new"}},
		"removed":           {[]string{creates, change("old", `"delete"`, content, "null")}, "", nil},
		"moves away":        {[]string{creates, change("old", `"delete", "create"`, content, elsewhere)}, "", nil},
		"forgotten":         {[]string{creates, change("old", `"forget"`, content, "null")}, "", []string{"new"}},
		"forgotten, adopts": {[]string{creates, change("old", `"forget"`, content, "null")}, adopts, nil},
		"create first":      {[]string{change("x", `"create", "delete"`, content, content)}, "", []string{"x"}},
		"replaced":          {[]string{change("x", `"delete", "create"`, content, content)}, "", nil},
	} {
		if got := rejectedIn(t, planned(c.changes...), c.messages); !slices.Equal(got, c.rejected) {
			t.Errorf("%s: the apply rejects %q, want %q", name, got, c.rejected)
		}
	}
}

// A comment shows the moved blocks of renamed resources, and of no others.
func TestMovedBlocks(t *testing.T) {
	t.Parallel()
	const content, elsewhere = `{"position_id": "p", "assessment_id": "a"}`, `{"position_id": "q", "assessment_id": "a"}`
	const from, to = `module.m[\"A\"].assess_position_assessment.this[\"X\"]`, `module.m[\"B\"].assess_position_assessment.this[\"X\"]`
	got := commentOn(t, map[string]string{"plan.json": planned(
		change(from, `"delete"`, content, "null"), change(to, `"create"`, "null", content),
		change("new", `"create"`, "null", elsewhere),
	)})
	says(t, got, "**Renamed in the configuration. Ask the engineers to add these blocks. Otherwise, the apply removes each assessment and attaches it again:**\n\n"+
		"    moved {\n      from = module.m[\"A\"].assess_position_assessment.this[\"X\"]\n"+
		"      to   = module.m[\"B\"].assess_position_assessment.this[\"X\"]\n    }\n\n", "!to   = new")
	says(t, commentOn(t, map[string]string{"plan.json": planned(change("new", `"create"`, "null", content))}), "!moved {")
}

// Text of the service is no command of a log.
func TestCommandsOfALog(t *testing.T) {
	t.Parallel()
	in := map[string]string{
		"plan.json": planned(), "plan.txt": "::error::a\n##[error]b\n",
		"plan.jsonl": event(t, "warning", "::warning::c", "x\n::set-output name=d::e", ""),
	}
	says(t, commentOn(t, in), ": :error: :a", "# #[error]b", ": :warning: :c", ": :set-output", "!::", "!##[")
}

// A profile that a supervisor has replaced is in the comment about drift, and the warnings are folded.
func TestDriftComment(t *testing.T) {
	t.Parallel()
	const object = `{"position_id": "p", "assessment_id": "a", "profile": {"id": "f"}, "profile_status": `
	before, after := object+`"PROFILE_ATTACHED"}`, object+`"SUPERVISOR_COMPLETED"}`
	plan := `{"format_version": "1.2", "resource_drift": [` + change("x", `"update"`, before, after) +
		`], "resource_changes": [` + change("x", `"no-op"`, after, after) + `]}`
	messages := event(t, "warning", "Well", "Something.", "") + event(t, "error", "No", "It failed.", "")
	got := commentOn(t, map[string]string{"plan.json": plan, "plan.jsonl": messages}, ofKind("drift"))
	says(t, got, "### Drift: the service differs from the repository\n", "| A supervisor replaced the attached profile | Record what was changed in the service |",
		"<details><summary>Warnings</summary>\n\nWarning (message 2):\n\n    Well\n", "\n\nError (message 1):\n\n    No\n")
}

// A comment about a plan that the apply rejects says so, ends with its own exit code, and keeps nothing to apply.
func TestRejectedPlan(t *testing.T) {
	t.Parallel()
	kept, err := os.ReadFile(fileOf("kept"))
	if err != nil {
		t.Fatal(err)
	}
	for kind, rejects := range map[string]bool{"plan": true, "drift": true, "apply": false} {
		dir := folder(t, map[string]string{"plan.json": string(kept), reviewedFile: "{}", "plan.jsonl": warning(t, "Already attached", "It has it.", "assess_position_assessment.b")})
		var out strings.Builder
		rejected, err := Write(Options{Kind: kind, Dir: dir, Limit: DefaultLimit}, &out)
		_, noFile := os.Stat(filepath.Join(dir, reviewedFile))
		if err != nil || rejected != rejects || (noFile != nil) != (kind == "plan") {
			t.Errorf("%s: rejected is %t, want %t, %v, %v", kind, rejected, rejects, err, noFile)
		}
		if rejects {
			says(t, out.String(), "**The apply would reject 1 of 1 change (❌). Correct this first.**",
				"| ❌ The apply rejects this. The position already has the assessment, as [assess_position_assessment.a], and this plan keeps it. [Already attached] (see message 1). |")
		}
		if kind == "plan" {
			says(t, out.String(), "\n### The apply would fail: 1 assessment that it would reject\n")
		}
	}
	failed := commentOn(t, map[string]string{"plan.json": string(kept), "failed": "plan"})
	says(t, failed, "### The plan failed", "!❌ The apply rejects this")
}
