// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// uninvite removes the candidates of the first position, so that a test can remove what it has attached.
func uninvite(t *testing.T, service *acctest.Service) func() {
	return func() {
		service.Change(t, func(st *sandbox.State) { st.Position("pos-backend-london").Candidates = nil })
	}
}

// Rule 15: the service rejects the removal of what candidates have been invited to, and so does the plan.
func TestAccPositionAssessment_removalRejected(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	leeds := attached("lumen", "pos-support-leeds", "asm-lumen", "")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				PreConfig: func() { service.Invite(t, "pos-backend-london", "asm-lumen") },
				Config:    service.Config(engineers), Destroy: true,
				ExpectError: acctest.Error("Cannot remove: candidates were invited", "asm-lumen", "pos-backend-london", "1 "),
			},
			{Config: service.Config(leeds), ExpectError: acctest.Error("Cannot remove: candidates were invited")},
			{PreConfig: uninvite(t, service), Config: service.Config(engineers), Check: service.CheckWrites(acctest.Attach)},
		},
	})
}

// OpenTofu removes what enabled = false switches off, and attaches it again later. The same rule holds.
func TestAccPositionAssessment_enabled(t *testing.T) {
	t.Parallel()
	acctest.SkipTerraform(t)
	service := acctest.NewService(t)
	enabled := func(value string) string {
		return service.Config(attached("lumen", "pos-backend-london", "asm-lumen", "lifecycle { enabled = "+value+" }"))
	}
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		CheckDestroy:           service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: enabled("false"), Check: service.CheckWrites()},
			{Config: enabled("true"), Check: service.CheckWrites(acctest.Attach)},
			{Config: enabled("false"), Check: service.CheckWrites(acctest.Attach, acctest.Remove)},
			{Config: enabled("true"), Check: service.CheckWrites(acctest.Attach, acctest.Remove, acctest.Attach)},
			{
				PreConfig:   func() { service.Invite(t, "pos-backend-london", "asm-lumen") },
				Config:      enabled("false"),
				ExpectError: acctest.Error("Cannot remove: candidates were invited", "asm-lumen", "pos-backend-london"),
			},
			{PreConfig: uninvite(t, service), Config: enabled("true"), PlanOnly: true},
		},
	})
}

// With forget, a removal that the service rejects removes it from the state only. A creation of the same apply takes it
// back.
func TestAccPositionAssessment_forget(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	config := service.Config(attached("lumen", "pos-backend-london", "asm-lumen", `
		benchmark { id = "bmk-lumen-engineers-en-gb" }
		on_refused_removal = "forget"`))
	same := statecheck.CompareValue(compare.ValuesSame())
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:            config,
				ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue(lumen, tfjsonpath.New("id"))},
			},
			{
				PreConfig:         func() { service.Invite(t, "pos-backend-london", "asm-lumen") },
				Taint:             []string{lumen},
				Config:            config,
				ConfigPlanChecks:  acctest.Plans(plancheck.ResourceActionDestroyBeforeCreate, lumen),
				ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue(lumen, tfjsonpath.New("id"))},
				Check:             service.CheckWrites(acctest.Attach, acctest.Remove),
			},
			service.Then( // this step destroys the resource
				service.CheckWrites(acctest.Attach, acctest.Remove, acctest.Remove),
				service.CheckAttached("pos-backend-london", "asm-lumen", 1)),
		},
	})
}
