// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// All keys of a for_each change, without moved blocks. At most two applies complete that, and nothing is lost or
// attached twice, whatever the order in which the CLI removes and creates.
func TestRenamesWithCLI(t *testing.T) {
	t.Parallel()
	keys := 60
	if testing.Short() {
		keys = 6
	}
	for _, parallelism := range []int{1, 10} {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("parallelism %d, adopt_existing %t", parallelism, adopts), func(t *testing.T) {
				t.Parallel()
				renames(t, keys, fmt.Sprintf("-parallelism=%d", parallelism), adopts)
			})
		}
	}
}

func renames(t *testing.T, keys int, parallelism string, adopts bool) {
	t.Helper()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Positions = nil
		for n := range keys {
			st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprintf("pos-%04d", n), Title: fmt.Sprint(n), Locale: "en-GB"})
		}
	})
	cli := clitest.New(t, service).With("ASSESS_UNTHROTTLED=1", fmt.Sprintf("ASSESS_ADOPT_EXISTING=%t", adopts))
	config := func(prefix string) string {
		return fmt.Sprintf(`
resource "assess_position_assessment" "lumen" {
  for_each      = { for n in range(%d) : "%s-${n}" => format("pos-%%04d", n) }
  position_id   = each.value
  assessment_id = "asm-lumen"

  benchmark {
    id = "bmk-lumen-engineers-en-gb"
  }
}
`, keys, prefix)
	}
	cli.UseText(config("old"))
	cli.Do("apply", "-auto-approve", parallelism).OK()
	cli.UseText(config("new"))
	for applies := 0; applies < 2 && len(cli.Do("plan", parallelism).OK().Changes) > 0; applies++ {
		for _, problem := range cli.Do("apply", "-auto-approve", parallelism).Errors {
			if problem.Summary != "Already attached" || adopts {
				t.Errorf("apply %d: %s", applies+1, problem)
			}
		}
	}
	cli.Do("plan").Empty()
	for _, position := range service.State(t).Positions {
		if got := len(position.Assessments); got != 1 {
			t.Errorf("%s has %d position assessments", position.ID, got)
		}
	}
}
