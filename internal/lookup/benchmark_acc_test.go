// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccBenchmarkDataSource_basic(t *testing.T) {
	t.Parallel()
	const data, lumen, managers = "data.assess_benchmark.test", `assessment_id = "asm-lumen"`, `name = "Managers"`
	r := reads{acctest.NewService(t), "assess_benchmark"}
	run(t,
		r.finds(shows{
			acctest.Has(data, "id", acctest.Text("bmk-lumen-managers-fr-fr")),
			acctest.Has(data, "locale", acctest.Text("fr-FR")),
		}, lumen, managers, `locale = "fr-FR"`),
		r.fails(says{"Several benchmarks found", "bmk-lumen-managers-de-de", "locale"}, lumen, managers),
	)
}

func TestAccBenchmarksDataSource_basic(t *testing.T) {
	t.Parallel()
	const data, lumen = "data.assess_benchmarks.test", `assessment_id = "asm-lumen"`
	r := reads{acctest.NewService(t), "assess_benchmarks"}
	run(t,
		r.finds(shows{ // three groups in three locales: each name occurs three times
			acctest.Has(data, "benchmarks", knownvalue.ListSizeExact(9)),
			acctest.Has(data, "ids_by_name", knownvalue.MapSizeExact(0)),
		}, lumen),
		r.finds(shows{ // regardless of the spelling of the locale
			acctest.Has(data, "ids_by_name", knownvalue.MapExact(map[string]knownvalue.Check{
				"Graduates": acctest.Text("bmk-lumen-graduates-de-de"),
				"Engineers": acctest.Text("bmk-lumen-engineers-de-de"),
				"Managers":  acctest.Text("bmk-lumen-managers-de-de"),
			})),
		}, lumen, `locale = "de_de"`),
	)
}
