// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// The tests of the example pass, with both kinds of providers, also a second time. Mocks invent values for what has a
// default, so the README must say that.
func TestExampleModuleTests(t *testing.T) {
	t.Parallel()
	e := newExample(t, "module-tests")
	e.Human("fmt", "-check", "-recursive").OK()
	e.Human("init", "-input=false").OK()
	for range 2 {
		r := e.Human("test", "-no-color").OK()
		if !clitest.MatchesAll(r.Output, []string{`Success! 5 passed, 0 failed`}) {
			t.Error(r.Output)
		}
	}

	e.Edit(filepath.Join("tests", "mocks.tftest.hcl"), [2]string{`on_refused_removal = "fail"`, ``})
	if r := e.Human("test", "-no-color", "-filter=tests/mocks.tftest.hcl"); r.Code == 0 {
		t.Errorf("a mock has the default, although the README says that it has a random value:\n%s", r.Output)
	}
}
