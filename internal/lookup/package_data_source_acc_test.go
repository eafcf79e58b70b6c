// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccPackageDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	step := func(argument, id, name string, mandatory bool) resource.TestStep {
		return resource.TestStep{
			Config: service.Config(`data "assess_package" "test" {
				assessment_id = "asm-quartet"
				` + argument + `
			}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_package", "id", knownvalue.StringExact(id)),
				is("assess_package", "name", knownvalue.StringExact(name)),
				is("assess_package", "mandatory", knownvalue.Bool(mandatory)),
			},
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step(`id = "pkg-problem-solving"`, "pkg-problem-solving", "Problem solving", true),
			step(`name = "Processing speed"`, "pkg-processing-speed", "Processing speed", false),
			fails(service, `data "assess_package" "test" {
				assessment_id = "asm-quartet"
				name          = "Processing sped"
			}`, "No package found", "Processing sped", `"Processing speed"`),
		},
	})
}
