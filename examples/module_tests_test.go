// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// The tests of the example pass, with both kinds of providers, also a second time.
func TestExampleModuleTests(t *testing.T) {
	t.Parallel()
	e := newExample(t, "module-tests")
	e.Human("fmt", "-check", "-recursive").OK()
	e.Human("init", "-input=false").OK()
	for range 2 {
		clitest.Contains(t, "output", e.Human("test", "-no-color").OK().Output, "Success! 5 passed, 0 failed")
	}
}
