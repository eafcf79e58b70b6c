// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The example attaches the same assessments to many positions. A further position or assessment
// changes nothing else.
func TestExampleManyPositions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/resources/assess_position_assessment/many_positions.tf")
	if err != nil {
		t.Fatal(err)
	}
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	use := func(old, changed string) {
		t.Helper()
		if !strings.Contains(string(text), old) {
			t.Fatalf("the example does not contain %s", old)
		}
		c.useText(strings.Replace(string(text), old, changed, 1))
	}
	const address = "create assess_position_assessment.each"
	london, leeds := `["Backend Engineer, London: `, `["Customer Support Adviser, Leeds: `
	c.useText(string(text))
	c.plan().plans(address+london+`KST"]`, address+london+`LMN"]`, address+london+`TDL"]`,
		address+leeds+`KST"]`, address+leeds+`LMN"]`, address+leeds+`TDL"]`)
	c.apply().ok().quiet()
	c.plan().empty().quiet()
	if pa := service.State(t).Position("pos-support-leeds").Assessments; len(pa) != 3 {
		t.Errorf("the position in Leeds has %d assessments, want 3", len(pa))
	}
	use(`"Backend Engineer, London", `, `"Backend Engineer, London", "Controller (m/w/d), Hamburg", `)
	hamburg := `["Controller (m/w/d), Hamburg: `
	c.plan().plans(address+hamburg+`KST"]`, address+hamburg+`LMN"]`, address+hamburg+`TDL"]`)
	use("KST = null\n", "KST = null\n    FCT = null\n")
	c.plan().plans(address+london+`FCT"]`, address+leeds+`FCT"]`)
}

// invited applies a configuration, and invites a candidate to Keystone on the position in London.
func invited(t *testing.T, config string) (*sandboxtest.Server, *cli) {
	t.Helper()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useText(config)
	c.apply().ok()
	service.Change(t, func(st *sandbox.State) {
		if _, err := sandboxtest.Invite(st, "pos-backend-london", "asm-keystone"); err != nil {
			t.Error(err)
		}
	})
	service.ResetJournal()
	return service, c
}

// With destroy = false, the CLI drops instances from the state without a request, also if candidates have
// been invited. A replacement is refused as without it. OpenTofu also remembers the setting after the resource was
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
	newCLI(t, sandboxtest.New(t)).needsTerraformOrTofu(16)
	service, c := invited(t, config)
	var options []string
	c.useText("")
	if c.product()[1] == "OpenTofu" {
		options = append(options, "-suppress-forget-errors")
		c.plan().ok()
	} else {
		c.plan().fails("Removal that the service would refuse")
	}
	c.useText(strings.Replace(config, `"asm-keystone"`, `"asm-facet"`, 1))
	c.plan().fails("Removal that the service would refuse")
	c.useText(strings.Replace(config, `"pos-backend-london", `, "", 1))
	c.apply().ok()
	if n := len(c.addresses()); n != 1 {
		t.Errorf("the state has %d resources after the apply, want 1", n)
	}
	c.destroy(options...).ok()
	if n := len(c.addresses()); n != 0 {
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
	newCLI(t, sandboxtest.New(t)).needsTerraform(16)
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
	c.add("archive.html", "another report")
	c.destroy().fails("Could not write the report")
	if n := len(c.addresses()); n != 1 || len(service.Writes()) != 0 {
		t.Errorf("the state has %d resources after an action that failed, and the requests were %v", n, service.Writes())
	}
	if err := os.Remove(filepath.Join(c.dir, "archive.html")); err != nil {
		t.Fatal(err)
	}
	c.destroy().ok().warns("Position assessment was not removed")
	report, err := os.ReadFile(filepath.Join(c.dir, "archive.html"))
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
	c := newCLI(t, service)
	c.needsTerraform(16)
	if err := os.Mkdir(filepath.Join(c.dir, "graduates"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.add("graduates/main.tf", `data "assess_position" "graduates" {
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
	c.add("main.tf", "module \"graduates\" {\n  source = \"./graduates\"\n}\n")
	c.human("get").ok()
	c.plan().plans("import module.graduates.assess_position_assessment.reliability")
	c.apply().ok()
	c.plan().empty().quiet()
	if writes := service.Writes(); len(writes) != 0 {
		t.Errorf("the import sent %v", writes)
	}
}
