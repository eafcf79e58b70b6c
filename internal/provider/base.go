// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// resourceBase gives a resource its walk, also where its instances are listed.
type resourceBase struct{ walk *walk }

// Configure takes the walk. It is called without one while the CLI validates.
func (b *resourceBase) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.walk = walkOf(req.ProviderData, &resp.Diagnostics)
}

// dataSourceBase gives a data source its walk.
type dataSourceBase struct{ walk *walk }

// Configure takes the walk. It is called without one while the CLI validates.
func (b *dataSourceBase) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	b.walk = walkOf(req.ProviderData, &resp.Diagnostics)
}

// ephemeralBase gives an ephemeral resource its walk.
type ephemeralBase struct{ walk *walk }

// Configure takes the walk. It is called without one while the CLI validates.
func (b *ephemeralBase) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	b.walk = walkOf(req.ProviderData, &resp.Diagnostics)
}

// actionBase gives an action its walk.
type actionBase struct{ walk *walk }

// Configure takes the walk. It is called without one while the CLI validates.
func (b *actionBase) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	b.walk = walkOf(req.ProviderData, &resp.Diagnostics)
}

func walkOf(data any, diags *diag.Diagnostics) *walk {
	if data == nil {
		return nil
	}
	w, ok := data.(*walk)
	if !ok {
		diags.AddError("Cannot configure the provider", fmt.Sprintf("This is a defect of the provider: Configure handed over a %T.", data))
	}
	return w
}
