// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// reads are the steps of a test of one data source, whose name is "test".
type reads struct {
	service *acctest.Service
	data    string
}

// config is the data source with these arguments, such as `id = "a"`.
func (r reads) config(arguments []string) string {
	all := ""
	for _, argument := range arguments {
		all += "  " + argument + "\n"
	}
	return r.service.Config(fmt.Sprintf("data %q \"test\" {\n%s}\n", r.data, all))
}

// finds is a step that reads the data source, whose attributes pass the checks.
func (r reads) finds(checks []statecheck.StateCheck, arguments ...string) resource.TestStep {
	return resource.TestStep{Config: r.config(arguments), ConfigStateChecks: checks}
}

// fails is a step with an error that says all parts.
func (r reads) fails(says []string, arguments ...string) resource.TestStep {
	return resource.TestStep{Config: r.config(arguments), ExpectError: acctest.Error(says...)}
}

func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	acctest.Test(t, resource.TestCase{Steps: steps})
}

type (
	shows = []statecheck.StateCheck
	says  = []string
)
