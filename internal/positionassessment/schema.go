// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Parts of descriptions that several schemas contain.
const (
	profileStatus = "Status of the profile: `SUPERVISOR_TO_COMPLETE`, `SUPERVISOR_COMPLETED` or `PROFILE_ATTACHED`. " +
		"Null if the assessment has no profile."
	profileURL = "Address of the page on which a supervisor completes the profile. Anyone who has it can change the " +
		"profile. Null if the assessment has no profile, and with `privacy = \"strict\"`."
)

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Attaches an assessment to a position, with the configuration that the assessment " +
			"requires. Plans reject most of what the service would reject, and warn before an apply discards the [work of " +
			"a supervisor](../guides/day-two.md#supervisors).\n\nAn assessment can be attached to a position only once, " +
			"because the service keeps a candidate's results for each assessment of a position. So the position and the " +
			"assessment together identify the resource, whatever its configuration.",
		Attributes: map[string]schema.Attribute{
			"id":             tf.KeptString("ID of the position assessment."),
			"position_id":    tf.Replacing("ID of the position.", tf.Identifier),
			"assessment_id":  tf.Replacing("ID of the assessment to attach.", tf.Identifier),
			"profile_status": schema.StringAttribute{Computed: true, MarkdownDescription: profileStatus},
			"profile_url":    schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: profileURL},
			"on_refused_removal": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(onRefusalFail),
				Validators: []validator.String{tf.OneOf(onRefusalFail, onRefusalForget)},
				MarkdownDescription: "What happens to a removal that the service rejects, usually because candidates have been " +
					"invited. `fail` (default): the plan or the apply fails. `forget`: the apply removes the resource from the " +
					"state only, and the assessment stays attached.",
			},
			"self_link": tf.KeptString(tf.SelfLink("position assessment")),
		},
		Blocks: map[string]schema.Block{
			"packages": packagesSchema(), "benchmark": benchmarkSchema(), "profile": profileSchema(), "tests": testsSchema(),
		},
	}
}

// packagesSchema describes the block packages. [rules.CheckSelection] requires exactly one of ids and select. With
// select, ids is computed.
func packagesSchema() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Packages of a multi-game cognitive assessment, which requires this block. You can combine " +
			"it only with `benchmark`.",
		Attributes: map[string]schema.Attribute{
			"ids": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.StringType, Validators: []validator.Set{tf.SomeIDs},
				MarkdownDescription: "Required, unless `select` is set. IDs of the packages, including all mandatory packages.",
			},
			"select": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{tf.OneOf(rules.SelectAll, rules.SelectMandatory)},
				MarkdownDescription: "Required, unless `ids` is set. `all` or `mandatory` packages of the assessment. Each plan " +
					"reads the list again and selects the packages that it then contains.",
			},
		},
	}
}

func benchmarkSchema() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Group of people that candidates are compared with. It must have the locale of the position. " +
			"Without this block, the assessment has no benchmark.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.Identifier},
				MarkdownDescription: "Required when this block is set. ID of the benchmark.",
			},
		},
	}
}

// profileSchema describes the block profile. [rules.CheckBlocks] requires its id, because the schema would also require
// it without the block.
func profileSchema() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Existing profile to attach, for a values inventory or a work preferences questionnaire. " +
			"Without this block, a supervisor completes the profile at `profile_url`. You cannot combine it with other blocks.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.Identifier},
				MarkdownDescription: "Required when this block is set. ID of the profile.",
			},
			"on_supervisor_change": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(onChangeKeep),
				Validators: []validator.String{tf.OneOf(onChangeKeep, onChangeReattach)},
				MarkdownDescription: "What happens after a supervisor has replaced the profile in `id`. `keep` (default) leaves " +
					"the supervisor's profile until you change `id`. `reattach` discards it, and attaches the profile in `id` " +
					"again. The plan warns first. A block that you add after a supervisor has completed the profile requires " +
					"`reattach`.",
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
				Optional: true, ElementType: types.StringType, Validators: []validator.Set{tf.SomeIDs},
				MarkdownDescription: "Required when this block is set. IDs of one or more enabled tests. If the same " +
					"configuration enables a test, refer to `test_id` of its `assess_skills_test_activation`, so that the test is " +
					"enabled first.",
			},
		},
	}
}
