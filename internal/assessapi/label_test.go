// SPDX-License-Identifier: MPL-2.0

package assessapi

import "testing"

// A name of the service is shown as one line, and cannot give a command to a pipeline.
func TestLabel(t *testing.T) {
	t.Parallel()
	for want, label := range map[string]Label{
		`"asm-1"`:                         {ID: "asm-1"},
		`"Quartet: \"A\" é" (asm-1)`:      {ID: "asm-1", Name: `Quartet: "A" é`},
		`": :error: :x" (a)`:              {ID: "a", Name: "::error::x"},
		`": : :set-env: : :x" (a)`:        {ID: "a", Name: ":::set-env:::x"},
		`"# #vso[task.complete]" (a)`:     {ID: "a", Name: "##vso[task.complete]"},
		`"x\n: :error: :y\r\x1b[31m" (a)`: {ID: "a", Name: "x\n::error::y\r\x1b[31m"},
		`"x" (a\n: :b)`:                   {ID: "a\n::b", Name: "x"},
		`"a: :b"`:                         {ID: "a::b"},
	} {
		if got := label.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
