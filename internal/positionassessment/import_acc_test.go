// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// The ID of a position assessment wins over that of an assessment, where both exist.
func TestAccPositionAssessment_importPrefersID(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) {
		position := st.Position("pos-backend-london")
		position.Assessments = append(position.Assessments,
			sandbox.PositionAssessment{ID: "asm-keystone", Assessment: "asm-facet"},
			sandbox.PositionAssessment{ID: "pas-keystone", Assessment: "asm-keystone"})
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: service.Config(`
				import {
				  to = assess_position_assessment.facet
				  id = "pos-backend-london/asm-keystone"
				}
				resource "assess_position_assessment" "facet" {
				  position_id   = "pos-backend-london"
				  assessment_id = "asm-facet"
				}`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("assess_position_assessment.facet", plancheck.ResourceActionNoop),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("assess_position_assessment.facet", tfjsonpath.New("id"),
					knownvalue.StringExact("asm-keystone")),
			},
		}},
	})
}

func TestAccPositionAssessment_importByIdentity(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Identity,
		CheckDestroy:           service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(quartet(mandatoryPackages)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentityValueMatchesState(cognitive, tfjsonpath.New("position_id")),
					statecheck.ExpectIdentityValueMatchesState(cognitive, tfjsonpath.New("id")),
				},
			},
			{
				ResourceName:    cognitive,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithResourceIdentity,
			},
			{ // an update keeps the identity
				Config: service.Config(quartet(`packages { select = "all" }`)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentityValueMatchesState(cognitive, tfjsonpath.New("id")),
				},
			},
		},
	})
}

// Each kind of configuration can be imported, and the configuration that the CLI generates then plans empty.
func TestAccPositionAssessment_importKinds(t *testing.T) {
	t.Parallel()
	for name, blocks := range map[string]string{
		"asm-quartet":    mandatoryPackages + "\n" + `benchmark { id = "bmk-quartet-engineers-en-gb" }`,
		"asm-lumen":      `benchmark { id = "bmk-lumen-engineers-en-gb" }`,
		"asm-northlight": `profile { id = "prf-customer-first" }`,
		"asm-terrain":    ``, // a supervisor completes the profile
		"asm-workbench":  `tests { ids = ["skt-sql", "skt-python"] }`,
		"asm-facet":      ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: service.CheckRemoved,
				Steps: []resource.TestStep{
					{Config: service.Config(attached("test", "pos-backend-london", name, blocks))},
					{
						ResourceName:      "assess_position_assessment.test",
						ImportState:       true,
						ImportStateVerify: true,
						ImportStateIdFunc: acctest.ImportID("assess_position_assessment.test", "position_id", "id"),
					},
					{ // what the CLI generates plans empty
						ResourceName:      "assess_position_assessment.test",
						ImportState:       true,
						ImportStateKind:   resource.ImportBlockWithID,
						ImportStateIdFunc: acctest.ImportID("assess_position_assessment.test", "position_id", "id"),
						GenerateConfig:    true,
					},
				},
			})
		})
	}
}

func TestAccPositionAssessment_importInvalid(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	step := func(id string, says ...string) resource.TestStep {
		return resource.TestStep{
			Config: service.Config(fmt.Sprintf(`
				import {
				  to = assess_position_assessment.cognitive
				  id = %q
				}`, id) + quartet(mandatoryPackages)),
			ExpectError: acctest.Error(says...),
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step("pas-0001", "Invalid import ID", "pas-0001", "POSITION"),
			step("pos-backend-london/pas-0001/x", "Invalid import ID"),
			step("pos-backend-london/pas-moon", "pas-moon"),
			step("pos-moon/asm-quartet", "pos-moon"),
		},
	})
}
