// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"
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
				renames(t, keys, parallelism, adopts)
			})
		}
	}
}

func renames(t *testing.T, keys, parallelism int, adopts bool) {
	t.Helper()
	service, cli := large(t, keys)
	cli = cli.With(fmt.Sprintf("ASSESS_ADOPT_EXISTING=%t", adopts))
	config := func(prefix string) string {
		return fmt.Sprintf(`
variable "positions" { type = number }

resource "assess_position_assessment" "lumen" {
  for_each      = { for n in range(var.positions) : "%s-${n}" => format("pos-%%04d", n) }
  position_id   = each.value
  assessment_id = "asm-lumen"

  benchmark {
    id = "bmk-lumen-engineers-en-gb"
  }
}
`, prefix)
	}
	at := fmt.Sprintf("-parallelism=%d", parallelism)
	cli.UseText(config("old"))
	cli.Do("apply", "-auto-approve", at).OK()
	cli.UseText(config("new"))
	applies, failed := 0, 0
	for ; applies < 2 && len(cli.Do("plan", at).OK().Changes) > 0; applies++ {
		applied := cli.Do("apply", "-auto-approve", at)
		failed += len(applied.Errors)
		for _, problem := range applied.Errors {
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
	t.Logf("%d keys: %d applies, %d creations that failed in the first one", keys, applies, failed)
}
