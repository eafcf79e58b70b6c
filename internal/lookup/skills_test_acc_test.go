// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccSkillsTestDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_skills_test.test"
	r := reads{acctest.NewService(t), "assess_skills_test"}
	run(t,
		r.finds(shows{ // one that is not enabled
			acctest.Has(data, "id", acctest.Text("skt-go")),
			acctest.Has(data, "number_of_questions", knownvalue.Int64Exact(24)),
			acctest.Has(data, "active", knownvalue.Bool(false)),
		}, `assessment_id = "asm-workbench"`, `title = "Go Programming"`),
		r.fails(says{"No skills test found", "asm-lumen"}, `assessment_id = "asm-lumen"`, `id = "skt-go"`),
	)
}

func TestAccSkillsTestsDataSource_basic(t *testing.T) {
	t.Parallel()
	const data, workbench = "data.assess_skills_tests.test", `assessment_id = "asm-workbench"`
	r := reads{acctest.NewService(t), "assess_skills_tests"}
	run(t,
		r.finds(shows{acctest.Has(data, "ids", knownvalue.ListSizeExact(24))}, workbench),
		r.finds(shows{acctest.Has(data, "tests", knownvalue.ListSizeExact(19))}, workbench, "active = true"),
		r.finds(shows{acctest.Has(data, "ids", knownvalue.ListSizeExact(5))}, workbench, "active = false"),
	)
}
