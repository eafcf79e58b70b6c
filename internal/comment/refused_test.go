// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

var update = flag.Bool("update", false, "write the plans in testdata with the CLI")

func TestMain(m *testing.M) { clitest.Main(m) }

// attach returns a resource that attaches an assessment with a benchmark to a position.
func attach(name, position, benchmark, more string) string {
	return "resource \"assess_position_assessment\" \"" + name + "\" {\n  position_id = \"" + position + "\"\n" +
		"  assessment_id = \"asm-lumen\"\n  benchmark { id = " + benchmark + " }\n" + more + "}\n"
}

const (
	london, leeds        = "pos-backend-london", "pos-support-leeds"
	engineers, graduates = `"bmk-lumen-engineers-en-gb"`, `"bmk-lumen-graduates-en-gb"`
	createFirst          = "  lifecycle { create_before_destroy = true }\n"
)

// lives are two configurations, the second of which is planned after an apply of the first one, and the
// creations that its apply refuses.
var lives = map[string]struct {
	before, after string
	options       []string
	refused       []string
}{
	"kept":   {attach("a", london, engineers, ""), attach("a", london, engineers, "") + attach("b", london, engineers, ""), nil, []string{"b"}},
	"other":  {attach("a", london, engineers, ""), attach("a", london, engineers, "") + attach("b", london, graduates, ""), nil, nil},
	"rename": {attach("a", london, engineers, ""), attach("b", london, engineers, ""), nil, nil},
	"moved": {
		attach("a", london, engineers, ""),
		attach("b", london, engineers, "") + "moved {\n  from = assess_position_assessment.a\n  to = assess_position_assessment.b\n}\n", nil, nil,
	},
	"forgotten": {
		attach("a", london, engineers, ""), attach("b", london, engineers, "") +
			"removed {\n  from = assess_position_assessment.a\n  lifecycle { destroy = false }\n}\n", nil, []string{"b"},
	},
	"imported": {
		"", attach("a", london, engineers, "") + attach("b", london, engineers, "") +
			"import {\n  to = assess_position_assessment.a\n  id = \"" + london + "/pas-by-hand\"\n}\n", nil, []string{"b"},
	},
	"replace": {
		attach("a", london, engineers, ""), attach("a", london, engineers, ""),
		[]string{"-replace=assess_position_assessment.a"}, nil,
	},
	"replace, create first": {
		attach("a", london, engineers, createFirst), attach("a", london, engineers, createFirst),
		[]string{"-replace=assess_position_assessment.a"}, []string{"a"},
	},
	"swap": {
		attach("a", london, engineers, "") + attach("b", leeds, engineers, ""),
		attach("a", leeds, engineers, "") + attach("b", london, engineers, ""), nil, nil,
	},
	"swap, create first": {
		attach("a", london, engineers, createFirst) + attach("b", leeds, engineers, createFirst),
		attach("a", leeds, engineers, createFirst) + attach("b", london, engineers, createFirst), nil, []string{"a", "b"},
	},
	"takes the place": {
		attach("a", london, engineers, ""), attach("a", london, graduates, "") + attach("b", london, engineers, ""), nil, nil,
	},
	"not targeted": {
		attach("a", london, engineers, ""), attach("a", london, engineers, "") + attach("b", london, engineers, ""),
		[]string{"-target=assess_position_assessment.b"}, []string{"b"},
	},
	"not known": {
		attach("a", london, engineers, ""), attach("a", london, engineers, "") + "resource \"terraform_data\" \"x\" { input = " + engineers + " }\n" +
			attach("b", london, "terraform_data.x.output", ""), nil, nil,
	},
	"two providers": {
		attach("a", london, engineers, ""), "provider \"assess\" {\n  alias = \"other\"\n}\n" + attach("a", london, engineers, "") +
			attach("b", london, engineers, "  provider = assess.other\n"), nil, nil,
	},
}

// fileOf returns where the plan of a life is stored.
func fileOf(name string) string {
	return filepath.Join("testdata", "plans", strings.NewReplacer(", ", "-", " ", "-").Replace(name)+".json")
}

// refusedIn returns the names of the resources that the apply refuses according to a comment.
func refusedIn(t *testing.T, plan []byte) (names []string) {
	t.Helper()
	p, err := decodePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range slices.Sorted(maps.Keys(p.refused(nil))) {
		names = append(names, strings.TrimPrefix(address, "assess_position_assessment."))
	}
	return names
}

// What a plan of the CLI shows is enough to know what the apply refuses, without a message of the provider.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, life := range lives {
		text, err := os.ReadFile(fileOf(name))
		if err != nil {
			t.Fatal(err)
		}
		if got := refusedIn(t, text); !slices.Equal(got, life.refused) {
			t.Errorf("%s: the apply refuses %q, want %q", name, got, life.refused)
		}
	}
}

// The plans in testdata are what the CLI writes.
func TestRefusalsOfTheCLI(t *testing.T) {
	t.Parallel()
	for name, life := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 0 })
			cli := clitest.New(t, service).With("ASSESS_UNTHROTTLED=1", "ASSESS_PLAN_CHECKS=false") // the plan refuses some of them
			if life.before != "" {
				cli.UseText(life.before)
				cli.Human("apply", "-input=false", "-auto-approve").OK()
			}
			if name == "imported" {
				err := service.Update(func(st *sandbox.State) error {
					p := st.Position(london)
					p.Assessments = append(p.Assessments, sandbox.PositionAssessment{
						ID: "pas-by-hand", Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: strings.Trim(engineers, `"`)},
					})
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			cli.UseText(life.after)
			cli.Human(append([]string{"plan", "-input=false", "-out=plan"}, life.options...)...).OK()
			out, err := cli.Command("show", "-json", "plan").Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := refusedIn(t, out); !slices.Equal(got, life.refused) {
				t.Errorf("the apply refuses %q, want %q, of the plan\n%s", got, life.refused, out)
			}
			if *update {
				var text bytes.Buffer
				if err := json.Indent(&text, out, "", " "); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(fileOf(name), text.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Messages of the provider name what no state contains. Such an object stays, unless the apply adopts it.
func TestRefusalsByMessages(t *testing.T) {
	t.Parallel()
	const content = `"position_id": "p/1", "assessment_id": "a"`
	change := func(address, actions, before, after string) string {
		return `{"address": "` + address + `", "mode": "managed", "type": "assess_position_assessment", "change": {"actions": [` + actions +
			`], "before": ` + before + `, "after": ` + after + `}}`
	}
	object := func(id, more string) string { return `{"id": "` + id + `", ` + content + more + `}` }
	const profile, other = `, "profile": {"id": "1"}`, `, "profile": {"id": "2"}`
	creates := change("new", `"create"`, "null", `{`+content+`}`)
	const already, adopts, reports = "Already attached", "Will be adopted", `It has "p%2F1/9" ("A/B"). Import "p%2F1/9".`
	for name, c := range map[string]struct {
		changes []string
		message string
		detail  string
		refused []string
	}{
		"no message":                 {[]string{creates}, "Attached a second time", reports, nil},
		"in no state":                {[]string{creates}, already, reports, []string{"new"}},
		"no ID":                      {[]string{creates}, already, `It has "9".`, nil},
		"of another position":        {[]string{creates}, already, `It has "q/9".`, nil},
		"kept":                       {[]string{creates, change("old", `"no-op"`, object("9", profile), object("9", profile))}, already, reports, []string{"new"}},
		"managed in another way":     {[]string{creates, change("old", `"update"`, object("9", profile), object("9", profile+`, "on_refused_removal": "forget"`))}, already, reports, []string{"new"}},
		"changed":                    {[]string{creates, change("old", `"update"`, object("9", profile), object("9", other))}, already, reports, nil},
		"removed":                    {[]string{creates, change("old", `"delete"`, object("9", profile), "null")}, already, reports, nil},
		"removed, and one more":      {[]string{creates, change("old", `"delete"`, object("9", profile), "null")}, already, reports + ` And "p%2F1/10".`, []string{"new"}},
		"replaced":                   {[]string{creates, change("old", `"delete", "create"`, object("9", profile), object("", other))}, already, reports, nil},
		"replaced, create first":     {[]string{creates, change("old", `"create", "delete"`, object("9", profile), object("", other))}, already, reports, nil},
		"replacement is refused":     {[]string{creates, change("old", `"create", "delete"`, object("9", profile), object("", profile)), change("kept", `"no-op"`, object("8", profile), object("8", profile))}, already, reports, []string{"new", "old"}},
		"forgotten":                  {[]string{creates, change("old", `"forget"`, object("9", profile), "null")}, already, reports, []string{"new"}},
		"adopted":                    {[]string{creates}, adopts, reports, nil},
		"adopted, but there are two": {[]string{creates}, adopts, reports + ` And "p%2F1/10".`, []string{"new"}},
		"adopted, but kept":          {[]string{creates, change("old", `"no-op"`, object("9", profile), object("9", profile))}, adopts, reports, []string{"new"}},
		"handed over":                {[]string{creates, change("old", `"delete"`, object("9", profile), "null")}, adopts, reports, nil},
		"two creations":              {[]string{creates, change("newer", `"create"`, "null", `{`+content+`}`)}, "x", "", []string{"newer"}},
		"becomes equal":              {[]string{creates, change("old", `"update"`, object("9", profile), object("9", ""))}, "x", "", []string{"new"}},
		"a profile of a supervisor": {
			[]string{creates, change("old", `"no-op"`, object("9", profile+`, "profile_status": "SUPERVISOR_COMPLETED"`), "null")}, "x", "", []string{"new"},
		},
		"half a plan": {[]string{creates + `], "errored": true, "x": [1`}, already, reports, nil},
	} {
		p, err := decodePlan([]byte(`{"format_version": "1.2", "resource_changes": [` + strings.Join(c.changes, ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		e := readEvents([]byte(warning(t, c.message, c.detail, "new")))
		p.adopted = e.adopted()
		if got := slices.Sorted(maps.Keys(p.refused(e.diagnostics))); !slices.Equal(got, c.refused) {
			t.Errorf("%s: the apply refuses %q, want %q", name, got, c.refused)
		}
	}
}

// A comment about a plan that the apply refuses says so, ends with its own exit code, and keeps nothing to apply.
func TestRefusedPlan(t *testing.T) {
	t.Parallel()
	kept, err := os.ReadFile(fileOf("kept"))
	if err != nil {
		t.Fatal(err)
	}
	for kind, refuses := range map[string]bool{"plan": true, "drift": true, "apply": false} {
		dir := folder(t, map[string]string{"plan.json": string(kept), reviewedFile: "{}", "plan.jsonl": warning(t, "Already attached", "It has it.", "assess_position_assessment.b")})
		var out strings.Builder
		refused, err := Write(Options{Kind: kind, Dir: dir, Limit: DefaultLimit}, &out)
		_, noFile := os.Stat(filepath.Join(dir, reviewedFile))
		if err != nil || refused != refuses || (noFile != nil) != (kind == "plan") {
			t.Errorf("%s: refused is %t, want %t, %v, %v", kind, refused, refuses, err, noFile)
		}
		if refuses {
			says(t, out.String(), "**The apply would refuse 1 change (❌) and make the others. Correct this first.**",
				"| ❌ The apply refuses this. The position has the same already, at [assess_position_assessment.a], which this plan keeps. [Already attached] (see message 1). |")
		}
		if kind == "plan" {
			says(t, out.String(), "\n### The apply would fail: 1 assessment to refuse\n")
		}
	}
}
