// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// Parts of descriptions that several schemas contain.
const (
	onlyTwoTypes  = "Only two kinds of assessments have profiles: values inventories and work preferences questionnaires."
	profileStatus = "Status of the profile: `SUPERVISOR_TO_COMPLETE`, `SUPERVISOR_COMPLETED` or `PROFILE_ATTACHED`. " +
		onlyTwoTypes + " Null for other assessments."
)

// Schema describes the resource.
func (r *positionAssessmentResource) Schema(
	_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Attaches an assessment to a position, with the configuration that the assessment " +
			"requires.\n\nA plan refuses what the service would refuse. It warns before an apply discards a profile that a " +
			"supervisor, usually the hiring manager, has completed on a page of the service.",
		Attributes: map[string]schema.Attribute{
			"id":          keptString("ID of the position assessment."),
			"position_id": replacingID("ID of the position. If you change it, the position assessment is replaced."),
			"assessment_id": replacingID("ID of the assessment to attach. If you change it, the position assessment is " +
				"replaced."),
			"profile_status": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: profileStatus,
			},
			"profile_url": schema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "Address where a supervisor completes or updates the profile. Anyone who has the address " +
					"can change the profile. Null if the assessment has no profile, and with `privacy = \"strict\"`.",
			},
			"on_refused_removal": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(onRefusalFail),
				PlanModifiers: []planmodifier.String{keepsNull{}},
				Validators:    []validator.String{oneOf(onRefusalFail, onRefusalForget)},
				MarkdownDescription: "What happens if the service refuses to remove the position assessment, because candidates " +
					"have been invited to it. `fail` (default): the plan refuses the removal. `forget`: the apply drops the " +
					"resource from the state, and the assessment stays attached in the service.",
			},
			"self_link": keptString(selfLink("position assessment")),
		},
		Blocks: map[string]schema.Block{
			"packages": packagesSchema(), "benchmark": benchmarkSchema(), "profile": profileSchema(), "tests": testsSchema(),
		},
	}
}

func packagesSchema() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Packages of a multi-game cognitive assessment, which requires this block. You can combine " +
			"it only with `benchmark`.",
		Attributes: map[string]schema.Attribute{
			"ids": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.StringType, Validators: []validator.Set{someIDs},
				MarkdownDescription: "Required, unless `select` is set. IDs of the packages, including every mandatory one.",
			},
			"select": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{oneOf(rules.SelectAll, rules.SelectMandatory)},
				MarkdownDescription: "Required, unless `ids` is set. `all` selects all packages of the assessment, `mandatory` " +
					"only the mandatory ones. Each plan reads the list again, so that a plan with `all` adds new packages of the " +
					"service.",
			},
		},
	}
}

func benchmarkSchema() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Benchmark, the group of people that the service compares each candidate with. It must have " +
			"the same locale (language and country) as the position. Without this block, the assessment has no benchmark.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional: true, Validators: []validator.String{identifier},
				MarkdownDescription: "Required. ID of the benchmark.",
			},
		},
	}
}

func profileSchema() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Existing profile to attach. " + onlyTwoTypes + " " +
			"Without this block, a supervisor completes the profile at `profile_url`. You cannot combine it with other blocks.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional: true, Validators: []validator.String{identifier},
				MarkdownDescription: "Required. ID of the profile.",
			},
			"on_supervisor_change": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(onChangeKeep),
				Validators: []validator.String{oneOf(onChangeKeep, onChangeReattach)},
				MarkdownDescription: "What happens after a supervisor has replaced the profile in `id`. `keep` (default) " +
					"leaves the supervisor's profile. `reattach` attaches the profile in `id` again, which discards the " +
					"supervisor's work. The plan warns about this. If you add the block after a supervisor has completed the " +
					"profile, for example after an import, a plan with `keep` fails. Otherwise, it would discard the work.",
			},
		},
	}
}

func testsSchema() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Skills tests of a skills assessment, which requires this block. You cannot combine it with " +
			"other blocks.",
		Attributes: map[string]schema.Attribute{
			"ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: []validator.Set{someIDs},
				MarkdownDescription: "Required. IDs of one or more tests, which must be enabled for the organization. If the " +
					"same configuration enables a test, refer to `test_id` of its `assess_skills_test_activation`, so that the " +
					"test is enabled first.",
			},
		},
	}
}
