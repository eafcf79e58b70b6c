// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	northlight = "assess_position_assessment.northlight"
	builders   = `profile { id = "prf-curious-builders" }`
	customers  = `profile { id = "prf-customer-first" }`
)

// values is the values inventory on the first position.
func values(blocks string) string {
	return attached("northlight", "pos-backend-london", "asm-northlight", blocks)
}

// profile are checks of the state of [northlight], which has no profile if the ID is empty.
func profile(id, status string) []statecheck.StateCheck {
	attached := acctest.Has(northlight, "profile", knownvalue.Null())
	if id != "" {
		attached = acctest.Has(northlight, "profile.id", acctest.Text(id))
	}
	return []statecheck.StateCheck{
		attached, acctest.Has(northlight, "profile_status", acctest.Text(status)),
		acctest.Has(northlight, "profile_url", knownvalue.NotNull()),
		statecheck.ExpectSensitiveValue(northlight, tfjsonpath.New("profile_url")),
	}
}

// supervise replaces the profile of [northlight], as a supervisor does.
func supervise(service *acctest.Service) func() {
	return func() { service.CompleteProfile("pos-backend-london", "asm-northlight") }
}

// keep: the state keeps the profile that a supervisor has replaced. The removed block changes only the state.
func TestAccPositionAssessment_keep(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(values(builders)),
				ConfigStateChecks: append(profile("prf-curious-builders", "PROFILE_ATTACHED"),
					acctest.Has(northlight, "profile.on_supervisor_change", acctest.Text("keep"))),
			},
			{PreConfig: supervise(service), Config: service.Config(values(builders)), PlanOnly: true},
			{
				Config:            service.Config(values("")),
				ConfigPlanChecks:  acctest.Plans(plancheck.ResourceActionUpdate, northlight),
				ConfigStateChecks: profile("", "SUPERVISOR_COMPLETED"),
				Check:             service.CheckWrites(acctest.Attach),
			},
		},
	})
}

// reattach: one PUT attaches the profile again, and the state says so. Without the block, a supervisor is to complete
// the profile.
func TestAccPositionAssessment_reattach(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	reattaching := service.Config(values(`profile {
		id                   = "prf-curious-builders"
		on_supervisor_change = "reattach"
	}`))
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: reattaching},
			{
				PreConfig: supervise(service),
				Config:    reattaching,
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionUpdate, northlight,
					plancheck.ExpectKnownValue(northlight, tfjsonpath.New("profile_status"), acctest.Text("PROFILE_ATTACHED"))),
				ConfigStateChecks: profile("prf-curious-builders", "PROFILE_ATTACHED"),
				Check:             service.CheckWrites(acctest.Attach, acctest.Change),
			},
			{Config: service.Config(values("")), ConfigStateChecks: profile("", "SUPERVISOR_TO_COMPLETE")},
		},
	})
}

// Nothing fails after a POST was accepted. The next read fills what could not be read.
func TestAccPositionAssessment_acceptedNotRead(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.BareLists)
	service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.AfterEffect, Body: []byte{}})
	service.Inject(sandboxtest.Fault{ // one fetch checks the ID, and one reads what the list lacks
		Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Status: http.StatusForbidden, Times: 2,
	})
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(values("")),
				ConfigStateChecks: []statecheck.StateCheck{
					acctest.Has(northlight, "id", knownvalue.NotNull()), acctest.Has(northlight, "profile_url", knownvalue.Null()),
				},
			},
			{
				Config:            service.Config(values("") + `output "refreshed" { value = true }`),
				ConfigStateChecks: profile("", "SUPERVISOR_TO_COMPLETE"),
				Check:             service.CheckWrites(acctest.Attach),
			},
		},
	})
}
