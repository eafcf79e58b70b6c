// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Three commands import everything in a service without changing it.
func TestImportEverything(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]func() *sandbox.State{"demo": sandbox.Demo, "wide": attachedState} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, state })
			c := newCLI(t, service)
			c.needsTerraform(14)
			if err := os.CopyFS(c.dir, os.DirFS(filepath.Join("testdata", "TestImportEverything", "1"))); err != nil {
				t.Fatal(err)
			}
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

			c.human("query", "-no-color", "-generate-config-out=estate.tf").ok()
			service.AssertCount(t, "", sandbox.RoutePositionAssessments, len(st.Positions))
			service.AssertCount(t, "", sandbox.RoutePositions, 1)
			service.AssertCount(t, "", sandbox.RouteAssessments, 1)
			service.AssertCount(t, "", sandbox.RouteSkillsTests, 1)
			service.AssertCount(t, "", "", len(st.Positions)+3)

			service.ResetJournal()
			r := c.human("plan", "-no-color", "-input=false").ok()
			if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.",
				things); !strings.Contains(r.output, want) {
				t.Errorf("no %q in\n%s", want, r.output)
			}
			service.AssertCount(t, "", sandbox.RoutePositionAssessments, occupied)
			service.AssertCount(t, "", "", occupied+1)

			c.apply().ok().quiet()
			c.plan().empty().quiet()
			noWrites(t, service)
		})
	}
}
