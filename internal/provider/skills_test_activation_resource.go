// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// skillsTestActivationResource enables a skills test for the organization
// (enableSkillsTest).
type skillsTestActivationResource struct{ resourceBase }

var _ resource.ResourceWithModifyPlan = (*skillsTestActivationResource)(nil)

func newSkillsTestActivation() *skillsTestActivationResource {
	return &skillsTestActivationResource{resourceBase{name: "skills_test_activation", parts: [2]part{
		{"assessment_id", "ID of the skills assessment.", "ASSESSMENT_ID"},
		{"test_id", "ID of the skills test.", "TEST_ID"},
	}}}
}

func (r *skillsTestActivationResource) Schema(
	_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse,
) {
	read := func(text string) schema.Attribute { // planned as in the state, because each change of an id replaces
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Enables a skills test for the organization, so that position assessments can use it.\n\nThe " +
			"service has no request that disables a test, so if you destroy this resource, the test stays enabled.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": replacingID("ID of the skills assessment. If you change it, the resource is replaced."),
			"test_id": replacingID("ID of the skills test. If you change it, the resource is replaced. Refer to this " +
				"attribute in the block `tests` of an `assess_position_assessment`, so that the test is enabled first."),
			"id": read("`ASSESSMENT_ID/TEST_ID`, as in an import."),
			"active": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the test is enabled. If it was disabled in the service, the next apply enables it.",
			},
			"title":            read("Title of the test."),
			"description":      read("Description of the test."),
			"category":         read("Category of the test."),
			"time_to_complete": read("Time limit with its unit, as the service returns it, such as `40 minutes`."),
			"number_of_questions": schema.NumberAttribute{
				Computed: true, MarkdownDescription: "Number of questions in the test.",
			},
			"self_link": read(selfLink("test")),
		},
	}
}

// ModifyPlan plans the test as enabled, also if it is disabled now, and refuses a test that
// does not exist.
func (r *skillsTestActivationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var plan, state skillsTestActivationModel
	defer r.run.report(&resp.Diagnostics)
	creates := req.State.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.staysEnabled(state))
		return
	}
	resp.Diagnostics.Append(get(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.identify()
	plan.Active = types.BoolValue(true)
	replaces := !creates && state.ref() != plan.ref() // then the CLI plans it again, as a creation
	if !plan.ID.IsUnknown() && !replaces {
		if creates && r.run.ChecksPlan() {
			addFindings(rules.CheckActivation(ctx, r.run.Catalog, plan.ref().Assessment, plan.ref().Test), &resp.Diagnostics)
		}
		if !resp.Diagnostics.HasError() {
			r.run.Activations.Plan(plan.ref())
			// The plan shows what it knows about a test that is already enabled, so that a reader sees that
			// the apply enables nothing.
			if test, enabled := r.run.Activations.Enabled(ctx, plan.ref()); creates && enabled {
				plan.refresh(test, r.run.privacy)
			}
		}
	} else if plan.AssessmentID.IsUnknown() && !plan.TestID.IsUnknown() {
		r.run.Activations.Plan(plan.ref())
	}
	resp.Diagnostics.Append(set(ctx, &resp.Plan, &plan)...)
}

func (r *skillsTestActivationResource) Create(
	ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse,
) {
	r.enable(ctx, req.Plan, resp.Identity, &resp.State, &resp.Diagnostics)
}

func (r *skillsTestActivationResource) Update(
	ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse,
) {
	r.enable(ctx, req.Plan, resp.Identity, &resp.State, &resp.Diagnostics)
}

// enable enables the planned test, and saves the result.
func (r *skillsTestActivationResource) enable(
	ctx context.Context, planned tfsdk.Plan, identity *tfsdk.ResourceIdentity, state *tfsdk.State, diags *diag.Diagnostics,
) {
	const summary = "Could not enable the skills test"
	defer r.run.report(diags)
	var plan skillsTestActivationModel
	diags.Append(get(ctx, planned, &plan)...)
	if diags.HasError() || !r.run.require("enable the skills test", diags) {
		return
	}
	what := "Could not enable " + r.run.namedTest(plan.ref()) + "."
	test, err := r.run.Activations.Enable(ctx, plan.ref())
	switch {
	case errors.Is(err, engine.ErrNoSuchTest):
		diags.Append(newError(summary, what+" The service does not list this test.\n\nTo fix this: correct "+
			"assessment_id and test_id."))
		return
	case err != nil:
		diags.Append(failure(summary, what, err))
		return
	case plan.Title.IsUnknown(): // a creation
		plan.refresh(test, r.run.privacy)
		plan.Active = types.BoolValue(true)
	}
	diags.Append(set(ctx, identity, &plan)...)
	diags.Append(set(ctx, state, &plan)...)
}

func (r *skillsTestActivationResource) Read(
	ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse,
) {
	defer r.run.report(&resp.Diagnostics)
	var state skillsTestActivationModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(set(ctx, resp.Identity, &state)...)
	if !r.run.Connected() {
		return
	}
	named, imported := r.run.namedTest(state.ref()), state.ID.IsNull()
	test, err := r.run.Activations.Read(ctx, state.ref())
	switch {
	case err == nil:
		state.refresh(test, r.run.privacy)
		resp.Diagnostics.Append(set(ctx, &resp.State, &state)...)
	case imported && catalog.IsMissing(err):
		r.importFailure(ctx, state.ref(), &resp.Diagnostics)
	default:
		unread(ctx, resp, err, newWarning("Skills test is gone", fmt.Sprintf("The service no longer lists %s, so it was "+
			"dropped from the state.\n\nTo fix this: if the organization no longer has the test, remove the resource from "+
			"the configuration. Otherwise, plan and apply again.", named)),
			failure("Could not read the skills test", "Could not read "+named+".", err))
	}
}

// importFailure adds an error that lists the tests of the assessment.
func (r *skillsTestActivationResource) importFailure(
	ctx context.Context, ref catalog.TestRef, diags *diag.Diagnostics,
) {
	addFindings(rules.CheckActivation(ctx, r.run.Catalog, ref.Assessment, ref.Test), diags)
	if !diags.HasError() { // the service does not offer the lists
		diags.Append(newError("Could not import the skills test activation", fmt.Sprintf(
			"The service does not list skills tests of assessment %s.\n\nTo fix this: correct the assessment ID in the import "+
				"ID, ASSESSMENT_ID/TEST_ID.", r.run.Catalog.AssessmentLabel(ref.Assessment))))
	}
}

// Delete only drops the activation from the state, because the provider cannot disable a test.
func (r *skillsTestActivationResource) Delete(
	ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
) {
	defer r.run.report(&resp.Diagnostics)
	var state skillsTestActivationModel
	resp.Diagnostics.Append(get(ctx, req.State, &state)...)
	if r.run.Connected() {
		if err := r.run.BeginApply(); err != nil {
			resp.Diagnostics.Append(failure("Could not drop the skills test activation",
				"Could not drop "+r.run.namedTest(state.ref())+" from the state.", err))
			return
		}
	}
	resp.Diagnostics.Append(r.staysEnabled(state))
}

func (r *skillsTestActivationResource) staysEnabled(state skillsTestActivationModel) diag.Diagnostic {
	return newWarning("Skills test stays enabled", fmt.Sprintf(
		"The provider cannot disable a skills test. Skills test %s of assessment %s is dropped from the state and stays "+
			"enabled for the organization. You do not need to do anything.",
		assessapi.Label{ID: state.TestID.ValueString(), Name: state.Title.ValueString()},
		r.run.Catalog.AssessmentLabel(state.AssessmentID.ValueString())))
}
