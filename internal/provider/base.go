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

	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// configured is what Configure passes to resources, data sources and actions.
type configured struct {
	*engine.Engine
	unknown string // the name of a provider setting that is not known yet, so that nothing can be sent
	privacy privacy
}

// named is how a message names a position assessment.
func (c *configured) named(ref engine.Ref) string {
	return fmt.Sprintf("position assessment %q of position %s", ref.ID, c.Catalog.PositionLabel(ref.Position))
}

// namedTest is how a message names a skills test.
func (c *configured) namedTest(ref engine.TestRef) string {
	return fmt.Sprintf(
		"skills test %s of assessment %s",
		c.Catalog.Tests.Label(ref.Assessment, ref.Test),
		c.Catalog.AssessmentLabel(ref.Assessment),
	)
}

// require adds an error if a provider setting is unknown. action says what requires the
// setting, such as "read the data source".
func (c *configured) require(action string, diags *diag.Diagnostics) bool {
	if !c.Connected() {
		diags.Append(
			newError(settingUnknown, fmt.Sprintf("Could not %s, because the provider setting %q is not known yet.\n\nTo "+
				"fix this: use a value that is known when you plan, or first apply the resources that the setting "+
				"depends on, with the option -target='ADDRESS'.", action, c.unknown)),
		)
	}
	return c.Connected()
}

// unknownWarning says what a plan omits if a provider setting is unknown.
func (c *configured) unknownWarning() diag.Diagnostic {
	return newWarning(settingUnknown, fmt.Sprintf(
		"The provider setting %q is known only after other resources have been applied. This plan "+
			"does not contact the service, so nothing is checked, resources are shown as last read, and data sources cannot "+
			"be read.\n\nTo fix this: use a value that is known when you plan, or first apply the resources that the setting "+
			"depends on, with the option -target='ADDRESS'.", c.unknown))
}

// settingUnknown is the summary of messages about a provider setting that is known only
// after an apply.
const settingUnknown = "Provider setting not known yet"

// report adds the notices of the run to the diagnostics of a call. Do not use it in the
// second planning call of a replacement, whose warnings the CLI drops.
func (c *configured) report(diags *diag.Diagnostics) {
	if c == nil {
		return
	}
	noticed, connected := c.Notices()
	for _, n := range connected {
		diags.Append(connectionWarning(n))
	}
	for _, n := range noticed {
		diags.Append(c.noticeWarning(n))
	}
}

// resourceBase is embedded in each resource, and contains the engine.
type resourceBase struct{ run *configured }

// Configure stores the engine. During validation, there is none.
func (b *resourceBase) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.run = configuredOf(req.ProviderData, &resp.Diagnostics)
}

// dataSourceBase is embedded in each data source, and contains its name and the engine.
type dataSourceBase struct {
	name string // without the prefix of the provider
	run  *configured
}

// Metadata returns the full name of the data source.
func (b *dataSourceBase) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_" + b.name
}

// Configure stores the engine. During validation, there is none.
func (b *dataSourceBase) Configure(
	_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse,
) {
	b.run = configuredOf(req.ProviderData, &resp.Diagnostics)
}

// ephemeralBase is embedded in each ephemeral resource, and contains the engine.
type ephemeralBase struct{ run *configured }

// Configure stores the engine. During validation, there is none.
func (b *ephemeralBase) Configure(
	_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse,
) {
	b.run = configuredOf(req.ProviderData, &resp.Diagnostics)
}

// actionBase is embedded in each action, and contains the engine.
type actionBase struct{ run *configured }

// Configure stores the engine. During validation, there is none.
func (b *actionBase) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	b.run = configuredOf(req.ProviderData, &resp.Diagnostics)
}

func configuredOf(data any, diags *diag.Diagnostics) *configured {
	if data == nil {
		return nil
	}
	c, ok := data.(*configured)
	if !ok {
		diags.Append(
			newError("Could not configure the provider", fmt.Sprintf("Configure passed a %T.\n\nTo fix this: report "+
				"this bug in the provider.", data)),
		)
	}
	return c
}
