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
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// skillsTestActivationResource enables a skills test for the organization
// (enableSkillsTest).
type skillsTestActivationResource struct{ tf.Resource }

var (
	_ resource.ResourceWithConfigure   = (*skillsTestActivationResource)(nil)
	_ resource.ResourceWithIdentity    = (*skillsTestActivationResource)(nil)
	_ resource.ResourceWithImportState = (*skillsTestActivationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*skillsTestActivationResource)(nil)
)

func newSkillsTestActivation() *skillsTestActivationResource {
	return &skillsTestActivationResource{tf.Resource{Name: "skills_test_activation", Parts: [2]tf.Part{
		{Attribute: "assessment_id", Description: "ID of the skills assessment.", Form: "ASSESSMENT_ID"},
		{Attribute: "test_id", Description: "ID of the skills test.", Form: "TEST_ID"},
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
			"assessment_id": tf.ReplacingID("ID of the skills assessment. If you change it, the resource is replaced."),
			"test_id": tf.ReplacingID("ID of the skills test. If you change it, the resource is replaced. Refer to this " +
				"attribute in the block `tests` of an `assess_position_assessment`, so that the test is enabled first."),
			"id": read("`ASSESSMENT_ID/TEST_ID`. A slash inside one of the two IDs is written as `%2F`, and a percent " +
				"sign as `%25`."),
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
			"self_link": read(tf.SelfLink("test")),
		},
	}
}

// ModifyPlan plans the test as enabled, also if it is disabled now, and refuses a test that
// does not exist.
func (r *skillsTestActivationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var plan, state skillsTestActivationModel
	defer r.Run.Report(&resp.Diagnostics)
	creates := req.State.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(tf.Get(ctx, req.State, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.staysEnabled(state))
		return
	}
	resp.Diagnostics.Append(tf.Get(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.identify()
	plan.Active = types.BoolValue(true)
	replaces := !creates && state.ref() != plan.ref() // then the CLI plans it again, as a creation
	if !plan.ID.IsUnknown() && !replaces {
		if creates && r.Run.ChecksPlan() {
			found := rules.CheckActivation(ctx, r.Run.Catalog(), plan.ref().Assessment, plan.ref().Test)
			tf.AddFindings(found, &resp.Diagnostics)
		}
		if !resp.Diagnostics.HasError() {
			engine.ActivationsOf(r.Run.Run).Plan(plan.ref())
			// The plan shows what it knows about a test that is already enabled, so that a reader sees that
			// the apply enables nothing.
			if test, enabled := engine.ActivationsOf(r.Run.Run).Enabled(ctx, plan.ref()); creates && enabled {
				plan.refresh(test, r.Run.Privacy)
			}
		}
	} else if plan.AssessmentID.IsUnknown() && !plan.TestID.IsUnknown() {
		engine.ActivationsOf(r.Run.Run).Plan(plan.ref())
	}
	resp.Diagnostics.Append(tf.Set(ctx, &resp.Plan, &plan)...)
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
	defer r.Run.Report(diags)
	var plan skillsTestActivationModel
	diags.Append(tf.Get(ctx, planned, &plan)...)
	if diags.HasError() || !r.Run.Require("enable the skills test", diags) {
		return
	}
	what := "Could not enable " + namedTest(r.Run, plan.ref()) + "."
	test, err := engine.ActivationsOf(r.Run.Run).Enable(ctx, plan.ref())
	switch {
	case errors.Is(err, engine.ErrNoSuchTest):
		diags.Append(tf.Error(summary, what+" The service does not list this test.\n\nTo fix this: correct "+
			"assessment_id and test_id."))
		return
	case err != nil:
		diags.Append(tf.Failure(summary, what, err))
		return
	case plan.Title.IsUnknown(): // a creation
		plan.refresh(test, r.Run.Privacy)
		plan.Active = types.BoolValue(true)
	}
	diags.Append(tf.Set(ctx, identity, &plan)...)
	diags.Append(tf.Set(ctx, state, &plan)...)
}

func (r *skillsTestActivationResource) Read(
	ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse,
) {
	defer r.Run.Report(&resp.Diagnostics)
	var state skillsTestActivationModel
	resp.Diagnostics.Append(tf.Get(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(tf.Set(ctx, resp.Identity, &state)...)
	if !r.Run.Connected() {
		return
	}
	named, imported := namedTest(r.Run, state.ref()), state.ID.IsNull()
	test, err := engine.ActivationsOf(r.Run.Run).Read(ctx, state.ref())
	switch {
	case err == nil:
		state.refresh(test, r.Run.Privacy)
		resp.Diagnostics.Append(tf.Set(ctx, &resp.State, &state)...)
	case imported && catalog.IsMissing(err):
		r.importFailure(ctx, state.ref(), &resp.Diagnostics)
	default:
		tf.Unread(ctx, resp, err, tf.Warning("Skills test is gone", fmt.Sprintf("The service no longer lists %s, so it was "+
			"dropped from the state.\n\nTo fix this: if the organization no longer has the test, remove the resource from "+
			"the configuration. Otherwise, plan and apply again.", named)),
			tf.Failure("Could not read the skills test", "Could not read "+named+".", err))
	}
}

// importFailure adds an error that lists the tests of the assessment.
func (r *skillsTestActivationResource) importFailure(
	ctx context.Context, ref catalog.TestRef, diags *diag.Diagnostics,
) {
	tf.AddFindings(rules.CheckActivation(ctx, r.Run.Catalog(), ref.Assessment, ref.Test), diags)
	if !diags.HasError() { // the service does not offer the lists
		diags.Append(tf.Error("Could not import the skills test activation", fmt.Sprintf(
			"The service does not list skills tests of assessment %s.\n\nTo fix this: correct the assessment ID in the import "+
				"ID, ASSESSMENT_ID/TEST_ID.", r.Run.Catalog().AssessmentLabel(ref.Assessment))))
	}
}

// Delete only drops the activation from the state, because the provider cannot disable a test.
func (r *skillsTestActivationResource) Delete(
	ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse,
) {
	defer r.Run.Report(&resp.Diagnostics)
	var state skillsTestActivationModel
	resp.Diagnostics.Append(tf.Get(ctx, req.State, &state)...)
	if r.Run.Connected() {
		if err := r.Run.BeginApply(); err != nil {
			resp.Diagnostics.Append(tf.Failure("Could not drop the skills test activation",
				"Could not drop "+namedTest(r.Run, state.ref())+" from the state.", err))
			return
		}
	}
	resp.Diagnostics.Append(r.staysEnabled(state))
}

func (r *skillsTestActivationResource) staysEnabled(state skillsTestActivationModel) diag.Diagnostic {
	return tf.Warning("Skills test stays enabled", fmt.Sprintf(
		"The provider cannot disable a skills test. Skills test %s of assessment %s is dropped from the state and stays "+
			"enabled for the organization. You do not need to do anything.",
		assessapi.Label{ID: state.TestID.ValueString(), Name: state.Title.ValueString()},
		r.Run.Catalog().AssessmentLabel(state.AssessmentID.ValueString())))
}
