// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// NewProfileLink returns the ephemeral resource.
func NewProfileLink() ephemeral.EphemeralResource { return &profileLinkEphemeral{} }

// profileLinkEphemeral reads the address of a profile without storing it in a plan or a state (getPositionAssessment).
type profileLinkEphemeral struct{ tf.Ephemeral }

var _ ephemeral.EphemeralResourceWithConfigure = (*profileLinkEphemeral)(nil)

type profileLinkModel struct {
	PositionID types.String `tfsdk:"position_id"`
	ID         types.String `tfsdk:"id"`
	URL        types.String `tfsdk:"url"`
	Status     types.String `tfsdk:"status"`
}

func (r *profileLinkEphemeral) Metadata(
	_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_profile_link"
}

// Schema describes the ephemeral resource.
func (r *profileLinkEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	id := []validator.String{tf.Identifier}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the link to the page where a supervisor completes or updates a profile, without " +
			"storing it. It also works with `privacy = \"strict\"`.",
		Attributes: map[string]schema.Attribute{
			"position_id": schema.StringAttribute{Required: true, Validators: id, MarkdownDescription: "ID of the position."},
			"id": schema.StringAttribute{
				Required: true, Validators: id, MarkdownDescription: "ID of the position assessment.",
			},
			"url": schema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "Link to the page of the profile. Anyone who has the link can complete the profile. Null " +
					"if the assessment has no profile.",
			},
			"status": schema.StringAttribute{Computed: true, MarkdownDescription: profileStatus},
		},
	}
}

// Open reads the address and the status of the profile, whatever the privacy setting. They are null if the service does
// not show them.
func (r *profileLinkEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	defer r.Run.Report(&resp.Diagnostics)
	var model profileLinkModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !r.Run.Require("read the profile link", &resp.Diagnostics) {
		return
	}
	at := ref{model.PositionID.ValueString(), model.ID.ValueString()}
	pa, err := fetch(ctx, r.Run.Run, at)
	if err != nil {
		resp.Diagnostics.Append(tf.Failure("Could not read the profile link", fmt.Sprintf("Could not read position "+
			"assessment %q of position %s.", at.ID, r.Run.Lists.PositionLabel(at.Position)), err))
		return
	}
	model.URL = types.StringPointerValue(pa.Metadata.ProfileURL.Value)
	model.Status = types.StringPointerValue(pa.Metadata.ProfileStatus.Value)
	resp.Diagnostics.Append(resp.Result.Set(ctx, &model)...)
}
