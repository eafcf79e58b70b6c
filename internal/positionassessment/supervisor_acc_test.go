// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
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

// Without a profile block, a supervisor completes the profile.
func TestAccPositionAssessment_supervised(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(values("")), ConfigStateChecks: profile(nil, "SUPERVISOR_TO_COMPLETE")},
			{PreConfig: replaceProfile(service), Config: service.Config(values("")), PlanOnly: true},
			{ // a refresh shows what the supervisor did
				Config: service.Config(values("") + `output "status" { value = assess_position_assessment.northlight.profile_status }`),
				ConfigStateChecks: append(profile(nil, "SUPERVISOR_COMPLETED"),
					statecheck.ExpectKnownOutputValue("status", knownvalue.StringExact("SUPERVISOR_COMPLETED"))),
				Check: service.CheckWrites(acctest.Attach),
			},
		},
	})
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

// keep: a profile in the configuration, but none in the state after an import, would replace the supervisor's.
func TestAccPositionAssessment_keepImported(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	id := service.Attach("pos-backend-london", "asm-northlight", sandbox.Metadata{Profile: "prf-curious-builders"})
	replaceProfile(service)()
	imported := func(blocks string) string {
		return service.Config(fmt.Sprintf(`
			import {
			  to = assess_position_assessment.northlight
			  id = "pos-backend-london/%s"
			}`, id) + values(blocks))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: imported(builders), ExpectError: acctest.Error("profile", "supervisor", `"reattach"`)},
			{Config: imported(""), ConfigStateChecks: profile(nil, "SUPERVISOR_COMPLETED")},
			{Config: service.Config(values(builders)), ExpectError: acctest.Error("profile", "supervisor", `"reattach"`)},
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
