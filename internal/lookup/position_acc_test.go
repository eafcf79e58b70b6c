// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccPositionDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_position.test"
	r := reads{acctest.NewService(t), "assess_position"}
	run(t,
		r.fails(says{"No position found", "Backend Enginer, London", `"Backend Engineer, London"`},
			`title = "Backend Enginer, London"`),
		r.fails(says{"Latin1", "title"}, `title = "Łódź"`),
		r.finds(shows{
			acctest.Has(data, "id", acctest.Text("pos-lager-leipzig")),
			acctest.Has(data, "locale", acctest.Text("de-DE")),
		}, `title = "Fachkraft für Lagerlogistik, Leipzig"`),
	)
}

func TestAccPositionsDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_positions.test"
	r := reads{acctest.NewService(t), "assess_positions"}
	lyon := acctest.Text("pos-clientele-lyon")
	run(t,
		r.finds(shows{
			acctest.Has(data, "ids", knownvalue.ListSizeExact(8)),
			acctest.Has(data, "ids_by_title", knownvalue.MapPartial(map[string]knownvalue.Check{
				"Chargé de clientèle, Lyon": lyon,
			})),
			acctest.Has(data, "positions.0", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"id": acctest.Text("pos-backend-london"), "title": acctest.Text("Backend Engineer, London"),
				"locale": acctest.Text("en-GB"), "extra_json": knownvalue.Null(),
			})),
		}),
		r.finds(shows{acctest.Has(data, "ids", knownvalue.ListExact([]knownvalue.Check{lyon}))},
			`title = "Chargé de clientèle, Lyon"`),
	)
}
