// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/numberplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// skillsTestActivationResource enables a skills test for the organisation
// (sections 3.3 and 4.5 of the specification).
type skillsTestActivationResource struct{ resourceBase }

var (
	_ resource.ResourceWithConfigure   = (*skillsTestActivationResource)(nil)
	_ resource.ResourceWithIdentity    = (*skillsTestActivationResource)(nil)
	_ resource.ResourceWithImportState = (*skillsTestActivationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*skillsTestActivationResource)(nil)
)

type skillsTestActivationIdentity struct {
	AssessmentID types.String `tfsdk:"assessment_id"`
	TestID       types.String `tfsdk:"test_id"`
}

func (r *skillsTestActivationResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_skills_test_activation"
}

func (r *skillsTestActivationResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"assessment_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the skills assessment."},
		"test_id":       identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the skills test."},
	}}
}

func (r *skillsTestActivationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	id := []validator.String{identifier{}}
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Enables a skills test for the organisation, so that position assessments can use it.\n\n" +
			"The service has no way to disable a test: destroying this resource forgets it, with a warning, and the test stays enabled. " +
			"A test that somebody has disabled is enabled again by the next apply.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{Required: true, Validators: id, PlanModifiers: replace, MarkdownDescription: "Id of the skills assessment. Changing it replaces the resource."},
			"test_id": schema.StringAttribute{
				Required: true, Validators: id, PlanModifiers: replace,
				MarkdownDescription: "Id of the skills test. Changing it replaces the resource. Refer to it in the block `tests` of an `assess_position_assessment`, so that the test is enabled first.",
			},
			"id":               schema.StringAttribute{Computed: true, MarkdownDescription: "`ASSESSMENT/TEST`, each part percent-encoded."},
			"active":           schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the test is enabled. A plan shows it becoming true again where it was disabled."},
			"title":            schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Title of the test."},
			"description":      schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Description of the test."},
			"category":         schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Category of the test."},
			"time_to_complete": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Time that a candidate has, with its unit, in the service's words, such as `40 minutes`."},
			"number_of_questions": schema.NumberAttribute{
				Computed: true, PlanModifiers: []planmodifier.Number{numberplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "How many questions the test has.",
			},
			"self_link": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Address (URL) of the test in the service."},
		},
	}
}

// ModifyPlan plans the test as enabled, whatever it is now, and refuses a test
// that does not exist.
func (r *skillsTestActivationResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		var state skillsTestActivationModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		resp.Diagnostics.Append(staysEnabled(state))
		return
	}
	var plan skillsTestActivationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.identify()
	plan.Active = types.BoolValue(true)
	if !plan.ID.IsUnknown() && len(resp.RequiresReplace) == 0 {
		if req.State.Raw.IsNull() && r.walk.looksUp() {
			r.checkTest(ctx, plan, &resp.Diagnostics)
		}
		if !resp.Diagnostics.HasError() {
			r.walk.planActivation(plan.activation())
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *skillsTestActivationResource) checkTest(ctx context.Context, plan skillsTestActivationModel, diags *diag.Diagnostics) {
	what := plan.activation()
	lookUp := check{walk: r.walk, assessment: what.assessment, diags: diags}
	if !lookUp.known(ctx) {
		return
	}
	enabled, ok := lookUp.skills(ctx, path.Root("test_id"), true)
	if !ok || slices.Contains(enabled, what.test) {
		return
	}
	disabled, ok := lookUp.skills(ctx, path.Root("test_id"), false)
	if ok && !slices.Contains(disabled, what.test) {
		diags.AddAttributeError(path.Root("test_id"), "Unknown skills test",
			fmt.Sprintf("The assessment %q has no skills test %q. Not enabled yet: %s. Enabled: %s.", what.assessment, what.test, near(what.test, disabled), near(what.test, enabled)))
	}
}

func (r *skillsTestActivationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var plan skillsTestActivationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.enable(ctx, &plan, &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, skillsTestActivationIdentity{plan.AssessmentID, plan.TestID})...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *skillsTestActivationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var plan skillsTestActivationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.enable(ctx, &plan, &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, skillsTestActivationIdentity{plan.AssessmentID, plan.TestID})...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// enable sends the PUT, unless the test is enabled already, and fills in what
// the plan left open.
func (r *skillsTestActivationResource) enable(ctx context.Context, plan *skillsTestActivationModel, diags *diag.Diagnostics) bool {
	if !r.walk.begin(diags) {
		return false
	}
	const summary = "Cannot enable the skills test"
	what := plan.activation()
	asked := fmt.Sprintf("The skills test %q of the assessment %q was to be enabled.", what.test, what.assessment)
	test, found, err := r.walk.findSkillsTest(ctx, what.assessment, what.test)
	if err == nil && found && !*test.Active {
		test, err = r.walk.enableSkillsTest(ctx, what.assessment, test)
	}
	switch {
	case err != nil:
		diags.Append(failure(summary, asked, err))
	case !found:
		diags.AddError(summary, asked+"\n\nThe service lists it neither among the enabled tests nor among the others. Check assessment_id and test_id.")
	default:
		plan.settle(test)
	}
	return !diags.HasError()
}

func (r *skillsTestActivationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var state skillsTestActivationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, skillsTestActivationIdentity{state.AssessmentID, state.TestID})...)
	if !r.walk.connected() {
		return
	}
	what := state.activation()
	asked := fmt.Sprintf("The skills test %q of the assessment %q was to be read.", what.test, what.assessment)
	reading := r.walk.skillsReading(what.assessment)
	test, found, err := r.walk.findSkillsTest(ctx, what.assessment, what.test)
	if err == nil && !found {
		// Absent from a list is not gone: it may have moved from one to the
		// other between the two readings.
		r.walk.rereadSkills(what.assessment, reading)
		test, found, err = r.walk.findSkillsTest(ctx, what.assessment, what.test)
	}
	gone, imported := assessapi.IsNotFound(err) || err == nil && !found, state.ID.IsNull()
	if gone && !imported {
		err = r.walk.confirmGone(ctx, what.assessment)
	}
	switch {
	case gone && imported:
		r.noSuchTest(ctx, state, &resp.Diagnostics)
	case err != nil:
		resp.Diagnostics.Append(failure("Cannot read the skills test", asked, err))
	case gone:
		resp.Diagnostics.AddWarning("The skills test is gone",
			fmt.Sprintf("The service lists the skills test %q of the assessment %q neither among the enabled tests nor among the others.", what.test, what.assessment))
		resp.State.RemoveResource(ctx)
	default:
		state.refresh(test)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// noSuchTest says what there is instead of a test that was to be imported.
func (r *skillsTestActivationResource) noSuchTest(ctx context.Context, imported skillsTestActivationModel, diags *diag.Diagnostics) {
	r.checkTest(ctx, imported, diags)
	if !diags.HasError() { // the service shows no list to say more by
		diags.AddError("Cannot import the skills test activation",
			fmt.Sprintf("The service lists no skills tests of the assessment %q. Check the part of the import id before the slash.", imported.AssessmentID.ValueString()))
	}
}

func (r *skillsTestActivationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state skillsTestActivationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(staysEnabled(state))
}

func staysEnabled(state skillsTestActivationModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The skills test stays enabled",
		fmt.Sprintf("The service has no way to disable a skills test. The activation of %q (assessment %q) is forgotten here, and the test stays enabled for the organisation.",
			state.TestID.ValueString(), state.AssessmentID.ValueString()))
}

func (r *skillsTestActivationResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var identity skillsTestActivationIdentity
	if req.ID != "" {
		assessment, test, err := splitImportID(req.ID)
		if err != nil {
			resp.Diagnostics.AddError("Cannot import the skills test activation", fmt.Sprintf("%q is no import id: %v. One looks like ASSESSMENT/TEST.", req.ID, err))
			return
		}
		identity = skillsTestActivationIdentity{types.StringValue(assessment), types.StringValue(test)}
	} else {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	}
	if resp.Diagnostics.HasError() || !r.walk.mayImport(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
	setAttributes(ctx, &resp.State, map[string]types.String{"assessment_id": identity.AssessmentID, "test_id": identity.TestID}, &resp.Diagnostics)
}
