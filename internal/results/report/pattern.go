// SPDX-License-Identifier: MPL-2.0

package report

import (
	"regexp"
	"sync"
)

// pattern compiles an expression when it is first used, because the provider starts
// several times in a run, and few runs write a report.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
