// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// skillsTestsDataSource lists the tests of a skills assessment (section 4.4).
type skillsTestsDataSource struct{ dataSourceBase }

var _ datasource.DataSourceWithConfigure = (*skillsTestsDataSource)(nil)

type skillsTestsModel struct {
	AssessmentID types.String      `tfsdk:"assessment_id"`
	Active       types.Bool        `tfsdk:"active"`
	Tests        []skillsTestModel `tfsdk:"tests"`
	IDs          types.List        `tfsdk:"ids"`
}

type skillsTestModel struct {
	ID                types.String `tfsdk:"id"`
	Title             types.String `tfsdk:"title"`
	Description       types.String `tfsdk:"description"`
	Category          types.String `tfsdk:"category"`
	TimeToComplete    types.String `tfsdk:"time_to_complete"`
	NumberOfQuestions types.Number `tfsdk:"number_of_questions"`
	Active            types.Bool   `tfsdk:"active"`
	Extra             types.String `tfsdk:"extra_json"`
}

// lists says which of the service's two lists were asked for, in their order.
func (m *skillsTestsModel) lists() []bool {
	if m.Active.IsNull() {
		return []bool{true, false}
	}
	return []bool{m.Active.ValueBool()}
}

func (m *skillsTestsModel) setTests(all []assessapi.SkillsTest) {
	m.Tests = make([]skillsTestModel, len(all))
	ids := make([]string, len(all))
	for i, t := range all {
		m.Tests[i] = skillsTestModel{
			ID:                types.StringValue(t.ID),
			Title:             types.StringPointerValue(t.Title),
			Description:       types.StringPointerValue(t.Description),
			Category:          types.StringPointerValue(t.Category),
			TimeToComplete:    types.StringPointerValue(t.TimeToComplete),
			NumberOfQuestions: numberOrNull(t.NumberOfQuestions),
			Active:            types.BoolPointerValue(t.Active),
			Extra:             types.StringPointerValue(t.Extra),
		}
		ids[i] = t.ID
	}
	m.IDs = idList(ids)
}

func (d *skillsTestsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The tests of a skills assessment, in the service's order. Empty for an assessment of another " +
			"kind.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{identifier{}},
				MarkdownDescription: "Id of the skills assessment.",
			},
			"active": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "`true` for the tests that are enabled for the organisation, `false` for the others. " +
					"Without it, both, the enabled ones first.",
			},
			"tests": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The tests.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":          schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the test."},
					"title":       schema.StringAttribute{Computed: true, MarkdownDescription: "Title of the test."},
					"description": schema.StringAttribute{Computed: true, MarkdownDescription: "Description of the test."},
					"category":    schema.StringAttribute{Computed: true, MarkdownDescription: "Category of the test."},
					"time_to_complete": schema.StringAttribute{Computed: true, MarkdownDescription: "Time that a candidate has, " +
						"with its unit, in the service's words, such as `40 minutes`."},
					"number_of_questions": schema.NumberAttribute{Computed: true, MarkdownDescription: "How many questions the test " +
						"has."},
					"active": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the test is enabled for the " +
						"organisation."},
					"extra_json": extraAttribute(),
				}},
			},
			"ids": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Ids of the " +
				"tests, in the service's order."},
		},
	}
}

func (d *skillsTestsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.engine.report(&resp.Diagnostics)
	var model skillsTestsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !d.engine.require("read the data source", &resp.Diagnostics) {
		return
	}
	var tests []assessapi.SkillsTest
	for _, active := range model.lists() {
		list, err := d.engine.SkillsTestsInOrder(ctx, model.AssessmentID.ValueString(), active)
		if err != nil {
			resp.Diagnostics.Append(listFailure("skills tests", model.AssessmentID, err))
			return
		}
		tests = append(tests, list...)
	}
	model.setTests(tests)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
