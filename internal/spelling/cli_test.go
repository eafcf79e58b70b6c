// SPDX-License-Identifier: MPL-2.0

package spelling_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// written are the spellings of testdata/main.tf, and generated those of the files that a test generates. Each attaches
// the same to a position of its own.
var (
	written = []string{
		"variable", "json", "yaml", "csv", "spreadsheet", "merge", "later", "named", "output", "objects",
	}
	generated = []string{"literal", "tfjson"}
)

func position(spelling string) string { return "pos-" + spelling }

// TestSpellingsWithCLI writes the position assessments of a few seeds in all spellings at once.
func TestSpellingsWithCLI(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 9)) //nolint:gosec // a simulation
			all := everyKind(r)
			var positions []string
			for _, spelling := range slices.Concat(written, generated) {
				positions = append(positions, position(spelling))
			}
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Seed = organization(positions...) })
			c := newCLI(t, service)
			spellAll(t, c, all, generated)
			c.Human("get").OK()
			c.Human("validate").OK()
			plan := c.Plan("-out=plan").OK().Quiet()
			for _, spelling := range slices.Concat(written, generated) {
				if n := creations(plan, spelling); n != len(all) {
					t.Errorf("%s plans %d position assessments, want %d: %q", spelling, n, len(all), plan.Changes)
				}
			}
			c.Do("apply", "plan").OK().Quiet()
			want := attached(t, service.Service, position("literal"))
			for _, p := range positions {
				if got := attached(t, service.Service, p); !slices.Equal(got, want) || len(got) != len(all) {
					t.Errorf("%s has\n%s\nwant\n%s", p, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
			c.Plan().Empty().Quiet()

			// A mistake is refused in each spelling.
			wrong := append(all, mistakes["two blocks"])
			spellAll(t, c, wrong, nil)
			c.Human("validate").OK()
			refusedIn(t, c.Plan("-refresh=false"))
			spellAll(t, c, wrong, generated)
			if r := c.Human("validate", "-no-color"); r.Code == 0 || !strings.Contains(r.Output, "Blocks that exclude each other") {
				t.Errorf("the literal mistake is not refused: %s", r.Output)
			}
		})
	}
}

// everyKind returns position assessments of all kinds for the same position, which is not set.
func everyKind(r *rand.Rand) []assessment {
	for {
		all := wanted(r, []string{"x"})
		if len(all) == 6 && !slices.ContainsFunc(all, func(a assessment) bool { return a.assessment == "asm-tideline" }) {
			return all
		}
	}
}

// newCLI returns a working directory with the modules and main.tf of testdata.
func newCLI(t *testing.T, service *sandboxtest.Server) *clitest.CLI {
	t.Helper()
	c := clitest.New(t, service)
	if err := os.CopyFS(c.Dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	return c
}

// creations returns how many position assessments a plan creates in a spelling.
func creations(plan *clitest.Run, spelling string) int {
	at := regexp.MustCompile(fmt.Sprintf(`^create (module\.%[1]s\.|assess_position_assessment\.%[1]s(_|\[))`, spelling))
	n := 0
	for _, change := range plan.Changes {
		if at.MatchString(change) && strings.Contains(change, "assess_position_assessment") {
			n++
		}
	}
	return n
}

// refusedIn checks that a plan refuses the mistake in each spelling of testdata/main.tf, and nothing else.
func refusedIn(t *testing.T, plan *clitest.Run) {
	t.Helper()
	refused := map[string]bool{}
	for _, d := range plan.Errors {
		if d.Summary != "Blocks that exclude each other" {
			t.Errorf("%s: %s", d.Address, d)
		}
		refused[d.Address] = true
	}
	// A plan only warns about values that it does not know yet, and does not reach what depends on a refused resource.
	plan.Warns("Blocks that may exclude each other")
	known := slices.DeleteFunc(slices.Clone(written), func(s string) bool { return s == "later" || s == "output" })
	for _, spelling := range known {
		if !slices.ContainsFunc(sortedKeys(refused), func(addr string) bool {
			return strings.HasPrefix(addr, "module."+spelling+".") ||
				strings.HasPrefix(addr, "assess_position_assessment."+spelling)
		}) {
			t.Errorf("%s is not refused: %q", spelling, sortedKeys(refused))
		}
	}
	if len(refused) != len(known) {
		t.Errorf("refused: %q, want one in each of %q", sortedKeys(refused), known)
	}
}

// spellAll writes the files that testdata/main.tf reads, and those of the generated spellings.
func spellAll(t *testing.T, c *clitest.CLI, all []assessment, generated []string) {
	t.Helper()
	full, sparse, disabled, values := map[string]any{}, map[string]any{}, []string{}, map[string]bool{}
	for i, a := range all {
		full[key(i)], sparse[key(i)] = a.object(true), a.object(false)
		for _, value := range a.values() {
			if values[value] = true; slices.Contains(disabledTests, value) {
				disabled = append(disabled, value)
			}
		}
	}
	c.Add("set.json", toJSON(t, full))
	c.Add("set.auto.tfvars.json", toJSON(t, map[string]any{"set": sparse}))
	text, err := yaml.Marshal(sparse)
	if err != nil {
		t.Fatal(err)
	}
	c.Add("set.yaml", string(text))
	c.Add("comma.csv", csv(all, ",", ",", "\n"))
	c.Add("semicolon.csv", "\ufeff"+csv(all, ";", " ", "\r\n"))
	c.Add("locals.tf.json", toJSON(t, map[string]any{"locals": map[string]any{
		"set": full, "sparse": sparse, "disabled": disabled, "values": "${toset(" + toJSON(t, sortedKeys(values)) + ")}",
		"codes": codes, "names": titles(),
	}}))
	for _, name := range []string{"literal.tf", "literal.tf.json"} {
		if err := os.RemoveAll(filepath.Join(c.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if len(generated) > 0 {
		c.Add("literal.tf", literal(t, all))
		c.Add("literal.tf.json", literalJSON(t, all))
	}
}

func key(i int) string { return fmt.Sprintf("key %d", i) }

// object returns the arguments, either all of them or only those that are not null.
func (a *assessment) object(nulls bool) map[string]any {
	o := map[string]any{"assessment": a.assessment}
	if a.onRefused != "" {
		o["on_refused_removal"] = a.onRefused
	} else if nulls {
		o["on_refused_removal"] = nil
	}
	for name, inner := range arguments {
		b, present := a.blocks[name]
		switch {
		case present && nulls:
			content := block{}
			for _, argument := range inner {
				content[argument] = b[argument]
			}
			o[name] = content
		case present:
			o[name] = b
		case nulls:
			o[name] = nil
		}
	}
	return o
}

// values returns the texts and IDs of the arguments.
func (a *assessment) values() []string {
	all := []string{a.assessment}
	for _, b := range a.blocks {
		all = append(all, b.ids()...)
		for _, value := range b {
			if text, is := value.(string); is {
				all = append(all, text)
			}
		}
	}
	return all
}

// titles returns the names of what blocks refer to.
func titles() map[string]string {
	all := maps.Clone(names)
	maps.Copy(all, map[string]string{
		"pkg-verbal-knowledge": "Verbal knowledge", "skt-linux": "Linux Administration", "skt-go": "Go Programming",
		"skt-rust": "Rust Programming", "skt-kubernetes": "Container Orchestration",
	})
	return all
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// csv writes a table with a row for each position assessment. IDs of a list are separated by within.
func csv(all []assessment, separator, within, newline string) string {
	rows := []string{strings.Join([]string{
		"key", "assessment", "on_refused_removal", "packages", "select", "benchmark", "profile", "on_supervisor_change",
		"tests",
	}, separator)}
	for i, a := range all {
		cells := []string{key(i), strconv.Quote(a.assessment), a.onRefused}
		for _, column := range strings.Fields(
			"packages.ids packages.select benchmark.id profile.id profile.on_supervisor_change tests.ids",
		) {
			block, argument, _ := strings.Cut(column, ".")
			cell := ""
			switch value := a.blocks[block][argument].(type) {
			case string:
				cell = value
			case []string:
				cell = strconv.Quote(strings.Join(value, within))
			}
			cells = append(cells, cell)
		}
		rows = append(rows, strings.Join(cells, separator))
	}
	return strings.Join(rows, newline) + newline
}

// activated replaces the IDs of disabled tests in a text by references to their activations, written in a format.
func activated(text, format string) string {
	for _, id := range disabledTests {
		text = strings.ReplaceAll(text, strconv.Quote(id), fmt.Sprintf(format, id))
	}
	return text
}

// literal writes blocks without any expression, except that tests refer to their activations.
func literal(t *testing.T, all []assessment) string {
	t.Helper()
	var text strings.Builder
	for i, a := range all {
		fmt.Fprintf(&text, "resource \"assess_position_assessment\" \"literal_%d\" {\n", i)
		fmt.Fprintf(&text, "  position_id = %q\n  assessment_id = %q\n", position("literal"), a.assessment)
		if a.onRefused != "" {
			fmt.Fprintf(&text, "  on_refused_removal = %q\n", a.onRefused)
		}
		for _, name := range sortedKeys(a.blocks) {
			fmt.Fprintf(&text, "  %s {\n", name)
			for argument, value := range a.blocks[name] {
				fmt.Fprintf(&text, "    %s = %s\n", argument, toJSON(t, value))
			}
			text.WriteString("  }\n")
		}
		text.WriteString("}\n")
	}
	return activated(text.String(), `assess_skills_test_activation.all[%q].test_id`)
}

// literalJSON writes the same in the JSON syntax. A block is an object or a list with one object.
func literalJSON(t *testing.T, all []assessment) string {
	t.Helper()
	resources := map[string]any{}
	for i, a := range all {
		body := map[string]any{"position_id": position("tfjson"), "assessment_id": a.assessment, "on_refused_removal": nil}
		if a.onRefused != "" {
			body["on_refused_removal"] = a.onRefused
		}
		for name, b := range a.blocks {
			if body[name] = any(b); i%2 == 0 {
				body[name] = []any{b}
			}
		}
		resources[fmt.Sprintf("tfjson_%d", i)] = body
	}
	text := toJSON(t, map[string]any{"resource": map[string]any{"assess_position_assessment": resources}})
	return activated(text, `"${assess_skills_test_activation.all[\"%s\"].test_id}"`)
}
