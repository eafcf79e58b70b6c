// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Which response arrives first does not matter: a repeated error waits for the complete one, unless no call can report
// it.
func TestErrorFilter(t *testing.T) {
	t.Parallel()
	says := func(summary, detail string) []*tfprotov6.Diagnostic {
		return []*tfprotov6.Diagnostic{{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail,
		}}
	}
	var (
		complete = says("Could not list the positions", "The service answered 401.")
		repeated = says(tf.Stopped+": the service answered 401", "")
		lacking  = says(tf.Stopped+": the service answered 401", "Could not list the packages.")
	)
	for name, tc := range map[string]struct {
		first, second, last []*tfprotov6.Diagnostic
		waits               bool // until the last call ends
		kept                [3]int
	}{
		"the complete error is the last one":    {repeated, repeated, complete, true, [3]int{0, 0, 1}},
		"the complete error is the first one":   {complete, repeated, nil, false, [3]int{1, 0, 0}},
		"there is no complete error":            {repeated, repeated, nil, true, [3]int{1, 1, 0}},
		"all errors are repeated":               {repeated, repeated, repeated, true, [3]int{1, 1, 1}},
		"the plan lacks something":              {lacking, complete, repeated, false, [3]int{1, 1, 0}},
		"both errors belong to one resource":    {append(complete, repeated...), repeated, nil, false, [3]int{1, 0, 0}},
		"another error makes the run fail, too": {nil, repeated, says("Duplicate assessment", ""), true, [3]int{0, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var f errorFilter
				all := [][]*tfprotov6.Diagnostic{tc.first, tc.second, tc.last}
				kept, ended := [3]int{}, [3]bool{}
				for range all {
					f.begin()
				}
				for i, diagnostics := range all {
					if i == len(all)-1 && tc.waits == (ended[0] && ended[1]) {
						t.Errorf("the first calls have ended: %v", ended)
					}
					go func() {
						kept[i], ended[i] = len(f.end(diagnostics)), true
					}()
					synctest.Wait()
				}
				if kept != tc.kept || ended != [3]bool{true, true, true} {
					t.Errorf("kept %v, want %v", kept, tc.kept)
				}
			})
		})
	}
}
