// SPDX-License-Identifier: MPL-2.0

// Package skillstest enables skills tests for the organization. Its resource is the smallest one, so copy it to begin a
// new resource.
package skillstest

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Resource enables a skills test for the organization (section 4.5 of the specification).
type Resource struct{ tf.Resource }

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
)

// New returns the resource.
func New() resource.Resource { return &Resource{} }

func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_skills_test_activation"
}

// Schema describes the resource. No computed attribute needs UseStateForUnknown, because the framework does not mark
// them as unknown in an update: the only update sets active, and ModifyPlan plans it after the framework has looked for
// changes.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	computed := func(text string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Enables a skills test for the organization, so that position assessments can use it.\n\nThe " +
			"service has no request that disables a test, so if you destroy this resource, the test stays enabled.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": tf.Replacing("ID of the skills assessment.", tf.Identifier),
			"test_id": tf.Replacing("ID of the skills test. Refer to this attribute in the block `tests` of an "+
				"`assess_position_assessment`, so that the test is enabled first.", tf.Identifier),
			"id": computed("`ASSESSMENT_ID/TEST_ID`, as in an import."),
			"active": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the test is enabled. If it was " +
				"disabled in the service, the next apply enables it."},
			"title":            computed("Title of the test."),
			"description":      computed("Description of the test."),
			"category":         computed("Category of the test."),
			"time_to_complete": computed("Time limit with its unit, as the service returns it, such as `40 minutes`."),
			"number_of_questions": schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of questions in the " +
				"test."},
			"self_link": computed(tf.SelfLink("test")),
		},
	}
}

func (r *Resource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"assessment_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the skills assessment."},
		"test_id":       identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the skills test."},
	}}
}

// Create enables the test, unless it is enabled already.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Run.RequireWrite("enable the skills test", &resp.Diagnostics) {
		return
	}
	test, err := enable(ctx, r.Run.Run, plan.ref())
	if err != nil {
		resp.Diagnostics.Append(r.enableFailure(plan, err))
		return
	}
	plan.refresh(test, r.Run.Privacy)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	r.Run.SaveOrigin(ctx, resp.Private, &resp.Diagnostics)
}

// Read finds the test in the lists of enabled and disabled tests. If both lists lack the test when they are read twice,
// Read removes the resource from the state, and records that the test is gone. After an import, a test that both lists
// lack is an error.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	if !r.Run.Connected() {
		return // while a setting is unknown, the plan shows the state
	}
	r.Run.BeginRead()
	r.Run.CheckOrigin(ctx, req.Private, &resp.Diagnostics)
	test, found, err := find(ctx, r.Run.Run, state.ref())
	if err == nil && !found && state.isImport() {
		_, err = r.Run.Lists.Assessments(ctx) // check's error would advise to set plan_checks, which has no effect here
	}
	if err == nil && !found && !state.isImport() {
		r.Run.Lists.DropSkillsTests(state.AssessmentID.ValueString())
		test, found, err = find(ctx, r.Run.Run, state.ref())
	}
	switch {
	case err != nil:
		resp.Diagnostics.Append(tf.Failure("Could not read the skills test", "Could not read "+r.label(state)+".", err))
		return
	case !found && state.isImport():
		tf.AddFindings(r.checkImport(ctx, state.ref()), &resp.Diagnostics) // an error, because both lists lack it
		return
	case !found:
		r.Run.GoneTest.Add(state.ref())
		resp.Diagnostics.Append(tf.Warning("Skills test is gone", "The service no longer lists "+r.label(state)+
			", so it was removed from the state.\n\nOptions: if the service no longer has it, remove the resource from the "+
			"configuration. Otherwise, plan again."))
		resp.State.RemoveResource(ctx)
		return
	}
	state.refresh(test, r.Run.Privacy)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	r.Run.SaveOrigin(ctx, resp.Private, &resp.Diagnostics)
}

// Update enables a test again after it was disabled in the service. Every other change replaces the resource.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Run.RequireWrite("enable the skills test", &resp.Diagnostics) {
		return
	}
	if _, err := enable(ctx, r.Run.Run, plan.ref()); err != nil {
		resp.Diagnostics.Append(r.enableFailure(plan, err))
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	r.Run.SaveOrigin(ctx, resp.Private, &resp.Diagnostics)
}

// enableFailure is the error of a test that could not be enabled.
func (r *Resource) enableFailure(plan model, err error) diag.Diagnostic {
	const summary = "Could not enable the skills test"
	what := "Could not enable " + r.label(plan) + "."
	if errors.Is(err, errNotListed) {
		return tf.ErrorIn(tf.Responses, summary, what+" The service does not list this test. Nothing was sent.\n\nTo fix "+
			"this: correct assessment_id or test_id. If the test was removed from the service, remove the resource from the "+
			"configuration.")
	}
	return tf.Failure(summary, what, err)
}

// Delete only removes the activation from the state, because the service cannot disable a test. It sends nothing, so
// it also works while the provider is read-only.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.Run.BeginApply()
	r.warnStaysEnabled(state)
}

// ModifyPlan plans the test as enabled, and records this for position assessments that use the test. It checks a
// creation (see checkCreation), and warns that a removal or a replacement leaves the old test enabled.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.Run.ReportPlan(ctx, req, resp)
	var plan, state model
	creates := req.State.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.Run.CheckOrigin(ctx, req.Private, &resp.Diagnostics)
	}
	if req.Plan.Raw.IsNull() {
		r.warnStaysEnabled(state)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.Active = types.BoolValue(true)
	plan.identify()
	if !creates && state.ref() != plan.ref() { // a replacement, which core plans again as a creation
		r.warnStaysEnabled(state)
	}
	if creates && !plan.ID.IsUnknown() {
		tf.AddFindings(r.checkCreation(ctx, plan.ref()), &resp.Diagnostics)
		if resp.Diagnostics.HasError() {
			return
		}
	}
	r.Run.Planned.Add(plan.ref()) // also while the assessment is unknown
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// checkCreation returns what the service would reject. If Read has reported the test as gone, all findings are
// warnings, because an error would stop the destroy of everything else.
func (r *Resource) checkCreation(ctx context.Context, ref run.TestRef) []messages.Finding {
	if !r.Run.ChecksPlan() {
		return nil
	}
	found := check(ctx, &r.Run.Lists, ref)
	if r.Run.GoneTest.Has(ref) {
		return messages.AsWarnings(found)
	}
	return found
}

// checkImport returns what is wrong with the IDs of an import whose test neither list contains.
func (r *Resource) checkImport(ctx context.Context, ref run.TestRef) []messages.Finding {
	found := check(ctx, &r.Run.Lists, ref)
	for i := range found {
		found[i].Detail += " If only the import contains this ID, correct the import."
	}
	return found
}

// ImportState stores the two IDs. Read, which core calls next, completes the state.
func (r *Resource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	ids, ok := tf.ImportIDs(ctx, req, "assessment_id", "test_id", "ASSESSMENT_ID/TEST_ID", &resp.Diagnostics)
	if !ok || !r.Run.Require("import the skills test activation", &resp.Diagnostics) {
		return
	}
	for i, attribute := range []string{"assessment_id", "test_id"} {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(attribute), ids[i])...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), ids[i])...)
	}
}

// warnStaysEnabled warns once in a run that a removed activation leaves the skills test enabled. Each removal is
// planned and applied in its own call, so the warning names only the first test, and says which lines of the plan show
// the other tests.
func (r *Resource) warnStaysEnabled(state model) {
	if !state.Active.ValueBool() {
		return
	}
	r.Run.Warn("stays enabled", "Skills test stays enabled", fmt.Sprintf(
		"The service has no request that disables a skills test. So %s stays enabled for the organization, and only the "+
			"state no longer has it. The same is true for each activation that this run removes and that the plan shows with "+
			"active = true.", r.label(state)))
}

// label is how a message names a test.
func (r *Resource) label(m model) string {
	test := assessapi.Label{ID: m.TestID.ValueString(), Name: m.Title.ValueString()}
	return fmt.Sprintf("skills test %s of assessment %s", test, r.Run.Lists.AssessmentLabel(m.AssessmentID.ValueString()))
}

// model is the resource in a configuration, plan or state.
type model struct {
	ID                types.String `tfsdk:"id"`
	AssessmentID      types.String `tfsdk:"assessment_id"`
	TestID            types.String `tfsdk:"test_id"`
	Active            types.Bool   `tfsdk:"active"`
	Title             types.String `tfsdk:"title"`
	Description       types.String `tfsdk:"description"`
	Category          types.String `tfsdk:"category"`
	TimeToComplete    types.String `tfsdk:"time_to_complete"`
	NumberOfQuestions types.Number `tfsdk:"number_of_questions"`
	SelfLink          types.String `tfsdk:"self_link"`
}

type identityModel struct {
	AssessmentID types.String `tfsdk:"assessment_id"`
	TestID       types.String `tfsdk:"test_id"`
}

func (m model) identity() identityModel { return identityModel{m.AssessmentID, m.TestID} }

func (m model) ref() run.TestRef {
	return run.TestRef{Assessment: m.AssessmentID.ValueString(), Test: m.TestID.ValueString()}
}

// isImport reports whether the state contains only the two IDs, as after an import.
func (m model) isImport() bool { return m.ID.IsNull() }

// identify sets the ID. It is unknown if one of its parts is unknown.
func (m *model) identify() {
	m.ID = types.StringUnknown()
	if !m.AssessmentID.IsUnknown() && !m.TestID.IsUnknown() {
		m.ID = types.StringValue(messages.JoinImportID(m.AssessmentID.ValueString(), m.TestID.ValueString()))
	}
}

// refresh updates the model with a test that the service lists.
func (m *model) refresh(test assessapi.SkillsTest, p tf.Privacy) {
	m.identify()
	m.Active = types.BoolPointerValue(test.Active)
	m.Title = types.StringPointerValue(test.Name)
	m.Description = types.StringPointerValue(test.Description)
	m.Category = types.StringPointerValue(test.Category)
	m.TimeToComplete = types.StringPointerValue(test.TimeToComplete)
	m.NumberOfQuestions = tf.NumberOrNull(test.NumberOfQuestions)
	m.SelfLink = p.SelfLink(test.SelfLink)
}
