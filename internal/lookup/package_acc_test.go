// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

func TestAccPackageDataSource_basic(t *testing.T) {
	t.Parallel()
	const data = "data.assess_package.test"
	r := reads{acctest.NewService(t), "assess_package"}
	run(t, r.finds(shows{
		acctest.Has(data, "id", acctest.Text("pkg-processing-speed")),
		acctest.Has(data, "mandatory", knownvalue.Bool(false)),
	}, `assessment_id = "asm-quartet"`, `name = "Processing speed"`))
}

func TestAccPackagesDataSource_basic(t *testing.T) {
	t.Parallel()
	const data, quartet = "data.assess_packages.test", `assessment_id = "asm-quartet"`
	r := reads{acctest.NewService(t), "assess_packages"}
	bare := reads{acctest.NewService(t, acctest.BareLists), "assess_packages"}
	two := func(a, b string) knownvalue.Check {
		return knownvalue.ListExact([]knownvalue.Check{acctest.Text(a), acctest.Text(b)})
	}
	run(t,
		r.finds(shows{
			acctest.Has(data, "packages", knownvalue.ListSizeExact(4)),
			acctest.Has(data, "mandatory_ids", two("pkg-problem-solving", "pkg-numerical-reasoning")),
			acctest.Has(data, "optional_ids", two("pkg-processing-speed", "pkg-verbal-knowledge")),
		}, quartet),
		bare.finds(shows{ // without a mark, nobody knows whether a package is mandatory (A10)
			acctest.Has(data, "ids", knownvalue.ListSizeExact(4)),
			acctest.Has(data, "mandatory_ids", knownvalue.ListSizeExact(0)),
			acctest.Has(data, "packages.0.mandatory", knownvalue.Null()),
		}, quartet),
		r.fails(says{"asm-moon", "404"}, `assessment_id = "asm-moon"`),
	)
}
