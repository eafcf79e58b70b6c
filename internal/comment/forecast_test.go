// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// attach returns a resource that attaches an assessment to each of these positions.
func attach(name string, positions, from int, options string) string {
	return fmt.Sprintf(`resource "assess_position_assessment" %q {
  count       = %d
  position_id = format("pos-%%04d", count.index + %d)
  %s
}
`, name, positions, from, options)
}

const (
	lumen    = "assessment_id = \"asm-lumen\"\n  benchmark { id = \"bmk-0\" }\n"
	managers = "assessment_id = \"asm-lumen\"\n  benchmark { id = \"bmk-1\" }\n"
	tally    = "assessment_id = \"asm-tally\"\n  benchmark { id = \"bmk-tally-finance-en-gb\" }\n"
	values   = "assessment_id = \"asm-northlight\"\n  profile { id = \"prf-curious-builders\" }\n"
	customer = "assessment_id = \"asm-northlight\"\n  profile { id = \"prf-customer-first\" }\n"
	games    = "assessment_id = \"asm-quartet\"\n  packages { select = \"all\" }\n"
	facet    = "assessment_id = \"asm-facet\"\n"
)

// The forecast differs by at most a tenth from the number of requests that an apply sends.
func TestForecast(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set: make test runs the acceptance tests")
	}
	provider := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(provider, "terraform-provider-assess"), "../..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, c := range map[string]struct{ before, config string }{
		"empty":  {attach("a", 5, 0, lumen), attach("a", 5, 0, lumen)},
		"create": {"", attach("a", 80, 0, lumen) + attach("b", 80, 0, tally)},
		"create games and values": {
			"", attach("a", 40, 0, games) + attach("b", 40, 0, values) + attach("c", 20, 0, facet),
		},
		"update":             {attach("a", 40, 0, lumen), attach("a", 40, 0, managers)},
		"update profiles":    {attach("a", 40, 0, values), attach("a", 40, 0, customer)},
		"manage differently": {attach("a", 40, 0, lumen), attach("a", 40, 0, lumen+`on_refused_removal = "forget"`)},
		"replace":            {attach("a", 40, 0, lumen), attach("a", 40, 40, lumen)},
		"remove":             {attach("a", 40, 0, lumen) + attach("b", 40, 0, facet), ""},
		"import":             {"", imports + attach("a", 20, 40, facet)},
		"adopt":              {"", attach("a", 20, 40, facet) + attach("b", 20, 40, "assessment_id = \"asm-keystone\"\n")},
		"mixed": {
			attach("a", 20, 0, lumen) + attach("b", 20, 20, lumen) + attach("c", 20, 40, tally),
			attach("a", 20, 0, managers) + attach("c", 20, 0, tally) + attach("d", 20, 40, lumen),
		},
		"small": {attach("a", 3, 0, lumen), attach("a", 3, 0, lumen) + attach("b", 2, 3, tally)},
		"activate": {"", `resource "assess_skills_test_activation" "all" {
  count         = 40
  assessment_id = "asm-many"
  test_id       = "skt-${count.index}"
}
`},
		"many on one position": {"", `resource "assess_position_assessment" "all" {
  count         = 50
  position_id   = "pos-0000"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-${count.index}" }
}
`},
		"results": {attach("a", 1, 0, lumen), attach("a", 1, 0, managers) + `data "assess_position_results" "all" {
  count       = 40
  position_id = format("pos-%04d", count.index)
  depends_on  = [assess_position_assessment.a]
}
data "assess_position_assessments" "all" {
  count       = 40
  position_id = format("pos-%04d", count.index)
  depends_on  = [assess_position_assessment.a]
}
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) {
				o.NoLimits, o.MaxPage, o.Seed = true, 0, func() *sandbox.State { return organization(t) }
			})
			cli, adopted := newCLI(t, provider, service), map[string]bool{}
			if name == "adopt" {
				cli.env = append(cli.env, "ASSESS_ADOPT_EXISTING=true")
				for i := range 20 {
					adopted[fmt.Sprintf("assess_position_assessment.a[%d]", i)] = true
					adopted[fmt.Sprintf("assess_position_assessment.b[%d]", i)] = true
				}
			}
			if c.before != "" {
				cli.plan(c.before)
				cli.run("apply", "-input=false", "plan")
			}
			service.ResetJournal()
			p := cli.plan(c.config)
			planned := len(service.Journal())
			cli.run("apply", "-input=false", "plan")
			sent := len(service.Journal()) - planned
			if f := forecastOf(p, adopted); max(f.requests()-sent, sent-f.requests())*10 > sent {
				t.Errorf("the forecast is %d requests, and the apply sent %d: %+v", f.requests(), sent, f)
			}
		})
	}
}

// imports imports what organization has attached.
const imports = `import {
  for_each = { for n in range(20) : n => n }
  to       = assess_position_assessment.a[each.value]
  id       = format("pos-%04d/pas-%d", each.value + 40, each.value + 40)
}
`

// organization returns the demo organization with many positions, benchmarks and skills tests.
func organization(t *testing.T) *sandbox.State {
	t.Helper()
	st := sandbox.Demo()
	st.Positions = nil
	for n := range 80 {
		p := sandbox.Position{ID: fmt.Sprintf("pos-%04d", n), Title: fmt.Sprint("Position ", n), Locale: "en-GB"}
		if n >= 40 {
			for i, assessment := range []string{"asm-facet", "asm-keystone"} {
				p.Assessments = append(p.Assessments, sandbox.PositionAssessment{ID: fmt.Sprint("pas-", n+i*100), Assessment: assessment})
			}
		}
		st.Positions = append(st.Positions, p)
	}
	lumen := st.Assessment("asm-lumen")
	for n := range 50 {
		id := fmt.Sprint("bmk-", n)
		lumen.Benchmarks = append(lumen.Benchmarks, sandbox.Benchmark{ID: id, Name: id, Locale: "en-GB"})
	}
	many := sandbox.Assessment{ID: "asm-many", Kind: sandbox.Skills, Name: "Many"}
	for n := range 40 {
		test := fmt.Sprintf(`{"id":"skt-%d","title":"Test %d","active":false}`, n, n)
		many.SkillsTests = append(many.SkillsTests, sandboxtest.SkillsTest(t, test))
	}
	st.Assessments = append(st.Assessments, many)
	return st
}

// cli is a folder in which the real CLI runs the provider.
type cli struct {
	t   *testing.T
	dir string
	env []string
}

func newCLI(t *testing.T, provider string, service *sandboxtest.Server) cli {
	t.Helper()
	c := cli{t: t, dir: t.TempDir()}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TF_") && !strings.HasPrefix(v, "ASSESS_") {
			c.env = append(c.env, v)
		}
	}
	c.writes("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    "+
		"\"registry.terraform.io/hashicorp/assess\" = %[1]q\n    \"registry.opentofu.org/hashicorp/assess\" = %[1]q\n"+
		"  }\n}\n", provider))
	c.env = append(c.env, "TF_CLI_CONFIG_FILE="+filepath.Join(c.dir, "cli.tfrc"), "XDG_CACHE_HOME="+t.TempDir(),
		"CHECKPOINT_DISABLE=1", "ASSESS_UNTHROTTLED=1", "ASSESS_BASE_URL="+service.URL, "ASSESS_CLIENT_ID="+sandbox.ClientID,
		"ASSESS_API_KEY="+sandbox.APIKey)
	return c
}

func (c cli) writes(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// run runs the CLI and returns its output.
func (c cli) run(args ...string) []byte {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), args...)
	cmd.Dir, cmd.Env, cmd.Stderr = c.dir, c.env, c.t.Output()
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%v: %v: %s", args, err, out)
	}
	return out
}

// plan plans a configuration.
func (c cli) plan(config string) plan {
	c.t.Helper()
	c.writes("main.tf", config)
	c.run("plan", "-input=false", "-out=plan")
	p, err := decodePlan(c.run("show", "-json", "plan"))
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}
