// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	customers   = `profile { id = "prf-customer-first" }`
	reattaching = `profile {
    id                   = "prf-curious-builders"
    on_supervisor_change = "reattach"
  }`
)

// profile are checks of the state of [northlight].
func profile(id knownvalue.Check, status string) []statecheck.StateCheck {
	at := tfjsonpath.New("profile")
	if id != nil {
		at = at.AtMapKey("id")
	} else {
		id = knownvalue.Null()
	}
	return []statecheck.StateCheck{
		statecheck.ExpectKnownValue(northlight, at, id),
		statecheck.ExpectKnownValue(northlight, tfjsonpath.New("profile_status"), knownvalue.StringExact(status)),
		statecheck.ExpectKnownValue(northlight, tfjsonpath.New("profile_url"), knownvalue.NotNull()),
		statecheck.ExpectSensitiveValue(northlight, tfjsonpath.New("profile_url")),
	}
}

// checkProfile checks what the service has.
func checkProfile(service *acctest.Service, id, status string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for _, a := range service.Attached("pos-backend-london", "asm-northlight") {
			if a.Metadata.Profile != id || a.Metadata.ProfileStatus != status {
				return fmt.Errorf("the service has %+v, want %s %s", a.Metadata, id, status)
			}
		}
		return nil
	}
}

// replaceProfile is what a supervisor does.
func replaceProfile(service *acctest.Service) func() {
	return func() { service.CompleteProfile("pos-backend-london", "asm-northlight") }
}

func TestAccPositionAssessment_profileAttached(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config: service.Config(values(builders)),
				ConfigStateChecks: append(profile(knownvalue.StringExact("prf-curious-builders"), "PROFILE_ATTACHED"),
					statecheck.ExpectKnownValue(northlight, tfjsonpath.New("profile").AtMapKey("on_supervisor_change"),
						knownvalue.StringExact("keep"))),
			},
			{
				Config:            service.Config(values(customers)),
				ConfigStateChecks: profile(knownvalue.StringExact("prf-customer-first"), "PROFILE_ATTACHED"),
				Check:             service.CheckWrites(acctest.Attach, acctest.Change),
			},
			{ // without the block, a supervisor is to complete it
				Config:            service.Config(values("")),
				ConfigStateChecks: profile(nil, "SUPERVISOR_TO_COMPLETE"),
				Check:             checkProfile(service, "", "SUPERVISOR_TO_COMPLETE"),
			},
		},
	})
}

// keep: the state keeps the profile that a supervisor has replaced.
func TestAccPositionAssessment_keep(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(values(builders))},
			{PreConfig: replaceProfile(service), Config: service.Config(values(builders)), PlanOnly: true},
			{
				RefreshState: true,
				RefreshPlanChecks: resource.RefreshPlanChecks{
					PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			},
			{ // the removed block changes only the state
				Config: service.Config(values("")),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(northlight, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: profile(nil, "SUPERVISOR_COMPLETED"),
				Check:             service.CheckWrites(acctest.Attach),
			},
		},
	})
}

// reattach: one PUT attaches the profile again, and the state says so.
func TestAccPositionAssessment_reattach(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(values(reattaching))},
			{
				PreConfig: replaceProfile(service),
				Config:    service.Config(values(reattaching)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(northlight, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(northlight, tfjsonpath.New("profile_status"),
						knownvalue.StringExact("PROFILE_ATTACHED")),
				}},
				ConfigStateChecks: profile(knownvalue.StringExact("prf-curious-builders"), "PROFILE_ATTACHED"),
				Check: resource.ComposeTestCheckFunc(service.CheckWrites(acctest.Attach, acctest.Change),
					checkProfile(service, "prf-curious-builders", "PROFILE_ATTACHED")),
			},
		},
	})
}

// If a supervisor completes the profile between the plan and its apply, nothing is written.
func TestAccPositionAssessment_supervisorSincePlan(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Attach("pos-backend-london", "asm-keystone", sandbox.Metadata{}) // so that the plan looks at rankings
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(values(builders))},
			{
				Config: service.Config(values(customers)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acctest.Meanwhile(replaceProfile(service)),
				}},
				ExpectError: acctest.Error("supervisor", "plan again"),
			},
			service.Then(service.CheckWrites(acctest.Attach, acctest.Remove)),
		},
	})
}

// The plan of a removal shows what a supervisor has done before the plan, so its apply removes the position assessment.
func TestAccPositionAssessment_supervisorBeforeRemoval(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(values(builders))},
			{
				PreConfig: replaceProfile(service),
				Config:    service.Config(""),
				Check:     service.CheckWrites(acctest.Attach, acctest.Remove),
			},
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
					statecheck.ExpectKnownValue(northlight, tfjsonpath.New("id"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(northlight, tfjsonpath.New("profile_url"), knownvalue.Null()),
				},
			},
			{
				Config:            service.Config(values("") + `output "refreshed" { value = true }`),
				ConfigStateChecks: profile(nil, "SUPERVISOR_TO_COMPLETE"),
				Check:             service.CheckWrites(acctest.Attach),
			},
		},
	})
}
