// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
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

// life is two configurations, the second of which is planned after an apply of the first one.
type life struct {
	before, after string
	byHand        []string // benchmarks of what a teammate attaches in London between the two
	env, options  []string // of the plan
	refused       []string // what the apply of the plan refuses
}

// noChecks plans what the provider would refuse in the plan already.
var noChecks = []string{"ASSESS_PLAN_CHECKS=false"}

var (
	a, b     = attach("a", london, engineers, ""), attach("b", london, engineers, "")
	first    = attach("a", london, engineers, createFirst)
	replaces = []string{"-replace=assess_position_assessment.a"}
	adopt    = []string{"ASSESS_ADOPT_EXISTING=true"}
)

var lives = map[string]life{
	"kept":      {before: a, after: a + b, refused: []string{"b"}},
	"unchecked": {before: a, after: a + b, env: noChecks, refused: []string{"b"}},
	"other":     {before: a, after: a + attach("b", london, graduates, "")},
	"rename":    {before: a, after: b},
	"moved": {
		before: a, after: b + "moved {\n  from = assess_position_assessment.a\n  to = assess_position_assessment.b\n}\n",
	},
	"forgotten": {
		before: a, after: b + "removed {\n  from = assess_position_assessment.a\n  lifecycle { destroy = false }\n}\n",
		refused: []string{"b"},
	},
	"imported": {
		after:  a + b + "import {\n  to = assess_position_assessment.a\n  id = \"" + london + "/pas-by-hand-0\"\n}\n",
		byHand: []string{engineers}, env: noChecks, refused: []string{"b"},
	},
	"replace":               {before: a, after: a, options: replaces},
	"replace, create first": {before: first, after: first, options: replaces, refused: []string{"a"}},
	"swap": {
		before: a + attach("b", leeds, engineers, ""), after: attach("a", leeds, engineers, "") + b,
	},
	"swap, create first": {
		before:  first + attach("b", leeds, engineers, createFirst),
		after:   attach("a", leeds, engineers, createFirst) + attach("b", london, engineers, createFirst),
		refused: []string{"a", "b"},
	},
	"takes the place": {before: a, after: attach("a", london, graduates, "") + b},
	"not targeted": {
		before: a, after: a + b, options: []string{"-target=assess_position_assessment.b"}, refused: []string{"b"},
	},
	"not known": {
		before: a, after: a + "resource \"terraform_data\" \"x\" { input = " + graduates + " }\n" +
			attach("b", london, "terraform_data.x.output", ""),
	},
	"data source": {
		before: a,
		after:  b + "data \"assess_position_assessment\" \"x\" {\n  position_id = \"" + london + "\"\n  id = \"pas-0001\"\n}\n",
	},
	"by hand":          {after: a, byHand: []string{engineers}, refused: []string{"a"}},
	"other by hand":    {after: a, byHand: []string{graduates}},
	"adopted":          {after: a, byHand: []string{engineers}, env: adopt},
	"two to adopt":     {after: a, byHand: []string{engineers, engineers}, env: adopt, refused: []string{"a"}},
	"beside, adopting": {after: a, byHand: []string{graduates}, env: adopt, refused: []string{"a"}},
	"beside what is kept, adopting": {
		before: a, after: a + attach("b", london, graduates, ""), env: adopt, refused: []string{"b"},
	},
	"two providers": {
		before: a, after: a + attach("b", london, engineers, "  provider = assess.other\n") + "provider \"assess\" {\n  alias = \"other\"\n}\n",
		refused: []string{"b"},
	},
	"two organizations": {
		before: a, after: a + attach("b", london, engineers, "  provider = assess.other\n") +
			"provider \"assess\" {\n  alias = \"other\"\n  sandbox { state_file = \"other.json\" }\n}\n",
	},
	"adopted, rename": {before: a, after: b, env: adopt},
}

// fileOf returns where the plan of a life is stored.
func fileOf(name string) string {
	return filepath.Join("testdata", "plans", strings.NewReplacer(", ", "-", " ", "-").Replace(name)+".json")
}

// refusedIn returns the names of the resources that the apply refuses according to a comment.
func refusedIn(t *testing.T, plan, messages []byte) (names []string) {
	t.Helper()
	p, err := decodePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	e := readEvents(messages)
	p.adopted = e.adoptions()
	for _, address := range slices.Sorted(maps.Keys(p.refused(e))) {
		names = append(names, strings.TrimPrefix(address, "assess_position_assessment."))
	}
	return names
}

// A comment knows what the apply refuses.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, life := range lives {
		plan, messages := clitest.ReadFile(t, fileOf(name)), clitest.ReadFile(t, fileOf(name)+"l")
		if got := refusedIn(t, []byte(plan), []byte(messages)); !slices.Equal(got, life.refused) {
			t.Errorf("%s: the apply refuses %q, want %q", name, got, life.refused)
		}
	}
}

// The plans in testdata are what the CLI writes, and their applies refuse what the comment says, and nothing else.
func TestRefusalsOfTheCLI(t *testing.T) {
	t.Parallel()
	for name, life := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 0 })
			cli := clitest.New(t, service).With(append(life.env, "ASSESS_UNTHROTTLED=1")...)
			if life.before != "" {
				cli.UseText(life.before)
				cli.Human("apply", "-input=false", "-auto-approve").OK()
			}
			attachByHand(t, service, life.byHand)
			cli.UseText(life.after)
			planned := cli.Plan(append([]string{"-out=plan"}, life.options...)...).OK()
			out, err := cli.Command("show", "-json", "plan").Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := refusedIn(t, out, []byte(planned.Output)); !slices.Equal(got, life.refused) {
				t.Errorf("the comment says that the apply refuses %q, want %q, of the plan\n%s", got, life.refused, out)
			}
			if *update {
				save(t, name, out, planned.Output)
			}
			var refused []string
			for _, d := range cli.Do("apply", "plan").Errors {
				refused = append(refused, strings.TrimPrefix(d.Address, "assess_position_assessment."))
			}
			if slices.Sort(refused); !slices.Equal(refused, life.refused) {
				t.Errorf("the apply refuses %q, want %q", refused, life.refused)
			}
		})
	}
}

func attachByHand(t *testing.T, service *sandboxtest.Server, benchmarks []string) {
	t.Helper()
	service.Change(t, func(st *sandbox.State) {
		p := st.Position(london)
		for i, benchmark := range benchmarks {
			p.Assessments = append(p.Assessments, sandbox.PositionAssessment{
				ID: fmt.Sprint("pas-by-hand-", i), Assessment: "asm-lumen",
				Metadata: sandbox.Metadata{Benchmark: strings.Trim(benchmark, `"`)},
			})
		}
	})
}

// save writes a plan and its messages to testdata.
func save(t *testing.T, name string, plan []byte, messages string) {
	t.Helper()
	var text bytes.Buffer
	if err := json.Indent(&text, plan, "", " "); err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(messages, "\n"), func(line string) bool {
		return !strings.Contains(line, `"type":"diagnostic"`) || strings.Contains(line, "development overrides")
	})
	for file, text := range map[string]string{fileOf(name): text.String(), fileOf(name) + "l": strings.Join(lines, "")} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Messages of the provider name what no state contains. Such an object stays, unless the apply adopts it.
func TestRefusalsByMessages(t *testing.T) {
	t.Parallel()
	const content = `"position_id": "p/1", "assessment_id": "a"`
	object := func(id, more string) string { return `{"id": "` + id + `", ` + content + more + `}` }
	const profile, other = `, "profile": {"id": "1"}`, `, "profile": {"id": "2"}`
	creates := change("new", `"create"`, "null", `{`+content+`}`)
	const already, often, adopts = "Already attached", "Already attached more than once", "Will be adopted"
	const reports = `It has "p%2F1/9" ("A/B"). Import "p%2F1/9".`
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
		"adopted, but there are two": {[]string{creates}, often, reports + ` And "p%2F1/10".`, []string{"new"}},
		"adopted, after a removal":   {[]string{creates, change("old", `"delete"`, object("9", profile), "null")}, often, reports + ` And "p%2F1/10".`, nil},
		"adopted, but kept":          {[]string{creates, change("old", `"no-op"`, object("9", profile), object("9", profile))}, adopts, reports, []string{"new"}},
		"adopted, and forgotten":     {[]string{creates, change("old", `"forget"`, object("9", profile), "null")}, adopts, reports, nil},
		"an unknown block":           {[]string{strings.Replace(creates, `"after"`, `"after_unknown": {"packages": true}, "after"`, 1)}, already, reports, nil},
		"an unknown ID":              {[]string{strings.Replace(creates, `"after"`, `"after_unknown": {"tests": {"ids": [false, true]}}, "after"`, 1)}, already, reports, nil},
		"handed over":                {[]string{creates, change("old", `"delete"`, object("9", profile), "null")}, adopts, reports, nil},
		"two creations":              {[]string{creates, change("newer", `"create"`, "null", `{`+content+`}`)}, "x", "", []string{"newer"}},
		"becomes equal":              {[]string{creates, change("old", `"update"`, object("9", profile), object("9", ""))}, "x", "", []string{"new"}},
		"a profile of a supervisor": {
			[]string{creates, change("old", `"no-op"`, object("9", profile+`, "profile_status": "SUPERVISOR_COMPLETED"`), "null")}, "x", "", []string{"new"},
		},
	} {
		p, err := decodePlan([]byte(planned(c.changes...)))
		if err != nil {
			t.Fatal(err)
		}
		e := readEvents([]byte(warning(t, c.message, c.detail, "new")))
		p.adopted = e.adoptions()
		if got := slices.Sorted(maps.Keys(p.refused(e))); !slices.Equal(got, c.refused) {
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
			says(t, out.String(), "**The apply would refuse 1 of 1 change (❌). Correct this first.**",
				"| ❌ The apply refuses this. The position already has it, at [assess_position_assessment.a], which this plan keeps. [Already attached] (see message 1). |")
		}
		if kind == "plan" {
			says(t, out.String(), "\n### The apply would fail: 1 assessment that it would refuse\n")
		}
	}
	failed := commentOn(t, map[string]string{"plan.json": string(kept), "failed": "plan"})
	says(t, failed, "### The plan failed", "!❌ The apply refuses this")
}
