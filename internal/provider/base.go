// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// configured is what Configure passes to resources, data sources and actions.
type configured struct {
	*engine.Engine
	unknown string // the name of a provider setting that is not known yet, so that nothing can be sent
	privacy privacy
	errors  errorFilter
}

// named is how a message names a position assessment.
func (c *configured) named(ref engine.Ref) string {
	return fmt.Sprintf("position assessment %q of position %s", ref.ID, c.Catalog.PositionLabel(ref.Position))
}

// namedTest is how a message names a skills test.
func (c *configured) namedTest(ref catalog.TestRef) string {
	return fmt.Sprintf(
		"skills test %s of assessment %s",
		c.Catalog.Tests.Label(ref),
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

// resourceBase is embedded in each resource, and contains its name, its identity and the engine.
type resourceBase struct {
	name  string  // without the prefix of the provider
	parts [2]part // what identifies an instance
	run   *configured
}

// Each resource implements these interfaces with its resourceBase.
var (
	_ resource.ResourceWithConfigure   = (*positionAssessmentResource)(nil)
	_ resource.ResourceWithIdentity    = (*positionAssessmentResource)(nil)
	_ resource.ResourceWithImportState = (*skillsTestActivationResource)(nil)
)

// part is an attribute of an identity, and one half of an import ID.
type part struct {
	attribute, description string
	form                   string // its place in an import ID
}

// Metadata returns the full name of the resource.
func (b *resourceBase) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + b.name
}

// Configure stores the engine. During validation, there is none.
func (b *resourceBase) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.run = configuredOf(req.ProviderData, &resp.Diagnostics)
}

// IdentitySchema describes the attributes that identify an instance.
func (b *resourceBase) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{}
	for _, p := range b.parts {
		resp.IdentitySchema.Attributes[p.attribute] = identityschema.StringAttribute{
			RequiredForImport: true, Description: p.description,
		}
	}
}

// ImportState stores the identity in the state, from an import ID or an identity.
func (b *resourceBase) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	defer b.run.report(&resp.Diagnostics)
	var ids [2]string
	if req.ID != "" {
		var err error
		if ids[0], ids[1], err = words.SplitImportID(req.ID); err != nil {
			resp.Diagnostics.Append(importIDFailure(req.ID, b.parts[0].form+"/"+b.parts[1].form, err))
		}
	} else {
		for i, p := range b.parts {
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(p.attribute), &ids[i])...)
		}
	}
	what := "import the " + strings.ReplaceAll(b.name, "_", " ")
	if resp.Diagnostics.HasError() || !b.run.require(what, &resp.Diagnostics) {
		return
	}
	for i, p := range b.parts {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(p.attribute), ids[i])...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(p.attribute), ids[i])...)
	}
}

// unread answers a refresh that failed. A resource that is gone is dropped from the state.
func unread(ctx context.Context, resp *resource.ReadResponse, err error, gone, failed diag.Diagnostic) {
	if !errors.Is(err, catalog.ErrGone) {
		resp.Diagnostics.Append(failed)
		return
	}
	resp.Diagnostics.Append(gone)
	resp.State.RemoveResource(ctx)
}

// recovered warns that an object was created although the response was lost. what says which one, and did what a
// teammate may have done.
func recovered(noun, what, did string, lost error) diag.Diagnostic {
	return newWarning("Recovered after a lost response", fmt.Sprintf(
		"The provider sent a request and got no usable response. It then found exactly one new %[1]s that matches the "+
			"request, and added it to the state. %[2]s.\n\n%[3]s\n\nUsually, you do not need to do anything. If a teammate "+
			"has %[4]s at the same time, look at the service. If it has two, remove the one that no Terraform state contains.",
		noun, what, Answer(lost), did))
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
