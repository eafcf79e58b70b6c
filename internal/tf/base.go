// SPDX-License-Identifier: MPL-2.0

// Package tf contains small helpers for the plugin framework. Resources, data sources, ephemeral resources and actions
// share them.
package tf

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// Run is what Configure passes to resources, data sources, ephemeral resources and actions.
type Run struct {
	*run.Run
	Unknown string // the name of a provider setting that is not known yet, so that nothing can be sent
	Privacy Privacy
}

// Require reports whether all provider settings are known. If not, it adds an error. action says what requires the
// settings, such as "read the data source".
func (c *Run) Require(action string, diags *diag.Diagnostics) bool {
	if !c.Connected() {
		diags.Append(Error(settingUnknown, fmt.Sprintf(
			"Could not %s, because the provider setting %q is not known yet.%s", action, c.Unknown, fixUnknown)))
	}
	return c.Connected()
}

// RequireWrite does what [Run.Require] does, for a call that writes. It also records that the apply has begun. If the
// provider is read-only, it adds an error and returns false.
func (c *Run) RequireWrite(action string, diags *diag.Diagnostics) bool {
	if !c.Require(action, diags) {
		return false
	}
	c.BeginApply()
	if c.ReadOnly {
		diags.Append(Failure("Could not "+action, "Could not "+action+".", assessapi.ErrReadOnly))
	}
	return !c.ReadOnly
}

// UnknownWarning returns the warning that says what a plan omits if a provider setting is unknown.
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

// Report adds the notices of the run to the diagnostics of a call.
func (c *Run) Report(diags *diag.Diagnostics) {
	if c != nil {
		AddFindings(c.Notices(), diags)
	}
}

// hadPriorKey is the private state key under which ReportPlan stores whether core has passed a prior state.
const hadPriorKey = "planned"

// ReportPlan does what [Run.Report] does, for ModifyPlan. Core plans a replacement twice: first with the prior state,
// and then as a creation. Core passes the private state of the first call to the second call, and drops the warnings of
// the second call. So in the second call, ReportPlan adds no notices, and another call reports them.
func (c *Run) ReportPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	isSecond := req.State.Raw.IsNull() && LoadPrivate[bool](ctx, req.Private, hadPriorKey, &resp.Diagnostics)
	SavePrivate(ctx, resp.Private, hadPriorKey, !req.State.Raw.IsNull(), &resp.Diagnostics)
	if !isSecond {
		c.Report(&resp.Diagnostics)
	}
}

// PrivateState is the private state of a request or a response.
type PrivateState interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
	SetKey(context.Context, string, []byte) diag.Diagnostics
}

// LoadPrivate reads a value of the private state. It returns the zero value if the private state does not contain the
// key, or if another version of the provider wrote the value in another form.
func LoadPrivate[T any](ctx context.Context, private PrivateState, key string, diags *diag.Diagnostics) T {
	var value, empty T
	text, d := private.GetKey(ctx, key)
	diags.Append(d...)
	if len(text) > 0 && json.Unmarshal(text, &value) != nil {
		return empty
	}
	return value
}

// SavePrivate writes a value into the private state.
func SavePrivate(ctx context.Context, private PrivateState, key string, value any, diags *diag.Diagnostics) {
	text, err := json.Marshal(value)
	if err != nil {
		diags.Append(Error("Could not save the private state",
			messages.Capitalized(err)+".\n\nTo fix this: report this bug."))
		return
	}
	diags.Append(private.SetKey(ctx, key, text)...)
}

// originKey is the key of the origin of base_url in the private state of each resource.
const originKey = "origin"

// SaveOrigin records which service has the object of a state.
func (c *Run) SaveOrigin(ctx context.Context, private PrivateState, diags *diag.Diagnostics) {
	SavePrivate(ctx, private, originKey, assessapi.Origin(c.BaseURL), diags)
}

// CheckOrigin warns once in a run if the object of a state belongs to another service: a state or a plan of one
// environment is used with another environment's settings.
func (c *Run) CheckOrigin(ctx context.Context, private PrivateState, diags *diag.Diagnostics) {
	if !c.Connected() {
		return
	}
	was, is := LoadPrivate[string](ctx, private, originKey, diags), assessapi.Origin(c.BaseURL)
	if was == "" || was == is {
		return
	}
	c.Warn("origin", "State of another service", fmt.Sprintf(
		"This state was written for the service at %s, and the provider is configured for %s. If both have objects with the "+
			"same IDs, this plan changes the wrong ones.\n\nOptions: if the service has moved, apply, and the warning ends. "+
			"Otherwise, correct base_url (ASSESS_BASE_URL) or select the right state before you apply.", was, is))
}

// Resource is embedded in each resource, and contains the run.
type Resource struct{ Run *Run }

// Configure stores the run. During validation, there is none.
func (b *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	b.Run, _ = req.ProviderData.(*Run)
}

// ImportIDs returns the two IDs of an import. It reads them from the import ID, which is FIRST/SECOND with each part
// percent-encoded. If the import ID is empty, it reads them from the identity attributes whose names are the parameters
// first and second. The parameter form is the form of the import ID in messages. If the form is wrong, or a part cannot
// be an ID, ok is false, and ImportIDs adds an error to diags.
func ImportIDs(
	ctx context.Context, req resource.ImportStateRequest, first, second, form string, diags *diag.Diagnostics,
) (ids [2]string, ok bool) {
	importID := req.ID
	if importID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		for i, attribute := range []string{first, second} {
			var id types.String
			diags.Append(req.Identity.GetAttribute(ctx, path.Root(attribute), &id)...)
			ids[i] = id.ValueString()
		}
		importID = messages.JoinImportID(ids[0], ids[1]) // SplitImportID checks the IDs
	}
	firstID, secondID, err := messages.SplitImportID(importID)
	if err != nil {
		diags.Append(Error("Invalid import ID", fmt.Sprintf("%q is not a valid import ID: %v. An import ID has the form "+
			"%s.\n\nTo fix this: correct the import ID, or the identity that contains its parts. The data sources show the IDs.",
			importID, err, form)))
	}
	return [2]string{firstID, secondID}, err == nil
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
