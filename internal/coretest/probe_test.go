// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// probe is a provider that shows what a CLI asks of a provider. Each call that may set
// private data stores its own name in it, so that a recording shows which private data
// reaches which call. Its objects are files in a directory: the file name is the ID and
// the text is the value.
type probe struct{ dir string }

func (probe) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "probe"
}

func (probe) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerschema.Schema{
		Attributes: map[string]providerschema.Attribute{"label": providerschema.StringAttribute{Optional: true}},
	}
}

func (probe) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (p probe) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return thing(p) }}
}

func (probe) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return look{} }}
}

// thing is the resource. A new name replaces it, a new value updates it. A value that
// starts with "fail" and the name of a call makes that call fail.
type thing struct{ dir string }

type thingModel struct {
	ID    types.String `tfsdk:"id"`
	Label types.String `tfsdk:"label"`
	Name  types.String `tfsdk:"name"`
	Value types.String `tfsdk:"value"`
	Inner types.Object `tfsdk:"inner"`
}

type thingIdentity struct {
	ID types.String `tfsdk:"id"`
}

var (
	_ resource.ResourceWithIdentity    = thing{}
	_ resource.ResourceWithModifyPlan  = thing{}
	_ resource.ResourceWithImportState = thing{}
)

func (thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "probe_thing"
}

func (thing) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"label": schema.StringAttribute{Optional: true},
			"name": schema.StringAttribute{
				Optional:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"value": schema.StringAttribute{Optional: true},
		},
		Blocks: map[string]schema.Block{"inner": schema.SingleNestedBlock{Attributes: map[string]schema.Attribute{
			"text": schema.StringAttribute{Optional: true},
			"auto": schema.StringAttribute{Optional: true, Computed: true},
		}}},
	}
}

type privateData interface {
	SetKey(context.Context, string, []byte) diag.Diagnostics
}

func sign(ctx context.Context, private privateData, call string) {
	private.SetKey(ctx, "by", []byte(strconv.Quote(call)))
}

func (t thing) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	sign(ctx, resp.Private, "plan")
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if plan.Value.ValueString() == "fail plan" {
		resp.Diagnostics.AddError("failed", "plan")
	}
	if !plan.Inner.IsNull() && !plan.Inner.IsUnknown() && plan.Inner.Attributes()["auto"].IsUnknown() {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("inner").AtName("auto"), "auto")...)
	}
}

func (t thing) fails(call, value string, diags *diag.Diagnostics) bool {
	if value == "fail "+call {
		diags.AddError("failed", call)
	}
	return diags.HasError()
}

func (t thing) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if t.fails("create", plan.Value.ValueString(), &resp.Diagnostics) {
		return
	}
	plan.ID = types.StringValue(strings.TrimPrefix(filepath.Base(t.write("", plan.Value.ValueString())), "id"))
	sign(ctx, resp.Private, "create")
	resp.Diagnostics.Append(resp.Identity.Set(ctx, thingIdentity{plan.ID})...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	t.fails("after create", plan.Value.ValueString(), &resp.Diagnostics)
}

// generated is the beginning of each ID that the probe generates.
const generated = "generated-"

// write writes an object's file. If the object has no ID yet, it creates one.
func (t thing) write(id, value string) string {
	if id == "" {
		file, err := os.CreateTemp(t.dir, "id"+generated+"*")
		if err != nil {
			panic(err)
		}
		_ = file.Close() // the content is written below
		id = strings.TrimPrefix(filepath.Base(file.Name()), "id")
	}
	name := filepath.Join(t.dir, "id"+id)
	if err := os.WriteFile(name, []byte(value), 0o600); err != nil {
		panic(err)
	}
	return name
}

func (t thing) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, thingIdentity{state.ID})...)
	text, err := os.ReadFile(filepath.Join(t.dir, "id"+state.ID.ValueString()))
	if errors.Is(err, fs.ErrNotExist) {
		resp.State.RemoveResource(ctx)
		return
	}
	state.Value = types.StringValue(string(text))
	if len(text) == 0 {
		state.Value = types.StringNull()
	}
	sign(ctx, resp.Private, "read")
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (t thing) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if t.fails("update", plan.Value.ValueString(), &resp.Diagnostics) {
		return
	}
	t.write(plan.ID.ValueString(), plan.Value.ValueString())
	sign(ctx, resp.Private, "update")
	resp.Diagnostics.Append(resp.Identity.Set(ctx, thingIdentity{plan.ID})...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (t thing) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !t.fails("delete", state.Value.ValueString(), &resp.Diagnostics) {
		_ = os.Remove(filepath.Join(t.dir, "id"+state.ID.ValueString())) // may not exist
	}
}

func (t thing) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.Identity.Set(ctx, thingIdentity{types.StringValue(req.ID)})...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), req.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("label"), req.ID)...)
}

// look is the data source. It returns its arguments.
type look struct{}

func (look) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "probe_look"
}

func (look) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = dataschema.Schema{Attributes: map[string]dataschema.Attribute{
		"label": dataschema.StringAttribute{Optional: true},
		"name":  dataschema.StringAttribute{Optional: true},
		"found": dataschema.StringAttribute{Computed: true},
	}}
}

func (look) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var name, label types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("label"), &label)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("label"), label)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("found"), name)...)
}
