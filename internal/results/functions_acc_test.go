// SPDX-License-Identifier: MPL-2.0

package results_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// people are two candidates of one's own list, with some of the attributes.
const people = `
locals {
  people = [
    { id = "1", name = "Ada Byron", suitability = 87.5, results = [{
      assessment_id = "asm-lumen", type = "SCORED", percentile = 87.5, classification = "ABOVE_AVERAGE"
      invitations   = [{ status = "TESTED_WITH_RESULTS", completed = "2026-03-04T10:00:00Z" }]
    }] },
    { id = "2", name = "Grace Hopper", suitability = null, results = [{
      assessment_id = "asm-lumen", type = "SCORED", percentile = null, classification = null
      invitations   = [{ status = "INVITED", completed = null }]
    }] },
  ]
}
`

// call is a step that calls a function, whose result must pass all checks.
func call(expression string, checks ...knownvalue.Check) resource.TestStep {
	step := resource.TestStep{Config: people + `output "report" { value = provider::assess::` + expression + ` }`}
	for _, check := range checks {
		step.ConfigStateChecks = append(step.ConfigStateChecks, statecheck.ExpectKnownOutputValue("report", check))
	}
	return step
}

// has checks that a text has these parts, in this order.
func has(parts ...string) knownvalue.Check {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		quoted[i] = regexp.QuoteMeta(part)
	}
	return link("(?s)" + strings.Join(quoted, ".*"))
}

// fails is a step whose call is an error.
func fails(expression string, says ...string) resource.TestStep {
	step := call(expression)
	step.ExpectError = acctest.Error(says...)
	return step
}

// Functions need neither a provider block nor a service. TestReadOptions proves each option.
func TestAccResultsHTMLFunction_basic(t *testing.T) {
	t.Parallel()
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		Steps: []resource.TestStep{
			call(`results_html(local.people, "Backend Engineers")`,
				has("<html", "Backend Engineers", "87.5", "</html>"), has("Ada Byron", "Grace Hopper"), has("onfidential")),
			call(`results_html(local.people, { language = "de", assessment_names = { asm-lumen = "Lumen" } })`,
				has(`lang="de"`), has("87,5"), has("Lumen")),
			call(`results_html([], { title = "Nobody" })`, has("Nobody")),
			fails(`results_html(local.people, { titel = "x" })`, "titel", "title", "messages.md#invalid-function-argument"),
			fails(`results_html([{ nmae = "x" }])`, "nmae"),
			fails(`results_html(local.people, "one", "two")`, "one argument after the candidates", "2"),
		},
	})
}

func TestAccResultsCSVFunction_basic(t *testing.T) {
	t.Parallel()
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		Steps: []resource.TestStep{
			call(`results_csv(local.people)`, has("suitability", "\r\n", "Ada Byron", "87.5", "Grace Hopper")),
			call(`results_csv(local.people, { excel = true, language = "de" })`, has("\ufeff", ";", "87,5")),
		},
	})
}

func TestAccResultsMarkdownFunction_basic(t *testing.T) {
	t.Parallel()
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		Steps: []resource.TestStep{
			call(`results_markdown(local.people, { title = "Engineers", date = "2026-03-05", source = "the sandbox" })`,
				has("# Engineers", "| Ada Byron |", "87.5", "| Grace Hopper |"), has("the sandbox")),
		},
	})
}

// Functions take what the data source gives, and null as the title.
func TestAccResultsFunctions_fromDataSource(t *testing.T) {
	t.Parallel()
	service := london(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(results("") + `
				variable "title" {
				  type    = string
				  default = null
				}
				output "html" {
				  value = provider::assess::results_html(data.assess_position_results.test.candidates, var.title)
				}`),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("html", link(`Ada Byron`))},
		}},
	})
}
