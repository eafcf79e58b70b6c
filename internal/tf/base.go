// SPDX-License-Identifier: MPL-2.0

// Package tf contains what resources, data sources, ephemeral resources and actions share with the plugin framework.
package tf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Run is what Configure passes to resources, data sources and actions.
type Run struct {
	*run.Run
	Unknown string // the name of a provider setting that is not known yet, so that nothing can be sent
	Privacy Privacy
}

// Require adds an error if a provider setting is unknown. action says what requires the
// setting, such as "read the data source".
func (c *Run) Require(action string, diags *diag.Diagnostics) bool {
	if !c.Connected() {
		diags.Append(Error(settingUnknown, fmt.Sprintf(
			"Could not %s, because the provider setting %q is not known yet.%s", action, c.Unknown, fixUnknown)))
	}
	return c.Connected()
}

// UnknownWarning says what a plan omits if a provider setting is unknown.
func (c *Run) UnknownWarning() diag.Diagnostic {
	return Warning(settingUnknown, fmt.Sprintf(
		"The provider setting %q is known only after other resources have been applied. This plan does not contact the "+
			"service, so nothing is checked, resources are shown as last read, and data sources cannot be read.%s",
		c.Unknown, fixUnknown))
}

// Parts of messages about a provider setting that is known only after an apply.
const (
	settingUnknown = "Provider setting not known yet"
	fixUnknown     = "\n\nTo fix this: use a value that is known when you plan, or first apply the resources that the " +
		"setting depends on, with the option -target='ADDRESS'."
)

// Report adds the notices of the run to the diagnostics of a call. Do not use it in the
// second planning call of a replacement, whose warnings the CLI drops.
func (c *Run) Report(diags *diag.Diagnostics) {
	if c == nil {
		return
	}
	AddFindings(c.Notices(), diags)
}

// Noun is a resource that the provider registers. It can also be imported and listed.
type Noun interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
	list.ListResourceWithConfigure
}

// Resource is embedded in each resource, and contains its name, its identity and the run.
type Resource struct {
	Name  string  // without the prefix of the provider
	Parts [2]Part // what identifies an instance: what has it, and its own ID
	Lists string  // what the list of the instances does that the first part has
	Run   *Run
}

// Part is an attribute of an identity, and one half of an import ID.
type Part struct{ Attribute, Description string }

// importForm shows an import ID.
func (b *Resource) importForm() string {
	id := strings.ToUpper(b.Parts[1].Attribute)
	if id == "ID" {
		id = strings.ToUpper(b.Name) + "_ID"
	}
	return strings.ToUpper(b.Parts[0].Attribute) + "/" + id
}

// Metadata returns the full name of the resource.
func (b *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + b.Name
}

// Configure stores the run. During validation, there is none.
func (b *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	b.Run, _ = req.ProviderData.(*Run)
}

// IdentitySchema describes the attributes that identify an instance.
func (b *Resource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{}
	for _, p := range b.Parts {
		resp.IdentitySchema.Attributes[p.Attribute] = identityschema.StringAttribute{
			RequiredForImport: true, Description: p.Description,
		}
	}
}

// ImportState stores the identity in the state, from an import ID or an identity.
func (b *Resource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	defer b.Run.Report(&resp.Diagnostics)
	id := req.ID
	if id == "" && !req.Identity.Raw.IsNull() {
		var parts [2]types.String
		for i, p := range b.Parts {
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(p.Attribute), &parts[i])...)
		}
		id = words.JoinImportID(parts[0].ValueString(), parts[1].ValueString())
	}
	var ids [2]string
	var err error
	if ids[0], ids[1], err = words.SplitImportID(id); err != nil {
		resp.Diagnostics.Append(Error("Invalid import ID", fmt.Sprintf("%q is not a valid import ID: %v. An import ID has "+
			"the form %s.\n\nTo fix this: correct the import ID. The data sources show the IDs.", id, err, b.importForm())))
	}
	what := "import the " + strings.ReplaceAll(b.Name, "_", " ")
	if resp.Diagnostics.HasError() || !b.Run.Require(what, &resp.Diagnostics) {
		return
	}
	for i, p := range b.Parts {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(p.Attribute), ids[i])...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(p.Attribute), ids[i])...)
	}
}

// Create decodes the plan of a creation, begins the apply, and saves what create has completed. failure explains an
// error. action says what the call does, such as "enable the skills test".
func Create[M any](
	ctx context.Context, run *Run, req resource.CreateRequest, resp *resource.CreateResponse, action string,
	create func(plan *M) error, failure func(M, error) diag.Diagnostic,
) {
	defer run.Report(&resp.Diagnostics)
	plan, ok := Decode[M](ctx, run, req.Plan, action, &resp.Diagnostics)
	if ok && apply(run, &plan, create, failure, &resp.Diagnostics) {
		Save(ctx, &plan, resp.Identity, &resp.State, &resp.Diagnostics)
	}
}

// Delete decodes the state of a removal, and begins the apply. failure explains an error.
func Delete[M any](
	ctx context.Context, run *Run, req resource.DeleteRequest, resp *resource.DeleteResponse, action string,
	remove func(state *M) error, failure func(M, error) diag.Diagnostic,
) {
	defer run.Report(&resp.Diagnostics)
	if state, ok := Decode[M](ctx, run, req.State, action, &resp.Diagnostics); ok {
		apply(run, &state, remove, failure, &resp.Diagnostics)
	}
}

// apply begins the apply and makes a change. It returns false after an error.
func apply[M any](
	run *Run, model *M, change func(*M) error, failure func(M, error) diag.Diagnostic, diags *diag.Diagnostics,
) bool {
	err := run.BeginApply()
	if err == nil {
		err = change(model)
	}
	if err != nil {
		diags.Append(failure(*model, err))
	}
	return err == nil
}

// Read refreshes the state of a thing, such as a "skills test". named is how a message names it. read updates the
// state, or returns an error. It may have added a diagnostic about that error itself.
func Read[M any](
	ctx context.Context, b *Resource, req resource.ReadRequest, resp *resource.ReadResponse, thing string,
	named func(M) string, read func(state *M) error,
) {
	defer b.Run.Report(&resp.Diagnostics)
	state, ok := Refresh[M](ctx, b.Run, req, resp)
	if !ok {
		return
	}
	switch err := read(&state); {
	case err == nil:
		resp.Diagnostics.Append(Set(ctx, &resp.State, &state)...)
	case !resp.Diagnostics.HasError():
		name := named(state)
		b.Unread(ctx, req, resp, thing, name, err, WarningIn(Gone, words.Upper(thing)+" is gone", "The service no longer "+
			"lists "+name+", so the provider dropped it from the state.\n\nTo fix this: if the service no longer has it, or "+
			"you no longer need it, remove the resource from the configuration. Otherwise, plan and apply again."))
	}
}

// Unread answers a refresh that failed. A resource that is gone is dropped from the state, unless this is an import.
func (b *Resource) Unread(
	ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse, thing, name string, err error,
	gone diag.Diagnostic,
) {
	switch {
	case b.IsImport(req.State):
		what := "Could not import " + name + "."
		if assessapi.IsNotFound(err) || catalog.IsMissing(err) {
			what += " An import ID has the form " + b.importForm() + "."
		}
		resp.Diagnostics.Append(Failure("Could not import the "+thing, what, err))
	case !errors.Is(err, catalog.ErrGone):
		resp.Diagnostics.Append(Failure("Could not read the "+thing, "Could not read "+name+".", err))
	default:
		resp.Diagnostics.Append(gone)
		resp.State.RemoveResource(ctx)
	}
}

// IsImport reports whether a state contains only the identity, as after an import. The state of each noun must contain
// something else after a refresh.
func (b *Resource) IsImport(state tfsdk.State) bool {
	var values map[string]tftypes.Value
	_ = state.Raw.As(&values) // a state is an object
	for name, value := range values {
		if name != b.Parts[0].Attribute && name != b.Parts[1].Attribute && !value.IsNull() {
			return false
		}
	}
	return true
}

// DataSource is embedded in each data source, and contains its name and the run.
type DataSource struct {
	Name string // without the prefix of the provider
	Run  *Run
}

// Metadata returns the full name of the data source.
func (b *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + b.Name
}

// Configure stores the run. During validation, there is none.
func (b *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	b.Run, _ = req.ProviderData.(*Run)
}

// Ephemeral is embedded in each ephemeral resource, and contains the run.
type Ephemeral struct{ Run *Run }

// Configure stores the run. During validation, there is none.
func (b *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	b.Run, _ = req.ProviderData.(*Run)
}

// Action is embedded in each action, and contains the run.
type Action struct{ Run *Run }

// Configure stores the run. During validation, there is none.
func (b *Action) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	b.Run, _ = req.ProviderData.(*Run)
}
