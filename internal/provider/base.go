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
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// configured is what Configure hands to resources, data sources and actions.
type configured struct {
	*engine.Engine        // nil while a setting is unknown
	unknown        string // the provider setting that is not known yet
	privacy        string // privacyStandard or privacyStrict
}

// strict reports whether nothing about a person may reach a plan or a state.
func (c *configured) strict() bool { return c != nil && c.privacy == privacyStrict }

// personal is the value of an attribute that may say something about a person, such
// as extra_json or profile_url: null in strict mode.
func (c *configured) personal(members *string) types.String {
	if c.strict() {
		return types.StringNull()
	}
	return types.StringPointerValue(members)
}

// named is a position assessment in the words of a message.
func (c *configured) named(ref engine.Ref) string {
	return fmt.Sprintf("position assessment %q of position %s", ref.ID, c.PositionLabel(ref.Position))
}

// namedTest is a skills test in the words of a message.
func (c *configured) namedTest(ref engine.TestRef) string {
	return fmt.Sprintf("skills test %s of assessment %s", c.SkillsTestLabel(ref), c.AssessmentLabel(ref.Assessment))
}

// connected reports whether the service can be asked at all.
func (c *configured) connected() bool { return c.Engine != nil }

// require refuses what cannot be done while a provider setting is unknown, such as
// "read this data source".
func (c *configured) require(what string, diags *diag.Diagnostics) bool {
	if !c.connected() {
		diags.Append(
			newError(settingUnknown, fmt.Sprintf("Could not %s, because the provider setting %q is not known yet.\n\nTo "+
				"fix this: give the setting a value that is known at plan, or first apply the resources that it depends on with "+
				"-target.", what, c.unknown)),
		)
	}
	return c.connected()
}

// settingUnknown is the summary of messages about provider settings that are known
// after the apply.
const settingUnknown = "Provider setting not known yet"

// report adds the notices of the run to the diagnostics of a call. Core must not
// drop them, so it is not for the second planning call of a replacement.
func (c *configured) report(diags *diag.Diagnostics) {
	if c == nil || !c.connected() {
		return
	}
	for _, n := range c.Notices() {
		diags.Append(c.noticeDiagnostic(n))
	}
}

// resourceBase gives a resource its engine, also when its instances are listed.
type resourceBase struct{ engine *configured }

// Configure takes the engine. It is called without one while the CLI validates.
func (b *resourceBase) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.engine = configuredOf(req.ProviderData, &resp.Diagnostics)
}

// dataSourceBase gives a data source its name and its engine.
type dataSourceBase struct {
	name   string // without the prefix of the provider
	engine *configured
}

// Metadata returns the full name of the data source.
func (b *dataSourceBase) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_" + b.name
}

// Configure takes the engine. It is called without one while the CLI validates.
func (b *dataSourceBase) Configure(
	_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse,
) {
	b.engine = configuredOf(req.ProviderData, &resp.Diagnostics)
}

// ephemeralBase gives an ephemeral resource its engine.
type ephemeralBase struct{ engine *configured }

// Configure takes the engine. It is called without one while the CLI validates.
func (b *ephemeralBase) Configure(
	_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse,
) {
	b.engine = configuredOf(req.ProviderData, &resp.Diagnostics)
}

// actionBase gives an action its engine.
type actionBase struct{ engine *configured }

// Configure takes the engine. It is called without one while the CLI validates.
func (b *actionBase) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	b.engine = configuredOf(req.ProviderData, &resp.Diagnostics)
}

func configuredOf(data any, diags *diag.Diagnostics) *configured {
	if data == nil {
		return nil
	}
	c, ok := data.(*configured)
	if !ok {
		diags.Append(
			newError("Could not configure the provider", fmt.Sprintf("Configure handed over a %T.\n\nTo fix this: report "+
				"it as a defect of the provider.", data)),
		)
	}
	return c
}
