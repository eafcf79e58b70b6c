// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
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

func TestMain(m *testing.M) { clitest.Main(m) }

// The forecast differs by at most a tenth from the number of requests that an apply sends.
func TestForecast(t *testing.T) {
	t.Parallel()
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
			cli, adopted := clitest.New(t, service), map[string]string{}
			cli.Env = append(cli.Env, "ASSESS_UNTHROTTLED=1")
			if name == "adopt" {
				cli.Env = append(cli.Env, "ASSESS_ADOPT_EXISTING=true")
				for i := range 20 {
					adopted[fmt.Sprintf("assess_position_assessment.a[%d]", i)] = "adopted"
					adopted[fmt.Sprintf("assess_position_assessment.b[%d]", i)] = "adopted"
				}
			}
			if c.before != "" {
				planned(cli, c.before)
				cli.Human("apply", "-input=false", "plan").OK()
			}
			service.ResetJournal()
			p := planned(cli, c.config)
			before := len(service.Journal())
			cli.Human("apply", "-input=false", "plan").OK()
			sent := len(service.Journal()) - before
			p.adopted = adopted
			if f := forecastOf(p); max(f.requests()-sent, sent-f.requests())*10 > sent {
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
				pa := sandbox.PositionAssessment{ID: fmt.Sprint("pas-", n+i*100), Assessment: assessment}
				p.Assessments = append(p.Assessments, pa)
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

// planned plans a configuration.
func planned(c *clitest.CLI, config string) plan {
	c.T.Helper()
	c.UseText(config)
	c.Human("plan", "-input=false", "-out=plan").OK()
	out, err := c.Command("show", "-json", "plan").Output()
	if err != nil {
		c.T.Fatal(err)
	}
	p, err := decodePlan(out)
	if err != nil {
		c.T.Fatal(err)
	}
	return p
}
