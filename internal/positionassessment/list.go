// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

var _ listresource.ListResourceWithConfigValidators = (*Resource)(nil)

// listModel contains the arguments of the list. If both are null, the list covers all positions.
type listModel struct {
	PositionID    types.String `tfsdk:"position_id"`
	PositionTitle types.String `tfsdk:"position_title"`
}

// ListResourceConfigSchema describes the arguments of the list.
func (r *Resource) ListResourceConfigSchema(
	_ context.Context, _ listresource.ListResourceSchemaRequest, resp *listresource.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the assessments that are attached to positions, with at least one request for each " +
			"position.",
		Attributes: map[string]schema.Attribute{
			"position_id": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.Identifier},
				MarkdownDescription: "ID of the position. Default: all positions, or those with `position_title`.",
			},
			"position_title": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.Latin1},
				MarkdownDescription: "Exact title of one or more positions, instead of `position_id`.",
			},
		},
	}
}

// ListResourceConfigValidators returns a validator that rejects a list with both position_id and position_title.
func (r *Resource) ListResourceConfigValidators(context.Context) []listresource.ConfigValidator {
	return []listresource.ConfigValidator{tf.Choice{Arguments: []string{"position_id", "position_title"}}}
}

// NewList returns the list resource.
func NewList() listresource.ListResource { return &Resource{} }

// List lists the position assessments of one position after the other. It ends at the first error ([tf.Run.List]).
func (r *Resource) List(ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream) {
	var config listModel
	r.Run.List(ctx, req, stream, &config, func(yield func(tf.ListItem, diag.Diagnostic) bool) {
		positions, problem := r.positions(ctx, config)
		if problem != nil {
			yield(tf.ListItem{}, problem)
			return
		}
		for _, position := range positions {
			for item, problem := range r.items(ctx, position, config) {
				if !yield(item, problem) {
					return
				}
			}
		}
	})
}

// positions returns the positions that the arguments select. If no position has the ID position_id, it returns a
// position that has only this ID. If the service shows no position with the title position_title, it returns an error.
func (r *Resource) positions(ctx context.Context, config listModel) (all []assessapi.Item, problem diag.Diagnostic) {
	var err error
	switch {
	case !config.PositionID.IsNull():
		var position assessapi.Item
		position, _, err = r.Run.Lists.Position(ctx, config.PositionID.ValueString())
		position.ID = config.PositionID.ValueString() // even if no position has this ID: then attachedTo decides
		all = []assessapi.Item{position}
	case config.PositionTitle.IsNull():
		all, err = r.Run.Lists.Positions(ctx)
	default:
		all, err = r.Run.Lists.PositionsTitled(ctx, config.PositionTitle.ValueString())
	}
	switch {
	case err != nil:
		return nil, tf.Failure(tf.ListPositions, "Could not list the positions of the organization.", err)
	case len(all) == 0 && !config.PositionTitle.IsNull():
		return nil, tf.AttributeError(path.Root("position_title"), "No position found", fmt.Sprintf("The service shows "+
			"no position with exactly the title %s.\n\nTo fix this: correct the title, or remove it to list all positions.",
			config.PositionTitle))
	}
	return all, nil
}

// items returns the assessments that are attached to a position. If it fails, the last element is an error. If
// [attachedTo] says that the position is missing, this is an error only if position_id names the position. Otherwise,
// items returns nothing, because the position was probably deleted after it was listed.
func (r *Resource) items(
	ctx context.Context, position assessapi.Item, config listModel,
) iter.Seq2[tf.ListItem, diag.Diagnostic] {
	return func(yield func(tf.ListItem, diag.Diagnostic) bool) {
		all, isMissing, problem := attachedTo(ctx, r.Run, position.Label(), "import each position assessment by its "+
			"ID, with an import block (POSITION_ID/POSITION_ASSESSMENT_ID). The website of the service shows the IDs.")
		switch {
		case isMissing && config.PositionID.IsNull():
			return
		case problem != nil:
			yield(tf.ListItem{}, problem)
			return
		}
		for _, pa := range all {
			if pa.AssessmentID.OrZero() == "" {
				yield(tf.ListItem{}, hiddenImportFailure(r.Run.Run, ref{position.ID, pa.ID}))
				return
			}
			name, err := r.Run.Lists.AssessmentName(ctx, pa.AssessmentID.OrZero())
			if err != nil {
				yield(tf.ListItem{}, tf.Failure(tf.ListAssessments, tf.ListAssessments+" of the organization.", err))
				return
			}
			state := imported(position.ID, pa.ID)
			state.refresh(pa, privateState{}.isReadable, r.Run.Privacy) // an import has no private state
			item := tf.ListItem{
				Name:     fmt.Sprintf("%s on %s", name, tf.NameOr(position.Name, position.ID)),
				Identity: state.identity(), Resource: state,
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// attachedTo returns the assessments that are attached to a position, with all that a data source or a list needs. If
// the service returns no such list ([assessapi.IsNoList]), the error ends with the text instead, which says what the
// user can do if the service has no such lists. Together with this error, isMissing is true if the position probably
// does not exist: the response is 404 or 410, and this run has read such a list.
func attachedTo(
	ctx context.Context, r *tf.Run, position assessapi.Label, instead string,
) (all []assessapi.PositionAssessment, isMissing bool, problem diag.Diagnostic) {
	what := fmt.Sprintf("Could not list the assessments of position %s.", position)
	list, err := r.Attached.List(ctx, position.ID)
	if assessapi.IsNoList(err) {
		isMissing = assessapi.IsNotFound(err) && r.Reads.OffersLists()
		return nil, isMissing, tf.ErrorIn(tf.Responses, tf.ListAttached, what+"\n\n"+run.Response(err)+" Either the "+
			"position does not exist, or this service has no such list.\n\nTo fix this: check the ID of the position. If the "+
			"service has no such list, "+instead)
	}
	if err == nil {
		all, err = r.ReadWhole(ctx, position.ID, list.Elements, run.Needs{URL: r.Privacy != tf.Strict})
	}
	if err != nil {
		return nil, false, tf.Failure(tf.ListAttached, what, err)
	}
	return all, false, nil
}

// imported is the state directly after an import: only the IDs are known.
func imported(position, id string) model {
	return model{
		ID: types.StringValue(id), PositionID: types.StringValue(position),
		Packages: types.ObjectNull(packagesType), Benchmark: types.ObjectNull(benchmarkType),
		Profile: types.ObjectNull(profileType), Tests: types.ObjectNull(testsType),
	}
}
