// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// blockVariants are the attributes and blocks of a resource, by kind.
var blockVariants = map[string]string{
	"without blocks":  `assessment_id = "asm-facet"`,
	"could have more": `assessment_id = "asm-lumen"`,
	"benchmarks":      "assessment_id = \"asm-lumen\"\n  benchmark { id = \"bmk-lumen-engineers-en-gb\" }",
	"packages":        "assessment_id = \"asm-quartet\"\n  packages { select = \"all\" }",
	"profiles":        "assessment_id = \"asm-northlight\"\n  profile { id = \"prf-curious-builders\" }",
	"tests":           "assessment_id = \"asm-workbench\"\n  tests { ids = [\"skt-sql\"] }",
}

// onPositions returns a configuration with one resource for each position ID.
func onPositions(body string, positions ...string) string {
	quoted := make([]string, len(positions))
	for i, p := range positions {
		quoted[i] = fmt.Sprintf("%q", p)
	}
	return fmt.Sprintf(
		"locals { positions = [%s] }\n\nresource \"assess_position_assessment\" \"all\" {\n  count       = "+
			"length(local.positions)\n"+
			"  position_id = local.positions[count.index]\n  %s\n}\n",
		strings.Join(quoted, ", "),
		body,
	)
}

func numbered(from, to int) []string {
	var positions []string
	for n := from; n < to; n++ {
		positions = append(positions, fmt.Sprintf("pos-%04d", n))
	}
	return positions
}

func (c *cli) useText(text string) {
	c.t.Helper()
	c.configure(func(write func(name, text string)) { write("main.tf", text) })
}

// attachedOnce fails the test unless each of these positions has exactly one
// assessment.
func attachedOnce(t *testing.T, service *sandboxtest.Server, positions ...string) {
	t.Helper()
	for _, p := range service.State(t).Positions {
		want := 0
		if slices.Contains(positions, p.ID) {
			want = 1
		}
		if len(p.Assessments) != want {
			t.Errorf("position %s has %d assessments, want %d", p.ID, len(p.Assessments), want)
		}
	}
}
