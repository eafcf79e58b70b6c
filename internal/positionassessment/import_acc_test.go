// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestAccPositionAssessment_importByIdentity(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	hasIdentity := []statecheck.StateCheck{
		statecheck.ExpectIdentityValueMatchesState(cognitive, tfjsonpath.New("position_id")),
		statecheck.ExpectIdentityValueMatchesState(cognitive, tfjsonpath.New("id")),
	}
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Identity,
		CheckDestroy:           service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(quartet(mandatoryPackages)), ConfigStateChecks: hasIdentity},
			{ResourceName: cognitive, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: service.Config(quartet(`packages { select = "all" }`)), ConfigStateChecks: hasIdentity}, // an update
		},
	})
}

// Each kind of position assessment can be imported, and the configuration that the CLI generates then plans empty.
func TestAccPositionAssessment_importKinds(t *testing.T) {
	t.Parallel()
	for assessment, metadata := range map[string]sandbox.Metadata{
		"asm-quartet": {
			Packages:  []string{"pkg-problem-solving", "pkg-numerical-reasoning"},
			Benchmark: "bmk-quartet-engineers-en-gb",
		},
		"asm-lumen":      {Benchmark: "bmk-lumen-engineers-en-gb"},
		"asm-northlight": {Profile: "prf-customer-first"},
		"asm-terrain":    {}, // a supervisor completes the profile
		"asm-workbench":  {Tests: []string{"skt-sql", "skt-python"}},
		"asm-facet":      {},
	} {
		t.Run(assessment, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{
					{Config: service.Config("")},
					{
						ResourceName: "assess_position_assessment.test", ImportState: true, GenerateConfig: true,
						ImportStateKind: resource.ImportBlockWithID,
						ImportStateId:   "pos-backend-london/" + service.Attach("pos-backend-london", assessment, metadata),
					},
				},
			})
		})
	}
}

// imports is an import of the ID into a position assessment with this configuration.
func imports(id, name, config string) string {
	return fmt.Sprintf("import {\n  to = assess_position_assessment.%s\n  id = %q\n}\n", name, id) + config
}

// An import needs an ID of what exists. The ID of a position assessment wins over that of an assessment.
func TestAccPositionAssessment_importInvalid(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) {
		position := st.Position("pos-backend-london")
		position.Assessments = append(position.Assessments,
			sandbox.PositionAssessment{ID: "asm-keystone", Assessment: "asm-facet"},
			sandbox.PositionAssessment{ID: "pas-keystone", Assessment: "asm-keystone"})
	})
	const facet = "assess_position_assessment.facet"
	step := func(id string, says ...string) resource.TestStep {
		return resource.TestStep{
			Config:      service.Config(imports(id, "cognitive", quartet(mandatoryPackages))),
			ExpectError: acctest.Error(says...),
		}
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			step("pas-0001", "Invalid import ID", "pas-0001", "POSITION"),
			step("pos-backend-london/pas-0001/x", "Invalid import ID"),
			step("pos-backend-london/pas-moon", "pas-moon"),
			step("pos-moon/asm-quartet", "pos-moon"),
			{
				Config: service.Config(imports("pos-backend-london/asm-keystone", "facet",
					attached("facet", "pos-backend-london", "asm-facet", ""))),
				ConfigPlanChecks:  acctest.Plans(plancheck.ResourceActionNoop, facet),
				ConfigStateChecks: []statecheck.StateCheck{acctest.Has(facet, "id", acctest.Text("asm-keystone"))},
			},
		},
	})
}
