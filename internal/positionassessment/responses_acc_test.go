// SPDX-License-Identifier: MPL-2.0

package positionassessment_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

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

// The key of another organization shows no object of the state, and that is no proof that they are gone.
func TestAccPositionAssessment_otherOrganization(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	var own *sandbox.State
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				PreConfig: func() {
					own = service.State(t)
					service.Change(t, func(st *sandbox.State) {
						st.Positions = []sandbox.Position{{ID: "pos-other", Title: "Other", Locale: "en-GB"}}
						st.Assessments = []sandbox.Assessment{{ID: "asm-other", Kind: sandbox.BehaviouralProfile}}
					})
				},
				RefreshState: true,
				ExpectError:  acctest.Error("state rm", "-refresh=false"),
			},
			{
				PreConfig: func() {
					service.Change(t, func(st *sandbox.State) { st.Positions, st.Assessments = own.Positions, own.Assessments })
				},
				Config: service.Config(engineers), PlanOnly: true, // the state still has it
			},
		},
	})
}
