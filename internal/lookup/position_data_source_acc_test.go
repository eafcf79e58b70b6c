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

func TestAccPositionDataSource_basic(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	for name, argument := range map[string]string{
		"id": `id = "pos-lager-leipzig"`, "title": `title = "Fachkraft für Lagerlogistik, Leipzig"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.Test(t, resource.TestCase{
				Steps: []resource.TestStep{{
					Config: service.Config(`data "assess_position" "test" { ` + argument + ` }`),
					ConfigStateChecks: []statecheck.StateCheck{
						is("assess_position", "id", knownvalue.StringExact("pos-lager-leipzig")),
						is("assess_position", "title", knownvalue.StringExact("Fachkraft für Lagerlogistik, Leipzig")),
						is("assess_position", "locale", knownvalue.StringExact("de-DE")),
					},
				}},
			})
		})
	}
}

func TestAccPositionDataSource_notOne(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	service.Change(t, func(st *sandbox.State) {
		st.Positions = append(st.Positions, sandbox.Position{ID: "pos-2", Title: "Backend Engineer, London"})
	})
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			fails(service, `data "assess_position" "test" { title = "Backend Enginer, London" }`,
				"No position found", "Backend Enginer, London", `"Backend Engineer, London"`),
			fails(service, `data "assess_position" "test" { title = "Backend Engineer, London" }`,
				"Several positions found", "2", "pos-backend-london", "pos-2"),
			fails(service, `data "assess_position" "test" { id = "pos-moon" }`, "No position found", "pos-moon"),
			fails(service, `data "assess_position" "test" { title = "Łódź" }`, "Latin1", "title"),
		},
	})
}
