// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccPackageDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_package" "test" {
				assessment_id = "asm-quartet"
				name          = "Processing speed"
			}`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_package", "id", knownvalue.StringExact("pkg-processing-speed")),
				is("assess_package", "mandatory", knownvalue.Bool(false)),
			},
		}},
	})
}

func TestAccPackagesDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	two := func(a, b string) knownvalue.Check {
		return knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(a), knownvalue.StringExact(b)})
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(`data "assess_packages" "test" { assessment_id = "asm-quartet" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_packages", "packages", knownvalue.ListSizeExact(4)),
					is("assess_packages", "mandatory_ids", two("pkg-problem-solving", "pkg-numerical-reasoning")),
					is("assess_packages", "optional_ids", two("pkg-processing-speed", "pkg-verbal-knowledge")),
				},
			},
			fails(service, `data "assess_packages" "test" { assessment_id = "asm-moon" }`, "asm-moon", "404"),
		},
	})
}

// Without a mark, nobody knows whether a package is mandatory.
func TestAccPackagesDataSource_bareLists(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.BareLists)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`data "assess_packages" "test" { assessment_id = "asm-quartet" }`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("assess_packages", "ids", knownvalue.ListSizeExact(4)),
				is("assess_packages", "mandatory_ids", knownvalue.ListSizeExact(0)),
				statecheck.ExpectKnownValue("data.assess_packages.test",
					tfjsonpath.New("packages").AtSliceIndex(0).AtMapKey("mandatory"), knownvalue.Null()),
			},
		}},
	})
}
