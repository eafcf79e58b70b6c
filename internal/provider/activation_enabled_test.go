// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// A plan shows what it knows about a test that is already enabled, so that a reader sees which tests it enables.
// Nothing is sent for the others, and no warning names them.
func TestPlanOfAnEnabledTest(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	c := clitest.New(t, service)
	c.UseText(`
resource "assess_skills_test_activation" "each" {
  for_each      = toset(["skt-sql", "skt-python", "skt-go"])
  assessment_id = "asm-workbench"
  test_id       = each.key
}
`)
	plan := c.Human("plan", "-no-color").OK().Output
	words := strings.Join(strings.Fields(plan), " ")
	for text, n := range map[string]int{
		`title = "SQL Queries"`: 1, `title = "Python Programming"`: 1, "title = (known after apply)": 1,
	} {
		if got := strings.Count(words, text); got != n {
			t.Errorf("the plan contains %q %d times, want %d:\n%s", text, got, n, plan)
		}
	}
	c.Plan().OK().Quiet()
	c.Apply().OK().Quiet()
	service.AssertCount(t, http.MethodPut, "", 1)
	c.Plan().Empty().Quiet()
}

// Without plan checks, the apply of a saved plan knows the same about a test that is already enabled. If the test has
// been disabled since, the CLI refuses the plan, which said that the apply enables nothing.
func TestSavedPlanOfAnEnabledTest(t *testing.T) {
	t.Parallel()
	for _, disabled := range []bool{false, true} {
		service := unlimited(t)
		c := clitest.New(t, service)
		c.UseText(`
resource "assess_skills_test_activation" "one" {
  assessment_id = "asm-workbench"
  test_id       = "skt-sql"
}
`)
		c.Do("plan", "-input=false", "-out=saved").OK()
		if disabled {
			if err := service.Update(func(st *sandbox.State) error {
				st.Assessment("asm-workbench").SkillsTest("skt-sql").Set("active", false)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		run := c.With("ASSESS_PLAN_CHECKS=false").Do("apply", "-input=false", "saved")
		if disabled {
			run.Fails("inconsistent final plan")
		} else {
			run.OK().Quiet()
		}
		service.AssertCount(t, http.MethodPut, "", 0)
	}
}
