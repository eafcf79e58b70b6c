// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// is checks an attribute of the data source with the name "test".
func is(dataSource, attribute string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data."+dataSource+".test", tfjsonpath.New(attribute), want)
}

// fails is a step with an error that says all parts.
func fails(service *acctest.Service, config string, says ...string) resource.TestStep {
	return resource.TestStep{Config: service.Config(config), ExpectError: acctest.Error(says...)}
}
