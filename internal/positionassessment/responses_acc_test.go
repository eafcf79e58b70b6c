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

// Responses to writes that the documents leave open (A4, A5, A6).
func TestAccPositionAssessment_openResponses(t *testing.T) {
	t.Parallel()
	const (
		create = http.MethodPost
		update = http.MethodPut
		remove = http.MethodDelete
	)
	for name, fault := range map[string]sandboxtest.Fault{
		"201 without a body": {Method: create, Body: []byte{}}, // its Location names the ID
		"200 to a creation":  {Method: create, Status: http.StatusOK},
		"200 without a body": {Method: update, Body: []byte{}},
		"204 to an update":   {Method: update, Status: http.StatusNoContent, Body: []byte{}},
		"200 to a removal":   {Method: remove, Status: http.StatusOK},
		"202 to a removal":   {Method: remove, Status: http.StatusAccepted},
		"410 to a removal":   {Method: remove, Status: http.StatusGone}, // it was done
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t)
			fault.When = sandboxtest.AfterEffect
			service.Inject(fault)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: service.CheckRemoved,
				Steps: []resource.TestStep{
					{Config: service.Config(engineers)},
					{
						Config: service.Config(attached("lumen", "pos-backend-london", "asm-lumen", "")),
						Check: resource.ComposeTestCheckFunc(service.CheckWrites(acctest.Attach, acctest.Change),
							service.CheckAttached("pos-backend-london", "asm-lumen", 1)),
					},
				},
			})
		})
	}
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

// A creation reads what a position has. Where no read shows that, or where a cache answers, it sends nothing.
func TestAccPositionAssessment_cannotLook(t *testing.T) {
	t.Parallel()
	cached := sandboxtest.Fault{Method: http.MethodGet, When: sandboxtest.AfterEffect, Times: -1}
	cached.Route, cached.Header = sandbox.RoutePositionAssessments, http.Header{"Age": {"60"}}
	nameless := sandboxtest.Fault{Method: http.MethodGet, When: sandboxtest.AfterEffect, Times: -1}
	nameless.Route, nameless.Body = sandbox.RoutePositionAssessment, []byte(`{"id": "pas-0001", "metadata": {}, "_links": []}`)
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		says  []string
	}{
		"a cache":       {cached, []string{"Age"}},
		"no assessment": {nameless, []string{"pas-0001"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, acctest.BareLists)
			service.Attach("pos-backend-london", "asm-keystone", sandbox.Metadata{})
			service.Inject(row.fault)
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{
					{Config: service.Provider(`retry_timeout = "1s"`) + engineers, ExpectError: acctest.Error(row.says...)},
					service.Then(service.CheckWrites()),
				},
			})
		})
	}
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

// A service whose list of a position answers 404, although the position exists, has no such list (A7).
func TestAccPositionAssessment_noListSays404(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Inject(sandboxtest.Fault{
		Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: http.StatusNotFound, Times: -1,
	})
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				Config: service.Config(attached("lumen", "pos-backend-london", "asm-lumen", "")),
				Check:  service.CheckWrites(acctest.Attach, acctest.Change),
			},
		},
	})
}

// A service may offer no removal, and the error says so.
func TestAccPositionAssessment_noRemoval(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		CheckDestroy:           service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: service.Config(engineers)},
			{
				PreConfig: func() {
					service.Inject(sandboxtest.Fault{Method: http.MethodDelete, Status: http.StatusMethodNotAllowed})
				},
				Config: service.Config(engineers), Destroy: true, ExpectError: acctest.Error("405", "state rm"),
			},
			{Config: service.Config(engineers), PlanOnly: true},
		},
	})
}
