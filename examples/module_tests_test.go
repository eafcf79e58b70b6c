// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// The tests of the example pass, with both kinds of providers, also a second time. Mocks invent values for what has a
// default, so the README must say that.
func TestExampleModuleTests(t *testing.T) {
	t.Parallel()
	e := newExample(t, "module-tests")
	e.Human("fmt", "-check", "-recursive").OK()
	e.Human("init", "-input=false").OK()
	for range 2 {
		r := e.Human("test", "-no-color").OK()
		if !clitest.MatchesAll(r.Output, []string{`Success! 5 passed, 0 failed`}) {
			t.Error(r.Output)
		}
	}

	e.Edit(filepath.Join("tests", "mocks.tftest.hcl"), [2]string{`on_refused_removal = "fail"`, ``})
	if r := e.Human("test", "-no-color", "-filter=tests/mocks.tftest.hcl"); r.Code == 0 {
		t.Errorf("a mock has the default, although the README says that it has a random value:\n%s", r.Output)
	}
}

// A module with an ephemeral resource can be tested on the sandbox. Mocks of ephemeral resources have random values in
// OpenTofu. Terraform rejects them before 1.17, so the README must say that.
func TestEphemeralResourcesInModuleTests(t *testing.T) {
	t.Parallel()
	e := newExample(t, "module-tests")
	e.Needs(10, 12) // ephemeral resources, also in tofu test
	e.Remove("tests/sandbox.tftest.hcl", "tests/mocks.tftest.hcl")
	e.Add("link.tf", `resource "assess_position_assessment" "preferences" {
  position_id   = data.assess_position.this.id
  assessment_id = "asm-terrain"
}

ephemeral "assess_profile_link" "preferences" {
  position_id = data.assess_position.this.id
  id          = assess_position_assessment.preferences.id

  lifecycle {
    postcondition {
      condition     = startswith(self.url, "https://")
      error_message = "This is not a link."
    }
  }
}

# OpenTofu reads only what something uses.
resource "terraform_data" "link" {
  provisioner "local-exec" {
    command     = "exit 0"
    environment = { LINK = ephemeral.assess_profile_link.preferences.url }
  }
}
`)
	e.Human("init", "-input=false").OK()
	test := func(provider string) *clitest.Run {
		e.Add("tests/link.tftest.hcl", provider+`
variables { position_title = "Backend Engineer, London" }

run "reads_the_link" {}
`)
		return e.Human("test", "-no-color")
	}

	r := test("provider \"assess\" {\n  sandbox { limits = false }\n}\n").OK()
	clitest.Contains(t, "output", r.Output, "Success! 1 passed, 0 failed")

	want := "This is not a link."
	if name, minor := e.Product(); name == "Terraform" {
		if minor >= 17 {
			return
		}
		want = "No ephemeral resource types in mock providers"
	}
	r = test(`mock_provider "assess" {}`)
	clitest.Contains(t, "output", r.Output, want, "Failure! 0 passed, 1 failed")
}
