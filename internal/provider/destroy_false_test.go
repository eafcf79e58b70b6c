// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// invited applies a configuration, and invites a candidate to Keystone on the position in London.
func invited(t *testing.T, config string) (*sandboxtest.Server, *clitest.CLI) {
	t.Helper()
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	c.UseText(config)
	c.Apply().OK()
	service.Change(t, func(st *sandbox.State) {
		if _, err := sandboxtest.Invite(st, "pos-backend-london", "asm-keystone"); err != nil {
			t.Error(err)
		}
	})
	service.ResetJournal()
	return service, c
}

// With destroy = false, the CLI drops instances from the state without a request, also if candidates have been invited.
// The provider does not see the setting. So it refuses a replacement as without it, unless on_refused_removal is
// "forget". Terraform then removes what is replaced, and OpenTofu does not. OpenTofu also remembers the setting after
// the resource was deleted from the configuration, and a destroy reports what it has dropped as an error.
func TestDestroyFalse(t *testing.T) {
	t.Parallel()
	const config = `locals {
  positions = toset(["pos-backend-london", "pos-support-leeds"])
}

resource "assess_position_assessment" "reliability" {
  for_each      = local.positions
  position_id   = each.key
  assessment_id = "asm-keystone"

  lifecycle {
    destroy = false
  }
}
`
	if cli := clitest.New(t, sandboxtest.New(t)); cli.Product()[1] == "Terraform" { // OpenTofu has the feature
		cli.NeedsTerraform(16)
	}
	service, c := invited(t, config)
	var options []string
	removals := 2 // in two replacements
	c.UseText("")
	if c.Product()[1] == "OpenTofu" {
		options = append(options, "-suppress-forget-errors")
		removals = 0
		c.Plan().OK()
	} else {
		c.Plan().Fails("Cannot remove: candidates were invited")
	}
	replaced := strings.Replace(config, `"asm-keystone"`, `"asm-facet"`, 1)
	c.UseText(replaced)
	c.Plan().Fails("Cannot remove: candidates were invited")
	const position, forget = "  position_id ", "  on_refused_removal = \"forget\"\n  position_id"
	c.UseText(strings.Replace(config, position, forget, 1))
	c.Apply().OK()
	c.UseText(strings.Replace(replaced, position, forget, 1))
	c.Apply().OK().Warns("Cannot remove: candidates were invited")
	if n := service.Count(http.MethodDelete, ""); n != removals {
		t.Errorf("for two replacements, the CLI sent %d removals, want %d", n, removals)
	}
	if n := len(c.Managed()); n != 2 {
		t.Errorf("the state has %d resources after the replacement, want 2", n)
	}
	service.ResetJournal()
	c.UseText(strings.Replace(replaced, `"pos-backend-london", `, "", 1))
	c.Apply().OK()
	if n := len(c.Managed()); n != 1 {
		t.Errorf("the state has %d resources after the apply, want 1", n)
	}
	c.Destroy(options...).OK()
	if n := len(c.Managed()); n != 0 {
		t.Errorf("the state has %d resources after the destroy", n)
	}
	if writes := service.Writes(); len(writes) != 0 {
		t.Errorf("the CLI sent %v", writes)
	}
}
