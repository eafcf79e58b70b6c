// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// invited applies a configuration, and invites a candidate to Keystone on the position in London.
func invited(t *testing.T, config string) (*sandboxtest.Server, *clitest.CLI) {
	t.Helper()
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	c.UseText(config)
	c.Apply().OK()
	service.Change(t, func(st *sandbox.State) {
		if _, err := sandboxtest.Invite(st, "pos-backend-london", "asm-keystone"); err != nil {
			t.Error(err)
		}
	})
	service.ResetJournal()
	return service, c
}

// With destroy = false, the CLI drops instances from the state without a request, also if candidates have
// been invited. The provider does not see the setting. So it refuses a replacement as without it, unless
// on_refused_removal is "forget". Terraform then removes what is replaced, and OpenTofu does not. OpenTofu also remembers the setting after the resource was
// deleted from the configuration, and a destroy reports what it has dropped as an error.
func TestDestroyFalse(t *testing.T) {
	t.Parallel()
	const config = `locals {
  positions = toset(["pos-backend-london", "pos-support-leeds"])
}

resource "assess_position_assessment" "reliability" {
  for_each      = local.positions
  position_id   = each.key
  assessment_id = "asm-keystone"

  lifecycle {
    destroy = false
  }
}
`
	clitest.New(t, sandboxtest.New(t)).NeedsTerraformOrTofu(16)
	service, c := invited(t, config)
	var options []string
	removals := 2 // in two replacements
	c.UseText("")
	if c.Product()[1] == "OpenTofu" {
		options = append(options, "-suppress-forget-errors")
		removals = 0
		c.Plan().OK()
	} else {
		c.Plan().Fails("Removal that the service would refuse")
	}
	replaced := strings.Replace(config, `"asm-keystone"`, `"asm-facet"`, 1)
	c.UseText(replaced)
	c.Plan().Fails("Removal that the service would refuse")
	const position, forget = "  position_id ", "  on_refused_removal = \"forget\"\n  position_id"
	c.UseText(strings.Replace(config, position, forget, 1))
	c.Apply().OK()
	c.UseText(strings.Replace(replaced, position, forget, 1))
	c.Apply().OK().Warns("Removal that the service would refuse")
	if n := service.Count(http.MethodDelete, ""); n != removals {
		t.Errorf("for two replacements, the CLI sent %d removals, want %d", n, removals)
	}
	if n := len(c.Addresses()); n != 2 {
		t.Errorf("the state has %d resources after the replacement, want 2", n)
	}
	service.ResetJournal()
	c.UseText(strings.Replace(replaced, `"pos-backend-london", `, "", 1))
	c.Apply().OK()
	if n := len(c.Addresses()); n != 1 {
		t.Errorf("the state has %d resources after the apply, want 1", n)
	}
	c.Destroy(options...).OK()
	if n := len(c.Addresses()); n != 0 {
		t.Errorf("the state has %d resources after the destroy", n)
	}
	if writes := service.Writes(); len(writes) != 0 {
		t.Errorf("the CLI sent %v", writes)
	}
}

// The action runs before a destroy, and writes the results that the position has then. If it fails, nothing is
// destroyed.
func TestReportBeforeDestroy(t *testing.T) {
	t.Parallel()
	clitest.New(t, sandboxtest.New(t)).NeedsTerraform(16)
	service, c := invited(t, `action "assess_results_report" "archive" {
  config {
    position_ids = ["pos-backend-london"]
    path         = "archive.html"
  }
}

resource "assess_position_assessment" "reliability" {
  position_id        = "pos-backend-london"
  assessment_id      = "asm-keystone"
  on_refused_removal = "forget"

  lifecycle {
    action_trigger {
      events  = [before_destroy]
      actions = [action.assess_results_report.archive]
    }
  }
}
`)
	c.Add("archive.html", "another report")
	c.Destroy().Fails("Could not write the report")
	if n := len(c.Addresses()); n != 1 || len(service.Writes()) != 0 {
		t.Errorf("the state has %d resources after an action that failed, and the requests were %v", n, service.Writes())
	}
	if err := os.Remove(filepath.Join(c.Dir, "archive.html")); err != nil {
		t.Fatal(err)
	}
	c.Destroy().OK().Warns("Position assessment was not removed")
	report, err := os.ReadFile(filepath.Join(c.Dir, "archive.html"))
	if err != nil || !strings.Contains(string(report), "Backend Engineer, London") {
		t.Errorf("the report is incomplete: %v", err)
	}
	if n := service.Count(http.MethodDelete, ""); n != 1 {
		t.Errorf("%d requests to remove, want 1", n)
	}
}

// A module imports by name what it manages.
func TestImportInAModule(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	c.NeedsTerraform(16)
	if err := os.Mkdir(filepath.Join(c.Dir, "graduates"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.Add("graduates/main.tf", `data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_assessments" "graduates" {
  position_id = data.assess_position.graduates.id
}

import {
  to = assess_position_assessment.reliability
  id = one([
    for a in data.assess_position_assessments.graduates.assessments : "${a.position_id}/${a.id}"
    if a.assessment_id == "asm-keystone"
  ])
}

resource "assess_position_assessment" "reliability" {
  position_id   = data.assess_position.graduates.id
  assessment_id = "asm-keystone"
}
`)
	c.Add("main.tf", "module \"graduates\" {\n  source = \"./graduates\"\n}\n")
	c.Human("get").OK()
	c.Plan().Plans("import module.graduates.assess_position_assessment.reliability")
	c.Apply().OK()
	c.Plan().Empty().Quiet()
	if writes := service.Writes(); len(writes) != 0 {
		t.Errorf("the import sent %v", writes)
	}
}
