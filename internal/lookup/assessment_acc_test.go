// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestAccAssessmentDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_assessment.test"
	r := reads{acctest.NewService(t), "assess_assessment"}
	run(t,
		r.fails(says{"No assessment found", "Lumen Ability Tset", `"Lumen Ability Test"`}, `name = "Lumen Ability Tset"`),
		r.fails(says{"id", "code", "name"}),
		r.fails(says{"id", "code"}, `id = "asm-lumen"`, `code = "LMN"`),
		r.finds(shows{
			acctest.Has(data, "id", acctest.Text("asm-lumen")),
			acctest.Has(data, "name", acctest.Text("Lumen Ability Test")),
		}, `code = "LMN"`),
	)
}

// Where lists show no names, a lookup by name is an error, and never "none" (A24). No message says that a name is wrong.
func TestAccAssessmentDataSource_bareLists(t *testing.T) {
	t.Parallel()
	r := reads{acctest.NewService(t, acctest.BareLists), "assess_assessment"}
	run(t,
		r.finds(shows{acctest.Has("data.assess_assessment.test", "name", knownvalue.Null())}, `id = "asm-lumen"`),
		r.fails(says{"The service does not show the name of", `set the attribute "id" instead`}, `name = "Lumen Ability Test"`),
	)
}

// A map omits what occurs more than once. Members that are not modeled are in extra_json.
func TestAccAssessmentsDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_assessments.test"
	r := reads{acctest.NewService(t), "assess_assessments"} // the pages of the service have five elements
	r.service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-lumen").Code = "QRT"
		st.Assessment("asm-facet").Extra.Set("minutes", 30)
	})
	run(t, r.finds(shows{
		acctest.Has(data, "ids", knownvalue.ListSizeExact(13)),
		acctest.Has(data, "assessments.12", knownvalue.ObjectExact(map[string]knownvalue.Check{ // in the service's order
			"id": acctest.Text("asm-facet"), "code": acctest.Text("FCT"), "name": acctest.Text("Facet Behavioural Profile"),
			"extra_json": acctest.Text(`{"minutes":30}`),
		})),
		acctest.Has(data, "ids_by_code", knownvalue.MapSizeExact(11)),
	}))
}
