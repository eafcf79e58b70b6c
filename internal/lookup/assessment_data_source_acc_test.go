// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestAccAssessmentDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	for name, argument := range map[string]string{
		"id": `id = "asm-lumen"`, "code": `code = "LMN"`, "name": `name = "Lumen Ability Test"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{{
					Config: service.Config(`data "assess_assessment" "test" { ` + argument + ` }`),
					ConfigStateChecks: []statecheck.StateCheck{
						is("assess_assessment", "id", knownvalue.StringExact("asm-lumen")),
						is("assess_assessment", "code", knownvalue.StringExact("LMN")),
						is("assess_assessment", "name", knownvalue.StringExact("Lumen Ability Test")),
					},
				}},
			})
		})
	}
}

// An error says how many there are, which, and what is near.
func TestAccAssessmentDataSource_notOne(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) {
		st.Assessments = append(st.Assessments,
			sandbox.Assessment{ID: "asm-lumen-2", Kind: sandbox.CognitiveAbility, Code: "LM2", Name: "Lumen Ability Test"})
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			fails(service, `data "assess_assessment" "test" { name = "Lumen Ability Tset" }`,
				"No assessment found", "Lumen Ability Tset", `"Lumen Ability Test"`),
			fails(service, `data "assess_assessment" "test" { name = "Lumen Ability Test" }`,
				"Several assessments found", "2", "asm-lumen", "asm-lumen-2"),
			fails(service, `data "assess_assessment" "test" {}`, "id", "code", "name"),
			fails(service, `data "assess_assessment" "test" {
				id   = "asm-lumen"
				code = "LMN"
			}`, "id", "code"),
		},
	})
}

// Where lists show no names, a lookup by name is an error, and never "none".
func TestAccAssessmentDataSource_bareLists(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.BareLists)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: service.Config(`data "assess_assessment" "test" { id = "asm-lumen" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("assess_assessment", "name", knownvalue.Null()),
				},
			},
			fails(service, `data "assess_assessment" "test" { name = "Lumen Ability Test" }`, "name", "id"),
		},
	})
}
