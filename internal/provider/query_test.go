// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Three commands import everything in a service without changing it.
func TestImportEverything(t *testing.T) {
	t.Parallel()
	service := unlimited(t, withAttachedState(1000))
	c := unthrottled(t, service, "1")
	c.NeedsTerraform(14)
	c.Add("estate.tfquery.hcl", clitest.ReadFile(t, "testdata/TestImportEverything/1/estate.tfquery.hcl"))
	st := service.State(t)
	things, occupied := 0, 0
	for _, p := range st.Positions {
		if things += len(p.Assessments); len(p.Assessments) > 0 {
			occupied++
		}
	}
	for _, test := range st.Assessment("asm-workbench").SkillsTests {
		if test.Active() {
			things++
		}
	}

	c.Human("query", "-no-color", "-generate-config-out=estate.tf").OK()
	service.AssertCount(t, "", sandbox.RoutePositionAssessments, len(st.Positions))
	service.AssertCount(t, "", sandbox.RoutePositions, 1)
	service.AssertCount(t, "", sandbox.RouteAssessments, 1)
	service.AssertCount(t, "", sandbox.RouteSkillsTests, 1)
	service.AssertCount(t, "", "", len(st.Positions)+3)

	service.ResetJournal()
	r := c.Human("plan", "-no-color", "-input=false").OK()
	if err := lacks(r.Output, []string{
		fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", things),
	}); err != nil {
		t.Error(err)
	}
	service.AssertCount(t, "", sandbox.RoutePositionAssessments, occupied)
	service.AssertCount(t, "", "", occupied+1)

	c.Apply().OK().Quiet()
	c.Plan().Empty().Quiet()
	service.NoWrites(t)
}
