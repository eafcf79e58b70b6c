// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// useQuery adds the queries in the first configuration of this test.
func (c *cli) useQuery() {
	c.t.Helper()
	dir := filepath.Join("testdata", testName(c.t), "1")
	if err := os.CopyFS(c.dir, os.DirFS(dir)); err != nil {
		c.t.Fatal(err)
	}
}

// Three commands import everything in a service without changing it.
func TestImportEverything(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]func() *sandbox.State{"demo": sandbox.Demo, "wide": attachedState} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, state })
			c := newCLI(t, service)
			c.needsTerraform(14)
			c.useQuery()
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

func TestQueryShowsNames(t *testing.T) {
	t.Parallel()
	service := unlimited(t, withAttachedState(1000))
	c := newCLI(t, service)
	c.needsTerraform(14)
	c.useQuery()
	var names []string
	for line := range strings.Lines(c.human("query", "-json").ok().output) {
		var event struct {
			Found struct {
				Name     string            `json:"display_name"`
				Identity map[string]string `json:"identity"`
				Object   map[string]any    `json:"resource_object"`
			} `json:"list_resource_found"`
		}
		if json.Unmarshal([]byte(line), &event) != nil || event.Found.Name == "" {
			continue
		}
		names = append(names, event.Found.Name)
		if id := event.Found.Identity["id"]; id == "" || event.Found.Object["id"] != id ||
			event.Found.Object["position_id"] != "pos-backend-london" {
			t.Errorf("%s has the identity %v and the object %v", event.Found.Name, event.Found.Identity, event.Found.Object)
		}
	}
	if !slices.Equal(names, onBackend[:2]) {
		t.Errorf("the query shows %q, want %q", names, onBackend[:2])
	}
}
