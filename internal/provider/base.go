// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// resourceBase gives a resource its walk.
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
