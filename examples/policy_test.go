// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The commands of the guide "Pipelines" find a removal that the service would refuse.
func TestPolicyOnRemovals(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "jq")
	guide := clitest.ReadFile(t, "..", "templates", "guides", "pipelines.md")
	_, section, _ := strings.Cut(guide, "## Check plans with a policy")
	commands := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, 2)
	if len(commands) != 2 {
		t.Fatalf("the guide shows %q", commands)
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
		c.Add(filepath.Join("out", "plan.json"), string(shown))
		run := func(i int) (string, error) {
			cmd := exec.CommandContext(t.Context(), "bash", "-c", commands[i][1])
			cmd.Dir = c.Dir
			text, err := cmd.CombinedOutput()
			return strings.TrimSpace(string(text)), err
		}
		if text, err := run(0); (err != nil) != invited {
			t.Errorf("invited %t: the policy says %s, %v", invited, text, err)
		}
		if text, err := run(1); err != nil || text != "assess_position_assessment.removed" {
			t.Errorf("the list of removals is %q, %v", text, err)
		}
	}
}
