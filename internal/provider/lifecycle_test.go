// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The real CLI creates, plans, changes and destroys one resource of each kind.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	onBothServices(t, lifecycle)
}

func lifecycle(t *testing.T, like func(*sandboxtest.Options)) {
	service := sandboxtest.New(t, like)
	c := clitest.New(t, service)

	c.UseFrom("TestLifecycle", "all")
	c.Plan().OK().Quiet()
	service.NoWrites(t)
	c.Apply().OK().Quiet()
	service.AssertCount(t, http.MethodPost, "", 6)
	service.AssertCount(t, http.MethodPut, "", 1)
	assertHeaders(t, service)

	values := c.Managed()["assess_position_assessment.values"]
	if values["profile_status"] != "PROFILE_ATTACHED" || values["profile_url"] == "" || values["self_link"] == "" {
		t.Errorf("computed attributes after the creation: %v", values)
	}
	status := c.Managed()["assess_position_assessment.preferences"]["profile_status"]
	if status != "SUPERVISOR_TO_COMPLETE" {
		t.Errorf("profile_status without a profile is %v", status)
	}
	if title := c.Managed()["assess_skills_test_activation.go"]["title"]; title != "Go Programming" {
		t.Errorf("title of the activated test is %v", title)
	}

	service.ResetJournal()
	c.Plan().Empty().Quiet()
	service.NoWrites(t)

	c.UseFrom("TestLifecycle", "without_benchmark")
	c.Plan().Plans("update assess_position_assessment.games")
	c.Apply().OK()
	writes := service.Writes()
	if len(writes) != 1 || writes[0].Method != http.MethodPut ||
		strings.Contains(string(writes[0].RequestBody), "benchmark") {
		t.Errorf("removing the benchmark sent %+v", writes)
	}
	c.Plan().Empty()

	service.ResetJournal()
	c.Destroy().OK().Warns("Skills test stays enabled", `"skt-go"`)
	service.AssertCount(t, http.MethodDelete, sandbox.RoutePositionAssessment, 6)
	if n := len(service.Writes()); n != 6 {
		t.Errorf("destroying sent %d writes, want 6", n)
	}
	if left := service.State(t).Position("pos-backend-london").Assessments; len(left) != 0 {
		t.Errorf("the position still has %v", left)
	}
}

// assertHeaders checks the headers of each request.
func assertHeaders(t *testing.T, service *sandboxtest.Server) {
	t.Helper()
	for _, entry := range service.Journal() {
		agent := entry.Header.Get("User-Agent")
		if !clitest.MatchesAll(agent, []string{`^terraform-provider-assess/\S+ Terraform/\d+\.\d+\.\d+`}) {
			t.Errorf("User-Agent %q", agent)
		}
		if accept := entry.Header.Get("Accept"); accept != "application/json" {
			t.Errorf("Accept %q", accept)
		}
		if sent := entry.Header.Get("Content-Type"); (entry.Method == http.MethodGet) != (sent == "") {
			t.Errorf("%s with Content-Type %q", entry.Method, sent)
		}
	}
}

// A table of a spreadsheet with 40 rows and all kinds of assessments becomes positions through one module. Its dynamic
// blocks do not mention all arguments, so that none of them is certain in a validation.
func TestTable(t *testing.T) {
	t.Parallel()
	kinds := []string{ // assessment, packages, benchmark, profile, tests
		`asm-quartet,pkg-problem-solving pkg-numerical-reasoning,,,`,
		`"asm-lumen",,bmk-lumen-graduates-en-gb,,`,
		`asm-northlight,,,prf-customer-first,`,
		`asm-workbench,,,,"skt-sql skt-go"`,
		`asm-facet,,,,`,
	}
	rows := []string{"position,assessment,packages,benchmark,profile,tests"}
	for i := range 40 {
		rows = append(rows, fmt.Sprintf("pos-%04d,%s", i/len(kinds), kinds[i%len(kinds)]))
	}
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Seed = stateWithPositions(8) })
	c := clitest.New(t, service)
	if err := os.CopyFS(c.Dir, os.DirFS(filepath.Join("testdata", "TestTable"))); err != nil {
		t.Fatal(err)
	}
	write := func() { c.Add("positions.csv", "\ufeff"+strings.Join(rows, "\r\n")+"\r\n") }
	address := func(key string) string {
		return fmt.Sprintf("module.positions.assess_position_assessment.all[%q]", key)
	}

	write()
	c.Human("get").OK()
	c.Human("validate").OK()
	if n := len(c.Plan().OK().Quiet().Changes); n != 41 {
		t.Errorf("the plan has %d changes, want 40 position assessments and an activation", n)
	}
	service.NoWrites(t)
	c.Apply().OK().Quiet()
	service.AssertCount(t, http.MethodPost, "", 40)
	c.Plan().Empty().Quiet()

	rows[2] = strings.Replace(rows[2], "graduates", "engineers", 1)
	write()
	c.Plan().Quiet().Plans("update " + address("pos-0000 asm-lumen"))
	rows = append(rows[:40], rows[41:]...) // the last row
	write()
	service.ResetJournal()
	c.Apply().Quiet().Plans("update "+address("pos-0000 asm-lumen"), "delete "+address("pos-0007 asm-facet"))
	if n := len(service.Writes()); n != 2 {
		t.Errorf("a cell and a row sent %d writes, want 2", n)
	}
	c.Plan().Empty().Quiet()
}

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

// Nothing is sent for tests that are already enabled, and no warning names them.
func TestTestsThatAreEnabledAlready(t *testing.T) {
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
	c.Plan().OK().Quiet()
	c.Apply().OK().Quiet()
	service.AssertCount(t, http.MethodPut, "", 1) // of skt-go
	c.Plan().Empty().Quiet()
}

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

// With destroy = false, the CLI drops instances from the state without a request, also if candidates have been invited.
// The provider does not see the setting. So it refuses a replacement as without it, unless on_refused_removal is
// "forget". Terraform then removes what is replaced, and OpenTofu does not. OpenTofu also remembers the setting after
// the resource was deleted from the configuration, and a destroy reports what it has dropped as an error.
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
	if cli := clitest.New(t, sandboxtest.New(t)); cli.Product()[1] == "Terraform" { // OpenTofu has the feature
		cli.NeedsTerraform(16)
	}
	service, c := invited(t, config)
	var options []string
	removals := 2 // in two replacements
	c.UseText("")
	if c.Product()[1] == "OpenTofu" {
		options = append(options, "-suppress-forget-errors")
		removals = 0
		c.Plan().OK()
	} else {
		c.Plan().Fails("Cannot remove: candidates were invited")
	}
	replaced := strings.Replace(config, `"asm-keystone"`, `"asm-facet"`, 1)
	c.UseText(replaced)
	c.Plan().Fails("Cannot remove: candidates were invited")
	const position, forget = "  position_id ", "  on_refused_removal = \"forget\"\n  position_id"
	c.UseText(strings.Replace(config, position, forget, 1))
	c.Apply().OK()
	c.UseText(strings.Replace(replaced, position, forget, 1))
	c.Apply().OK().Warns("Cannot remove: candidates were invited")
	if n := service.Count(http.MethodDelete, ""); n != removals {
		t.Errorf("for two replacements, the CLI sent %d removals, want %d", n, removals)
	}
	if n := len(c.Managed()); n != 2 {
		t.Errorf("the state has %d resources after the replacement, want 2", n)
	}
	service.ResetJournal()
	c.UseText(strings.Replace(replaced, `"pos-backend-london", `, "", 1))
	c.Apply().OK()
	if n := len(c.Managed()); n != 1 {
		t.Errorf("the state has %d resources after the apply, want 1", n)
	}
	c.Destroy(options...).OK()
	if n := len(c.Managed()); n != 0 {
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
	if n := len(c.Managed()); n != 1 || len(service.Writes()) != 0 {
		t.Errorf("the state has %d resources after an action that failed, and the requests were %v", n, service.Writes())
	}
	c.Remove("archive.html")
	c.Destroy().OK().Warns("Position assessment was not removed")
	clitest.Contains(t, "report", clitest.ReadFile(t, c.Dir, "archive.html"), "Backend Engineer, London")
	if n := service.Count(http.MethodDelete, ""); n != 1 {
		t.Errorf("%d requests to remove, want 1", n)
	}
}
