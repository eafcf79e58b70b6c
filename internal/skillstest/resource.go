// SPDX-License-Identifier: MPL-2.0

// Package skillstest enables skills tests for the organization. It is the smallest noun, and the one to copy:
// resource.go contains what the CLI sees, activations.go what a run knows and does, and rules.go what a plan refuses.
package skillstest

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Resource enables a skills test for the organization (enableSkillsTest).
type Resource struct{ tf.Resource }

// New returns the resource.
func New() tf.Noun {
	return &Resource{tf.Resource{
		Name: "skills_test_activation", Lists: "Lists the enabled tests of a skills assessment.", Parts: [2]tf.Part{
			{Attribute: "assessment_id", Description: "ID of the skills assessment."},
			{Attribute: "test_id", Description: "ID of the skills test."},
		},
	}}
}

// known is what the run knows and does.
func (r *Resource) known() *Activations { return Of(r.Run.Run) }

// named is how a message names a test.
func (r *Resource) named(m model) string { return r.known().label(m.ref()) }

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	read := func(text string) schema.Attribute { // planned as in the state, because each change of an id replaces
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Enables a skills test for the organization, so that position assessments can use it.\n\nThe " +
			"service has no request that disables a test, so if you destroy this resource, the test stays enabled.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": tf.Replacing("ID of the skills assessment.", tf.Identifier),
			"test_id": tf.Replacing("ID of the skills test. Refer to this attribute in the block `tests` of an "+
				"`assess_position_assessment`, so that the test is enabled first.", tf.Identifier),
			"id": read("`ASSESSMENT_ID/TEST_ID`, as in an import."),
			"active": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the test is enabled. If it was " +
				"disabled in the service, the next apply enables it."},
			"title":            read("Title of the test."),
			"description":      read("Description of the test."),
			"category":         read("Category of the test."),
			"time_to_complete": read("Time limit with its unit, as the service returns it, such as `40 minutes`."),
			"number_of_questions": schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of questions in the " +
				"test."},
			"self_link": read(tf.SelfLink("test")),
		},
	}
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

func (m model) ref() catalog.TestRef {
	return catalog.TestRef{Assessment: m.AssessmentID.ValueString(), Test: m.TestID.ValueString()}
}

// identify sets the id. It is unknown if one of its parts is unknown.
func (m *model) identify() {
	if m.AssessmentID.IsUnknown() || m.TestID.IsUnknown() {
		m.ID = types.StringUnknown()
		return
	}
	m.ID = types.StringValue(words.JoinImportID(m.AssessmentID.ValueString(), m.TestID.ValueString()))
}

// refresh updates the model with a response of the service.
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

// ModifyPlan plans the test as enabled, also if it is disabled now, and refuses a test that does not exist.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state model
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
	activations, known := r.known(), !plan.ID.IsUnknown()
	if creates && known && r.Run.ChecksPlan() {
		tf.AddFindings(check(ctx, r.Run.Catalog(), plan.ref()), &resp.Diagnostics)
	}
	replaces := !creates && known && state.ref() != plan.ref() // then the CLI plans it again, as a creation
	if !plan.TestID.IsUnknown() && !replaces && !resp.Diagnostics.HasError() {
		activations.plan(plan.ref())
	}
	if creates && known && !resp.Diagnostics.HasError() {
		// The plan shows the data of a test that is already enabled, so that a reader sees that nothing is sent.
		switch test, err := activations.shown(ctx, plan.ref()); {
		case err != nil:
			resp.Diagnostics.Append(tf.Failure("Could not read the skills test", "Could not read "+r.named(plan)+".", err))
			return
		case test != nil:
			plan.refresh(*test, r.Run.Privacy)
		}
	}
	resp.Diagnostics.Append(tf.Set(ctx, &resp.Plan, &plan)...)
}

// Create enables the planned test.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	const summary = "Could not enable the skills test"
	tf.Create(ctx, r.Run, req, resp, "enable the skills test", func(plan *model) error {
		test, err := r.known().enable(ctx, plan.ref())
		if err == nil && plan.Title.IsUnknown() { // a creation
			plan.refresh(test, r.Run.Privacy)
			plan.Active = types.BoolValue(true)
		}
		return err
	}, func(plan model, err error) diag.Diagnostic {
		what := "Could not enable " + r.named(plan) + "."
		if errors.Is(err, errNoSuchTest) {
			return tf.Error(summary, what+" The service does not list this test.\n\nTo fix this: correct assessment_id or "+
				"test_id.")
		}
		return tf.Failure(summary, what, err)
	})
}

// Update enables a test again that was disabled in the service.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.Create(ctx, resource.CreateRequest{Plan: req.Plan}, (*resource.CreateResponse)(resp))
}

// Read refreshes the state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	tf.Read(ctx, &r.Resource, req, resp, "skills test", r.named, func(state *model) error {
		test, err := r.known().read(ctx, state.ref())
		switch {
		case err == nil:
			state.refresh(test, r.Run.Privacy)
		case r.IsImport(req.State) && catalog.IsMissing(err):
			tf.AddFindings(check(ctx, r.Run.Catalog(), state.ref()), &resp.Diagnostics)
		}
		return err
	})
}

// Delete only drops the activation from the state, because the provider cannot disable a test.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var state model
	resp.Diagnostics.Append(tf.Get(ctx, req.State, &state)...)
	if r.Run.Connected() {
		if err := r.Run.BeginApply(); err != nil {
			resp.Diagnostics.Append(tf.Failure("Could not drop the skills test activation",
				"Could not drop "+r.named(state)+" from the state.", err))
			return
		}
	}
	resp.Diagnostics.Append(r.staysEnabled(state))
}

func (r *Resource) staysEnabled(state model) diag.Diagnostic {
	return tf.Warning("Skills test stays enabled", fmt.Sprintf(
		"The provider cannot disable a skills test. Skills test %s of assessment %s is dropped from the state and stays "+
			"enabled for the organization. You do not need to do anything.",
		assessapi.Label{ID: state.TestID.ValueString(), Name: state.Title.ValueString()},
		r.Run.Catalog().AssessmentLabel(state.AssessmentID.ValueString())))
}

// List lists the enabled tests.
func (r *Resource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	r.ListOf(ctx, req, stream, "skills tests", func(assessment string) (items []tf.ListItem, err error) {
		tests, err := r.Run.Catalog().SkillsTests(ctx, assessment, true)
		for _, test := range tests {
			state := model{AssessmentID: types.StringValue(assessment), TestID: types.StringValue(test.ID)}
			state.refresh(test, r.Run.Privacy)
			items = append(items, tf.ListItem{Name: tf.NameOr(test.Name, test.ID), Resource: state})
		}
		return items, err
	})
}
