// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccProfileDataSource_basic(t *testing.T) {
	t.Parallel()
	r := reads{acctest.NewService(t), "assess_profile"}
	run(t, r.finds(shows{acctest.Has("data.assess_profile.test", "id", acctest.Text("prf-curious-builders"))},
		`assessment_id = "asm-northlight"`, `name = "Curious builders"`))
}

func TestAccProfilesDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_profiles.test"
	r := reads{acctest.NewService(t), "assess_profiles"}
	run(t, r.finds(shows{
		acctest.Has(data, "ids", knownvalue.ListExact([]knownvalue.Check{
			acctest.Text("prf-desk-and-screen"), acctest.Text("prf-shift-work"), acctest.Text("prf-field-service"),
		})),
		acctest.Has(data, "ids_by_name", knownvalue.MapPartial(map[string]knownvalue.Check{
			"Shift work, indoors": acctest.Text("prf-shift-work"),
		})),
	}, `assessment_id = "asm-terrain"`))
}
