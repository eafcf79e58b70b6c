// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccAssessmentOptionsDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_assessment_options.test"
	r := reads{acctest.NewService(t), "assess_assessment_options"}
	run(t, r.finds(shows{
		acctest.Has(data, "blocks", knownvalue.SetExact([]knownvalue.Check{ // in any order
			acctest.Text("packages"), acctest.Text("benchmark"),
		})),
		acctest.Has(data, "required_blocks", knownvalue.SetSizeExact(1)),
		acctest.Has(data, "packages", knownvalue.MapSizeExact(4)),
		acctest.Has(data, "benchmarks", knownvalue.MapSizeExact(2)),
	}, `assessment_id = "asm-quartet"`, `locale = "en-GB"`))
}
