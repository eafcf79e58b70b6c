// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// A plan shows what it knows about a test that is enabled already, so that a reader sees which tests it enables.
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
