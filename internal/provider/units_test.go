// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

const sandboxUnit = `
provider "assess" {
  sandbox {
    state_file = %q
  }
}
`

const activatingUnit = `
resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

output "test_id" {
  value = assess_skills_test_activation.go.test_id
}
`

const attachingUnit = `
variable "test_id" {
  type = string
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"
  tests {
    ids = [var.test_id]
  }
}
`

// Terragrunt runs units in folders of their own, and plans them with mock outputs of units that are not applied yet.
func TestUnitsWithMockOutputs(t *testing.T) {
	t.Parallel()
	activates, attaches := clitest.NewBare(t), clitest.NewBare(t)
	use := func(stateFile string) {
		activates.UseText(fmt.Sprintf(sandboxUnit, stateFile) + activatingUnit)
		attaches.UseText(fmt.Sprintf(sandboxUnit, stateFile) + attachingUnit)
	}
	mock, real := "-var=test_id=mock-test-id", "-var=test_id=skt-go"

	use(filepath.ToSlash(filepath.Join(t.TempDir(), "assess-sandbox.json")))
	attaches.Plan(mock).Fails("Unknown skills test", "mock-test-id")
	attaches.With("ASSESS_PLAN_CHECKS=false").Plan(mock).Plans("create assess_position_assessment.skills")
	activates.Apply().OK()
	attaches.Apply(real).OK()
	attaches.Plan(real).Empty()

	// With a relative path, each unit has a service of its own, in which the test is not enabled.
	use("assess-sandbox.json")
	attaches.Plan(real, "-refresh=false", "-replace=assess_position_assessment.skills").Fails("Skills test not enabled")
}

// Without a writable folder for temporary files, the CLI cannot talk to any provider.
func TestTemporaryFolder(t *testing.T) {
	t.Parallel()
	c := clitest.NewBare(t)
	c.UseText(fmt.Sprintf(sandboxUnit, "assess-sandbox.json") + activatingUnit)
	missing := c.With("TMPDIR=" + filepath.Join(c.Dir, "missing"))
	if r := missing.Human("validate", "-no-color"); r.Code == 0 ||
		!strings.Contains(r.Output, "Failed to read any lines from plugin's stdout") {
		t.Errorf("without a folder for temporary files, the CLI says:\n%s", r.Output)
	}
	home := t.TempDir()
	c.With("TMPDIR="+home, "HOME="+home).Plan().OK()
}
