// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestPositionDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Position("pos-backend-london").Extra = object(t, extra)
		st.Position("pos-lager-leipzig").Locale = ""
	})
	reads(t, service,
		having("data.assess_position.by_id", attributes{
			"id": text("pos-backend-london"), "title": text("Backend Engineer, London"), "locale": text("en-GB"),
			"extra_json": text(extraShown),
		}),
		having("data.assess_position.by_title", attributes{
			"id": text("pos-lager-leipzig"), "title": text("Fachkraft für Lagerlogistik, Leipzig"),
			"locale": knownvalue.Null(), "extra_json": knownvalue.Null(),
		}),
	)
	assertRoutes(t, service, sandbox.RoutePositions)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 2) // the first page, which has the ID, and the page with the title
}

func TestPositionDataSourceFindsNoneOrSeveral(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) { st.Position("pos-support-leeds").Title = "Ingénieure données, Paris" })
	refuses(t, service, "1", map[string][]string{
		"data.assess_position.nowhere": {
			"No position found", `None of 8 positions has the id "nowhere"`,
			"Available: .*pos-backend-london",
		},
		"data.assess_position.near": {
			"No position found", `None of 8 positions has the title "backend engineer"`,
			"Similar: .pos-backend-london",
		},
		"data.assess_position.several": {
			"Several positions found",
			`2 positions have the title "Ingénieure données, Paris"`, "pos-support-leeds.*pos-donnees-paris",
			"set id to one of these IDs instead",
		},
	})
	assertRoutes(t, service, sandbox.RoutePositions)
}

func TestPositionsDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Position("pos-support-leeds").Title = "Backend Engineer, London"
		st.Position("pos-backend-london").Extra = object(t, extra)
	})
	all := service.State(t).Positions
	shown := func(p sandbox.Position) knownvalue.Check {
		return knownvalue.ObjectExact(attributes{
			"id": text(p.ID), "title": text(p.Title), "locale": text(p.Locale),
			"extra_json": extraJSON(p.ID == "pos-backend-london"),
		})
	}
	id := func(p sandbox.Position) knownvalue.Check { return text(p.ID) }
	titled := []sandbox.Position{
		*service.State(t).Position("pos-backend-london"),
		*service.State(t).Position("pos-support-leeds"),
	}
	reads(t, service,
		having("data.assess_positions.all", attributes{
			"title": knownvalue.Null(), "positions": listOf(all, shown),
			"ids": listOf(all, id),
		}),
		having("data.assess_positions.titled", attributes{
			"positions": listOf(titled, shown),
			"ids":       listOf(titled, id),
		}),
		having("data.assess_positions.none", attributes{"positions": list(), "ids": list()}),
	)
	assertRoutes(t, service, sandbox.RoutePositions)
	titles := map[string]int{}
	for _, sent := range requestsOfPlan(t, service, "1") {
		titles[sent.Query.Get("title")]++
	}
	if titles[""] != 2 || titles["Backend Engineer, London"] != 1 || titles["Nobody, Nowhere"] != 1 ||
		len(titles) != 3 {
		t.Errorf("requests by filter: %v, want two pages without a filter, and one for each title", titles)
	}
}
