// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The command of the guide "Pipelines" finds a removal that the service would refuse, and a plan shows the setting that
// the guide names.
func TestPolicyOnRemovals(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "jq")
	guide := clitest.ReadFile(t, "..", "templates", "guides", "pipelines.md")
	_, section, _ := strings.Cut(guide, "## Check plans with a policy")
	policy := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)
	if policy == nil || !strings.Contains(section, "`change.before.on_refused_removal`") {
		t.Fatalf("the guide shows %q", policy)
	}
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	const resources = `
resource "assess_position_assessment" "kept" {
  position_id   = "pos-support-leeds"
  assessment_id = "asm-facet"
}
`
	const removed = `
resource "assess_position_assessment" "removed" {
  position_id        = "pos-backend-london"
  assessment_id      = "asm-facet"
  on_refused_removal = "forget"
}
`
	c.UseText(resources + removed)
	c.Apply().OK()
	c.UseText(resources)
	for _, invited := range []bool{false, true} {
		if invited {
			service.Invite(t, "pos-backend-london", "asm-facet")
		}
		plan := c.Plan("-out=plan").OK()
		out := filepath.Join(c.Dir, "out")
		if err := exec.CommandContext(t.Context(), "mkdir", "-p", out).Run(); err != nil {
			t.Fatal(err)
		}
		c.Add(filepath.Join("out", "plan.jsonl"), plan.Output)
		shown, err := c.Command("show", "-json", "plan").Output()
		if err != nil {
			t.Fatal(err)
		}
		var planned tfjson.Plan
		if err := json.Unmarshal(shown, &planned); err != nil {
			t.Fatal(err)
		}
		removals := map[string]any{}
		for _, r := range planned.ResourceChanges {
			if before, ok := r.Change.Before.(map[string]any); ok && r.Change.Actions.Delete() {
				removals[r.Address] = before["on_refused_removal"]
			}
		}
		if want := map[string]any{"assess_position_assessment.removed": "forget"}; !maps.Equal(removals, want) {
			t.Errorf("the plan shows the removals %v, want %v", removals, want)
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", policy[1])
		cmd.Dir = c.Dir
		if text, err := cmd.CombinedOutput(); (err != nil) != invited {
			t.Errorf("invited %t: the policy says %s, %v", invited, text, err)
		}
	}
}
