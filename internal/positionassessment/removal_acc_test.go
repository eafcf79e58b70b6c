// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
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

// uninvite removes the candidates of the first position, so that a test can remove what it has attached.
func uninvite(t *testing.T, service *acctest.Service) func() {
	return func() {
		service.Change(t, func(st *sandbox.State) { st.Position("pos-backend-london").Candidates = nil })
	}
}

// waysOut are the ways out of a rejected removal. The reviewed one comes first.
var waysOut = regexp.MustCompile(`(?s)removed \{.*on_refused_removal = "forget".*state rm`)

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
				PreConfig: func() { service.Invite("pos-backend-london", "asm-lumen") },
				Config:    service.Config(engineers), Destroy: true,
				ExpectError: acctest.Error("Cannot remove: candidates were invited", "asm-lumen", "pos-backend-london", "1 "),
			},
			{Config: service.Config(engineers), Destroy: true, ExpectError: waysOut},
			{Config: service.Config(leeds), ExpectError: acctest.Error("Cannot remove: candidates were invited")},
			{Config: service.Config(engineers), PlanOnly: true},
			{
				PreConfig: uninvite(t, service),
				Config:    service.Config(engineers), Check: service.CheckWrites(acctest.Attach),
			},
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
				PreConfig:   func() { service.Invite("pos-backend-london", "asm-lumen") },
				Config:      enabled("false"),
				ExpectError: acctest.Error("Cannot remove: candidates were invited", "asm-lumen", "pos-backend-london"),
			},
			{PreConfig: uninvite(t, service), Config: enabled("true"), PlanOnly: true},
		},
	})
}

// Without plan_checks, the service rejects, and the error shows its words.
func TestAccPositionAssessment_removalRejectedByService(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	config := service.Provider("plan_checks = false") + engineers
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		CheckDestroy:           service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { service.Invite("pos-backend-london", "asm-lumen") },
				Config:    config, Destroy: true,
				ExpectError: acctest.Error("409 Conflict", "1 candidate has been invited", "Conversation-Id"),
			},
			{Config: config, Destroy: true, ExpectError: waysOut},
			{
				PreConfig: uninvite(t, service),
				Config:    config, PlanOnly: true, // it is still in the state
			},
		},
	})
}

// With forget, a rejected removal removes it from the state only.
func TestAccPositionAssessment_forget(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(attached("lumen", "pos-backend-london", "asm-lumen", `on_refused_removal = "forget"`))},
			{
				PreConfig: func() { service.Invite("pos-backend-london", "asm-lumen") },
				Config:    service.Config(""),
				Check: resource.ComposeTestCheckFunc(
					service.CheckWrites(acctest.Attach, acctest.Remove), // the service has rejected it
					service.CheckAttached("pos-backend-london", "asm-lumen", 1),
					func(s *terraform.State) error {
						if len(s.RootModule().Resources) > 0 {
							t.Errorf("the state still has %v", s.RootModule().Resources)
						}
						return nil
					}),
			},
		},
	})
}

// With forget, what nobody has been invited to is removed as usual.
func TestAccPositionAssessment_forgetRemoves(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(attached("lumen", "pos-backend-london", "asm-lumen", `on_refused_removal = "forget"`))},
		},
	})
}

// A creation takes back what its apply has just removed from the state only.
func TestAccPositionAssessment_forgetTakesBack(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	forgetting := func(benchmark string) string {
		return service.Config(attached("lumen", "pos-backend-london", "asm-lumen", `
			benchmark { id = "`+benchmark+`" }
			on_refused_removal = "forget"`))
	}
	same := statecheck.CompareValue(compare.ValuesSame())
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:            forgetting("bmk-lumen-engineers-en-gb"),
				ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue(lumen, tfjsonpath.New("id"))},
			},
			{
				PreConfig: func() { service.Invite("pos-backend-london", "asm-lumen") },
				Taint:     []string{lumen},
				Config:    forgetting("bmk-lumen-engineers-en-gb"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(lumen, plancheck.ResourceActionDestroyBeforeCreate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{same.AddStateValue(lumen, tfjsonpath.New("id"))},
				Check:             service.CheckWrites(acctest.Attach, acctest.Remove),
			},
			{ // with other settings, it is not taken back
				Taint:       []string{lumen},
				Config:      forgetting("bmk-lumen-managers-en-gb"),
				ExpectError: acctest.Error("Already attached", "import {"),
			},
			service.Then(service.CheckAttached("pos-backend-london", "asm-lumen", 1)),
		},
	})
}

// A removal that the service answers 404, although a read still shows the position assessment, is not done.
func TestAccPositionAssessment_removalUnconfirmed(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		CheckDestroy:           service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				PreConfig: func() {
					service.Inject(sandboxtest.Fault{
						Method: http.MethodDelete, Route: sandbox.RoutePositionAssessment, Status: http.StatusNotFound,
					})
				},
				Config: service.Config(engineers), Destroy: true,
				ExpectError: acctest.Error("404", "asm-lumen"),
			},
			{Config: service.Config(engineers), PlanOnly: true},
		},
	})
}

// A removal that the service answers 404 is done if the reads show that it is gone.
func TestAccPositionAssessment_removedMeanwhile(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				Config: service.Config(""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(lumen, plancheck.ResourceActionDestroy),
					acctest.Meanwhile(func() { service.Remove("pos-backend-london", "asm-lumen") }),
				}},
			},
		},
	})
}

// A position that was deleted takes its assessments with it.
func TestAccPositionAssessment_positionDeleted(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				PreConfig: func() {
					service.Change(t, func(st *sandbox.State) { st.Positions = st.Positions[1:] })
				},
				Config: service.Config(""),
				Check:  service.CheckWrites(acctest.Attach), // there was nothing to remove
			},
		},
	})
}

// Only a list that was read, and a read that says 404, together show that something is gone.
func TestAccPositionAssessment_goneMustBeShown(t *testing.T) {
	t.Parallel()
	fetch := sandboxtest.Fault{
		Method: http.MethodGet, Route: sandbox.RoutePositionAssessment, Status: http.StatusNotFound, Times: -1,
	}
	list := sandboxtest.Fault{
		Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, When: sandboxtest.AfterEffect, Body: []byte("[]"),
		Times: -1,
	}
	// The two contradict each other: the list shows it, and the fetch that must show its profile says 404.
	errors := map[string]*regexp.Regexp{"fetch": acctest.Error("Could not read the position assessment", "still contains it")}
	for name, faults := range map[string][]sandboxtest.Fault{"fetch": {fetch}, "list": {list}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: service.CheckRemoved,
				Steps: []resource.TestStep{
					{Config: service.Config(engineers)},
					{
						PreConfig: func() {
							for _, fault := range faults {
								service.Inject(fault)
							}
						},
						Config: service.Config(engineers), PlanOnly: true, ExpectError: errors[name],
					},
					{PreConfig: service.ClearFaults, Config: service.Config(engineers), PlanOnly: true},
				},
			})
		})
	}
}

// A creation whose response was lost finds what it has attached. Nothing is attached twice.
func TestAccPositionAssessment_lostResponse(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandboxtest.Fault{
		"after the effect":   {When: sandboxtest.AfterEffect, Hangup: true},
		"before the effect":  {When: sandboxtest.BeforeEffect, Hangup: true},
		"504 after it":       {When: sandboxtest.AfterEffect, Status: http.StatusGatewayTimeout},
		"503 instead of it":  {When: sandboxtest.BeforeEffect, Status: http.StatusServiceUnavailable},
		"half of a response": {When: sandboxtest.AfterEffect, CutBody: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			fault.Method = http.MethodPost
			service.Inject(fault)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: service.CheckRemoved,
				Steps: []resource.TestStep{{
					Config: service.Provider(`request_timeout = "1s"`) + engineers, // how long it waits before it looks
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(lumen, tfjsonpath.New("benchmark").AtMapKey("id"),
							knownvalue.StringExact("bmk-lumen-engineers-en-gb")),
					},
					Check: service.CheckAttached("pos-backend-london", "asm-lumen", 1),
				}},
			})
		})
	}
}
