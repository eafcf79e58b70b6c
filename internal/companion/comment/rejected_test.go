// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// rejectedIn returns the names of the resources that the apply rejects according to a comment.
func rejectedIn(t *testing.T, plan, messages string) (names []string) {
	t.Helper()
	p, err := decodePlan([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	p.adopted = readEvents([]byte(messages)).adoptions()
	for _, address := range slices.Sorted(maps.Keys(p.rejections())) {
		names = append(names, strings.TrimPrefix(address, "assess_position_assessment."))
	}
	return names
}

// The rejections in plans that a CLI has written. Each has one or two position assessments "a" and "b".
func TestRejectionsInPlans(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"kept":              {"b"}, // b has the key of a
		"not-targeted":      {"b"}, // -target leaves a out
		"data-source":       nil,
		"two-organizations": nil, // with an alias
		"adopted-rename":    nil,
	} {
		plan := filepath.Join("testdata", "plans", name+".json")
		if got := rejectedIn(t, clitest.ReadFile(t, plan), clitest.ReadFile(t, plan+"l")); !slices.Equal(got, want) {
			t.Errorf("%s: the apply rejects %q, want %q", name, got, want)
		}
	}
}

const kept9 = `{"id": "9", "position_id": "p/1", "assessment_id": "a"}`

func TestRejections(t *testing.T) {
	t.Parallel()
	const content = kept9
	const imported = content + `, "importing": {"id": "p%2F1/9"}`
	duplicate := strings.Replace(content, "9", "10", 1)
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
		"deposed removed":   {[]string{creates, change(`old", "deposed": "1`, `"delete"`, content, "null")}, "", nil},
		"deposed forgotten": {[]string{creates, change(`old", "deposed": "1`, `"forget"`, content, "null")}, "", []string{"new"}},
		"create first":      {[]string{change("x", `"create", "delete"`, content, content)}, "", []string{"x"}},
		"replaced":          {[]string{change("x", `"delete", "create"`, content, content)}, "", nil},
		"imported":          {[]string{change("x", `"no-op"`, content, imported)}, "", nil},
		"imported, kept":    {[]string{change("new", `"no-op"`, content, imported), change("old", `"no-op"`, content, content)}, "", []string{"new"}},
		"forgotten, imported": {
			[]string{change("new", `"update"`, content, imported), change("old", `"forget"`, content, "null")}, "", nil,
		},
		"imported twice": {
			[]string{change("x", `"no-op"`, content, imported), change("y", `"no-op"`, content, imported)}, "", []string{"x", "y"},
		},
		"imports a duplicate": { // of what a person has attached twice
			[]string{change("new", `"no-op"`, duplicate, strings.Replace(imported, "9", "10", 2)), change("old", `"no-op"`, content, content)}, "", nil,
		},
		"imports a duplicate, replaces it": {
			[]string{change("new", `"delete", "create"`, duplicate, imported), change("old", `"no-op"`, content, content)}, "", []string{"new"},
		},
		"provider in a module": {[]string{creates, change("old", `"no-op"`, content, content) + `], "configuration": {"provider_config": {
			"module.m:assess": {"name": "assess", "full_name": "registry.terraform.io/a/assess", "module_address": "module.m",
			"expressions": {"key": {}}}}}, "deferred_changes": [`}, "", nil},
	} {
		if got := rejectedIn(t, planned(c.changes...), c.messages); !slices.Equal(got, c.rejected) {
			t.Errorf("%s: the apply rejects %q, want %q", name, got, c.rejected)
		}
	}
}

// Text of the service is no command of a log.
func TestCommandsOfALog(t *testing.T) {
	t.Parallel()
	in := map[string]string{
		"plan.json": planned(), "plan.txt": "::error::a\n##[error]b\n:::error d:::e\n##vso[f]g\n",
		"plan.jsonl": event(t, "warning", "::warning::c", "x\n::set-output name=d::e", ""),
	}
	says(t, commentOn(t, in), ": :error: :a", "# #[error]b", ": : :error d: : :e", "# #vso[f]g",
		": :warning: :c", ": :set-output", "!::", "!##[", "!##vso")
}

// A comment about a plan that the apply rejects ends with its own exit code, and keeps nothing to apply.
func TestRejectedPlan(t *testing.T) {
	t.Parallel()
	kept := clitest.ReadFile(t, "testdata", "plans", "kept.json")
	for kind, rejects := range map[string]bool{"plan": true, "drift": true, "apply": false} {
		dir := folder(t, map[string]string{"plan.json": kept, reviewedFile: "{}"})
		rejected, err := Write(Options{Kind: kind, Dir: dir, Limit: DefaultLimit}, io.Discard)
		_, noFile := os.Stat(filepath.Join(dir, reviewedFile))
		if err != nil || rejected != rejects || (noFile != nil) != (kind == "plan") {
			t.Errorf("%s: rejected is %t, want %t, %v, %v", kind, rejected, rejects, err, noFile)
		}
	}
	failed := commentOn(t, map[string]string{"plan.json": kept, "failed": "plan"})
	says(t, failed, "### The plan failed", "!❌ Correct this")

	adopts := commentOn(t, map[string]string{ // the apply would succeed, and put it at two addresses
		"plan.json":  planned(change("new", `"create"`, "null", kept9), change("old", `"no-op"`, kept9, kept9)),
		"plan.jsonl": warning(t, "Existing position assessment will be adopted", `It has "p%2F1/9".`, "new"),
	})
	says(t, adopts, "### The plan must be corrected: 1 assessment", "❌ Correct this. The position already has", "!The apply")

	const imported = kept9 + `, "importing": {"id": "p%2F1/9"}`
	imports := commentOn(t, map[string]string{"plan.json": planned(
		change("x", `"no-op"`, kept9, imported), change("y", `"no-op"`, kept9, imported))})
	says(t, imports, ": 2 assessments to correct\n", "❌ Correct this. The plan also imports the assessment as [y]", "!already has")

	deposed := commentOn(t, map[string]string{"plan.json": planned( // only the replacement must be corrected
		change("x", `"create", "delete"`, kept9, kept9), change(`x", "deposed": "1`, `"delete"`, kept9, "null"))})
	says(t, deposed, ": 1 assessment to remove, 1 assessment to correct\n", "⚠️ The assessment is removed.")
}
